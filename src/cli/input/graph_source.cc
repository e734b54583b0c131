#include "graph_source.h"

#include "command_line.h"
#include "files.h"
#include "mlir_input.h"
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

}  // namespace assay
