// SPDX-License-Identifier: Apache-2.0
// Runs a file of folding cases (corpus/folding). Folds each graph at compile time and run time, and
// at run time alone, and executes both beside the original.
//   folding_cases FILE
// A case passes if all this holds in both forms:
// - All outputs and variables are those of the original, in several executions with other inputs
//   and in another context with other run-time constants.
// - No stage of folding reads a value that varies.
// - No more operators run, in the first and in later executions, and no more is cached, than the
//   file records.
// Ends with "N passed, M failed", and with status 1 if any failed, 2 if the file cannot be read.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "executor.h"
#include "float_format.h"
#include "fold_graph.h"
#include "folded_module.h"
#include "graph_parser.h"
#include "random.h"
#include "value_parser.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// Operators whose result has such a name stand for a part of an operator of the case. They do not
// count.
constexpr std::string_view kHelper = "helper";

struct CaseGraph {
  Graph graph;
  std::vector<Constness> arguments;
};

Result<CaseGraph> ReadCaseGraph(const Json& test) {
  std::string text;
  for (const Json& line : test.at("graph")) text += line.get<std::string>() + "\n";
  Result<Graph> graph = ParseGraph(text, "graph");
  if (!graph) return graph.error();
  CaseGraph read = {std::move(*graph), {}};
  for (const Json& name : test.at("arguments")) {
    for (const Constness constness :
         {Constness::kVarying, Constness::kRuntime, Constness::kCompileTime}) {
      if (NameOf(constness) == name.get<std::string>()) read.arguments.push_back(constness);
    }
  }
  return read;
}

// Returns a value of the file, or a random one: "smallint" has 0 to 5, and otherwise half the
// floating-point numbers are special.
Tensor CaseValue(const std::string& value, const TensorType& type, Random& random) {
  if (value.ends_with('}')) return ParseTensor(value).value();
  constexpr double kSpecial[] = {
      0.0,       -0.0, 1.0,     -1.0,   kInfinity, -kInfinity,
      0x1p-140f, 2.5,  3.4e38f, -7.25f, 0.001f,    std::numeric_limits<double>::quiet_NaN()};
  const int64_t limit = type.type == DType::kInt8 ? 7 : 1000;
  std::vector<int64_t> words;
  for (int64_t i = 0; i < type.shape.Elements(); ++i) {
    const bool small = value == "smallint";
    if (IsFloat(type.type)) {
      const double number = small ? static_cast<double>(random.Between(0, 5))
                            : random.OneIn(2)
                                ? random.Pick(kSpecial)
                                : static_cast<double>(random.Between(-4096, 4096)) / 512;
      words.push_back(EncodeFloat(type.type, number));
    } else if (small) {
      words.push_back(random.Between(0, 5));
    } else {
      words.push_back(type.type == DType::kBool ? random.Between(0, 1)
                                                : random.Between(-limit, limit));
    }
  }
  return Tensor::FromIntegers(type.type, type.shape, words);
}

constexpr char kCaseDomain[] = "assay.cases";

int64_t counted = 0;  // the counter of CUSTOM

// A counter: its result is different whenever it runs.
void CountUp(ValueDomain& d, const Call<ValueDomain>& call) {
  ++counted;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    for (auto& element : call.outputs[i]) {
      element = IsFloat(call.out(static_cast<int>(i)))
                    ? Scalar::OfFloat(static_cast<double>(counted))
                    : d.Integer(counted);
    }
  }
}

ExecutionOptions CaseOptions() {
  ExecutionOptions options;
  options.level = kLevelNone;
  options.custom_domains = {{kCaseDomain, CountUp}};
  options.state_rules = StateRulesByName("nested-keeps-seen");
  return options;
}

// A context of the original graph beside one of the folded graph.
struct Pair {
  Context original;
  FoldContext folded;
};

class CaseRun {
 public:
  CaseRun(const CaseGraph& test, const Json& json, FoldForm form)
      : test_(test), json_(json), form_(form) {}

  // Returns the first mistake, or "".
  std::string Run() {
    FoldOptions options;
    options.form = form_;
    options.execution = CaseOptions();
    if (json_.contains("after")) {
      options.policy.limit = json_["after"]["policy"].value("max_ratio", int64_t{8});
      options.postpone = json_["after"]["policy"].value("postpone", true);
    }
    const Result<Folding> folding = FoldGraph(test_.graph, test_.arguments, options);
    if (!folding) return "cannot be folded: " + folding.error().message;
    const std::string wrong = WrongStructure(*folding);
    if (!wrong.empty()) return wrong;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      counted = 0;
      const std::optional<std::string> different = Compare(*folding, seed);
      if (different) return different->empty() ? WrongFigures(*folding) : *different;
    }
    return "no inputs found that the original is valid on";
  }

 private:
  static std::string WrongStructure(const Folding& folding) {
    for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
      for (const FoldSource& source : folding.record.at(stage).inputs) {
        const auto index = static_cast<size_t>(source.index);
        const bool known = source.kind == FoldSource::Kind::kCached
                               ? folding.record.cached[index].stage < stage
                               : folding.arguments[index] != Constness::kVarying &&
                                     (stage == FoldStage::kRuntime ||
                                      folding.arguments[index] == Constness::kCompileTime);
        if (!known) return "a stage reads what is not known in it";
      }
    }
    return "";
  }

  std::vector<Tensor> Draw(Random& random) const {
    std::vector<Tensor> inputs;
    const Block& main = *test_.graph.Main();
    const Json fixed = json_.value("fixed_inputs", Json::object());
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const TensorInfo& input = main.tensors[static_cast<size_t>(main.inputs[i])];
      inputs.push_back(CaseValue(fixed.value(input.name, ""), input.type, random));
    }
    return inputs;
  }

  // Returns `inputs` with other values for those whose constness is at most `least`.
  std::vector<Tensor> Changed(std::vector<Tensor> inputs, Constness least, Random& random) const {
    const std::vector<Tensor> others = Draw(random);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (test_.arguments[i] <= least) inputs[i] = others[i];
    }
    return inputs;
  }

  // Returns the first difference, or "". Returns nothing if the original is not valid on these
  // inputs.
  std::optional<std::string> Compare(const Folding& folding, uint64_t seed) {
    Random random(seed);
    const std::vector<Tensor> first = Draw(random);
    const std::vector<Tensor> other = Changed(first, Constness::kVarying, random);
    const std::vector<Tensor> weights = Changed(first, Constness::kRuntime, random);
    const auto module = FoldedModule::Load(folding, ViewsOf(first),
                                           std::make_shared<ConstantCache>(), CaseOptions());
    if (!module) {
      Context fresh;
      const Outcome original = Execute(fresh, test_.graph, first, CaseOptions());
      if (original.kind != OutcomeKind::kValid) return std::nullopt;
      return "cannot be loaded: " + module.error().message;
    }
    if (counted != 0) return "CUSTOM runs at compile time";
    Pair one, two;
    const std::pair<Pair*, const std::vector<Tensor>*> runs[] = {{&one, &first}, {&one, &first},
                                                                 {&one, &other}, {&two, &weights},
                                                                 {&one, &other}, {&two, &weights}};
    for (const auto& [pair, inputs] : runs) {
      const std::optional<std::string> different = Step(**module, *pair, *inputs);
      if (!different || !different->empty()) return different;
    }
    return "";
  }

  std::optional<std::string> Step(FoldedModule& module, Pair& pair,
                                  const std::vector<Tensor>& inputs) {
    const ExecutionOptions options = CaseOptions();
    const int64_t before = counted;
    const Outcome original = Execute(pair.original, test_.graph, inputs, options);
    if (original.kind != OutcomeKind::kValid) return std::nullopt;
    const int64_t after = counted;
    counted = before;
    const Outcome folded = OutcomeOf(module.Run(pair.folded, ViewsOf(inputs), options));
    if (counted != after) return "CUSTOM ran another number of times";
    if (folded.kind != OutcomeKind::kValid) return "is " + folded.rule + " " + folded.message;
    if (folded.outputs != original.outputs) return "has other outputs";
    if (folded.state != original.state) return "leaves other variables";
    return "";
  }

  int64_t OperatorsOf(const Folding& folding, FoldStage stage) const {
    const Block& main = *folding.stage(stage).Main();
    return std::count_if(main.operators.begin(), main.operators.end(), [&](const Operator& op) {
      if (IsConstant(op.op) || op.op == Op::kVariable) return false;
      return op.outputs.empty() ||
             !main.tensors[static_cast<size_t>(op.outputs[0])].name.starts_with(kHelper);
    });
  }

  std::string WrongFigures(const Folding& folding) const {
    if (!json_.contains("after")) return "";
    const Json& recorded = json_["after"][form_ == FoldForm::kSplit ? "split" : "runtime_only"];
    int64_t bytes = 0, recorded_bytes = 0;
    for (const CachedTensor& cached : folding.record.cached) bytes += cached.bytes;
    for (const Json& cached : recorded["cached_bytes"]) recorded_bytes += cached.get<int64_t>();
    const int64_t later = OperatorsOf(folding, FoldStage::kEntry);
    const int64_t first = later + OperatorsOf(folding, FoldStage::kRuntime) +
                          OperatorsOf(folding, FoldStage::kCompileTime);
    const auto tensors = static_cast<int64_t>(folding.record.cached.size());
    const int64_t recorded_later = recorded["ops_executed_later_runs"];
    if (later > recorded_later)
      return Figure("operators in later executions", later, recorded_later);
    if (later < recorded_later) return "";  // better, at whatever it costs
    const int64_t recorded_first = recorded["ops_executed_first_run"];
    if (first > recorded_first)
      return Figure("operators in the first execution", first, recorded_first);
    const auto recorded_tensors = static_cast<int64_t>(recorded["cached_bytes"].size());
    if (tensors > recorded_tensors) return Figure("cached tensors", tensors, recorded_tensors);
    if (bytes > recorded_bytes) return Figure("bytes of cached tensors", bytes, recorded_bytes);
    return "";
  }

  static std::string Figure(const char* what, int64_t ours, int64_t recorded) {
    return std::to_string(ours) + " " + what + ", where the file has " + std::to_string(recorded);
  }

  const CaseGraph& test_;
  const Json& json_;
  const FoldForm form_;
};

int Main(const std::string& path) {
  std::ifstream file(path);
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("executable_cases")) {
    std::fprintf(stderr, "%s: not a file of folding cases\n", path.c_str());
    return 2;
  }
  int passed = 0, failed = 0;
  for (const Json& test : json["executable_cases"]) {
    const Result<CaseGraph> graph = ReadCaseGraph(test);
    std::string wrong = graph ? "" : " " + graph.error().message;
    for (const FoldForm form : {FoldForm::kSplit, FoldForm::kRuntime}) {
      const std::string what = graph ? CaseRun(*graph, test, form).Run() : "";
      if (!what.empty()) wrong += " " + std::string(NameOf(form)) + ": " + what + ";";
    }
    if (!wrong.empty()) {
      std::printf("%s: FAILED%s\n", test.value("id", "?").c_str(), wrong.c_str());
    }
    ++(wrong.empty() ? passed : failed);
  }
  for (const char* list : {"graph_compiler_originals", "peer_cases"}) {
    if (json.contains(list)) {
      std::printf("%s: %zu cases in words, for people\n", list, json[list].size());
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: folding_cases FILE\n");
    return 2;
  }
  return assay::Main(argv[1]);
}
