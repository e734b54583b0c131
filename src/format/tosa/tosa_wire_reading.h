// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attributes.h"
#include "tosa_generated.h"
#include "wire_reading.h"

namespace assay {

// The state of reading one verified `.tosa` file, as its content or as a Graph.
class TosaWireReading : public WireReading {
 public:
  TosaWireReading(std::span<const uint8_t> file, std::string_view name, ReadBudget& budget)
      : WireReading(kWords, budget, std::string(name) + ": "), file_(file) {}

  bool KnownEnumerator(AttributeId field, uint32_t value);
  // Reads the version of the graph, and refuses one that this build does not read.
  bool ReadVersion(const tosa::TosaGraph& wire, SpecVersion& version);
  // Returns the data of a tensor, in the FlatBuffer or behind it in the file. Returns nothing if
  // they would lie beyond the end of the file; OutsideText() is the message for that.
  std::optional<std::span<const uint8_t>> FindData(const tosa::TosaTensor& wire) const;
  static std::string OutsideText(const tosa::TosaTensor& wire);

 protected:
  ~TosaWireReading() = default;

 private:
  static constexpr WireWords kWords = {"the content ", " table", ", which TOSA 1.0 does not have"};

  const std::span<const uint8_t> file_;
};

}  // namespace assay
