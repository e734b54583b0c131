#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case_source.h"
#include "choices.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "executor.h"
#include "files.h"
#include "generator_table.h"
#include "graph_inputs.h"
#include "graph_source.h"
#include "judge_case.h"
#include "nasty_values.h"
#include "path_kind.h"
#include "sha256.h"
#include "suite.h"
#include "target_options.h"
#include "terminal.h"
#include "time_limit.h"
#include "tvec_file.h"
#include "version.h"
#include "windows.h"

namespace assay::cli {
namespace {

constexpr int kOperatorsMost = 16;

struct Options {
  std::vector<std::string> paths;
  std::string out;
  std::string function;
  std::vector<std::string> inputs;
  std::string level = "8K";
  uint64_t seed = 1;
  WindowLimits windows;
  BackendOptions limits;
  TargetOptions target;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  line.Add("GRAPH", options.paths,
           "graphs (.tosa, .json, .mlir, .mlirbc), .tvec files, suites, or Arm test directories")
      .Required();
  line.Add("--out", options.out, "folder for the suite; must be empty or not exist yet").Required();
  line.Add("--windows", options.windows.operators_max,
           "maximum number of operators of a window; constants do not count")
      .Between(1, kOperatorsMost)
      .ShowDefault();
  line.Add("--sets", options.windows.sets_max,
           "maximum number of connected sets of operators to look at from one operator; small sets "
           "come first")
      .Between(1, 1'000'000)
      .ShowDefault();
  AddFunctionOption(line, options.function);
  line.Add("--input", options.inputs,
           "NAME=FILE.npy for each input of a graph (default: values drawn from --seed)");
  line.Add("--seed", options.seed, "the same seed gives the same values for inputs of graphs")
      .ShowDefault();
  line.Add("--level", options.level, "for graphs: level, 8K or none").ShowDefault();
  AddTimeOptions(line, options.limits);
  AddTargetOptions(line, options.target);
  line.AddFlag("--json", options.json, "print JSON");
}

// The suite while it grows.
struct Extraction {
  Suite suite;
  int64_t found = 0;                       // windows, repetitions included
  int64_t cut_short = 0;                   // operators at which --sets was reached
  std::set<std::string> distinct;          // identities of windows
  std::vector<Window> windows;             // one of each identity
  std::map<std::string, int64_t> skipped;  // distinct windows, by reason
};

// Returns values for the inputs of a graph, drawn from the seed. Error kUnsupported for an input
// that has more elements than the reference executor takes.
Result<std::vector<Tensor>> DrawInputs(const Block& main, const std::string& path) {
  Choices choices(Random::For(options.seed, 0, "extract", 1));
  std::vector<Tensor> inputs;
  for (const TensorIndex input : main.inputs) {
    const TensorType& type = main.TypeOf(input);
    if (type.shape.Elements() > ExecutionOptions().elements_max) {
      return Error{Error::Kind::kUnsupported,
                   path + ": the input of type " + type.ToString() + " has more than " +
                       std::to_string(ExecutionOptions().elements_max) + " elements"};
    }
    inputs.push_back(DrawTensor(choices, type, ValueRange::All(type.type), ValueMode::kFinite));
  }
  return inputs;
}

Result<TestVector> LoadGraphWithInputs(const std::string& path) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, options.function);
  if (!loaded) return loaded.error();
  TestVector& vector = loaded->vector;
  const Block* main = vector.graphs[0].Main();
  if (main == nullptr) return BadInput(path + ": the graph has no block \"main\"");
  Step& step = vector.steps.emplace_back();
  Result<std::vector<Tensor>> inputs = options.inputs.empty()
                                           ? DrawInputs(*main, path)
                                           : LoadInputs(vector.graphs[0], options.inputs);
  if (!inputs) {
    Error error = inputs.error();
    if (error.message.find(path) == std::string::npos) error.message = path + ": " + error.message;
    return error;
  }
  step.inputs = std::move(*inputs);
  vector.name = std::string(FileNameOf(path));
  vector.level = options.level;
  return std::move(vector);
}

Result<TestVector> Load(const std::string& path) {
  if (IsGraphAlone(KindOfFile(path))) return LoadGraphWithInputs(path);
  Result<LoadedCase> loaded = LoadCase(path);
  if (!loaded) return loaded.error();
  return std::move(loaded->vector);
}

// Returns the paths of all graphs and vectors, in order.
Result<std::vector<std::string>> Sources() {
  std::vector<std::string> sources;
  for (const std::string& path : options.paths) {
    const Result<PathKind> kind = KindOfSource(path);
    if (!kind) return kind.error();
    if (IsGraphAlone(*kind)) {
      sources.push_back(path);
      continue;
    }
    const Result<CaseList> cases = ListCases({path}, Note);
    if (!cases) return cases.error();
    sources.insert(sources.end(), cases->paths.begin(), cases->paths.end());
  }
  return sources;
}

Result<Done> WriteWindow(const Window& window, Extraction& all) {
  const std::string file = CaseFile("window", all.suite.vectors.size());
  const std::vector<uint8_t> bytes = WriteTestVector(window.vector);
  const Result<Done> written = WriteFileAtomically(JoinPath(options.out, file), bytes);
  if (!written) return written.error();
  all.suite.vectors.push_back({file, Sha256(bytes)});
  for (const OperatorUse& use : OperatorsOf(window.vector)) {
    ++all.suite.coverage[std::string(OperatorName(use.op)) + " " + std::string(TypeName(use.type))];
  }
  auto& requirements = all.suite.requirements;
  for (const std::string& name : window.vector.requirements) {
    if (std::ranges::find(requirements, name) == requirements.end()) requirements.push_back(name);
  }
  return Done{};
}

// Adds the windows of a vector that no other vector had.
void Find(const TestVector& vector, Extraction& all) {
  const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
  WindowList list = FindWindows(vector, options.windows);
  all.found += list.found;
  all.cut_short += list.cut_short;
  for (Window& window : list.windows) {
    if (all.distinct.insert(window.identity).second) all.windows.push_back(std::move(window));
  }
}

// Computes the expectations of the windows, and writes them.
Result<Done> WriteWindows(const ChosenTargets& targets, Extraction& all) {
  FusedFirst(all.windows);
  for (Window& window : all.windows) {
    if (!targets.Takes(window.vector)) {
      ++all.skipped["outside the target"];
      continue;
    }
    const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
    std::string reason;
    if (!ExpectWindow(window, &reason)) {
      ++all.skipped[OneLine(reason)];
      continue;
    }
    const Result<Done> written = WriteWindow(window, all);
    if (!written) return written;
  }
  return Done{};
}

// Makes the folder, or checks that it is empty. The caller must lock it.
Result<Done> CheckFolder() {
  const Result<std::vector<std::string>> content = ListDirectory(options.out);
  if (!content) return content.error();
  if (content->empty()) return MakeDirectories(JoinPath(options.out, "window"));
  return Error{Error::Kind::kUsage, options.out + ": is not empty: there is " + (*content)[0] +
                                        "; choose another folder"};
}

Suite NewSuite() {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = options.seed;
  suite.level = options.level;
  suite.options["windows"] = std::to_string(options.windows.operators_max);
  suite.options["sets"] = std::to_string(options.windows.sets_max);
  suite.generators["window"] = GeneratorByKind("window")->version;
  return suite;
}

void Tell(const Extraction& all) {
  const auto distinct = std::ssize(all.distinct), written = std::ssize(all.suite.vectors);
  if (options.json) {
    const nlohmann::ordered_json json = {{"found", all.found},
                                         {"distinct", distinct},
                                         {"vectors", written},
                                         {"skipped", all.skipped},
                                         {"operators_cut_short", all.cut_short}};
    Print("{}\n", json.dump(2));
    return;
  }
  Print("{} windows of up to {} operators, {} distinct, {} vectors in {}\n", all.found,
        options.windows.operators_max, distinct, written, options.out);
  for (const auto& [reason, count] : all.skipped) Print("{} skipped: {}\n", count, reason);
  if (all.cut_short > 0) {
    Print("at {} operators some windows were left out: --sets {} is reached\n", all.cut_short,
          options.windows.sets_max);
  }
}

int Run() {
  if (!LevelByName(options.level)) {
    return Fail({Error::Kind::kUsage, "--level " + options.level + ": no such level"});
  }
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<std::vector<std::string>> sources = Sources();
  if (!sources) return Fail(sources.error());
  std::vector<TestVector> vectors;
  for (const std::string& path : *sources) {
    Result<TestVector> vector = Load(path);
    if (!vector) return Fail(vector.error());
    vectors.push_back(std::move(*vector));
  }
  const Result<Done> made = MakeDirectories(options.out);
  if (!made) return Fail(made.error());
  const Result<FolderLock> lock = FolderLock::Take(options.out);
  if (!lock) return Fail(lock.error());
  const Result<Done> is_ready = CheckFolder();
  if (!is_ready) return Fail(is_ready.error());
  Extraction all;
  all.suite = NewSuite();
  for (const TestVector& vector : vectors) Find(vector, all);
  const Result<Done> extracted = WriteWindows(*targets, all);
  if (!extracted) return Fail(extracted.error());
  all.suite.counts["window"] = std::ssize(all.suite.vectors);
  const Result<Done> written = WriteSuite(options.out, all.suite);
  if (!written) return Fail(written.error());
  Tell(all);
  return all.suite.vectors.empty() ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command extract_command = {
    .name = "extract",
    .summary = "cuts the distinct windows of one to K operators out of graphs, as a suite",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
