// SPDX-License-Identifier: Apache-2.0
#include "verify_in_process.h"

#include <optional>
#include <utility>

#include "case_judge.h"
#include "case_source.h"
#include "finding_to_keep.h"
#include "judge_case.h"
#include "judged_run.h"
#include "quoted.h"
#include "reduce.h"
#include "reported_findings.h"

namespace assay::python {
namespace {

// The vectors of a run: those in files first.
class VectorsOfRun {
 public:
  static Result<VectorsOfRun> List(const VerificationPlan& plan, std::vector<std::string>& gaps) {
    VectorsOfRun cases(plan);
    if (plan.paths.empty()) return cases;
    Result<CaseList> listed =
        ListCases(plan.paths, [&gaps](const std::string& note) { gaps.push_back(note); });
    if (!listed) return listed.error();
    gaps.insert(gaps.begin(), listed->gaps.begin(), listed->gaps.end());
    cases.listed_ = std::move(*listed);
    return cases;
  }

  int64_t size() const { return listed_.size() + std::ssize(plan_.vectors); }
  std::string Name(int64_t index) const {
    return index < listed_.size() ? listed_.Name(index) : Given(index).name;
  }
  std::optional<int64_t> IndexOf(const std::string& name) const {
    for (int64_t i = 0; i < size(); ++i) {
      if (Name(i) == name) return i;
    }
    return std::nullopt;
  }
  Result<LoadedCase> Load(int64_t index) const {
    if (index < listed_.size()) return listed_.Load(index);
    return LoadedCase{Given(index), {}};
  }

 private:
  explicit VectorsOfRun(const VerificationPlan& plan) : plan_(plan) {}
  const TestVector& Given(int64_t index) const {
    return plan_.vectors[static_cast<size_t>(index - listed_.size())];
  }

  const VerificationPlan& plan_;
  CaseList listed_;
};

FindingPlan PlanOfFindings(Backend& backend, const VerificationPlan& plan,
                           const VectorsOfRun& cases) {
  FindingPlan findings;
  findings.backend = plan.backend;
  findings.options = plan.options;
  findings.minimize = plan.minimize;
  findings.repeats = plan.repeats;
  findings.folder = plan.folder;
  findings.in_process = &backend;
  findings.load = [&cases](int64_t index) { return cases.Load(index); };
  findings.path = [&cases](int64_t index) { return cases.Name(index); };
  findings.find = [&cases](const std::string& name) { return cases.IndexOf(name); };
  findings.words = [&cases](int64_t index) { return ShellWord(cases.Name(index)); };
  return findings;
}

}  // namespace

Result<RunReport> Verify(Backend& backend, const VerificationPlan& plan) {
  RunReport run;
  run.title = backend.Describe();
  run.backend = plan.backend;
  run.suites = plan.paths;
  const Result<VectorsOfRun> cases = VectorsOfRun::List(plan, run.gaps);
  if (!cases) return cases.error();
  JudgedRun judged(cases->size());  // keeps all of them, because Python shows each
  CaseJudge judge(
      backend, [&cases](int64_t index) { return cases->Load(index); },
      [&cases](int64_t index) { return cases->Name(index); }, plan.repeats);
  for (int64_t index = 0; index < cases->size(); ++index) {
    const Result<Done> goes_on = plan.progress ? plan.progress(index) : Done{};
    if (!goes_on) return goes_on.error();
    judged.Add(index, judge.JudgeLoaded(index, cases->Load(index), plan.implied_errors));
    if (const auto failure = backend.MachineFailure()) return *failure;
  }
  const Result<Done> finished =
      judged.Finish(PlanOfFindings(backend, plan, *cases), plan.known, {}, run);
  if (!finished) return finished.error();
  return run;
}

Result<TestVector> Minimize(Backend& backend, const TestVector& vector, int64_t calls_max) {
  const auto seen = [&backend](const TestVector& candidate) {
    return JudgeOnce(backend, candidate, candidate.name);
  };
  const CaseResult first = seen(vector);
  if (first.state != CaseState::kDisagrees) {
    return BadInput("minimize: the backend does not disagree on " + Quoted(vector.name) + " (" +
                    std::string(CaseStateName(first.state)) +
                    (first.note.empty() ? "" : ": " + first.note) + ")");
  }
  const FindingToKeep kept(vector, first.verdict.findings[0]);
  const auto fails = [&](const TestVector& candidate) {
    const CaseResult result = seen(candidate);
    return result.state == CaseState::kDisagrees && kept.In(result.verdict.findings);
  };
  return Reduce(vector, fails, {.calls_max = calls_max}).vector;
}

}  // namespace assay::python
