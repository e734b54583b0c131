// SPDX-License-Identifier: Apache-2.0
#include "graph_to_fold.h"

#include <algorithm>
#include <optional>
#include <set>

#include "command_line.h"
#include "graph_source.h"
#include "mlir_constness.h"
#include "mlir_input.h"
#include "parse_number.h"
#include "quoted.h"
#include "run_options.h"
#include "vector_facts.h"

namespace assay::cli {
namespace {

// Returns a vector of one graph, with nothing but what that graph needs.
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

Result<TestVector> FromMlir(const std::string& path, const std::string& function) {
  Result<MlirFile> file = LoadMlir(path, function);
  if (!file) return file.error();
  Result<std::vector<Constness>> arguments =
      ReadMlirConstness(file->text(), path, {.function = function, .places = file->places});
  if (!arguments) return arguments.error();
  TestVector vector = VectorOf(std::move(file->graph), path);
  vector.constness[0] = std::move(*arguments);
  return vector;
}

Result<TestVector> LoadFile(const std::string& path, const std::string& function) {
  const Result<PathKind> kind = KindOfSource(path);
  if (!kind) return kind.error();
  if (IsMlir(*kind)) return FromMlir(path, function);
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, function);
  if (!loaded) return loaded.error();
  if (loaded->is_graph) return VectorOf(std::move(loaded->vector.graphs[0]), path);
  return std::move(loaded->vector);
}

// Returns one graph of a vector, with the steps that run it.
Result<FoldInput> TakeGraph(TestVector vector, const std::string& path,
                            std::optional<int64_t> index) {
  const Result<size_t> chosen = Choose(path, "--graph", "graphs", vector.graphs.size(), index);
  if (!chosen) return chosen.error();
  const auto position = static_cast<int32_t>(*chosen);
  FoldInput input{vector, {}};
  input.vector.graphs = {std::move(vector.graphs[*chosen])};
  std::erase_if(input.vector.steps, [&](const Step& step) { return step.graph != position; });
  for (Step& step : input.vector.steps) step.graph = 0;
  const auto known = vector.constness.find(position);
  if (known != vector.constness.end()) input.arguments = known->second;
  input.vector.constness.clear();
  input.vector.folds.clear();
  input.vector.fold_pairs.clear();
  return input;
}

// Returns the position of the input of the main block with this name, or with this position.
std::optional<size_t> FindInput(const Block& main, const std::string& text) {
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    if (main.tensors[static_cast<size_t>(main.inputs[i])].name == text) return i;
  }
  size_t position = 0;
  const bool found = ParseNumber(text, position) && position < main.inputs.size();
  return found ? std::optional(position) : std::nullopt;
}

// Sets the constness of the inputs, from the file and then from the options.
Result<FoldInput> Mark(FoldInput input, const std::string& path, const FoldingOptions& options) {
  const Block* main = input.vector.graphs[0].Main();
  if (main == nullptr) return BadInput(path + ": the graph has no block main");
  input.arguments.resize(main->inputs.size(), Constness::kVarying);
  std::vector<bool> named(main->inputs.size());
  const auto mark = [&](const std::vector<std::string>& names, const std::string& option,
                        Constness constness) -> Result<Done> {
    for (const std::string& name : names) {
      const std::optional<size_t> position = FindInput(*main, name);
      const std::string place = "--" + option + " " + Quoted(name) + ": ";
      if (!position) {
        return UsageError(place + path + " has " + std::to_string(main->inputs.size()) +
                          " inputs, and none of that name or position");
      }
      if (named[*position]) return UsageError(place + "the input is named twice");
      named[*position] = true;
      input.arguments[*position] = constness;
    }
    return Done();
  };
  Result<Done> marked = mark(options.compile_time, "compiletime-const", Constness::kCompileTime);
  if (marked) marked = mark(options.runtime, "runtime-const", Constness::kRuntime);
  if (!marked) return marked.error();
  return input;
}

Result<SizePolicy> ParsePolicy(const std::string& text) {
  const size_t colon = text.find(':');
  const auto kind = SizePolicyKindNamed(std::string_view(text).substr(0, colon));
  if (kind && colon != std::string::npos) {
    int64_t limit = 0;
    const std::string_view digits = std::string_view(text).substr(colon + 1);
    if (ParseNumber(digits, limit) && limit >= 0) return SizePolicy{*kind, limit};
  }
  return UsageError("--policy " + Quoted(text) + ": not ratio:N, additive:BYTES or absolute:BYTES");
}

}  // namespace

void AddFoldingOptions(CommandLine& line, FoldingOptions& options) {
  AddFunctionOption(line, options.function);
  line.Add("--mode", options.mode,
           "split: fold compile-time constants at compile time; runtime: fold everything "
           "when a context first runs the graph")
      .OneOf({"split", "runtime"})
      .ShowDefault();
  line.Add("--compiletime-const", options.compile_time,
           "input that is known at compile time, by name or position from 0")
      .TakeAll();
  line.Add("--runtime-const", options.runtime,
           "input that is known at run time and stays the same in a context")
      .TakeAll();
  line.Add("--policy", options.policy,
           "maximum size of a folded tensor: ratio:N, N times the size of its constants; "
           "additive:BYTES, that size plus BYTES; absolute:BYTES")
      .ShowDefault();
  line.AddFlag("--no-postpone", options.no_postpone, "do not move expanding operators");
  line.Add("--pure", options.pure,
           "domain of CUSTOM operators whose results depend only on their operands")
      .TakeAll();
  line.AddFlag("--dynamic", options.dynamic,
               "compile-time constants may be computed (EXT-DYNAMIC)");
  line.Add("--graph", options.graph, "number of the graph in a .tvec file, from 0").NotNegative();
}

Result<FoldOptions> FoldOptionsOf(const FoldingOptions& options, const TestVector& vector) {
  FoldOptions fold;
  fold.form = *FoldFormNamed(options.mode);
  const Result<SizePolicy> policy = ParsePolicy(options.policy);
  if (!policy) return policy.error();
  fold.policy = *policy;
  fold.postpone = !options.no_postpone;
  fold.pure_domains = {options.pure.begin(), options.pure.end()};
  fold.execution.level = LevelByName(vector.level).value_or(kLevelNone);
  const std::vector<std::string>& needs = vector.requirements;
  fold.execution.dynamic =
      options.dynamic || std::find(needs.begin(), needs.end(), "EXT-DYNAMIC") != needs.end();
  return fold;
}

Result<FoldInput> LoadFoldInput(const std::string& path, const FoldingOptions& options) {
  Result<TestVector> vector = LoadFile(path, options.function);
  if (!vector) return vector.error();
  Result<FoldInput> input = TakeGraph(std::move(*vector), path, options.graph);
  if (!input) return input.error();
  return Mark(std::move(*input), path, options);
}

Result<TestVector> LoadFoldSequence(const std::string& path, const FoldingOptions& options) {
  Result<TestVector> vector = LoadFile(path, options.function);
  if (!vector) return vector.error();
  std::set<int32_t> invoked;
  for (const Step& step : vector->steps) invoked.insert(step.graph);
  if (!options.graph && invoked.size() > 1) {
    if (!options.compile_time.empty() || !options.runtime.empty()) {
      return UsageError(path + ": its steps invoke " + std::to_string(invoked.size()) +
                        " graphs; --graph takes the number of the one whose inputs are named");
    }
    for (const int32_t graph : invoked) {
      const Block* main = vector->graphs[static_cast<size_t>(graph)].Main();
      if (main == nullptr) return BadInput(path + ": a graph has no block main");
      vector->constness[graph].resize(main->inputs.size(), Constness::kVarying);
    }
    return vector;
  }
  std::optional<int64_t> index = options.graph;
  if (!index && !invoked.empty()) index = *invoked.begin();
  Result<FoldInput> input = TakeGraph(std::move(*vector), path, index);
  if (input) input = Mark(std::move(*input), path, options);
  if (!input) return input.error();
  input->vector.constness[0] = std::move(input->arguments);
  return std::move(input->vector);
}

}  // namespace assay::cli
