// SPDX-License-Identifier: Apache-2.0
#include "reported_suspects.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "backend_kind.h"
#include "clean_text.h"
#include "files.h"
#include "judge_in_depth.h"
#include "quoted.h"
#include "tvec_file.h"
#include "worker_pool.h"

namespace assay {
namespace {

// A judgement in depth runs the backend several times.
constexpr int64_t kSuspectCallsMax = 100;
constexpr std::string_view kLatticeTag = "lattice";

// Returns what a worker process replies: the note, and the bytes of the vector.
std::string PackedSuspect(const std::string& why, const TestVector& vector) {
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  return why + "\n" + std::string(bytes.begin(), bytes.end());
}

struct ReducedSuspect {
  std::string why;
  std::vector<uint8_t> bytes;
};

std::optional<ReducedSuspect> ReducedSuspectFrom(const std::string& reply) {
  const size_t line_end = reply.find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  return ReducedSuspect{reply.substr(0, line_end),
                        {reply.begin() + static_cast<std::ptrdiff_t>(line_end) + 1, reply.end()}};
}

Result<ReportedSuspect> ReportSuspect(const SuspectGroup& group,
                                      const std::optional<ReducedSuspect>& smallest,
                                      const FindingPlan& plan) {
  ReportedSuspect report;
  report.signature = group.signature;
  report.seen = group.seen;
  report.repeats = smallest.has_value();
  report.why = smallest ? smallest->why : group.why;
  std::vector<uint8_t> bytes;
  if (smallest) {
    bytes = smallest->bytes;
  } else {
    const Result<LoadedCase> loaded = plan.load(group.case_index);
    if (!loaded) return loaded.error();
    bytes = WriteTestVector(loaded->vector);
  }
  const std::string name = (report.repeats ? "" : "not repeatable ") + group.signature;
  report.vector = JoinPath(plan.folder, FileNameFrom(name, group.signature) + ".tvec");
  const Result<TestVector> vector = ReadTestVector(bytes, report.vector);
  if (!vector) return vector.error();
  report.graph_text = TextOf(*vector);
  report.replay = ReplayLine(ShellWord(report.vector), plan.backend, plan.options, {});
  const Result<Done> written = WriteFileAtomically(report.vector, bytes);
  if (!written) return written.error();
  return report;
}

}  // namespace

std::string SuspectSignature(const CaseResult& result) {
  if (result.state != CaseState::kSuspect || result.verdict.findings.empty()) return "";
  const Finding& finding = result.verdict.findings[0];
  return (finding.taps.empty() ? "undeclared " : "taps ") + finding.Signature();
}

std::vector<SuspectGroup> GroupSuspects(const std::vector<CaseResult>& cases) {
  std::vector<SuspectGroup> groups;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string signature = SuspectSignature(cases[i]);
    if (signature.empty()) continue;
    const auto [at, is_new] = known.try_emplace(signature, groups.size());
    if (!is_new) {
      ++groups[at->second].seen;
      continue;
    }
    groups.push_back({std::move(signature), cases[i].note, static_cast<int64_t>(i), 1});
  }
  return groups;
}

std::optional<Reduction> SmallestSuspect(Backend& backend, const TestVector& vector,
                                         const std::string& signature, const ReduceOptions& options,
                                         std::string* why, const VectorFilter& takes) {
  const auto is_it = [&](const TestVector& candidate) {
    if (takes && !takes(candidate)) return false;
    CaseResult result = JudgeInDepth(backend, {candidate, {}}, "");
    if (SuspectSignature(result) != signature) return false;
    *why = std::move(result.note);
    return true;
  };
  if (!is_it(vector)) return std::nullopt;
  Reduction reduction = Reduce(vector, is_it, options);
  TestVector& smallest = reduction.vector;
  // Reduce() computes the tags anew, and the suspicion may rest on this one.
  const auto is_lattice = [](const std::string& tag) { return tag == kLatticeTag; };
  if (std::ranges::any_of(vector.tags, is_lattice) &&
      std::ranges::none_of(smallest.tags, is_lattice)) {
    smallest.tags.insert(std::ranges::lower_bound(smallest.tags, kLatticeTag),
                         std::string(kLatticeTag));
  }
  if (!is_it(smallest)) reduction.vector = vector;
  return reduction;
}

Result<std::vector<ReportedSuspect>> WorkUpSuspects(const std::vector<SuspectGroup>& groups,
                                                    const FindingPlan& plan) {
  std::vector<ReportedSuspect> reports;
  if (groups.empty()) return reports;
  const Result<Done> made = MakeDirectories(plan.folder);
  if (!made) return made.error();
  WorkPlan work;
  work.last = std::ssize(groups);
  work.jobs = plan.jobs;
  work.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(plan.backend, plan.options);
    if (!opened) return opened.error();
    std::shared_ptr<Backend> backend = std::move(*opened);
    return Work([backend, &plan, &groups](int64_t index) -> Result<std::string> {
      const SuspectGroup& group = groups[static_cast<size_t>(index)];
      const Result<LoadedCase> loaded = plan.load(group.case_index);
      if (!loaded) return loaded.error();
      std::string why;
      const std::optional<Reduction> smallest =
          SmallestSuspect(*backend, loaded->vector, group.signature,
                          {.calls_max = kSuspectCallsMax}, &why, plan.takes);
      if (const auto failure = backend->MachineFailure()) return *failure;
      return smallest ? PackedSuspect(why, smallest->vector) : "";
    });
  };
  work.merge = [&](int64_t index, std::string reply, const Loss&) -> Result<Done> {
    Result<ReportedSuspect> report =
        ReportSuspect(groups[static_cast<size_t>(index)], ReducedSuspectFrom(reply), plan);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
    return Done{};
  };
  const Result<int64_t> done = RunWork(work);
  if (!done) return done.error();
  return reports;
}

}  // namespace assay
