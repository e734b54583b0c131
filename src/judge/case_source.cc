// SPDX-License-Identifier: Apache-2.0
#include "case_source.h"

#include <algorithm>
#include <utility>

#include "arm_directory.h"
#include "files.h"
#include "mapped_file.h"
#include "packed_vector.h"
#include "path_kind.h"
#include "sha256.h"
#include "suite.h"
#include "tvec_file.h"
#include "vector_source.h"

namespace assay {

namespace {

Result<std::optional<PackedVector>> PackedAt(const std::string& path) {
  if (KindOfFile(path) != PathKind::kVector) return std::optional<PackedVector>();
  return FindPackedVector(path);
}

}  // namespace

Result<LoadedCase> LoadCase(const std::string& path) {
  const Result<std::optional<PackedVector>> packed = PackedAt(path);
  if (!packed) return packed.error();
  if (*packed) return LoadPacked((*packed)->pack, (*packed)->number, path);
  if (!IsArmDirectory(path)) {
    Result<TestVector> vector = LoadVector(path);
    if (!vector) return vector.error();
    return LoadedCase{std::move(*vector), std::nullopt, HashOfSource(path)};
  }
  const Result<ArmTest> test = ReadArmDirectory(path, {}, nullptr);
  if (!test) return test.error();
  return LoadedCase{test->vector, VectorsOf(*test), HashOfSource(path)};
}

std::string HashOfSource(const std::string& path) {
  const auto hash_of_file = [](const std::string& file) {
    const Result<SharedBytes> bytes = MapRegularFile(file);
    return bytes ? Sha256(bytes->bytes) : "";
  };
  const Result<std::optional<PackedVector>> packed = PackedAt(path);
  if (!packed) return "";
  if (*packed) return std::string((*packed)->pack.Sha256Of((*packed)->number));
  if (!IsDirectory(path)) return hash_of_file(path);
  const Result<std::vector<std::string>> files = ListFilesBelow(path);
  if (!files) return "";
  std::string lines;
  for (const std::string& file : *files) {
    lines += hash_of_file(JoinPath(path, file)) + "  " + file + "\n";
  }
  return Sha256(lines);
}

namespace {

// Checks a suite that is among the cases, and reports what is wrong with its folder.
Result<Done> CheckSuite(const std::string& folder, CaseList& cases,
                        const std::function<void(const std::string&)>& note) {
  const Result<Suite> suite = ReadSuite(folder);
  if (!suite) return suite.error();
  const Result<Done> unchanged = VerifySuite(folder, *suite);
  if (!unchanged) return unchanged;
  const Result<SuiteFolder> content = ListSuite(folder, *suite);
  if (!content) return content.error();
  if (suite->shard) cases.shards.push_back({folder, *suite->shard, IdentityOfShards(*suite)});
  const std::string missing = WhatIsMissing(folder, *suite, *content);
  if (!missing.empty()) cases.gaps.push_back(missing);
  if (!content->unlisted.empty()) {
    const size_t count = content->unlisted.size();
    note(folder + ": " + std::to_string(count) + (count == 1 ? " vector" : " vectors") +
         " in this folder that " + SuiteFile(folder) + " does not list, the first is " +
         content->unlisted[0] + ": left out");
  }
  return Done{};
}

}  // namespace

Result<LoadedCase> LoadPacked(const VectorPack& pack, int64_t number, const std::string& path) {
  const Result<SharedBytes> bytes = pack.BytesOf(number);
  if (!bytes) return bytes.error();
  Result<TestVector> vector = ReadTestVector(*bytes, path);
  if (!vector) return vector.error();
  return LoadedCase{std::move(*vector), std::nullopt, std::string(pack.Sha256Of(number))};
}

Result<Done> CaseList::Add(const std::string& path) {
  Run run = {path, "", size()};
  if (KindOfFile(path) == PathKind::kPack && !IsDirectory(path)) {
    const Result<VectorPack> pack = VectorPack::Open(path);
    if (!pack) return pack.error();
    run.count = pack->size();
    run.is_pack = true;
    run.folder = PathOfPacked(path);
  }
  if (run.count > 0) runs_.push_back(std::move(run));
  return Done{};
}

void CaseList::Add(VectorPack pack, std::string folder) {
  runs_.push_back({"", std::move(folder), size(), pack.size(), true});
  open_run_ = runs_.size() - 1;
  open_.emplace(std::move(pack));
}

size_t CaseList::RunOf(int64_t index) const {
  const auto after = std::ranges::upper_bound(runs_, index, {}, &Run::first);
  return static_cast<size_t>(after - runs_.begin()) - 1;
}

const Result<VectorPack>& CaseList::PackOf(size_t run) const {
  if (!open_ || open_run_ != run) {
    open_.reset();  // before the next one is mapped
    open_.emplace(VectorPack::Open(runs_[run].path));
    open_run_ = run;
    if (*open_ && (*open_)->size() != runs_[run].count) {
      open_.emplace(BadInput(runs_[run].path + ": has changed while it was read"));
    }
  }
  return *open_;
}

std::string CaseList::Name(int64_t index) const {
  const size_t at = RunOf(index);
  const Run& run = runs_[at];
  if (!run.is_pack) return run.path;
  const Result<VectorPack>& pack = PackOf(at);
  if (!pack) return run.path;
  return JoinPath(run.folder, pack->NameOf(index - run.first));
}

Result<LoadedCase> CaseList::Load(int64_t index) const {
  const size_t at = RunOf(index);
  const Run& run = runs_[at];
  if (!run.is_pack) return LoadCase(run.path);
  const Result<VectorPack>& pack = PackOf(at);
  if (!pack) return pack.error();
  return LoadPacked(*pack, index - run.first, Name(index));
}

std::vector<std::string> CaseList::Files() const {
  std::vector<std::string> files;
  for (const Run& run : runs_) files.push_back(run.path);
  return files;
}

Result<CaseList> ListCases(const std::vector<std::string>& paths,
                           const std::function<void(const std::string&)>& note) {
  CaseList cases;
  for (const std::string& path : paths) {
    if (IsGraphAlone(KindOfFile(path)) && KindOfFile(path) != PathKind::kJson) {
      return UsageError(path + ": a graph without inputs; `assay run` executes it");
    }
    const Result<VectorList> found = FindVectors(path);
    if (!found) return found.error();
    const size_t before = static_cast<size_t>(cases.size()) + cases.gaps.size();
    for (const std::string& suite : found->suites) {
      const Result<Done> checked = CheckSuite(suite, cases, note);
      if (!checked) return checked.error();
    }
    for (const std::string& vector : found->vectors) {
      if (KindOfFile(vector) == PathKind::kTosa) continue;
      const Result<Done> added = cases.Add(vector);
      if (!added) return added.error();
    }
    if (static_cast<size_t>(cases.size()) + cases.gaps.size() == before) {
      return BadInput(path + ": no vectors in this folder");
    }
  }
  return cases;
}

}  // namespace assay
