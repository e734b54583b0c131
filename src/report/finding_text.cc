#include "finding_text.h"

#include "clean_text.h"

namespace assay {
namespace {

std::string ViolationWords(const Finding& finding) {
  const std::string& violation = finding.violation;
  if (violation == "crash" || violation == "time-out") return violation;
  if (violation == "outcome" && finding.got == "error") return "refused a valid graph";
  if (violation == "outcome" && finding.got == "valid") return "accepted an invalid graph";
  return "wrong " + violation;
}

}  // namespace

std::string_view OperatorLabel(Op op) {
  return op == Op::kUnknown ? std::string_view("none") : OperatorName(op);
}

std::string_view TypeLabel(DType type) {
  return type == DType::kUnknown ? std::string_view("none") : TypeName(type);
}

std::string FindingHeadline(const Finding& finding) {
  std::string text;
  if (finding.op != Op::kUnknown) {
    text = std::string(OperatorName(finding.op)) + " ";
    if (finding.type != DType::kUnknown) text += std::string(TypeName(finding.type));
    while (text.back() == ' ') text.pop_back();
    text += ": ";
  }
  text += ViolationWords(finding);
  if (!finding.pass.empty()) text += " in " + finding.pass.substr(0, finding.pass.find(','));
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
  if (!finding.pass.empty()) text += "\npass: " + finding.pass;
  if (!finding.message.empty()) text += "\n" + finding.message;
  if (!finding.rewrites.empty()) text += "\nrewrites: " + finding.rewrites;
  return CleanText(text);
}

}  // namespace assay
