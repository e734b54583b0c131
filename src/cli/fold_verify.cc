// assay fold verify: what a folder makes of the graphs of a suite, compared for all inputs.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "files.h"
#include "fold_check.h"
#include "fold_differential.h"
#include "load.h"
#include "mlir_rewriter.h"
#include "mlir_vector.h"
#include "quoted.h"
#include "terminal.h"
#include "test_vector_file.h"
#include "workers.h"

namespace assay::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
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
Options options;

void Declare(CommandLine& line) {
  AddSuitesOption(line, options.suites).Required();
  line.Add("--folder", options.folder,
           "mlir or mlir:REWRITE, where REWRITE is as for the backend mlir-rewrite")
      .ShowDefault();
  line.Add("--mode", options.mode,
           "bounded: what the folder made lies within what the specification admits for the "
           "graph before; exact: equal bit by bit, but for the bits of NaNs")
      .OneOf({"exact", "bounded"})
      .ShowDefault();
  line.Add("--out", options.out, "folder for counterexamples: vectors of the graph before");
  line.Add("--runs", options.runs, "inputs to try each pair of graphs on")
      .Between(0, 1'000'000)
      .ShowDefault();
  line.AddFlag("--prove", options.prove, "compare terms, and ask Z3");
  AddJobsOption(line, options.jobs);
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "Each graph of the suite is folded, read back, and compared with what it was, as `assay fold "
      "check` does.\n"
      "Status 0: graphs are equal, and none is known to be different. 1: one is. 2: a file is "
      "damaged; the others are compared. 3: none is decided, or one failed: no memory, a full "
      "disk, "
      "a lost process.\n"
      "A vector of --out is judged by "
      "`assay verify FILE --backend mlir-rewrite:REWRITE --report DIR --minimize`.");
}

// What is no verdict: MLIR does not fold the graph; the file is damaged; nothing came of it for
// lack of something, or the process was lost. Of the last two `detail` names the file.
constexpr char kNotFolded[] = "not folded", kBadInput[] = "bad input", kFailed[] = "failed";

// How the comparison of one graph ended, as a row of the table of totals.
struct GraphResult {
  std::string verdict;          // of FoldVerdictName(), or one of those above
  std::string detail;           // the argument, the difference, or why not
  bool seen_by_values = false;  // the inputs that the vector has show the difference as well
  std::string file;             // of the counterexample
};

Json ToJson(const std::string& path, int64_t graph, const GraphResult& result) {
  Json json = {{"vector", CleanText(path)},
               {"graph", graph},
               {"verdict", result.verdict},
               {"detail", CleanText(result.detail)}};
  if (result.verdict == FoldVerdictName(FoldVerdictKind::kDifferent)) {
    json["seen_by_values"] = result.seen_by_values;
  }
  if (!result.file.empty()) json["counterexample"] = CleanText(result.file);
  return json;
}

GraphResult Failed(const std::string& path, const std::string& why) {
  return {kFailed, path + ": " + why, false, ""};
}

// Of a file that cannot be loaded.
const char* VerdictOf(const Error& error) {
  if (error.kind == Error::Kind::kUnsupported) return kNotFolded;
  return error.kind == Error::Kind::kResource ? kFailed : kBadInput;
}

// Whether the steps of the vector that run the graph tell the graphs apart.
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

// The counterexample without the graph after: what a backend that folds is to be run on.
TestVector OfTheGraphBefore(TestVector counterexample, const TestVector& from) {
  std::erase_if(counterexample.steps, [](const Step& step) { return step.graph != 0; });
  counterexample.graphs.resize(1);
  counterexample.fold_pairs.clear();
  counterexample.requirements = from.requirements;
  counterexample.level = from.level;
  counterexample.provenance = from.provenance;
  return counterexample;
}

Result<GraphResult> CompareGraph(MlirRewriter& rewriter, const TestVector& vector, int32_t graph,
                                 const std::string& name) {
  GraphResult result = {kNotFolded, "", false, ""};
  const Graph& before = vector.graphs[static_cast<size_t>(graph)];
  // MLIR declares variables in the module, for all blocks: what it makes of them is another matter.
  if (HasVariables(before)) {
    result.detail = "has variables";
    return result;
  }
  Outcome failure;
  const Result<std::optional<Graph>> after = rewriter.Rewrite(before, failure);
  if (!after && after.error().kind == Error::Kind::kResource) return after.error();
  if (!after || !*after) {
    result.detail = after ? failure.message : after.error().message;
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
  if (options.out.empty() || !verdict.counterexample) return result;
  result.file = JoinPath(options.out, name + "-" + std::to_string(graph) + ".tvec");
  const Result<Done> written = WriteFileAtomically(
      result.file, WriteTestVector(OfTheGraphBefore(*verdict.counterexample, vector)));
  if (!written) return written.error();
  return result;
}

// One vector, in a worker: a line of JSON.
std::string CompareVector(MlirRewriter& rewriter, const std::string& path, int64_t index) {
  Json lines = Json::array();
  const auto add = [&](int64_t graph, GraphResult result) {
    lines.push_back(ToJson(path, graph, result));
  };
  const Result<LoadedCase> loaded = LoadCase(path);
  std::string why;
  if (!loaded) {
    add(0, {VerdictOf(loaded.error()), loaded.error().message, false, ""});
  } else if (!MlirSupports(loaded->vector, false, &why)) {
    add(0, {kNotFolded, why, false, ""});
  } else {
    for (size_t graph = 0; graph < loaded->vector.graphs.size(); ++graph) {
      Result<GraphResult> result = CompareGraph(rewriter, loaded->vector,
                                                static_cast<int32_t>(graph), std::to_string(index));
      add(static_cast<int64_t>(graph),
          result ? std::move(*result) : Failed(path, result.error().message));
    }
  }
  return lines.dump();
}

// The rewrite that --folder names.
Result<std::string> RewriteOfFolder() {
  constexpr std::string_view kMlir = "mlir";
  const std::string& folder = options.folder;
  if (folder == kMlir) return std::string();
  if (folder.starts_with("mlir:")) return folder.substr(kMlir.size() + 1);
  return Error{Error::Kind::kUsage, "--folder " + Quoted(folder) + ": mlir or mlir:REWRITE"};
}

struct Totals {
  std::map<std::string, std::map<std::string, int64_t>> graphs;  // by verdict, then by argument
  int64_t equal = 0, different = 0, missed_by_values = 0;

  void Add(const Json& line) {
    const std::string verdict = line["verdict"];
    const bool is_equal = verdict == FoldVerdictName(FoldVerdictKind::kEqual);
    ++graphs[verdict][is_equal ? std::string(line["detail"]) : std::string()];
    equal += is_equal;
    if (verdict != FoldVerdictName(FoldVerdictKind::kDifferent)) return;
    ++different;
    missed_by_values += line["seen_by_values"] ? 0 : 1;
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

void PrintLine(const Json& line) {
  if (options.json) {
    Write(line.dump() + "\n");
  } else if (line["verdict"] == FoldVerdictName(FoldVerdictKind::kDifferent)) {
    Print("{} graph {}: different: {}\n", std::string(line["vector"]), line["graph"].get<int64_t>(),
          std::string(line["detail"]));
    if (line.contains("counterexample")) {
      Print("    counterexample: {}\n", Quoted(std::string(line["counterexample"])));
    }
  }
}

int Run() {
  const Result<std::string> rewrite = RewriteOfFolder();
  if (!rewrite) return Fail(rewrite.error());
  const Result<CaseList> cases = ListCases(options.suites);
  if (!cases) return Fail(cases.error());
  const std::vector<std::string>& paths = cases->paths;
  const auto probe =
      MlirRewriter::Open(*rewrite, options.limits);  // a mistake ends before all work
  if (!probe) return Fail(probe.error());
  if (!options.out.empty()) {
    const Result<Done> made = MakeDirectories(options.out);
    if (!made) return Fail(made.error());
  }
  Totals totals;
  std::optional<Error> bad_input, failed;  // the first of each
  WorkPlan plan;
  plan.last = std::ssize(paths);
  plan.jobs = options.jobs;
  plan.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<MlirRewriter>> opened = MlirRewriter::Open(*rewrite, options.limits);
    if (!opened) return opened.error();
    std::shared_ptr<MlirRewriter> rewriter = std::move(*opened);
    return Work([rewriter, &paths](int64_t index) {
      return CompareVector(*rewriter, paths[static_cast<size_t>(index)], index);
    });
  };
  plan.merge = [&](int64_t index, std::string text, const Loss& loss) -> Result<Done> {
    const std::string& path = paths[static_cast<size_t>(index)];
    Json lines = Json::parse(text, nullptr, false);
    if (lines.is_discarded()) {
      lines = Json::array();
      lines.push_back(ToJson(path, 0, Failed(path, "the worker process ended: " + loss.how)));
    }
    for (const Json& line : lines) {
      totals.Add(line);
      PrintLine(line);
      const std::string detail = line["detail"];
      if (line["verdict"] == kBadInput && !bad_input) bad_input = BadInput(detail);
      if (line["verdict"] == kFailed && !failed) failed = Error{Error::Kind::kResource, detail};
    }
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return Fail(done.error());
  if (!options.json) totals.PrintText();
  if (bad_input) return Fail(*bad_input);
  if (failed) Fail(*failed);
  if (totals.different > 0) return StatusWithGaps(kExitFinding, cases->gaps);
  return StatusWithGaps(totals.equal > 0 && !failed ? kExitClean : kExitUndecided, cases->gaps);
}

}  // namespace

extern const Command fold_verify_command;
const Command fold_verify_command = {
    .name = "verify",
    .summary = "what a folder makes of the graphs of a suite, compared for all inputs",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
