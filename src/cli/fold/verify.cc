// SPDX-License-Identifier: Apache-2.0
// assay fold verify: the graphs of a suite before and after a folder, compared for all inputs.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_source.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "equal_graphs.h"
#include "files.h"
#include "fold_cause.h"
#include "graph_text.h"
#include "json_fields.h"
#include "json_text.h"
#include "mlir_rewriter.h"
#include "mlir_vector.h"
#include "note.h"
#include "output_folder.h"
#include "paired_runs.h"
#include "quoted.h"
#include "run_status.h"
#include "terminal.h"
#include "tvec_file.h"
#include "worker_pool.h"

namespace assay::cli::fold {
namespace {

struct VerifyOptions {
  std::vector<std::string> suites;
  std::string folder = "mlir:canonicalize-fold";
  std::string out;
  BackendOptions limits;
  std::string mode = "bounded";
  int jobs = 1;
  int runs = 8;
  bool prove = false;
  bool json = false;
};

void DeclareVerify(CommandLine& line, VerifyOptions& options) {
  AddSuitesOption(line, options.suites).Required();
  line.Add("--folder", options.folder,
           "constant folder: mlir or mlir:REWRITE, with REWRITE as for the backend "
           "mlir-rewrite")
      .ShowDefault();
  line.Add("--mode", options.mode,
           "bounded: the folded graph lies within the tolerance that the specification "
           "gives the original; exact: equal bits, except in NaNs")
      .OneOf({"exact", "bounded"})
      .ShowDefault();
  line.Add("--out", options.out,
           "folder for counterexamples: one vector for each cause, with the smallest "
           "original graph");
  line.Add("--runs", options.runs, "number of inputs to run each pair of graphs on")
      .Between(0, 1'000'000)
      .ShowDefault();
  line.AddFlag("--prove", options.prove,
               "compare the graphs as terms over their inputs; ask Z3 if terms differ");
  AddJobsOption(line, options.jobs);
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "Folds each graph of the suite, reads it back, and compares it with the "
      "original, as `assay fold check`\n"
      "does. A graph that differs is reduced to the operators at fault. Differences "
      "have one cause if these\n"
      "operators and their rewrites are the same.\n"
      "Status 0: graphs are equal, and none is known to differ. 1: a graph differs. 2: "
      "a file is damaged; the\n"
      "others are compared. 3: no graph is decided, or one failed: no memory, a full "
      "disk, a killed process.\n"
      "4: a process of assay crashed; the vector is named.\n"
      "To judge a vector of --out, run\n"
      "`assay verify FILE --backend mlir-rewrite:REWRITE --report DIR --minimize`.");
}

// Results that are no verdict. kNotFolded: MLIR does not fold the graph. kBadInput: the file is
// damaged. kFailed: a resource was missing, or the process was lost. For the last two, `detail`
// names the file.
constexpr char kNotFolded[] = "not folded", kBadInput[] = "bad input", kFailed[] = "failed";

// The result of comparing one graph, as a row of the table of totals.
struct GraphResult {
  std::string verdict;          // of FoldVerdictName(), or one of those above
  std::string detail;           // the argument, the difference, or the reason for no verdict
  bool seen_by_values = false;  // the vector's inputs show the difference as well
  std::optional<FoldCause> cause;
};

// Returns a cause as JSON. `vector` is only for the parent, which takes it out.
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

Result<GraphResult> CompareGraph(const VerifyOptions& options, MlirRewriter& rewriter,
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
  FoldCheckOptions check;
  check.mode = options.mode == "exact" ? FoldMode::kExact : FoldMode::kBounded;
  check.runs = options.runs;
  check.prove = options.prove;
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

// Compares the graphs of one vector, in a worker. Returns the results.
std::string CompareVector(const VerifyOptions& options, MlirRewriter& rewriter,
                          const CaseList& cases, int64_t index) {
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
          CompareGraph(options, rewriter, loaded->vector, static_cast<int32_t>(graph));
      add(static_cast<int64_t>(graph),
          result ? std::move(*result) : Failed(path, result.error().message));
    }
  }
  return JsonText(lines);
}

// Returns the rewrite that --folder names.
Result<std::string> RewriteOfFolder(const std::string& folder) {
  constexpr std::string_view kMlir = "mlir";
  if (folder == kMlir) return std::string();
  if (folder.starts_with("mlir:")) return folder.substr(kMlir.size() + 1);
  return UsageError("--folder " + Quoted(folder) + ": mlir or mlir:REWRITE");
}

struct Totals {
  std::map<std::string, std::map<std::string, int64_t>> graphs;  // by verdict, then by argument
  int64_t equal = 0, different = 0, missed_by_values = 0;

  void Add(const Json& line) {
    const std::string verdict = line["verdict"].Text();
    const bool is_equal = verdict == FoldVerdictName(FoldVerdictKind::kEqual);
    ++graphs[verdict][is_equal ? line["detail"].Text() : std::string()];
    equal += is_equal;
    if (verdict != FoldVerdictName(FoldVerdictKind::kDifferent)) return;
    ++different;
    missed_by_values += line["seen_by_values"].Bool() ? 0 : 1;
  }

  void PrintText() const {
    Print("\n");
    for (const auto& [verdict, arguments] : graphs) {
      for (const auto& [argument, count] : arguments) {
        Print("{:8}  {}{}{}\n", count, verdict, argument.empty() ? "" : ": ", argument);
      }
    }
    if (different > 0) {
      Print("of the {} that are different, the values of the vectors show {}\n", different,
            different - missed_by_values);
    }
  }
};

// Returns the name of a cause: "CLAMP fp32 (canonicalize: ClampIsNoOp)".
std::string NameOf(const Json& cause) {
  const std::string rewrites = cause["rewrites"].Text();
  return cause["operators"].Text() + " " + cause["type"].Text() +
         (rewrites.empty() ? "" : " (" + rewrites + ")");
}

void PrintLine(const Json& line, bool json) {
  if (json) {
    Write(JsonText(line) + "\n");
  } else if (line["verdict"] == FoldVerdictName(FoldVerdictKind::kDifferent)) {
    const std::string name = line.contains("cause") ? NameOf(line["cause"]) + ", " : "";
    Print("{} graph {}: different: {}{}\n", line["vector"].Text(), line["graph"].get<int64_t>(),
          name, line["detail"].Text());
  }
}

// The distinct causes, each with the smallest vector that shows it.
class Causes {
 public:
  // Takes the vector out of `line`, the result of a graph.
  void Add(Json& line) {
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

  // Writes the vectors to --out, and prints the causes.
  Result<Done> Report(const VerifyOptions& options, const std::string& rewrite) const {
    for (const std::string& key : order_) {
      const Kept& kept = kept_.at(key);
      Json cause = kept.cause;
      cause["graphs"] = kept.graphs;
      if (!options.out.empty()) {
        const std::string file = JoinPath(options.out, FileNameOf(cause, key));
        const Result<Done> written = WriteFileAtomically(file, kept.bytes);
        if (!written) return written.error();
        cause["counterexample"] = CleanText(file);
        cause["replay"] = CleanText("assay verify " + ShellWord(file) + " --backend " +
                                    ShellWord("mlir-rewrite:" + rewrite));
      }
      if (options.json) {
        Write(JsonText(Json{{"cause", cause}}) + "\n");
        continue;
      }
      Print("\nFAIL  {}{}\n  {}\n", NameOf(cause),
            kept.graphs == 1 ? "" : fmt::format("  (seen in {} graphs)", kept.graphs),
            cause["detail"].Text());
      Print("{}", cause["graph"].Text());
      if (cause.contains("replay")) Print("  replay: {}\n", AsCalled(cause["replay"].Text()));
    }
    return Done{};
  }

 private:
  struct Kept {
    std::vector<uint8_t> bytes;  // of the vector
    int64_t graphs = 1;
    Json cause;
  };

  static std::pair<int64_t, size_t> SizeOf(const Kept& kept) {
    return {kept.cause["operator_count"].get<int64_t>(), kept.bytes.size()};
  }

  // Returns the file name of a cause: "pad-conv2d-fp32-1a2b3c4d.tvec".
  static std::string FileNameOf(const Json& cause, const std::string& key) {
    const std::string words = cause["operators"].Text() + ", " + cause["type"].Text();
    constexpr size_t kWordsMax = 100;  // there may be many operators
    return FileNameFrom(words, key, kWordsMax) + ".tvec";
  }

  std::map<std::string, Kept> kept_;
  std::vector<std::string> order_;  // in which they were first seen
};

int RunVerify(const VerifyOptions& options) {
  const Result<std::string> rewrite = RewriteOfFolder(options.folder);
  if (!rewrite) return Fail(rewrite.error());
  const Result<CaseList> cases = ListCases(options.suites, Note);
  if (!cases) return Fail(cases.error());
  const auto probe =
      MlirRewriter::Open(*rewrite, options.limits);  // finds a mistake before any work begins
  if (!probe) return Fail(probe.error());
  std::optional<Result<FolderLock>> lock;
  if (!options.out.empty()) {
    constexpr std::string_view kNames[] = {"*.tvec"};
    lock = OpenOutputFolder(options.out, kNames);
    if (!*lock) return Fail(lock->error());
  }
  Totals totals;
  Causes causes;
  std::optional<Error> bad_input, failed;  // the first of each
  bool any_defect = false;
  WorkPlan plan;
  plan.last = cases->size();
  plan.jobs = options.jobs;
  plan.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<MlirRewriter>> opened = MlirRewriter::Open(*rewrite, options.limits);
    if (!opened) return opened.error();
    std::shared_ptr<MlirRewriter> rewriter = std::move(*opened);
    return Work([&options, rewriter, &cases](int64_t index) {
      return CompareVector(options, *rewriter, *cases, index);
    });
  };
  plan.merge = [&](int64_t index, std::string text, const Loss& loss) -> Result<Done> {
    const std::string path = cases->Name(index);
    Json lines = ParseJson(text);
    if (lines.is_discarded()) {
      lines = Json::array();
      lines.push_back(ToJson(path, 0, Failed(path, "the worker process ended: " + loss.how)));
      if (loss.by_itself) {
        any_defect = true;
        Fail(ResourceError(lines[0]["detail"].Text()));
      }
    }
    for (Json& line : lines) {
      totals.Add(line);
      causes.Add(line);
      PrintLine(line, options.json);
      const std::string detail = line["detail"].Text();
      if (line["verdict"] == kBadInput && !bad_input) bad_input = BadInput(detail);
      if (line["verdict"] == kFailed && !failed) failed = ResourceError(detail);
    }
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return Fail(done.error());
  const Result<Done> reported =
      causes.Report(options, rewrite->empty() ? "canonicalize" : *rewrite);
  if (!reported) return Fail(reported.error());
  if (!options.json) totals.PrintText();
  if (any_defect) return kExitDefect;
  if (bad_input) return Fail(*bad_input);
  if (failed) Fail(*failed);
  if (totals.different > 0) return StatusWithGaps(kExitFinding, cases->gaps);
  return StatusWithGaps(totals.equal > 0 && !failed ? kExitClean : kExitUndecided, cases->gaps);
}

}  // namespace

extern const Command verify_command;
const Command verify_command = {
    .name = "verify",
    .summary =
        "runs a constant folder on the graphs of a suite and compares before and after, "
        "for all inputs",
    .declare = DeclareWith<VerifyOptions, DeclareVerify, RunVerify>,
};

}  // namespace assay::cli::fold
