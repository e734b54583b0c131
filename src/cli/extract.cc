// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
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
#include "coverage.h"
#include "coverage_report.h"
#include "files.h"
#include "generator_table.h"
#include "graph_inputs.h"
#include "graph_source.h"
#include "json_text.h"
#include "judge_case.h"
#include "model_inputs.h"
#include "model_limits.h"
#include "model_needs.h"
#include "model_source.h"
#include "model_values.h"
#include "note.h"
#include "path_kind.h"
#include "run_options.h"
#include "sha256.h"
#include "suite.h"
#include "tapped_windows.h"
#include "target_options.h"
#include "terminal.h"
#include "time_limit.h"
#include "trimmed_window.h"
#include "tvec_file.h"
#include "version.h"
#include "windows.h"

namespace assay::cli {
namespace {

constexpr int kOperatorsMost = 16;
constexpr int64_t kBytesMax = int64_t{64} << 20;
constexpr const char* kOperatorKind = "operator";  // folders of the suite
constexpr const char* kWindowKind = "window";

// The groups of coverage that operators decide, rather than whole graphs.
constexpr std::string_view kCoverageGroups[] = {"operators", "type_rows", "attribute_classes",
                                                "shape_classes", "numeric_classes"};

struct ExtractOptions {
  std::vector<std::string> paths;
  std::string out;
  std::string function;
  std::vector<std::string> shapes;
  std::vector<std::string> inputs;
  std::string level = "8K";
  uint64_t seed = 1;
  WindowLimits windows;
  bool operators_only = false;
  int64_t bytes_max = kBytesMax;
  BackendOptions limits;
  TargetOptions target;
  bool json = false;
};

void DeclareExtract(CommandLine& line, ExtractOptions& options) {
  line.Add("MODEL", options.paths,
           "graphs (.tosa, .json, .mlir, .mlirbc, .graph), .tvec files, suites, or Arm test "
           "directories")
      .Required();
  line.Add("--out", options.out, "folder for the suite; must be empty or not exist yet").Required();
  line.Add("--windows", options.windows.operators_max,
           "maximum number of operators of a window; constants do not count")
      .Between(1, kOperatorsMost)
      .ShowDefault();
  line.AddFlag("--operators", options.operators_only,
               "write windows of one operator only, the distinct configurations; same as "
               "--windows 1");
  line.Add("--sets", options.windows.sets_max,
           "maximum number of connected sets of operators to look at from one operator; small sets "
           "come first")
      .Between(1, 1'000'000)
      .ShowDefault();
  line.Add("--max-bytes", options.bytes_max,
           "maximum size of a vector; a larger window of one operator loses output channels of "
           "convolutions, MATMUL and GATHER, and all other larger windows are left out")
      .Between(1, int64_t{1} << 40)
      .ShowDefault();
  AddFunctionOption(line, options.function);
  AddShapeOption(line, options.shapes);
  line.Add("--input", options.inputs,
           "NAME=FILE.npy or 0=FILE.npy for each input of a graph (default: values drawn from "
           "--seed, in the range that makes most values inside the graph informative: finite, not "
           "zero, and neither the least nor the greatest of their tensor)");
  line.Add("--seed", options.seed, "the same seed gives the same values for inputs of graphs")
      .ShowDefault();
  line.Add("--level", options.level, "for graphs: level, 8K or none").ShowDefault();
  AddTimeOptions(line, options.limits);
  AddTargetOptions(line, options.target);
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Writes DIR/operator: each distinct operator configuration of the models once (operator, "
      "types,\n"
      "attributes, shapes, compile-time constants), on the values that the reference executor has "
      "there.\n"
      "Writes DIR/window: the distinct connected parts of 2 to --windows operators. Prints what "
      "the models\n"
      "need of a backend, and what the vectors of one operator reach of the specification.");
}

// Windows of one operator, or of several.
struct WindowCounts {
  int64_t found = 0;  // repetitions included
  int64_t distinct = 0;
  int64_t vectors = 0;
};

// A vector of one operator, in the suite.
struct Configuration {
  std::string file;
  OperatorUse use;
  int64_t operators = 0;  // of the models that have this configuration
  std::string identity;   // SHA-256 of Window::identity
  std::string trimmed;    // one line; "" if it is whole
};

// The suite while it grows.
struct Extraction {
  Suite suite;
  int64_t bytes = 0;                       // of the vectors
  std::vector<Window> windows;             // one of each identity
  std::map<std::string, size_t> distinct;  // their positions, by identity
  WindowCounts one, several;
  std::vector<Configuration> configurations;
  int64_t in_models = 0;                   // operators, constants left out
  int64_t in_vectors = 0;                  // of these, those that a vector of one operator tests
  int64_t cut_short = 0;                   // operators at which --sets was reached
  std::map<std::string, int64_t> skipped;  // distinct windows, by reason
  ModelNeeds needs;
  Coverage coverage;  // of the vectors of one operator
};

// Returns values for the inputs of a graph, from --input or drawn from --seed.
Result<std::vector<Tensor>> InputsFor(const ExtractOptions& options, const TestVector& model) {
  if (!options.inputs.empty()) return LoadInputs(model.graphs[0], options.inputs);
  const BackendOptions limits = LimitsOfModel(model, options.limits);
  const TimeLimit limit(limits.cpu_seconds, limits.wall_seconds);
  const Block& main = MainOf(model);
  Result<DrawnInputs> drawn =
      DrawModelInputs(model, PartNeededBy(main, main.outputs), options.seed, /*sample=*/0);
  if (!drawn) return drawn.error();
  return std::move(drawn->inputs);
}

Result<TestVector> LoadGraphWithInputs(const ExtractOptions& options, const std::string& path) {
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, options.function);
  if (!loaded) return loaded.error();
  TestVector& vector = loaded->vector;
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(path + ": the graph has no block \"main\"");
  }
  const Result<Done> closed = CloseShapes(path, options.shapes, vector.graphs[0]);
  if (!closed) return closed.error();
  vector.name = std::string(FileNameOf(path));
  vector.level = options.level;
  vector.steps.resize(1);
  Result<std::vector<Tensor>> inputs = InputsFor(options, vector);
  if (!inputs) {
    Error error = inputs.error();
    if (!error.message.starts_with(path)) error.message = path + ": " + error.message;
    return error;
  }
  vector.steps[0].inputs = std::move(*inputs);
  return std::move(vector);
}

Result<TestVector> Load(const ExtractOptions& options, const std::string& path) {
  if (IsGraphAlone(KindOfFile(path))) return LoadGraphWithInputs(options, path);
  if (!options.shapes.empty()) {
    return UsageError(path + ": holds its own inputs; --shape is for graphs");
  }
  Result<LoadedCase> loaded = LoadCase(path);
  if (!loaded) return loaded.error();
  return std::move(loaded->vector);
}

// Returns the paths of all graphs and vectors, in order.
Result<std::vector<std::string>> Sources(const std::vector<std::string>& paths) {
  std::vector<std::string> sources;
  for (const std::string& path : paths) {
    const Result<PathKind> kind = KindOfSource(path);
    if (!kind) return kind.error();
    if (IsGraphAlone(*kind)) {
      sources.push_back(path);
      continue;
    }
    const Result<CaseList> cases = ListCases({path}, Note);
    if (!cases) return cases.error();
    for (int64_t i = 0; i < cases->size(); ++i) sources.push_back(cases->Name(i));
  }
  return sources;
}

// Returns the file of the vector of a window, in the folder of the suite.
Result<std::string> WriteVector(const TestVector& vector, const char* kind, Extraction& all,
                                const std::string& out) {
  int64_t& count = all.suite.counts[kind];
  const std::string file = CaseFile(kind, static_cast<uint64_t>(count));
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  const Result<Done> written = WriteFileAtomically(JoinPath(out, file), bytes);
  if (!written) return written.error();
  ++count;
  all.bytes += std::ssize(bytes);
  all.suite.vectors.push_back({file, Sha256(bytes)});
  for (const OperatorUse& use : OperatorsOf(vector)) {
    ++all.suite.coverage[std::string(OperatorName(use.op)) + " " + std::string(TypeName(use.type))];
  }
  auto& requirements = all.suite.requirements;
  for (const std::string& name : vector.requirements) {
    if (std::ranges::find(requirements, name) == requirements.end()) requirements.push_back(name);
  }
  return file;
}

// Adds the windows of a vector that no other vector had.
void Find(const ExtractOptions& options, const TestVector& vector, Extraction& all) {
  all.needs.Add(vector);
  all.in_models += std::ssize(WorkingPlaces(vector));
  const BackendOptions limits = LimitsOfModel(vector, options.limits);
  const TimeLimit limit(limits.cpu_seconds, limits.wall_seconds);
  WindowList list = FindWindows(vector, options.windows);
  all.cut_short += list.cut_short;
  for (Window& window : list.windows) {
    WindowCounts& counts = window.size == 1 ? all.one : all.several;
    counts.found += std::ssize(window.stands_for) / window.size;
    const auto [at, is_new] = all.distinct.try_emplace(window.identity, all.windows.size());
    if (is_new) {
      ++counts.distinct;
      all.windows.push_back(std::move(window));
      continue;
    }
    std::vector<OperatorPlace>& places = all.windows[at->second].stands_for;
    places.insert(places.end(), window.stands_for.begin(), window.stands_for.end());
  }
}

// Computes the expectation of a window. Returns false if it must be left out, and counts why.
bool IsReady(const ExtractOptions& options, const ChosenTargets& targets, Window& window,
             Extraction& all) {
  if (!targets.Takes(window.vector)) {
    ++all.skipped["outside the target"];
    return false;
  }
  if (BytesOf(window) > options.bytes_max) {
    ++all.skipped["larger than --max-bytes " + std::to_string(options.bytes_max)];
    return false;
  }
  const BackendOptions limits = LimitsOfModel(window.vector, options.limits);
  const TimeLimit limit(limits.cpu_seconds, limits.wall_seconds);
  std::string reason;
  if (ExpectWindow(window, &reason)) return true;
  ++all.skipped[OneLine(reason)];
  return false;
}

// Says in the vector of a window of one operator what it stands for.
void Annotate(Window& window, const std::string& trimmed) {
  const Block& main = *window.vector.graphs[0].Main();
  const auto count = std::ssize(window.stands_for);
  std::string& note = window.vector.provenance.note;
  note += ": configuration of " + std::to_string(count) + (count == 1 ? " operator" : " operators");
  note += ", the first gives " + main.tensors[static_cast<size_t>(main.outputs[0])].name;
  if (!trimmed.empty()) note += "; trimmed to " + trimmed;
}

// Writes the vector of a window of one operator.
Result<Done> WriteConfiguration(const ExtractOptions& options, const ChosenTargets& targets,
                                Window& window, Extraction& all) {
  const TestVector whole = window.vector;
  const std::string trimmed = TrimChannels(window, options.bytes_max);
  const bool is_ready = IsReady(options, targets, window, all);
  all.needs.AddConfiguration(whole, is_ready);
  if (!is_ready) return Done{};
  Annotate(window, trimmed);
  const Result<std::string> file = WriteVector(window.vector, kOperatorKind, all, options.out);
  if (!file) return file.error();
  const auto operators = std::ssize(window.stands_for);
  all.in_vectors += operators;
  all.configurations.push_back(
      {*file, OperatorsOf(window.vector)[0], operators, Sha256(window.identity), trimmed});
  const BackendOptions limits = LimitsOfModel(window.vector, options.limits);
  const TimeLimit limit(limits.cpu_seconds, limits.wall_seconds);
  all.coverage.Add(window.vector);
  return Done{};
}

// Writes the windows: those of one operator first, then those that are fused in practice.
Result<Done> WriteWindows(const ExtractOptions& options, const ChosenTargets& targets,
                          Extraction& all) {
  for (Window& window : all.windows) {
    if (window.size != 1) continue;
    const Result<Done> written = WriteConfiguration(options, targets, window, all);
    if (!written) return written;
  }
  std::erase_if(all.windows, [](const Window& window) { return window.size == 1; });
  FusedFirst(all.windows);
  for (Window& window : all.windows) {
    if (!IsReady(options, targets, window, all)) continue;
    const Result<std::string> file = WriteVector(window.vector, kWindowKind, all, options.out);
    if (!file) return file.error();
    window.vector = {};
  }
  all.one.vectors = all.suite.counts[kOperatorKind];
  all.several.vectors = all.suite.counts[kWindowKind];
  return Done{};
}

// Makes the folders of the kinds. Refuses a folder that is not empty. The caller must lock it.
Result<Done> MakeKindFolders(const std::string& out) {
  const Result<std::vector<std::string>> content = ListDirectory(out);
  if (!content) return content.error();
  if (content->empty()) {
    for (const char* kind : {kOperatorKind, kWindowKind}) {
      const Result<Done> made = MakeDirectories(JoinPath(out, kind));
      if (!made) return made;
    }
    return Done{};
  }
  return UsageError(out + ": is not empty: there is " + (*content)[0] + "; choose another folder");
}

Suite NewWindowSuite(const ExtractOptions& options) {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = options.seed;
  suite.level = options.level;
  suite.options["windows"] = std::to_string(options.windows.operators_max);
  suite.options["sets"] = std::to_string(options.windows.sets_max);
  suite.options["max-bytes"] = std::to_string(options.bytes_max);
  for (const char* kind : {kOperatorKind, kWindowKind}) {
    suite.generators[kind] = GeneratorByKind(kWindowKind)->version;
  }
  return suite;
}

// Returns the groups of coverage that operators decide.
std::vector<CoverageGroup> CoverageOfOperators(Coverage& coverage) {
  std::vector<CoverageGroup> groups = coverage.Table();
  std::erase_if(groups, [](const CoverageGroup& group) {
    return std::ranges::find(kCoverageGroups, group.name) == std::end(kCoverageGroups);
  });
  return groups;
}

int64_t TrimmedOf(const Extraction& all) {
  return std::ranges::count_if(all.configurations, [](const Configuration& configuration) {
    return !configuration.trimmed.empty();
  });
}

Json JsonOf(const WindowCounts& counts) {
  return {{"found", counts.found}, {"distinct", counts.distinct}, {"vectors", counts.vectors}};
}

void TellInJson(Extraction& all) {
  Json json = {{"vectors", all.suite.vectors.size()},
               {"bytes", all.bytes},
               {"configurations", JsonOf(all.one)},
               {"windows", JsonOf(all.several)},
               {"trimmed", TrimmedOf(all)},
               {"skipped", all.skipped},
               {"operators_cut_short", all.cut_short},
               {"operators", all.in_models},
               {"operators_tested", all.in_vectors}};
  json["needs"] = JsonFrom(NeedsToJson(all.needs.Table()));
  json["coverage"] = JsonFrom(CoverageToJson(CoverageOfOperators(all.coverage)));
  auto& list = json["operator_vectors"] = Json::array();
  for (const Configuration& configuration : all.configurations) {
    list.push_back({{"file", configuration.file},
                    {"operator", OperatorName(configuration.use.op)},
                    {"type", TypeName(configuration.use.type)},
                    {"operators", configuration.operators},
                    {"trimmed", configuration.trimmed},
                    {"identity", configuration.identity}});
  }
  Print("{}\n", JsonText(json, 2));
}

void Tell(const ExtractOptions& options, Extraction& all) {
  if (options.json) return TellInJson(all);
  const auto written = [&options](const WindowCounts& counts, const char* kind) {
    return std::to_string(counts.vectors) + (counts.vectors == 1 ? " vector" : " vectors") +
           " in " + JoinPath(options.out, kind);
  };
  Print("{} operators, {} distinct configurations, {}\n", all.one.found, all.one.distinct,
        written(all.one, kOperatorKind));
  if (const int most = options.windows.operators_max; most > 1) {
    Print("{} windows of {} operators, {} distinct, {}\n", all.several.found,
          most == 2 ? "2" : "2 to " + std::to_string(most), all.several.distinct,
          written(all.several, kWindowKind));
  }
  Print("{} bytes\n", all.bytes);
  if (const int64_t trimmed = TrimmedOf(all); trimmed > 0) {
    Print("{} trimmed to fewer output channels: --max-bytes {}\n", trimmed, options.bytes_max);
  }
  for (const auto& [reason, count] : all.skipped) Print("{} skipped: {}\n", count, reason);
  if (all.cut_short > 0) {
    Print("at {} operators some windows were left out: --sets {} is reached\n", all.cut_short,
          options.windows.sets_max);
  }
  Print("\nThe models need of a backend:\n{}", NeedsToText(all.needs.Table()));
  Print(
      "\nThe vectors of one operator test {} of {} operators of the models, and of the "
      "specification:\n",
      all.in_vectors, all.in_models);
  for (const CoverageGroup& group : CoverageOfOperators(all.coverage)) {
    Print("  {:<18} {}/{}\n", group.name, group.reached, group.total);
  }
}

int RunExtract(ExtractOptions options) {
  if (options.operators_only) options.windows.operators_max = 1;
  if (!LevelByName(options.level)) {
    return Fail(UsageError("--level " + options.level + ": no such level"));
  }
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<std::vector<std::string>> sources = Sources(options.paths);
  if (!sources) return Fail(sources.error());
  std::vector<TestVector> vectors;
  for (const std::string& path : *sources) {
    Result<TestVector> vector = Load(options, path);
    if (!vector) return Fail(vector.error());
    vectors.push_back(std::move(*vector));
  }
  const Result<Done> made = MakeDirectories(options.out);
  if (!made) return Fail(made.error());
  const Result<FolderLock> lock = FolderLock::Take(options.out);
  if (!lock) return Fail(lock.error());
  const Result<Done> is_ready = MakeKindFolders(options.out);
  if (!is_ready) return Fail(is_ready.error());
  Extraction all;
  all.suite = NewWindowSuite(options);
  for (const TestVector& vector : vectors) Find(options, vector, all);
  const Result<Done> extracted = WriteWindows(options, *targets, all);
  if (!extracted) return Fail(extracted.error());
  const Result<Done> written = WriteSuite(options.out, all.suite);
  if (!written) return Fail(written.error());
  Tell(options, all);
  return all.suite.vectors.empty() ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command extract_command = {
    .name = "extract",
    .summary =
        "writes the operator configurations of models and their windows of 2 to K operators, as "
        "a suite",
    .declare = DeclareWith<ExtractOptions, DeclareExtract, RunExtract>,
};

}  // namespace assay::cli
