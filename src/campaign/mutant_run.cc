// SPDX-License-Identifier: Apache-2.0
#include "mutant_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "case_source.h"
#include "check.h"
#include "executor.h"
#include "finding_text.h"
#include "json_text.h"
#include "judge_vector.h"
#include "mutant_trials.h"
#include "note.h"
#include "worker_pool.h"

namespace assay {
namespace {

// The vectors of the suites, and by operator those on which the executor without a fault agrees.
struct MutantCases {
  std::vector<std::string> paths;
  std::vector<TestVector> vectors;
  std::map<Op, std::vector<size_t>> having;  // small graphs first
};

Result<MutantCases> LoadCases(const CaseList& list) {
  MutantCases cases;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Result<LoadedCase> loaded = list.Load(i);
    if (!loaded) {
      if (loaded.error().kind == Error::Kind::kUnsupported) continue;
      return loaded.error();
    }
    cases.paths.push_back(list.Name(i));
    cases.vectors.push_back(JudgedVector(*loaded));
  }
  return cases;
}

// Returns the Error for a killed worker and what it was running. The executor, with or without a
// mutant, only accesses its own memory. So a worker that dies by itself is a defect of Assay, not a
// finding.
Error WasKilled(const std::string& what, const Loss& loss) {
  const Error error = ResourceError(what + ": the worker process ended: " + loss.how);
  if (loss.by_itself) Say(error.message);
  Check(!loss.by_itself, "the executor does not crash");
  return error;
}

// Judges every vector without a fault. A vector that disagrees cannot measure mutants, so it is an
// Error.
Result<Done> KeepWhatAgrees(MutantCases& cases, int jobs) {
  WorkPlan plan;
  plan.last = std::ssize(cases.vectors);
  plan.jobs = jobs;
  plan.start = [&cases]() -> Result<Work> {
    return Work([&cases](int64_t index) -> std::string {
      const TestVector& vector = cases.vectors[static_cast<size_t>(index)];
      const Verdict verdict = JudgeVector(vector, ExecuteVector(vector, ExecutionOf(nullptr)));
      if (verdict.kind == VerdictKind::kDisagrees) return FindingHeadline(verdict.findings[0]);
      return verdict.kind == VerdictKind::kAgrees ? "agrees" : "undecided";
    });
  };
  plan.merge = [&cases](int64_t index, const std::string& bytes, const Loss& loss) -> Result<Done> {
    const auto number = static_cast<size_t>(index);
    if (loss) return WasKilled(cases.paths[number], loss);
    if (bytes == "undecided") return Done{};
    if (bytes != "agrees") {
      return BadInput(cases.paths[number] + ": the reference executor disagrees: " + bytes);
    }
    for (const auto& [block, op] : cases.vectors[number].Operators()) {
      std::vector<size_t>& having = cases.having[op.op];
      if (having.empty() || having.back() != number) having.push_back(number);
    }
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  for (auto& [op, having] : cases.having) {
    std::ranges::stable_sort(having, {},
                             [&](size_t number) { return cases.vectors[number].OperatorCount(); });
  }
  return Done{};
}

// Returns the number of vectors that ran, the path of the one that kills the mutant, and how it
// does; two empty texts if none does. Then whether the mutant changes anything in one of them.
Json Try(const Mutant& mutant, const MutantCases& cases) {
  int64_t count = 0;
  bool reached = false;
  if (const auto having = cases.having.find(mutant.op); having != cases.having.end()) {
    for (const size_t number : having->second) {
      ++count;
      const std::string finding = KilledBy(mutant, cases.vectors[number], &reached);
      if (!finding.empty()) return {count, cases.paths[number], finding, true};
    }
  }
  return {count, "", "", reached || (count > 0 && !IsOfKernel(mutant.twist))};
}

MutantTrial TrialFrom(const Mutant& mutant, const Json& tried) {
  MutantTrial trial = {&mutant, MutantEnding::kNotReached, tried[0].get<int64_t>(),
                       tried[1].get<std::string>(), tried[2].get<std::string>()};
  if (!trial.vector.empty()) {
    trial.ending = MutantEnding::kKilled;
  } else if (!mutant.equivalent.empty()) {
    trial.ending = MutantEnding::kEquivalent;
  } else if (tried[3].get<bool>()) {
    trial.ending = MutantEnding::kSurvived;
  }
  return trial;
}

}  // namespace

Result<MutantRun> TryMutants(const std::vector<const Mutant*>& mutants,
                             const std::vector<std::string>& suites, int jobs) {
  Result<CaseList> list = ListCases(suites, Note);
  if (!list) return list.error();
  Result<MutantCases> cases = LoadCases(*list);
  if (!cases) return cases.error();
  const Result<Done> kept = KeepWhatAgrees(*cases, jobs);
  if (!kept) return kept.error();
  MutantRun run = {{}, std::move(list->gaps)};
  WorkPlan plan;
  plan.last = std::ssize(mutants);
  plan.jobs = jobs;
  plan.start = [&]() -> Result<Work> {
    return Work(
        [&](int64_t index) { return JsonText(Try(*mutants[static_cast<size_t>(index)], *cases)); });
  };
  plan.merge = [&](int64_t index, const std::string& bytes, const Loss& loss) -> Result<Done> {
    const Mutant& mutant = *mutants[static_cast<size_t>(index)];
    if (loss) return WasKilled(std::string(mutant.id), loss);
    run.trials.push_back(TrialFrom(mutant, JsonFrom(bytes)));
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  return run;
}

PowerSummary Summary(const MutantRun& run) {
  PowerSummary sum;
  sum.alone.clear();
  for (const MutantTrial& trial : run.trials) {
    const bool survived = trial.ending == MutantEnding::kSurvived;
    const bool killed = trial.ending == MutantEnding::kKilled;
    if (trial.vectors > 0 && !survived && !killed) ++sum.cannot_show;
    if (survived || killed) ++sum.faults;
    if (killed) ++sum.shown;
    if (!survived) continue;
    sum.not_shown.push_back({std::string(trial.mutant->id), std::string(trial.mutant->what), {}});
  }
  return sum;
}

}  // namespace assay
