#include "load.h"

#include "arm_directory.h"
#include "command_line.h"
#include "files.h"
#include "mlir_input.h"
#include "suite.h"
#include "terminal.h"
#include "tosa_file.h"
#include "tosa_json.h"
#include "vector_source.h"

namespace assay {

Result<SourceKind> KindOfSource(const std::string& path) {
  if (IsDirectory(path)) {
    return FileExists(JoinPath(path, "desc.json")) ? SourceKind::kArmDirectory
                                                   : SourceKind::kFolder;
  }
  if (!FileExists(path)) return BadInput(path + ": no such file");
  if (path.ends_with(".tvec")) return SourceKind::kVector;
  if (path.ends_with(".tosa") || path.ends_with(".json")) return SourceKind::kTosa;
  if (IsMlirPath(path)) return SourceKind::kMlir;
  return Error{Error::Kind::kUsage,
               path + ": neither .tosa, .json, .mlir, .mlirbc, .tvec nor a folder"};
}

bool IsMlirPath(std::string_view path) {
  return path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

void AddFunctionOption(CommandLine& line, std::string& function) {
  line.Add("--function", function, "which function of an MLIR file, if it has several")
      .ShowValueAs("NAME");
}

Result<Graph> LoadGraph(const std::string& path, const std::string& function,
                        std::vector<std::string>* notes) {
  if (IsMlirPath(path)) {
    Result<MlirFile> file = LoadMlir(path, function);
    if (!file) return file.error();
    return std::move(file->graph);
  }
  const Result<std::vector<uint8_t>> bytes = LoadTosaBytes(path);
  if (!bytes) return bytes.error();
  return ReadTosa(*bytes, path, notes);
}

Result<std::vector<uint8_t>> LoadTosaBytes(const std::string& path) {
  if (!path.ends_with(".json")) return ReadFile(path);
  const Result<std::string> text = ReadTextFile(path);
  if (!text) return text.error();
  return TosaFromJson(*text, path);
}

Result<LoadedCase> LoadCase(const std::string& path) {
  if (!IsArmDirectory(path)) {
    Result<TestVector> vector = LoadVector(path, nullptr);
    if (!vector) return vector.error();
    return LoadedCase{std::move(*vector), std::nullopt};
  }
  const Result<ArmTest> test = ReadArmDirectory(path, {}, nullptr);
  if (!test) return test.error();
  return LoadedCase{test->vector, VectorsOf(*test)};
}

namespace {

// Checks a suite that is among the cases, and says what is wrong with its folder.
Result<Done> CheckSuite(const std::string& folder, CaseList& cases) {
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
    Note(folder + ": " + std::to_string(count) + (count == 1 ? " vector" : " vectors") +
         " in this folder that " + SuiteFile(folder) + " does not list, the first is " +
         content->unlisted[0] + ": left out");
  }
  return Done{};
}

}  // namespace

Result<CaseList> ListCases(const std::vector<std::string>& paths) {
  CaseList cases;
  for (const std::string& path : paths) {
    if (path.ends_with(".tosa") || IsMlirPath(path)) {
      return Error{Error::Kind::kUsage, path + ": a graph without inputs; `assay run` executes it"};
    }
    const Result<VectorList> found = FindVectors(path);
    if (!found) return found.error();
    const size_t before = cases.paths.size() + cases.gaps.size();
    for (const std::string& suite : found->suites) {
      const Result<Done> checked = CheckSuite(suite, cases);
      if (!checked) return checked.error();
    }
    for (const std::string& vector : found->vectors) {
      if (!vector.ends_with(".tosa")) cases.paths.push_back(vector);
    }
    if (cases.paths.size() + cases.gaps.size() == before) {
      return BadInput(path + ": no vectors in this folder");
    }
  }
  return cases;
}

int StatusWithGaps(int status, const std::vector<std::string>& gaps) {
  for (const std::string& gap : gaps) Note(gap);
  return status == kExitClean && !gaps.empty() ? kExitUndecided : status;
}

}  // namespace assay
