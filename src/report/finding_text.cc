#include "finding_text.h"

#include <algorithm>

#include "clean_text.h"
#include "rules.h"

namespace assay {
namespace {

std::string ViolationWords(const std::string& violation) {
  return violation == "crash" || violation == "time-out" ? violation : "wrong " + violation;
}

}  // namespace

std::string_view OperatorLabel(Op op) {
  return op == Op::kUnknown ? std::string_view("none") : OperatorName(op);
}

std::string_view TypeLabel(DType type) {
  return type == DType::kUnknown ? std::string_view("none") : TypeName(type);
}

bool IsImplied(const Finding& finding) { return IsImpliedError(finding.rule); }

void ImpliedErrorsLast(std::vector<ReportedFinding>& findings) {
  std::stable_partition(findings.begin(), findings.end(), [](const ReportedFinding& reported) {
    return !IsImplied(reported.finding);
  });
}

std::string FindingHeadline(const Finding& finding) {
  std::string text;
  if (finding.op != Op::kUnknown) {
    text = std::string(OperatorName(finding.op)) + " ";
    if (finding.type != DType::kUnknown) text += std::string(TypeName(finding.type));
    while (text.back() == ' ') text.pop_back();
    text += ": ";
  }
  text += ViolationWords(finding.violation);
  if (IsImplied(finding)) text += " on an implied error";
  if (!finding.rule.empty() && finding.rule != OperatorName(finding.op)) {
    text += " (" + finding.rule + ")";
  }
  return OneLine(text);
}

std::string ReportedHeadline(const ReportedFinding& reported) {
  return FindingHeadline(reported.finding) + (reported.repeats ? "" : ", not repeatable");
}

std::string FindingText(const Finding& finding) {
  std::string text = "step " + std::to_string(finding.step);
  if (!finding.tensor.empty()) text += ", " + finding.tensor + finding.position;
  if (!finding.expected.empty()) text += ": expected " + finding.expected;
  if (!finding.allowed.empty()) text += " (" + finding.allowed + ")";
  if (!finding.got.empty()) text += ", got " + finding.got;
  if (finding.wrong_elements > 1) {
    text += "; " + std::to_string(finding.wrong_elements) + " elements wrong";
  }
  if (!finding.follows.empty()) text += "; may follow from " + finding.follows;
  if (!finding.message.empty()) text += "\n" + finding.message;
  return CleanText(text);
}

}  // namespace assay
