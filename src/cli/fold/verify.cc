// SPDX-License-Identifier: Apache-2.0
// assay fold verify: the graphs of a suite before and after a folder, compared for all inputs.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_source.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "equal_graphs.h"
#include "folder_comparison.h"
#include "json_text.h"
#include "mlir_rewriter.h"
#include "note.h"
#include "output_folder.h"
#include "quoted.h"
#include "run_status.h"
#include "terminal.h"
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

void PrintLine(const Json& line, bool json) {
  if (json) {
    Write(JsonText(line) + "\n");
  } else if (line["verdict"] == FoldVerdictName(FoldVerdictKind::kDifferent)) {
    const std::string name = line.contains("cause") ? NameOfFoldCause(line["cause"]) + ", " : "";
    Print("{} graph {}: different: {}{}\n", line["vector"].Text(), line["graph"].get<int64_t>(),
          name, line["detail"].Text());
  }
}

void PrintCause(const Json& cause, bool json) {
  if (json) return Write(JsonText(Json{{"cause", cause}}) + "\n");
  const auto graphs = cause["graphs"].get<int64_t>();
  Print("\nFAIL  {}{}\n  {}\n", NameOfFoldCause(cause),
        graphs == 1 ? "" : fmt::format("  (seen in {} graphs)", graphs), cause["detail"].Text());
  Print("{}", cause["graph"].Text());
  if (cause.contains("replay")) Print("  replay: {}\n", AsCalled(cause["replay"].Text()));
}

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
  FoldCheckOptions check;
  check.mode = options.mode == "exact" ? FoldMode::kExact : FoldMode::kBounded;
  check.runs = options.runs;
  check.prove = options.prove;
  Totals totals;
  FoldCauses causes;
  std::optional<Error> bad_input, failed;  // the first of each
  bool any_defect = false;
  WorkPlan plan;
  plan.last = cases->size();
  plan.jobs = options.jobs;
  plan.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<MlirRewriter>> opened = MlirRewriter::Open(*rewrite, options.limits);
    if (!opened) return opened.error();
    std::shared_ptr<MlirRewriter> rewriter = std::move(*opened);
    return Work([&check, rewriter, &cases](int64_t index) {
      return CompareFolded(*cases, index, *rewriter, check);
    });
  };
  plan.merge = [&](int64_t index, std::string text, const Loss& loss) -> Result<Done> {
    const std::string path = cases->Name(index);
    Json lines = ParseJson(text);
    if (lines.is_discarded()) {
      lines = Json::array();
      lines.push_back(LostComparison(path, loss.how));
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
  const Result<std::vector<Json>> written =
      causes.Write(options.out, rewrite->empty() ? "canonicalize" : *rewrite);
  if (!written) return Fail(written.error());
  for (const Json& cause : *written) PrintCause(cause, options.json);
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
