#include "load.h"

#include "arm_directory.h"
#include "command_line.h"
#include "files.h"
#include "mlir_input.h"
#include "suite.h"
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

Result<std::vector<std::string>> ListCases(const std::vector<std::string>& paths) {
  std::vector<std::string> cases;
  for (const std::string& path : paths) {
    if (path.ends_with(".tosa") || IsMlirPath(path)) {
      return Error{Error::Kind::kUsage, path + ": a graph without inputs; `assay run` executes it"};
    }
    const Result<std::vector<std::string>> found = ListVectors(path);
    if (!found) return found.error();
    if (FileExists(SuiteFile(path))) {
      const Result<Suite> suite = ReadSuite(path);
      if (!suite) return suite.error();
      const Result<Done> complete = VerifySuite(path, *suite);
      if (!complete) return complete.error();
    }
    const size_t before = cases.size();
    for (const std::string& vector : *found) {
      if (!vector.ends_with(".tosa")) cases.push_back(vector);
    }
    if (cases.size() == before) return BadInput(path + ": no vectors in this folder");
  }
  return cases;
}

}  // namespace assay
