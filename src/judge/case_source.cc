#include "case_source.h"

#include "arm_directory.h"
#include "path_kind.h"
#include "suite.h"
#include "vector_source.h"

namespace assay {

Result<LoadedCase> LoadCase(const std::string& path) {
  if (!IsArmDirectory(path)) {
    Result<TestVector> vector = LoadVector(path);
    if (!vector) return vector.error();
    return LoadedCase{std::move(*vector), std::nullopt};
  }
  const Result<ArmTest> test = ReadArmDirectory(path, {}, nullptr);
  if (!test) return test.error();
  return LoadedCase{test->vector, VectorsOf(*test)};
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

Result<CaseList> ListCases(const std::vector<std::string>& paths,
                           const std::function<void(const std::string&)>& note) {
  CaseList cases;
  for (const std::string& path : paths) {
    if (const PathKind kind = KindOfFile(path); kind == PathKind::kTosa || IsMlir(kind)) {
      return Error{Error::Kind::kUsage, path + ": a graph without inputs; `assay run` executes it"};
    }
    const Result<VectorList> found = FindVectors(path);
    if (!found) return found.error();
    const size_t before = cases.paths.size() + cases.gaps.size();
    for (const std::string& suite : found->suites) {
      const Result<Done> checked = CheckSuite(suite, cases, note);
      if (!checked) return checked.error();
    }
    for (const std::string& vector : found->vectors) {
      if (KindOfFile(vector) != PathKind::kTosa) cases.paths.push_back(vector);
    }
    if (cases.paths.size() + cases.gaps.size() == before) {
      return BadInput(path + ": no vectors in this folder");
    }
  }
  return cases;
}

}  // namespace assay
