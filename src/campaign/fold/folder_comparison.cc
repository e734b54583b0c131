// SPDX-License-Identifier: Apache-2.0
#include "folder_comparison.h"

#include <algorithm>
#include <optional>

#include "clean_text.h"
#include "files.h"
#include "fold_cause.h"
#include "graph_text.h"
#include "json_text.h"
#include "mlir_vector.h"
#include "paired_runs.h"
#include "quoted.h"
#include "tvec_file.h"

namespace assay {
namespace {

// The result of comparing one graph, as a row of the table of totals.
struct GraphResult {
  std::string verdict;          // of FoldVerdictName(), or one of those above
  std::string detail;           // the argument, the difference, or the reason for no verdict
  bool seen_by_values = false;  // the vector's inputs show the difference as well
  std::optional<FoldCause> cause;
};

// Returns a cause as JSON. `vector` is for FoldCauses alone, which takes it out.
Json ToJson(const FoldCause& cause) {
  return {{"operators", cause.operators},
          {"type", cause.type},
          {"rewrites", CleanText(cause.rewrites)},
          {"detail", CleanText(cause.difference)},
          {"key", CleanText(cause.Key())},
          {"operator_count", cause.vector.graphs[0].OperatorCount()},
          {"graph", GraphText(cause.vector.graphs[0])},
          {"vector", WriteTestVector(cause.vector)}};
}

Json ToJson(const std::string& path, int64_t graph, const GraphResult& result) {
  Json json = {{"vector", CleanText(path)},
               {"graph", graph},
               {"verdict", result.verdict},
               {"detail", CleanText(result.detail)}};
  if (result.verdict == FoldVerdictName(FoldVerdictKind::kDifferent)) {
    json["seen_by_values"] = result.seen_by_values;
  }
  if (result.cause) json["cause"] = ToJson(*result.cause);
  return json;
}

GraphResult Failed(const std::string& path, const std::string& why) {
  return {kFailed, path + ": " + why, false, std::nullopt};
}

// Returns the result for a file that cannot be loaded.
const char* VerdictOf(const Error& error) {
  if (error.kind == Error::Kind::kUnsupported) return kNotFolded;
  return error.kind == Error::Kind::kResource ? kFailed : kBadInput;
}

// Returns true if the steps of the vector that run the graph show a difference between the graphs.
bool SeenByValues(const TestVector& vector, int32_t graph, const Graph& after,
                  const FoldCheckOptions& check) {
  std::map<int32_t, std::vector<std::vector<Tensor>>> invocations;  // by context
  for (const Step& step : vector.steps) {
    if (step.graph == graph) invocations[step.context].push_back(step.inputs);
  }
  const Graph& before = vector.graphs[static_cast<size_t>(graph)];
  for (const auto& [context, sequence] : invocations) {
    if (RunBoth(before, after, sequence, check).kind == FoldRunKind::kDiffer) return true;
  }
  return false;
}

// Returns the counterexample without the graph after folding, for a backend that folds.
TestVector OfTheGraphBefore(TestVector counterexample, const TestVector& from) {
  std::erase_if(counterexample.steps, [](const Step& step) { return step.graph != 0; });
  counterexample.graphs.resize(1);
  counterexample.fold_pairs.clear();
  counterexample.requirements = from.requirements;
  counterexample.level = from.level;
  counterexample.provenance = from.provenance;
  return counterexample;
}

Result<GraphResult> CompareGraph(const FoldCheckOptions& check, MlirRewriter& rewriter,
                                 const TestVector& vector, int32_t graph) {
  GraphResult result = {kNotFolded, "", false, std::nullopt};
  const Graph& before = vector.graphs[static_cast<size_t>(graph)];
  // MLIR declares variables in the module, for all blocks. Graphs with variables are not compared.
  if (HasVariables(before)) {
    result.detail = "has variables";
    return result;
  }
  Outcome failure;
  const Result<std::optional<Graph>> after = rewriter.Rewrite(before, failure);
  if (!after && after.error().kind == Error::Kind::kResource) return after.error();
  if (!after || !*after) {
    result.detail = after ? failure.message : after.error().message;
    if (!failure.pass.empty()) result.detail.insert(0, failure.pass + ": ");
    return result;
  }
  const FoldVerdict verdict = CheckFold(before, **after, check);
  result.verdict = FoldVerdictName(verdict.kind);
  result.detail = verdict.kind == FoldVerdictKind::kEqual
                      ? std::string(FoldArgumentText(verdict.argument))
                      : verdict.reason;
  if (verdict.kind != FoldVerdictKind::kDifferent) return result;
  result.seen_by_values = SeenByValues(vector, graph, **after, check);
  if (!verdict.counterexample) return result;
  result.cause = FindFoldCause(rewriter, OfTheGraphBefore(*verdict.counterexample, vector), check);
  return result;
}

// Returns the file name of a cause: "pad-conv2d-fp32-1a2b3c4d.tvec".
std::string FileNameOf(const Json& cause, const std::string& key) {
  const std::string words = cause["operators"].Text() + ", " + cause["type"].Text();
  constexpr size_t kWordsMax = 100;  // there may be many operators
  return FileNameFrom(words, key, kWordsMax) + ".tvec";
}

}  // namespace

std::string CompareFolded(const CaseList& cases, int64_t index, MlirRewriter& rewriter,
                          const FoldCheckOptions& check) {
  const std::string path = cases.Name(index);
  Json lines = Json::array();
  const auto add = [&](int64_t graph, GraphResult result) {
    lines.push_back(ToJson(path, graph, result));
  };
  const Result<LoadedCase> loaded = cases.Load(index);
  const std::string why = loaded ? MlirWhyUnsupported(loaded->vector, false) : "";
  if (!loaded) {
    add(0, {VerdictOf(loaded.error()), loaded.error().message, false, std::nullopt});
  } else if (!why.empty()) {
    add(0, {kNotFolded, why, false, std::nullopt});
  } else {
    for (size_t graph = 0; graph < loaded->vector.graphs.size(); ++graph) {
      Result<GraphResult> result =
          CompareGraph(check, rewriter, loaded->vector, static_cast<int32_t>(graph));
      add(static_cast<int64_t>(graph),
          result ? std::move(*result) : Failed(path, result.error().message));
    }
  }
  return JsonText(lines);
}

Json LostComparison(const std::string& path, const std::string& how) {
  return ToJson(path, 0, Failed(path, "the worker process ended: " + how));
}

std::string NameOfFoldCause(const Json& cause) {
  const std::string rewrites = cause["rewrites"].Text();
  return cause["operators"].Text() + " " + cause["type"].Text() +
         (rewrites.empty() ? "" : " (" + rewrites + ")");
}

void FoldCauses::Add(Json& line) {
  if (!line.contains("cause")) return;
  Json& cause = line["cause"];
  Kept candidate = {cause["vector"].get<std::vector<uint8_t>>(), 1, {}};
  cause.erase("vector");
  const std::string key = cause["key"].Text();
  cause.erase("key");
  candidate.cause = cause;
  const auto [at, is_new] = kept_.try_emplace(key, candidate);
  if (is_new) return order_.push_back(key);
  Kept& known = at->second;
  candidate.graphs += known.graphs;
  if (SizeOf(candidate) >= SizeOf(known)) {
    known.graphs = candidate.graphs;
  } else {
    known = std::move(candidate);
  }
}

Result<std::vector<Json>> FoldCauses::Write(const std::string& folder,
                                            const std::string& rewrite) const {
  std::vector<Json> causes;
  for (const std::string& key : order_) {
    const Kept& kept = kept_.at(key);
    Json& cause = causes.emplace_back(kept.cause);
    cause["graphs"] = kept.graphs;
    if (folder.empty()) continue;
    const std::string file = JoinPath(folder, FileNameOf(cause, key));
    const Result<Done> written = WriteFileAtomically(file, kept.bytes);
    if (!written) return written.error();
    cause["counterexample"] = CleanText(file);
    cause["replay"] = CleanText("assay verify " + ShellWord(file) + " --backend " +
                                ShellWord("mlir-rewrite:" + rewrite));
  }
  return causes;
}

std::pair<int64_t, size_t> FoldCauses::SizeOf(const Kept& kept) {
  return {kept.cause["operator_count"].get<int64_t>(), kept.bytes.size()};
}

}  // namespace assay
