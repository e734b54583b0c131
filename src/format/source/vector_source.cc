// SPDX-License-Identifier: Apache-2.0
#include "vector_source.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "arm_directory.h"
#include "files.h"
#include "mapped_file.h"
#include "packed_vector.h"
#include "path_kind.h"
#include "quoted.h"
#include "suite.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay {
namespace {

constexpr int kFolderDepthMax = 64;  // guards against links that lead back up

bool IsVectorFile(std::string_view path) {
  const PathKind kind = KindOfFile(path);
  return kind == PathKind::kVector || kind == PathKind::kTosa || kind == PathKind::kPack;
}

// Appends the content of a folder.
Result<Done> ListFolder(const std::string& folder, int depth, VectorList& list) {
  if (HasSuite(folder)) {
    const Result<Suite> suite = ReadSuite(folder);
    if (!suite) return suite.error();
    const Result<SuiteFolder> content = ListSuite(folder, *suite);
    if (!content) return content.error();
    list.suites.push_back(folder);
    for (const std::string& file : content->vectors) {
      list.vectors.push_back(JoinPath(folder, file));
    }
    return Done{};
  }
  if (IsArmDirectory(folder)) {
    list.vectors.push_back(folder);
    return Done{};
  }
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::string path = JoinPath(folder, name);
    if (!IsDirectory(path)) {
      if (IsVectorFile(name)) list.vectors.push_back(path);
    } else if (depth < kFolderDepthMax) {
      const Result<Done> listed = ListFolder(path, depth + 1, list);
      if (!listed) return listed.error();
    }
  }
  return Done{};
}

}  // namespace

std::string PathOfPacked(const std::string& pack) {
  const std::string folder = FolderOf(pack).empty() ? "." : FolderOf(pack);
  if (!HasSuite(folder)) return pack;
  const Result<Suite> suite = ReadSuite(folder);
  const auto content = suite ? ListSuite(folder, *suite) : Result<SuiteFolder>(suite.error());
  const bool is_listed =
      content && std::ranges::find(content->vectors, FileNameOf(pack)) != content->vectors.end();
  return is_listed ? FolderOf(pack) : pack;
}

Result<VectorList> FindVectors(const std::string& path) {
  VectorList list;
  if (KindOfFile(path) == PathKind::kVector && FindPacked(path)) return VectorList{{path}, {}};
  if (!IsDirectory(path)) {
    const std::string_view name = FileNameOf(path);
    if (!FileExists(path)) return BadInput(path + ": no such file or folder");
    if (IsVectorFile(name)) return VectorList{{path}, {}};
    if (name != "desc.json" && name != "suite.json") {
      return BadInput(path + ": neither .tvec, .tvecs, .tosa, desc.json nor suite.json");
    }
    const std::string folder = FolderOf(path);
    return FindVectors(folder.empty() ? "." : folder);
  }
  const Result<Done> listed = ListFolder(path, 0, list);
  if (!listed) return listed.error();
  if (list.vectors.empty() && list.suites.empty()) {
    return BadInput(path + ": no vectors in this folder");
  }
  return list;
}

Result<std::vector<std::string>> ListVectors(const std::string& path) {
  Result<VectorList> list = FindVectors(path);
  if (!list) return list.error();
  if (list->vectors.empty()) return BadInput(path + ": no vectors in this folder");
  std::vector<std::string> all;
  std::set<std::string> packed;
  for (const std::string& vector : list->vectors) {
    if (KindOfFile(vector) != PathKind::kPack || IsDirectory(vector)) {
      all.push_back(vector);
      continue;
    }
    const Result<VectorPack> pack = VectorPack::Open(vector);
    if (!pack) return pack.error();
    const std::string folder = PathOfPacked(vector);
    for (int64_t i = 0; i < pack->size(); ++i) {
      all.push_back(JoinPath(folder, pack->NameOf(i)));
      if (packed.insert(all.back()).second) continue;
      return BadInput(vector +
                      ": has a vector that another pack has as well: " + Quoted(pack->NameOf(i)));
    }
  }
  return all;
}

Result<TestVector> LoadVector(const std::string& path) {
  const PathKind kind = KindOfFile(path);
  const auto packed = kind == PathKind::kVector ? FindPackedVector(path)
                                                : Result<std::optional<PackedVector>>(std::nullopt);
  if (!packed) return packed.error();
  if (!*packed && IsDirectory(path)) {
    Result<ArmTest> test = ReadArmDirectory(path, {}, nullptr);
    if (!test) return test.error();
    return std::move(test->vector);
  }
  const Result<SharedBytes> bytes =
      *packed ? (*packed)->pack.BytesOf((*packed)->number) : MapRegularFile(path);
  if (!bytes) return bytes.error();
  if (kind != PathKind::kTosa) return ReadTestVector(*bytes, path);
  Result<Graph> graph = ReadTosa(*bytes, path, nullptr);
  if (!graph) return graph.error();
  TestVector vector;
  vector.name = FileNameOf(path);
  vector.spec = graph->version;
  vector.graphs.push_back(std::move(*graph));
  return vector;
}

}  // namespace assay
