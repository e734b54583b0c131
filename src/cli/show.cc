// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "counted.h"
#include "files.h"
#include "folding_json.h"
#include "graph_dot.h"
#include "graph_source.h"
#include "graph_text.h"
#include "joined.h"
#include "json_fields.h"
#include "json_text.h"
#include "judge_case.h"
#include "planned_json.h"
#include "quoted.h"
#include "run_options.h"
#include "spirv_instructions.h"
#include "spirv_text.h"
#include "terminal.h"
#include "tosa_version.h"
#include "vector_source.h"

namespace assay::cli {
namespace {

struct ShowOptions {
  std::string file;
  std::string function;
  bool dot = false;
  bool json = false;
  bool full = false;

  TextForm form() const { return full ? TextForm::kFull : TextForm::kShort; }
};

void DeclareShow(CommandLine& line, ShowOptions& options) {
  line.Add("FILE", options.file,
           "a .tosa, .json, .mlir, .mlirbc, .graph, .spv, .spvasm or .tvec file, an Arm test "
           "directory, or a folder of vectors. Of a SPIR-V module, the instructions are printed, "
           "or the graph with one of the options below")
      .Required();
  AddFunctionOption(line, options.function);
  line.AddFlag("--dot", options.dot, "print the graphs as Graphviz text");
  line.AddFlag("--json", options.json, "print JSON");
  line.AddFlag("--full", options.full,
               "print all elements of tensors; commands read such a graph from a .graph file");
}

std::string WordsOrNone(const std::vector<std::string>& words) {
  const std::string text = Joined(words, " ");
  return text.empty() ? "none" : text;
}

void ShowExpectation(const std::string& name, const Expectation& expectation, TextForm form) {
  const bool bounded = !expectation.error.empty();
  std::string how = bounded ? ", bounded" : ", exact";
  if (const auto& statistics = expectation.statistics) {
    how += fmt::format(", together: test set {}, ABS_BOUND {}, VARIANCE_ERROR_BOUND {}",
                       statistics->set, statistics->abs_bound, statistics->variance_bound);
  }
  Write(CleanText("  " + name + ": " + TensorText(expectation.value, form) + "  " +
                  expectation.rule + how + "\n"));
}

void ShowStep(const TestVector& vector, size_t index, TextForm form) {
  const Step& step = vector.steps[index];
  Write(CleanText("step " + std::to_string(index) + ": graph " + std::to_string(step.graph) +
                  ", context " + std::to_string(step.context) + ", " +
                  std::string(OutcomeName(step.expected)) +
                  (step.rule.empty() ? "" : " " + step.rule) + "\n"));
  for (const auto& [name, value] : step.state_before) {
    Write(CleanText("  before " + name + ": " + TensorText(value, form) + "\n"));
  }
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    Write("  input " + std::to_string(i) + ": " + TensorText(step.inputs[i], form) + "\n");
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    ShowExpectation("output " + std::to_string(i), step.outputs[i], form);
  }
  for (const auto& [name, expectation] : step.state_after) {
    ShowExpectation("after " + name, expectation, form);
  }
}

void ShowFold(const FoldRecord& record, size_t index) {
  std::string graphs;
  for (const FoldStageRecord& stage : record.stages) graphs += fmt::format(" {}", stage.graph);
  Print("fold {}: graph {} into{}, {}\n", index, record.original, graphs, NameOf(record.form));
  for (const CachedTensor& cached : record.cached) {
    Write(CleanText(fmt::format("  cached {}: {} {}, {} bytes, {}\n", cached.global_index,
                                cached.name, cached.type.ToString(), cached.bytes,
                                NameOf(cached.stage))));
  }
  for (const Postponement& one : record.certificate.postponements) {
    Write(CleanText(fmt::format("  {} postponed behind {}\n", NameOf(one.kind), one.result)));
  }
}

std::string PlaceText(const MemoryProblem& problem, const std::optional<PoolAllocation>& place) {
  if (!place) return "nowhere";
  return fmt::format("at {} of {}", place->offset,
                     Quoted(problem.pools[static_cast<size_t>(place->pool)].name));
}

void ShowPlan(const PlanRecord& record, size_t index) {
  const MemoryProblem& problem = record.planned.problem;
  Print("plan {}: {} in {}", index, Counted(std::ssize(problem.buffers), "buffer"),
        Counted(std::ssize(problem.pools), "pool"));
  if (record.graph) Print(", of graph {}", *record.graph);
  if (record.optimum) Print(", smallest peak {}", *record.optimum);
  if (!record.planned.plan) return Write(", not planned\n");
  const std::string fault = record.fault.empty() ? "" : " (" + record.fault + ")";
  Write(record.broken.empty() ? ", sound\n"
                              : CleanText(", breaks " + record.broken + fault + "\n"));
  const MemoryPlan& plan = *record.planned.plan;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    Print("  {}: {} bytes {}\n", Quoted(problem.buffers[i].name_hint),
          problem.buffers[i].size_bytes, PlaceText(problem, plan.allocations[i]));
  }
  for (const StrayAllocation& stray : plan.strays) {
    Print("  stray {}: at {} of {}\n", Quoted(stray.buffer), stray.offset, Quoted(stray.pool));
  }
}

// Returns a plan record as JSON. The problem and its plan are as `assay plan --json` writes them.
Json PlanToJson(const PlanRecord& record) {
  const Result<std::string> text = PlanJson(record.planned);
  Json json = {{"plan", text ? JsonFrom(*text) : Json()},
               {"broken", CleanText(record.broken)},
               {"fault", CleanText(record.fault)}};
  if (record.graph) json["graph"] = *record.graph;
  if (record.optimum) json["optimum"] = *record.optimum;
  return json;
}

void ShowVector(const TestVector& vector, TextForm form) {
  const Provenance& from = vector.provenance;
  Write(CleanText("vector " + vector.name + "\nspecification " + VersionText(vector.spec) +
                  ", level " + vector.level + ", variables by " + vector.semantics + ", needs " +
                  WordsOrNone(vector.requirements) + "\ntags " + WordsOrNone(vector.tags) + "\n"));
  if (!from.kind.empty()) {
    Write(CleanText("made by " + from.kind + " version " + std::to_string(from.generator_version) +
                    ", seed " + std::to_string(from.campaign) + ", case " +
                    std::to_string(from.index) + ", assay " + from.toolkit_version + "\n"));
  }
  if (!from.note.empty()) Write(CleanText("note " + from.note + "\n"));
  for (size_t i = 0; i < vector.graphs.size(); ++i) {
    Print("graph {}\n", i);
    Write(CleanText(GraphText(vector.graphs[i], form)));
  }
  for (size_t i = 0; i < vector.steps.size(); ++i) ShowStep(vector, i, form);
  for (const auto& [graph, arguments] : vector.constness) {
    std::string text = "inputs of graph " + std::to_string(graph) + ":";
    for (const Constness constness : arguments) text += " " + std::string(NameOf(constness));
    Write(text + "\n");
  }
  for (size_t i = 0; i < vector.folds.size(); ++i) ShowFold(vector.folds[i], i);
  for (const FoldPair& pair : vector.fold_pairs) {
    Write(CleanText(fmt::format("graphs {} and {} are {}: {}  {}\n", pair.before, pair.after,
                                pair.equal ? "equal" : "different", pair.law, pair.reason)));
  }
  for (size_t i = 0; i < vector.plans.size(); ++i) ShowPlan(vector.plans[i], i);
}

Json OperatorUsesJson(const TestVector& vector) {
  Json uses = Json::array();
  for (const OperatorUse& use : OperatorsOf(vector)) {
    uses.push_back({OperatorName(use.op), TypeName(use.type)});
  }
  return uses;
}

Json TensorsOf(const std::vector<Tensor>& tensors) {
  Json types = Json::array();
  for (const Tensor& tensor : tensors) types.push_back(tensor.tensor_type().ToString());
  return types;
}

Json VectorJson(const TestVector& vector, TextForm form) {
  const Provenance& from = vector.provenance;
  Json graphs = Json::array(), steps = Json::array();
  Json folds = Json::array(), pairs = Json::array();
  for (const FoldRecord& fold : vector.folds) folds.push_back(FoldJson(fold));
  for (const FoldPair& pair : vector.fold_pairs) pairs.push_back(FoldPairJson(pair));
  Json plans = Json::array();
  for (const PlanRecord& plan : vector.plans) plans.push_back(PlanToJson(plan));
  for (const Graph& graph : vector.graphs) graphs.push_back(CleanText(GraphText(graph, form)));
  for (const Step& step : vector.steps) {
    Json outputs = Json::array();
    for (const Expectation& output : step.outputs) {
      outputs.push_back({{"type", output.value.tensor_type().ToString()},
                         {"rule", output.rule},
                         {"exact", output.error.empty()}});
    }
    steps.push_back({{"graph", step.graph},
                     {"context", step.context},
                     {"expected", OutcomeName(step.expected)},
                     {"rule", step.rule},
                     {"inputs", TensorsOf(step.inputs)},
                     {"outputs", std::move(outputs)}});
  }
  return {{"name", CleanText(vector.name)},
          {"specification", VersionText(vector.spec)},
          {"level", vector.level},
          {"semantics", vector.semantics},
          {"requirements", vector.requirements},
          {"tags", vector.tags},
          {"kind", from.kind},
          {"seed", from.campaign},
          {"index", from.index},
          {"generator_version", from.generator_version},
          {"toolkit_version", from.toolkit_version},
          {"operators", OperatorUsesJson(vector)},
          {"graphs", std::move(graphs)},
          {"steps", std::move(steps)},
          {"constness", ConstnessJson(vector)},
          {"folds", std::move(folds)},
          {"fold_pairs", std::move(pairs)},
          {"plans", std::move(plans)}};
}

void PrintJson(const Json& json) { Write(JsonText(json, 2) + "\n"); }

// Prints the notes of the reader, and the graph of a vector that has nothing else.
void ShowGraph(const std::vector<std::string>& notes, const TestVector& vector,
               const ShowOptions& options) {
  const std::string text = CleanText(GraphText(vector.graphs[0], options.form()));
  if (options.json) {
    PrintJson({{"specification", VersionText(vector.graphs[0].version)},
               {"operators", OperatorUsesJson(vector)},
               {"graph", text},
               {"notes", notes}});
    return;
  }
  for (const std::string& note : notes) Write(CleanText("# note: " + note + "\n"));
  Write(text);
}

int ShowFile(const ShowOptions& options) {
  std::vector<std::string> notes;
  const Result<GraphOrVector> loaded =
      LoadGraphOrVector(options.file, options.function, &notes, Captures::kAsWritten);
  if (!loaded) return Fail(loaded.error());
  const TestVector& vector = loaded->vector;
  if (options.dot && !options.json) {
    for (const Graph& graph : vector.graphs) Write(CleanText(GraphDot(graph)));
  } else if (loaded->is_graph) {
    ShowGraph(notes, vector, options);
  } else if (options.json) {
    PrintJson(VectorJson(vector, options.form()));
  } else {
    ShowVector(vector, options.form());
  }
  return kExitClean;
}

// Prints one line per vector.
int ShowFolder(const std::string& file, bool json) {
  const Result<std::vector<std::string>> paths = ListVectors(file);
  if (!paths) return Fail(paths.error());
  Json all = Json::array();
  for (const std::string& path : *paths) {
    const Result<TestVector> vector = LoadVector(path);
    if (!vector) return Fail(vector.error());
    std::string uses;
    for (const OperatorUse& use : OperatorsOf(*vector)) {
      uses += " " + std::string(OperatorName(use.op)) + ":" + std::string(TypeName(use.type));
    }
    if (json) {
      all.push_back({{"vector", path},
                     {"name", CleanText(vector->name)},
                     {"kind", vector->provenance.kind},
                     {"operators", OperatorUsesJson(*vector)}});
    } else {
      Write(CleanText(path + "  " + vector->provenance.kind + uses + "\n"));
    }
  }
  if (json) PrintJson(all);
  return kExitClean;
}

// Returns the words of a SPIR-V module, which may be a text.
Result<std::vector<uint32_t>> WordsIn(const std::string& file, std::span<const uint8_t> bytes) {
  if (KindOfFile(file) == PathKind::kSpirv) return spirv::ModuleWords(bytes);
  const Result<spirv::ModuleCode> code =
      spirv::ParseModule({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!code) return code.error();
  return spirv::WordsOf(*code);
}

// Prints the instructions of a SPIR-V module.
int ShowModule(const std::string& file) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(file);
  if (!bytes) return Fail(bytes.error());
  const Result<std::vector<uint32_t>> words = WordsIn(file, *bytes);
  const Result<std::string> text = words ? spirv::ModuleText(*words) : words.error();
  if (!text) return Fail({text.error().kind, file + ": " + text.error().message});
  Write(CleanText(*text));
  return kExitClean;
}

int RunShow(const ShowOptions& options) {
  const bool shows_instructions = !options.full && !options.json && !options.dot;
  if (shows_instructions && IsSpirv(KindOfFile(options.file)) && !IsDirectory(options.file)) {
    return ShowModule(options.file);
  }
  const Result<PathKind> kind = KindOfSource(options.file);
  if (!kind) return Fail(kind.error());
  const bool has_several = *kind == PathKind::kFolder || *kind == PathKind::kPack;
  return has_several ? ShowFolder(options.file, options.json) : ShowFile(options);
}

}  // namespace

extern const Command show_command = {
    .name = "show",
    .summary = "prints or draws a graph, a vector or a suite",
    .declare = DeclareWith<ShowOptions, DeclareShow, RunShow>,
};

}  // namespace assay::cli
