// SPDX-License-Identifier: Apache-2.0
#include "graph_source.h"

#include <utility>

#include "captures.h"
#include "files.h"
#include "graph_parser.h"
#include "mapped_file.h"
#include "mlir_input.h"
#include "note.h"
#include "spirv_file.h"
#include "tosa_file.h"
#include "tosa_json.h"
#include "vector_source.h"

namespace assay {

namespace {

Result<Graph> LoadGraph(const std::string& path, const std::string& function,
                        std::vector<std::string>* notes, std::optional<uint64_t> seed_of_missing) {
  if (IsMlir(KindOfFile(path))) {
    Result<MlirFile> file = LoadMlir(path, function, notes, seed_of_missing);
    if (!file) return file.error();
    return std::move(file->graph);
  }
  if (KindOfFile(path) == PathKind::kGraphText) {
    const Result<std::string> text = ReadTextFile(path);
    if (!text) return text.error();
    return ParseGraph(*text, path);
  }
  if (IsSpirv(KindOfFile(path))) return LoadSpirv(path, function, notes);
  const Result<SharedBytes> bytes = LoadTosaBytes(path);
  if (!bytes) return bytes.error();
  return ReadTosa(*bytes, path, notes);
}

}  // namespace

Result<GraphOrVector> LoadGraphOrVector(const std::string& path, const std::string& function,
                                        std::vector<std::string>* notes, Captures captures,
                                        std::optional<uint64_t> seed_of_missing) {
  const Result<PathKind> kind = KindOfSource(path);
  if (!kind) return kind.error();
  if (*kind == PathKind::kFolder) {
    return UsageError(path + ": a folder, not a graph or a vector; `assay verify` runs suites");
  }
  if (!IsGraphAlone(*kind)) {
    Result<TestVector> vector = LoadVector(path);
    if (!vector) return vector.error();
    return GraphOrVector{std::move(*vector), false};
  }
  std::vector<std::string> printed;
  Result<Graph> graph =
      LoadGraph(path, function, notes == nullptr ? &printed : notes, seed_of_missing);
  if (!graph) return graph.error();
  for (const std::string& note : printed) Note(note);
  if (captures == Captures::kResolved) ResolveCaptures(*graph);
  GraphOrVector alone = {{}, true};
  alone.vector.graphs.push_back(std::move(*graph));
  return alone;
}

Result<size_t> Choose(const std::string& path, const char* option, const char* what, size_t count,
                      std::optional<int64_t> index) {
  if (!index && count == 1) return size_t{0};
  if (index && static_cast<uint64_t>(*index) < count) return static_cast<size_t>(*index);
  return UsageError(path + ": has " + std::to_string(count) + " " + what + "; " + option +
                    " takes the number of one, from 0");
}

Result<SharedBytes> LoadTosaBytes(const std::string& path) {
  if (KindOfFile(path) != PathKind::kJson) return MapFile(path, ReadLimits().file_max);
  const Result<std::string> text = ReadTextFile(path);
  if (!text) return text.error();
  Result<std::vector<uint8_t>> bytes = TosaFromJson(*text, path);
  if (!bytes) return bytes.error();
  return SharedBytesOf(std::move(*bytes));
}

}  // namespace assay
