// SPDX-License-Identifier: Apache-2.0
#include "packed_vector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "files.h"
#include "path_kind.h"
#include "suite.h"

namespace assay {
namespace {

Result<std::optional<PackedVector>> FindInPack(const std::string& path, std::string_view name) {
  Result<VectorPack> pack = VectorPack::Open(path);
  if (!pack) return pack.error();
  const std::optional<int64_t> number = pack->Find(name);
  if (!number) return std::optional<PackedVector>();
  return std::optional(PackedVector{std::move(*pack), *number});
}

// Tells whether a suite may be packed, without reading all of its suite.json. Packs are not in
// folders of their own.
bool HasPacks(const std::string& folder) {
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  return names && std::ranges::any_of(*names, [](const std::string& name) {
           return KindOfFile(name) == PathKind::kPack;
         });
}

}  // namespace

Result<std::optional<PackedVector>> FindPackedVector(const std::string& path) {
  for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const std::string folder = path.substr(0, slash), name = path.substr(slash + 1);
    if (KindOfFile(folder) == PathKind::kPack && !IsDirectory(folder) && FileExists(folder)) {
      return FindInPack(folder, name);
    }
    if (!HasSuite(folder)) continue;
    if (FileExists(path) && !HasPacks(folder)) return std::optional<PackedVector>();
    const Result<Suite> suite = ReadSuite(folder);
    if (!suite) return suite.error();
    if (!suite->packs) return std::optional<PackedVector>();
    const Result<SuiteFolder> content = ListSuite(folder, *suite);
    if (!content) return content.error();
    for (const std::string& file : content->vectors) {
      Result<std::optional<PackedVector>> found = FindInPack(JoinPath(folder, file), name);
      if (!found || *found) return found;
    }
    return std::optional<PackedVector>();
  }
  // A suite in the working folder.
  if (path.starts_with("/") || path.starts_with("./") || !HasSuite(".")) {
    return std::optional<PackedVector>();
  }
  return FindPackedVector("./" + path);
}

bool FindPacked(const std::string& path) {
  const Result<std::optional<PackedVector>> found = FindPackedVector(path);
  return !found || *found;
}

}  // namespace assay
