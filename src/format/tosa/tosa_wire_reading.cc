// SPDX-License-Identifier: Apache-2.0
#include "tosa_wire_reading.h"

#include "newer_versions.h"
#include "operator_table.h"
#include "tosa_version.h"
#include "wire_fields.h"
#include "wire_views.h"

namespace assay {

bool TosaWireReading::KnownEnumerator(AttributeId field, uint32_t value) {
  if (value <= WireEnumMax(field)) return true;
  const std::string text =
      field == AttributeId::kAccType ? NewerTypeText(value) : "value " + std::to_string(value);
  return Unsupported(std::string(AttributeName(field)) + " is " + text +
                     ", which TOSA 1.0 does not have");
}

bool TosaWireReading::ReadVersion(const tosa::TosaGraph& wire, SpecVersion& version) {
  const tosa::Version& v = *wire.version();
  if (!KnownFields(v, 4, "Version")) return false;
  version = {v._major(), v._minor(), v._patch(), v._draft()};
  if (const auto refusal = RefusalOfVersion(version)) return Unsupported(*refusal);
  // 1.1 appends the version of the software that wrote the file.
  return KnownFields(wire, version.minor == 1 ? 3 : 2, "TosaGraph");
}

std::optional<std::span<const uint8_t>> TosaWireReading::FindData(
    const tosa::TosaTensor& wire) const {
  const auto data = View(wire.data());
  if (!data.empty() || wire.offset() <= 1) return data;
  if (wire.offset() > file_.size() || wire.size() > file_.size() - wire.offset()) {
    return std::nullopt;
  }
  return file_.subspan(wire.offset(), wire.size());
}

std::string TosaWireReading::OutsideText(const tosa::TosaTensor& wire) {
  return "data is at offset " + std::to_string(wire.offset()) + ", beyond the end of the file";
}

}  // namespace assay
