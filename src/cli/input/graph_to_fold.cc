#include "graph_to_fold.h"

#include <charconv>
#include <optional>

#include "case_source.h"
#include "graph_source.h"
#include "mlir_constness.h"
#include "mlir_input.h"
#include "quoted.h"
#include "vector_facts.h"

namespace assay::cli {
namespace {

Error Usage(std::string message) { return {Error::Kind::kUsage, std::move(message)}; }

// A vector of one graph that says nothing about itself but what that graph needs.
TestVector VectorOf(Graph graph, const std::string& path) {
  TestVector vector;
  vector.name = path;
  vector.spec = graph.version;
  vector.level = "none";
  vector.graphs = {std::move(graph)};
  Requirements all;
  for (const FeatureRow& row : AllFeatures()) all = all | Requirements{row.feature};
  vector.requirements = NamesOf(RequirementsOf(vector, all));
  return vector;
}

Result<FoldInput> FromMlir(const std::string& path, const std::string& function) {
  Result<MlirFile> file = LoadMlir(path, function);
  if (!file) return file.error();
  Result<std::vector<Constness>> arguments =
      ReadMlirConstness(file->text, path, {.function = function, .places = file->places});
  if (!arguments) return arguments.error();
  return FoldInput{VectorOf(std::move(file->graph), path), std::move(*arguments)};
}

// One graph of a vector, with the steps that run it.
Result<FoldInput> TakeGraph(TestVector vector, const std::string& path, int64_t index) {
  const auto count = static_cast<int64_t>(vector.graphs.size());
  if (index < 0 && count == 1) index = 0;
  if (index < 0 || index >= count) {
    return Usage(path + ": has " + std::to_string(count) +
                 " graphs; --graph takes the number of one, from 0");
  }
  const auto position = static_cast<int32_t>(index);
  FoldInput input{vector, {}};
  input.vector.graphs = {std::move(vector.graphs[static_cast<size_t>(index)])};
  std::erase_if(input.vector.steps, [&](const Step& step) { return step.graph != position; });
  for (Step& step : input.vector.steps) step.graph = 0;
  const auto known = vector.constness.find(position);
  if (known != vector.constness.end()) input.arguments = known->second;
  input.vector.constness.clear();
  input.vector.folds.clear();
  input.vector.fold_pairs.clear();
  return input;
}

Result<FoldInput> LoadFile(const std::string& path, int64_t graph, const std::string& function) {
  const Result<SourceKind> kind = KindOfSource(path);
  if (!kind) return kind.error();
  switch (*kind) {
    case SourceKind::kMlir:
      return FromMlir(path, function);
    case SourceKind::kTosa: {
      Result<Graph> loaded = LoadGraph(path, function, nullptr);
      if (!loaded) return loaded.error();
      return FoldInput{VectorOf(std::move(*loaded), path), {}};
    }
    case SourceKind::kVector:
    case SourceKind::kArmDirectory: {
      Result<LoadedCase> loaded = LoadCase(path);
      if (!loaded) return loaded.error();
      return TakeGraph(std::move(loaded->vector), path, graph);
    }
    case SourceKind::kFolder:
      break;
  }
  return Usage(path + ": a folder, not a graph");
}

// The input of the main block that has a name, or a position.
std::optional<size_t> FindInput(const Block& main, const std::string& text) {
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    if (main.tensors[static_cast<size_t>(main.inputs[i])].name == text) return i;
  }
  size_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return position < main.inputs.size() ? std::optional(position) : std::nullopt;
}

}  // namespace

Result<FoldInput> LoadFoldInput(const std::string& path, int64_t graph, const std::string& function,
                                const std::vector<std::string>& compile_time,
                                const std::vector<std::string>& runtime) {
  Result<FoldInput> input = LoadFile(path, graph, function);
  if (!input) return input.error();
  const Block* main = input->vector.graphs[0].Main();
  if (main == nullptr) return BadInput(path + ": the graph has no block main");
  input->arguments.resize(main->inputs.size(), Constness::kVarying);
  std::vector<bool> named(main->inputs.size());
  const auto mark = [&](const std::vector<std::string>& names, const std::string& option,
                        Constness constness) -> Result<Done> {
    for (const std::string& name : names) {
      const std::optional<size_t> position = FindInput(*main, name);
      const std::string place = "--" + option + " " + Quoted(name) + ": ";
      if (!position) {
        return Usage(place + path + " has " + std::to_string(main->inputs.size()) +
                     " inputs, and none of that name or position");
      }
      if (named[*position]) return Usage(place + "the input is named twice");
      named[*position] = true;
      input->arguments[*position] = constness;
    }
    return Done();
  };
  Result<Done> marked = mark(compile_time, "compiletime-const", Constness::kCompileTime);
  if (marked) marked = mark(runtime, "runtime-const", Constness::kRuntime);
  if (!marked) return marked.error();
  return input;
}

}  // namespace assay::cli
