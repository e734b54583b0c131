// SPDX-License-Identifier: Apache-2.0
#include "extraction.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "case_source.h"
#include "clean_text.h"
#include "coverage.h"
#include "files.h"
#include "generator_table.h"
#include "judge_outcomes.h"
#include "levels.h"
#include "made_operands.h"
#include "model_inputs.h"
#include "model_limits.h"
#include "model_power.h"
#include "model_values.h"
#include "mutant_trials.h"
#include "note.h"
#include "path_kind.h"
#include "sha256.h"
#include "state_sequences.h"
#include "suite.h"
#include "tapped_windows.h"
#include "time_limit.h"
#include "trimmed_window.h"
#include "tvec_file.h"
#include "version.h"

namespace assay {
namespace {

// The groups of coverage that operators decide, rather than whole graphs.
constexpr std::string_view kCoverageGroups[] = {"operators", "type_rows", "attribute_classes",
                                                "shape_classes", "numeric_classes"};

// The suite while it grows.
struct SuiteInProgress {
  ExtractionOptions options;
  ChosenTargets targets;
  Suite suite;
  std::vector<Window> windows;             // one of each identity
  std::map<std::string, size_t> distinct;  // their positions, by identity
  ModelNeeds needs;
  Coverage coverage;  // of the vectors of one operator
  ModelPower power{BackendDeclarations()};
  Extraction result;
};

// Returns a limit in force: that of a vector, raised for a model.
TimeLimit TimeLimitFor(const TestVector& model, const ExtractionOptions& options) {
  const BackendOptions limits = LimitsOfModel(model, options.limits);
  return {limits.cpu_seconds, limits.wall_seconds};
}

// Loads a graph with inputs, from files or drawn.
Result<TestVector> LoadGraphWithInputs(const ExtractionOptions& options, const std::string& path) {
  ModelOptions of_model = options.model;
  of_model.steps = 0;  // several for a model with variables
  const Result<ModelSource> source = ModelSource::Load(path, of_model);
  if (!source) return source.error();
  if (source->samples() > 1) {
    return UsageError(path + ": --input: " + std::to_string(source->samples()) +
                      " samples, and this command takes one");
  }
  const TimeLimit limit = TimeLimitFor(source->vector(), options);
  Result<ModelSource::Sample> sample = source->At(0);
  if (!sample) return sample.error();
  TestVector& vector = sample->vector;
  if (const Block& main = MainOf(vector); main.inputs.empty()) {
    // Nothing is drawn, but this says why a graph is not valid.
    const Result<DrawnInputs> none =
        DrawModelInputs(vector, PartNeededBy(main, main.outputs), options.model.seed, /*sample=*/0);
    if (!none) return Error{none.error().kind, path + ": " + none.error().message};
  }
  return std::move(vector);
}

// Loads all graphs and vectors, in order. Lists the vectors of all paths before it loads any.
Result<std::vector<TestVector>> LoadModels(const ExtractionOptions& options) {
  std::vector<std::optional<CaseList>> lists;  // by path; nothing for a graph
  for (const std::string& path : options.paths) {
    const Result<PathKind> kind = KindOfSource(path);
    if (!kind) return kind.error();
    lists.emplace_back();
    if (IsGraphAlone(*kind)) continue;
    Result<CaseList> list = ListCases({path}, Note);
    if (!list) return list.error();
    lists.back() = std::move(*list);
  }
  std::vector<TestVector> models;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i]) {
      Result<TestVector> graph = LoadGraphWithInputs(options, options.paths[i]);
      if (!graph) return graph.error();
      models.push_back(std::move(*graph));
      continue;
    }
    const CaseList& list = *lists[i];
    for (int64_t number = 0; number < list.size(); ++number) {
      if (!options.model.shapes.empty()) {
        return UsageError(list.Name(number) + ": holds its own inputs; --shape is for graphs");
      }
      Result<LoadedCase> loaded = list.Load(number);
      if (!loaded) return loaded.error();
      models.push_back(std::move(loaded->vector));
    }
  }
  return models;
}

// Makes and locks the folder of the suite. Refuses one that is not empty.
Result<FolderLock> LockEmptyFolder(const std::string& out) {
  const Result<Done> made = MakeDirectories(out);
  if (!made) return made.error();
  Result<FolderLock> lock = FolderLock::Take(out);
  if (!lock) return lock;
  const Result<std::vector<std::string>> content = ListDirectory(out);
  if (!content) return content.error();
  if (content->empty()) return lock;
  return UsageError(out + ": is not empty: there is " + (*content)[0] + "; choose another folder");
}

Suite NewWindowSuite(const ExtractionOptions& options) {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = options.model.seed;
  suite.level = options.model.level;
  suite.options["windows"] = std::to_string(options.windows.operators_max);
  suite.options["sets"] = std::to_string(options.windows.sets_max);
  suite.options["max-bytes"] = std::to_string(options.bytes_max);
  if (options.made_most > 0) suite.options["made"] = std::to_string(options.made_most);
  return suite;
}

// Adds the windows of a model that no other model had.
void AddWindows(const TestVector& model, SuiteInProgress& all) {
  all.needs.Add(model);
  all.result.in_models += std::ssize(WorkingPlaces(model));
  const TimeLimit limit = TimeLimitFor(model, all.options);
  WindowList list = FindWindows(model, all.options.windows);
  all.result.cut_short += list.cut_short;
  for (Window& window : list.windows) {
    WindowCounts& counts = window.size == 1 ? all.result.one : all.result.several;
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
bool IsReady(Window& window, SuiteInProgress& all) {
  const int64_t bytes_max = all.options.bytes_max;
  std::string reason;
  if (!all.targets.Takes(window.vector)) {
    reason = "outside the target";
  } else if (BytesOf(window) > bytes_max) {
    reason = "larger than --max-bytes " + std::to_string(bytes_max);
  } else {
    const TimeLimit limit = TimeLimitFor(window.vector, all.options);
    if (ExpectWindow(window, &reason)) return true;
  }
  ++all.result.skipped[OneLine(reason)];
  return false;
}

// Writes the vector of a window. Returns its file, in the folder of the suite.
Result<std::string> WriteVector(const TestVector& vector, WindowCounts& counts,
                                SuiteInProgress& all) {
  const std::string file = CaseFile(counts.kind, static_cast<uint64_t>(counts.vectors));
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  const Result<Done> written = WriteFileAtomically(JoinPath(all.options.out, file), bytes);
  if (!written) return written.error();
  ++counts.vectors;
  all.result.bytes += std::ssize(bytes);
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

// Says in the vector of a window of one operator what it stands for.
void Annotate(Window& window, const std::string& trimmed) {
  const Block& main = MainOf(window.vector);
  const auto count = std::ssize(window.stands_for);
  std::string& note = window.vector.provenance.note;
  note += ": configuration of " + std::to_string(count) + (count == 1 ? " operator" : " operators");
  note += ", the first gives " + main.tensors[static_cast<size_t>(main.outputs[0])].name;
  if (!trimmed.empty()) note += "; trimmed to " + trimmed;
}

// Writes the vector of a window of one operator.
Result<Done> WriteConfiguration(Window& window, SuiteInProgress& all) {
  const TestVector whole = window.vector;
  const std::string trimmed = TrimChannels(window, all.options.bytes_max);
  const bool is_ready = IsReady(window, all);
  all.needs.AddConfiguration(whole, is_ready);
  if (!is_ready) return Done{};
  Annotate(window, trimmed);
  Extraction& result = all.result;
  const Result<std::string> file = WriteVector(window.vector, result.one, all);
  if (!file) return file.error();
  const auto operators = std::ssize(window.stands_for);
  result.in_vectors += operators;
  result.trimmed += trimmed.empty() ? 0 : 1;
  result.configurations.push_back(
      {*file, OperatorsOf(window.vector)[0], operators, Sha256(window.identity), trimmed});
  const TimeLimit limit = TimeLimitFor(window.vector, all.options);
  all.coverage.Add(window.vector);
  all.power.Measure(result.configurations.size(), window);
  return Done{};
}

// Writes the vectors on operands made for a configuration.
Result<Done> WriteMade(SuiteInProgress& all) {
  const auto takes_all = [](size_t) { return true; };
  const int64_t most = all.options.made_most;
  std::vector<MadeOperands> made = all.power.Make(all.options.model.seed, takes_all, most);
  for (MadeOperands& operands : made) {
    const OperatorConfiguration& of = all.result.configurations[operands.layer - 1];
    operands.vector.provenance.note = of.file + ": on operands made for it";
    const Result<std::string> file = WriteVector(operands.vector, all.result.made, all);
    if (!file) return file.error();
  }
  all.result.power = all.power.Summary(all.result.configurations.size(), takes_all);
  all.result.power.alone = "configuration";
  return Done{};
}

// Writes a small window of a few operators on operands made for it.
Result<Done> WriteMadeOf(const Window& window, const std::string& window_file,
                         SuiteInProgress& all) {
  if (window.size > ModelPower::kWindowOperators) return Done{};
  if (ExecutionWork(window.vector) > ModelPower::kWorkOfWindow) return Done{};
  for (int64_t k = 0; k < std::min(all.options.made_most, ModelPower::kMadeMost); ++k) {
    std::optional<TestVector> made = WithMadeOperands(window.vector, all.options.model.seed, k);
    if (!made) continue;
    made->provenance.note = window_file + ": on operands made for it";
    const Result<std::string> file = WriteVector(*made, all.result.made, all);
    if (!file) return file.error();
  }
  return Done{};
}

// Writes the parts of the models that carry state.
Result<Done> WriteSequences(const std::vector<TestVector>& models, SuiteInProgress& all) {
  WindowCounts& counts = all.result.sequences;
  std::set<std::string> known;  // identities
  for (const TestVector& model : models) {
    for (Window& window : StateSequences(model)) {
      ++counts.found;
      if (!known.insert(window.identity).second) continue;
      ++counts.distinct;
      CutInvalidSteps(window.vector);
      if (!IsReady(window, all)) continue;
      if (counts.vectors == 0) {
        const Result<Done> made = MakeDirectories(JoinPath(all.options.out, counts.kind));
        if (!made) return made.error();
      }
      const Result<std::string> file = WriteVector(window.vector, counts, all);
      if (!file) return file.error();
    }
  }
  return Done{};
}

// Writes the windows: those of one operator first, then those that are fused in practice.
Result<Done> WriteWindows(SuiteInProgress& all) {
  for (Window& window : all.windows) {
    if (window.size != 1) continue;
    const Result<Done> written = WriteConfiguration(window, all);
    if (!written) return written;
  }
  const Result<Done> made = WriteMade(all);
  if (!made) return made;
  std::erase_if(all.windows, [](const Window& window) { return window.size == 1; });
  FusedFirst(all.windows);
  for (Window& window : all.windows) {
    if (!IsReady(window, all)) continue;
    const Result<std::string> file = WriteVector(window.vector, all.result.several, all);
    if (!file) return file.error();
    const Result<Done> written = WriteMadeOf(window, *file, all);
    if (!written) return written;
    window.vector = {};
  }
  return Done{};
}

}  // namespace

Result<Extraction> Extract(const ExtractionOptions& options) {
  if (!LevelByName(options.model.level)) {
    return UsageError("--level " + options.model.level + ": no such level");
  }
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return targets.error();
  const Result<std::vector<TestVector>> models = LoadModels(options);
  if (!models) return models.error();
  const Result<FolderLock> lock = LockEmptyFolder(options.out);
  if (!lock) return lock.error();
  SuiteInProgress all;
  all.options = options;
  all.targets = *targets;
  all.suite = NewWindowSuite(options);
  Extraction& result = all.result;
  for (const WindowCounts* counts : {&result.one, &result.made, &result.several}) {
    if (counts == &result.made && options.made_most == 0) continue;
    const Result<Done> made = MakeDirectories(JoinPath(options.out, counts->kind));
    if (!made) return made.error();
  }
  for (const TestVector& model : *models) AddWindows(model, all);
  const Result<Done> extracted = WriteWindows(all);
  if (!extracted) return extracted.error();
  const Result<Done> carried = WriteSequences(*models, all);
  if (!carried) return carried.error();
  for (const WindowCounts* counts :
       {&result.one, &result.made, &result.several, &result.sequences}) {
    if (counts == &result.made && options.made_most == 0) continue;
    if (counts == &result.sequences && counts->vectors == 0) continue;
    all.suite.generators[counts->kind] = GeneratorByKind("window")->version;
    all.suite.counts[counts->kind] = counts->vectors;
  }
  const Result<Done> written = WriteSuite(options.out, all.suite);
  if (!written) return written.error();
  result.needs = all.needs.Table();
  result.coverage = all.coverage.Table();
  std::erase_if(result.coverage, [](const CoverageGroup& group) {
    return std::ranges::find(kCoverageGroups, group.name) == std::end(kCoverageGroups);
  });
  return std::move(result);
}

}  // namespace assay
