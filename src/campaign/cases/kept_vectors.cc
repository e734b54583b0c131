// SPDX-License-Identifier: Apache-2.0
#include "kept_vectors.h"

#include <algorithm>
#include <utility>

#include "files.h"
#include "json_text.h"
#include "path_kind.h"
#include "tvec_file.h"
#include "vector_pack.h"

namespace assay {

void KeptVectors::Add(int64_t index, std::string name, std::string words,
                      const LoadedCase& loaded) {
  const TestVector& vector = loaded.recorded ? loaded.recorded->computed : loaded.vector;
  vectors_[index] = {std::move(name), std::move(words), WriteTestVector(vector)};
}

Result<LoadedCase> KeptVectors::Load(int64_t index) const {
  const auto found = vectors_.find(index);
  if (found == vectors_.end()) {
    return BadInput("vector " + std::to_string(index) + " was not kept");
  }
  // The recorded results of an Arm test directory count as well.
  if (IsDirectory(found->second.name)) return LoadCase(found->second.name);
  Result<TestVector> vector = ReadTestVector(found->second.bytes, found->second.name);
  if (!vector) return vector.error();
  return LoadedCase{std::move(*vector), std::nullopt};
}

std::optional<int64_t> KeptVectors::IndexOf(const std::string& name) const {
  const auto found = std::ranges::find(
      vectors_, name, [](const auto& entry) -> const std::string& { return entry.second.name; });
  if (found == vectors_.end()) return std::nullopt;
  return found->first;
}

Result<Done> KeptVectors::WriteByName(const std::string& path) const {
  VectorPackWriter pack;
  for (const auto& [index, vector] : vectors_) pack.Add(vector.name, vector.bytes);
  return WriteFileAtomically(path, pack.Finish());
}

Result<Done> KeptVectors::WriteByIndex(const std::string& path,
                                       const std::function<int64_t(int64_t)>& position) const {
  VectorPackWriter pack;
  for (const auto& [index, vector] : vectors_) {
    pack.Add(JsonText(Json{position(index), vector.name, vector.words}, -1, true), vector.bytes);
  }
  return WriteFileAtomically(path, pack.Finish());
}

Result<Done> KeptVectors::ReadByIndex(const std::string& path) {
  const Result<Descriptor> file = OpenOwnFile(path);
  if (!file) return file.error();
  const Result<VectorPack> pack = VectorPack::Open(path, PackNames::kAny);
  if (!pack) return pack.error();
  for (int64_t i = 0; i < pack->size(); ++i) {
    const auto json = ParseJson(pack->NameOf(i));
    if (!json.is_array() || json.size() != 3 || !json[0].is_integer<int64_t>() ||
        !json[1].is_string() || !json[2].is_string()) {
      return BadInput(path + ": has a vector without its place in the run");
    }
    const Result<SharedBytes> bytes = pack->BytesOf(i);
    if (!bytes) return bytes.error();
    vectors_[json[0].get<int64_t>()] = {json[1].get<std::string>(),
                                        json[2].get<std::string>(),
                                        {bytes->bytes.begin(), bytes->bytes.end()}};
  }
  return Done{};
}

}  // namespace assay
