// SPDX-License-Identifier: Apache-2.0
#include "case_judge.h"

#include <algorithm>
#include <utility>

#include "finding_text.h"
#include "judge_in_depth.h"
#include "judge_operators.h"
#include "reported_findings.h"

namespace assay {
namespace {

constexpr size_t kHistoryMax = 64;
constexpr int kSearchesMax = 8;
constexpr size_t kSeveralMax = 16;  // of which each is left out once

// Names a finding after the operators of the vector that has done the damage.
void NameAfter(const TestVector& vector, Finding& finding) {
  finding.rule = kDamageRule;
  finding.op = Op::kUnknown;
  finding.type = DType::kUnknown;
  const std::vector<OperatorUse> uses = OperatorsOf(vector);
  if (uses.size() == 1) {
    finding.op = uses[0].op;
    finding.type = uses[0].type;
  } else {
    NameAfterGraph(vector, finding);
  }
}

}  // namespace

bool DisagreesAfter(Backend& backend, const std::vector<LoadedCase>& before,
                    const LoadedCase& loaded) {
  backend.RunNextAlone();
  for (const LoadedCase& one : before) JudgeOnBackend(backend, one, "", 0);
  return JudgeOnBackend(backend, loaded, "", 0).state == CaseState::kDisagrees;
}

CaseResult CaseJudge::JudgeLoaded(int64_t index, const Result<LoadedCase>& loaded,
                                  bool implied_errors) {
  std::string path = name_(index);
  if (loaded) {
    const std::string implied = implied_errors ? "" : ImpliedErrorOf(*loaded);
    return implied.empty() ? Judge(index, *loaded)
                           : ExcludedCase(*loaded, std::move(path), implied);
  }
  // Some of Arm's negative tests break a graph rule that no Graph of Assay can express.
  const bool inexpressible = IsDirectory(path) && !loaded.error().rule.empty();
  const bool unsupported = inexpressible || loaded.error().kind == Error::Kind::kUnsupported;
  CaseResult result;
  result.vector = std::move(path);
  result.state = unsupported ? CaseState::kUnsupported : CaseState::kBadInput;
  result.note = loaded.error().message;
  return result;
}

CaseResult CaseJudge::Judge(int64_t index, const LoadedCase& loaded) {
  CaseResult result = JudgeInDepth(backend_, loaded, name_(index), repeats_, &rule_);
  if (result.state == CaseState::kDisagrees) {
    wrong_.insert(index);
    NameWrongOperators(backend_, JudgedVector(loaded), rule_, result);
  } else if (!result.seen_once.empty()) {
    BlameHistory(loaded, result);
  }
  if (backend_.Process() != process_) history_.clear();
  process_ = backend_.Process();
  if (result.state == CaseState::kUnsupported) return result;  // it did not run
  if (history_.size() == kHistoryMax) history_.erase(history_.begin());
  history_.push_back(index);
  return result;
}

bool CaseJudge::IsWrongAfter(const std::vector<int64_t>& cases, const LoadedCase& loaded) {
  std::vector<LoadedCase> before;
  for (const int64_t index : cases) {
    Result<LoadedCase> one = load_(index);
    if (one) before.push_back(std::move(*one));
  }
  return DisagreesAfter(backend_, before, loaded);
}

std::vector<int64_t> CaseJudge::FindDamage(const LoadedCase& loaded) {
  if (++searches_ > kSearchesMax) return {};
  std::vector<int64_t> cases = history_;
  if (!IsWrongAfter(cases, loaded)) return {};
  while (cases.size() > 1) {
    const auto middle = cases.begin() + std::ssize(cases) / 2;
    std::vector<int64_t> late(middle, cases.end()), early(cases.begin(), middle);
    if (IsWrongAfter(late, loaded)) {
      cases = std::move(late);
    } else if (IsWrongAfter(early, loaded)) {
      cases = std::move(early);
    } else {
      break;
    }
  }
  // Several do the damage together. None stays that it does not need.
  for (size_t i = 0; cases.size() > 1 && cases.size() <= kSeveralMax && i < cases.size();) {
    std::vector<int64_t> fewer = cases;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    if (IsWrongAfter(fewer, loaded)) {
      cases = std::move(fewer);
    } else {
      ++i;
    }
  }
  return cases;
}

bool CaseJudge::IsWrongWithout(const std::vector<int64_t>& cases,
                               const std::vector<OperatorUse>& operators,
                               const LoadedCase& loaded) {
  std::vector<int64_t> others;
  for (const int64_t index : history_) {
    if (std::ranges::find(cases, index) != cases.end()) continue;
    const Result<LoadedCase> other = load_(index);
    if (other && OperatorsOf(JudgedVector(*other)) != operators) others.push_back(index);
  }
  return !others.empty() && IsWrongAfter(others, loaded);
}

void CaseJudge::BlameHistory(const LoadedCase& loaded, CaseResult& result) {
  const bool has_history = result.process != 0 && result.process == process_ && !history_.empty();
  Finding finding = result.seen_once[0];
  // A machine under load makes vectors slow, too.
  if (!has_history || finding.violation == Violation::kTimeOut) return;
  rule_.SawDamage();
  const std::vector<int64_t> cases = FindDamage(loaded);
  const auto wrong = std::ranges::find_if(cases.rbegin(), cases.rend(),
                                          [this](int64_t index) { return wrong_.contains(index); });
  const Result<LoadedCase> last =
      cases.empty() ? LoadedCase() : load_(wrong == cases.rend() ? cases.back() : *wrong);
  const bool depends =
      !cases.empty() && last && IsWrongWithout(cases, OperatorsOf(JudgedVector(*last)), loaded);
  backend_.RunNextAlone();  // the search has left a damaged process
  if (cases.empty() || !last) {
    if (result.state != CaseState::kUndecided) return;  // taps or windows have decided it
    AddNote(searches_ > kSearchesMax ? "right in a new process; the vectors before it were not "
                                       "searched, after eight searches"
                                     : "right in a new process, and also after the vectors before "
                                       "it when they ran again",
            result);
    result.verdict.reason = result.note;
    return;
  }
  for (const int64_t index : cases) result.damaged_by.vectors.push_back(name_(index));
  result.damaged_by.wrong = FindingHeadline(finding);
  if (depends) {
    finding.rule = kDependenceRule;
  } else {
    NameAfter(JudgedVector(*last), finding);
  }
  result.state = CaseState::kDisagrees;
  result.note.clear();
  result.verdict.kind = VerdictKind::kDisagrees;
  result.verdict.reason.clear();
  result.verdict.findings = {std::move(finding)};
}

}  // namespace assay
