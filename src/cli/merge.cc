// SPDX-License-Identifier: Apache-2.0
// assay merge: one report of the shards of a run of `assay verify`.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "console.h"
#include "files.h"
#include "finding_text.h"
#include "interrupt.h"
#include "json_lines.h"
#include "judge_case.h"
#include "judged_run.h"
#include "kept_vectors.h"
#include "known_options.h"
#include "match.h"
#include "past_options.h"
#include "quoted.h"
#include "report_files.h"
#include "run_status.h"
#include "shard_results.h"
#include "suite_coverage.h"
#include "target_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> folders;
  std::string report;
  KnownOptions known;
  int jobs = 1;
  bool minimize = false;
  bool strict = false;
  bool json = false;
};

void DeclareMerge(CommandLine& line, MergeOptions& options) {
  line.Add("FOLDER", options.folders,
           "the --report folders of all shards of one run of `assay verify`")
      .Required();
  line.Add("--report", options.report,
           "folder for report.html, report.xml (JUnit), summary.md, report.jsonl and report.txt")
      .Required();
  AddJobsOption(line, options.jobs);
  AddKnownOptionsWithUpdate(line, options.known);
  line.AddFlag("--minimize", options.minimize,
               "reduce each finding to the smallest vector; runs the backend of the shards here");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if any vector is suspect, undecided or unsupported");
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "The report is the one that a run with --reproducible and without --shard writes, byte for "
      "byte,\n"
      "whatever the number of shards, if the backend is deterministic. $REPORT in it is its "
      "folder.\n"
      "Shards come from `verify --shard I/N --report FOLDER`, or from `verify --report FOLDER` of "
      "suites\n"
      "that `gen --shard I/N` made under one path. Neither the suites nor the backend need to be "
      "there,\n"
      "but --minimize needs the backend.\n\n"
      "Examples:\n"
      "  assay verify suite --backend 'exec:./my_backend {dir}' --shard 0/2 --report r0\n"
      "  assay verify suite --backend 'exec:./my_backend {dir}' --shard 1/2 --report r1\n"
      "  assay merge r0 r1 --report r");
}

// The shards of a run, as one run.
class Merging {
 public:
  explicit Merging(std::vector<ShardInFolder> shards) : shards_(std::move(shards)) {}

  const VerifyRun& run() const { return shards_[0].results.run; }

  // Takes the results of all cases.
  Result<Done> Take() {
    for (const ShardInFolder& shard : shards_) {
      const Result<Done> read =
          kept_.ReadByIndex(JoinPath(shard.folder, ShardResults::kVectorsFile));
      if (!read) return read;
    }
    std::vector<int64_t> counts(shards_.size());
    Result<Done> taken = EachReply([&](size_t shard, int64_t index, CaseResult result) {
      ++counts[shard];
      const bool disagrees = result.state == CaseState::kDisagrees;
      if (disagrees && std::ssize(names_) < JudgedRun::kCasesKept) names_[index] = result.vector;
      judged_.Add(index, std::move(result));
      return Result<Done>(Done{});
    });
    for (size_t i = 0; taken && i < shards_.size(); ++i) {
      if (counts[i] == shards_[i].results.cases) continue;
      return BadInput(shards_[i].replies.path + ": has " + std::to_string(counts[i]) + " of " +
                      std::to_string(shards_[i].results.cases) + " results");
    }
    return taken;
  }

  Result<RunReport> Report(const MergeOptions& options, const KnownFailures& known);

 private:
  using Sink = std::function<Result<Done>(size_t shard, int64_t index, CaseResult result)>;
  Result<Done> EachReply(const Sink& sink) const {
    std::vector<ReplyRange> ranges;
    for (const ShardInFolder& shard : shards_) ranges.push_back(shard.replies);
    ReplyReader reader(ranges);
    Result<bool> more = reader.Next();
    for (std::optional<int64_t> last; more && *more; more = reader.Next()) {
      if (reader.index() == last) {
        return BadInput(ranges[reader.range()].path + ": has a result twice");
      }
      last = reader.index();
      Result<CaseResult> result = CaseFromJson(reader.reply());
      if (!result) return BadInput(ranges[reader.range()].path + ": " + result.error().message);
      const Result<Done> taken = sink(reader.range(), *last, std::move(*result));
      if (!taken) return taken;
    }
    return more ? Result<Done>(Done{}) : more.error();
  }

  std::vector<ShardInFolder> shards_;
  JudgedRun judged_;
  KeptVectors kept_;
  std::map<int64_t, std::string> names_;  // of cases that disagree
};

Result<RunReport> Merging::Report(const MergeOptions& options, const KnownFailures& known) {
  const VerifyRun& all = run();
  const Result<ChosenTargets> targets = ChosenTargets::Make(all.target);
  if (!targets) return targets.error();
  SuiteCoverage coverage(*targets, all.limits, true);
  int64_t not_chosen = 0, outside = 0;
  RunReport report;
  report.title = all.title;
  report.backend = all.backend;
  report.command =
      all.Command("", KnownWords(options.known) + (options.minimize ? " --minimize" : ""));
  report.suites = all.suites;
  report.suite_hashes = shards_[0].results.suite_hashes;
  report.folder = options.report;
  report.names_folder = false;
  report.facts = FactsOf(all.limits, "");
  for (const ShardInFolder& shard : shards_) {
    const ShardResults& results = shard.results;
    not_chosen += results.not_chosen;
    outside += results.outside;
    for (const std::string& gap : results.gaps) {
      const bool is_new = std::ranges::find(report.gaps, gap) == report.gaps.end();
      if (is_new) report.gaps.push_back(gap);
    }
    const Result<Done> added = coverage.AddJson(results.coverage);
    if (!added) return BadInput(shard.folder + ": " + added.error().message);
  }
  if (!all.match.empty()) report.counts["left out by --match"] = not_chosen;
  if (!targets->TakesAll()) report.counts["outside the target"] = outside;
  FindingPlan plan;
  plan.backend = all.backend;
  plan.options = all.limits;
  plan.jobs = options.jobs;
  plan.minimize = options.minimize;
  plan.repeats = all.repeats;
  plan.folder = JoinPath(options.report, "findings");
  plan.takes = [&](const TestVector& vector) { return targets->Takes(vector); };
  plan.load = [this](int64_t index) { return kept_.Load(index); };
  plan.path = [this](int64_t index) { return kept_.Name(index); };
  plan.find = [this](const std::string& name) { return kept_.IndexOf(name); };
  plan.words = [this](int64_t index) {
    return kept_.Has(index) ? kept_.Words(index) : ShellWord(names_.at(index));
  };
  Progress progress("merge", 0);
  plan.tell = [&progress](int64_t number, int64_t of, int64_t runs) {
    progress.ShowMinimizing(number, of, runs);
  };
  const CaseVisitor each = [this](const CaseSink& sink) {
    return EachReply([&](size_t, int64_t, const CaseResult& result) { return sink(result); });
  };
  const Result<Done> finished = judged_.Finish(plan, known, each, report);
  if (!finished) return finished.error();
  if (!Interrupted()) report.coverage = coverage.Table();
  return report;
}

int RunMerge(MergeOptions options) {
  Result<std::vector<ShardInFolder>> shards = ReadShards(options.folders);
  if (!shards) return Fail(shards.error());
  Merging merging(std::move(*shards));
  const std::string backend = merging.run().backend;
  const Result<KnownFailures> known = LoadKnown(options.known, backend);
  if (!known) return Fail(known.error());
  const Result<FolderLock> lock = OpenReportFolder(options.report);
  if (!lock) return Fail(lock.error());
  if (options.minimize) {
    const Result<std::string> title = DescribeBackend(backend, merging.run().limits);
    if (!title) return Fail(title.error());
    if (*title != merging.run().title) {
      return Fail(BadInput("--minimize: the backend is " + *title + ", that of the shards was " +
                           merging.run().title));
    }
    const Result<Done> made = MakeDirectories(JoinPath(options.report, "findings"));
    if (!made) return Fail(made.error());
  }
  const InterruptWatch watch;
  const Result<Done> taken = merging.Take();
  if (!taken) return Fail(taken.error());
  const Result<RunReport> run = merging.Report(options, *known);
  if (!run) return Fail(run.error());
  const Result<Done> printed = PrintRun(*run, options.json);
  if (!printed) return Fail(printed.error());
  const Result<Done> written = WriteReports(*run, options.report);
  if (!written) return Fail(written.error());
  const Result<Done> updated = UpdateKnown(options.known, *known, backend, run->findings);
  if (!updated) return Fail(updated.error());
  return StatusOf(*run, options.strict);
}

}  // namespace

extern const Command merge_command = {
    .name = "merge",
    .summary = "makes one report of the shards of a run",
    .declare = DeclareWith<MergeOptions, DeclareMerge, RunMerge>,
};

}  // namespace assay::cli
