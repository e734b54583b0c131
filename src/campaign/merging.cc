// SPDX-License-Identifier: Apache-2.0
#include "merging.h"

#include <algorithm>
#include <utility>

#include "backend_kind.h"
#include "console.h"
#include "json_lines.h"
#include "judge_case.h"
#include "past_options.h"
#include "quoted.h"
#include "report_files.h"
#include "reported_findings.h"
#include "suite_coverage.h"
#include "target_options.h"

namespace assay {

Result<std::unique_ptr<Merging>> Merging::Open(MergeOptions options) {
  Result<std::vector<ShardInFolder>> shards = ReadShards(options.folders);
  if (!shards) return shards.error();
  std::unique_ptr<Merging> merging(new Merging(std::move(options), std::move(*shards)));
  Result<KnownFailures> known = LoadKnown(merging->options_.known, merging->run().backend);
  if (!known) return known.error();
  merging->known_ = std::move(*known);
  Result<FolderLock> lock = OpenReportFolder(merging->options_.report);
  if (!lock) return lock.error();
  merging->lock_ = std::move(*lock);
  const Result<Done> prepared =
      merging->options_.minimize ? merging->PrepareToMinimize() : Result<Done>(Done{});
  if (!prepared) return prepared.error();
  return merging;
}

Result<Done> Merging::PrepareToMinimize() const {
  const Result<std::string> title = DescribeBackend(run().backend, run().limits);
  if (!title) return title.error();
  if (*title != run().title) {
    return BadInput("--minimize: the backend is " + *title + ", that of the shards was " +
                    run().title);
  }
  return MakeDirectories(JoinPath(options_.report, "findings"));
}

Result<Done> Merging::TakeResults() {
  for (const ShardInFolder& shard : shards_) {
    const std::string file = JoinPath(shard.folder, ShardResults::kVectorsFile);
    const Result<Done> read = kept_.ReadByIndex(file);
    if (!read) return read;
    const Result<std::string> sum = SumOf(shard.folder, ShardResults::kVectorsFile);
    if (!sum) return sum.error();
    if (*sum != shard.results.vectors_sha256) {
      return BadInput(file + ": holds other vectors than those of the shard");
    }
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
    const auto& [folder, results, replies] = shards_[i];
    if (counts[i] != results.cases) {
      return BadInput(replies.path + ": has " + std::to_string(counts[i]) + " of " +
                      std::to_string(results.cases) + " results");
    }
    const Result<std::string> sum = SumOf(folder, ShardResults::kRepliesFile);
    if (!sum) return sum.error();
    if (*sum != results.replies_sha256) {
      return BadInput(replies.path + ": holds other results than those of the shard");
    }
  }
  return taken;
}

Result<Done> Merging::EachReply(const Sink& sink) const {
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

Result<RunReport> Merging::Judge() {
  watch_.emplace();
  const Result<Done> taken = TakeResults();
  return taken ? Report() : Result<RunReport>(taken.error());
}

Result<RunReport> Merging::Report() {
  const VerifyRun& all = run();
  const Result<ChosenTargets> targets = ChosenTargets::Make(all.target);
  if (!targets) return targets.error();
  SuiteCoverage coverage(*targets, all.limits, true);
  int64_t not_chosen = 0, outside = 0;
  RunReport report;
  report.title = all.title;
  report.backend = all.backend;
  report.command =
      all.Command("", KnownWords(options_.known) + (options_.minimize ? " --minimize" : ""));
  report.suites = all.suites;
  report.suite_hashes = shards_[0].results.suite_hashes;
  report.folder = options_.report;
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
  plan.jobs = options_.jobs;
  plan.minimize = options_.minimize;
  plan.repeats = all.repeats;
  plan.folder = JoinPath(options_.report, "findings");
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
  const Result<Done> finished = judged_.Finish(plan, known_, each, report);
  if (!finished) return finished.error();
  if (!Interrupted()) report.coverage = coverage.Table();
  return report;
}

Result<Done> Merging::Write(RunReport& report) {
  const Result<Done> written = WriteReports(report, options_.report);
  return written ? UpdateKnown(options_.known, known_, run().backend, report.findings) : written;
}

}  // namespace assay
