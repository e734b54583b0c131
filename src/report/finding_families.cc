#include "finding_families.h"

#include <map>
#include <string>
#include <string_view>

namespace assay {
namespace {

std::string_view ClassOf(DType type) {
  return IsFloat(type) ? "float" : IsInteger(type) ? "integer" : TypeName(type);
}

// Returns the class of an element: "nan", "inf" for either sign, otherwise "number".
std::string_view ClassOf(const std::string& element) {
  if (element.find("nan") != std::string::npos) return "nan";
  return element.find("inf") != std::string::npos ? "inf" : "number";
}

std::string FamilyOf(const ReportedFinding& reported) {
  const Finding& finding = reported.finding;
  if (finding.violation != Violation::kValue && finding.violation != Violation::kState)
    return finding.Signature();
  std::string family = std::string(ViolationName(finding.violation)) + "|" + finding.rule;
  for (const std::string_view part :
       {OperatorName(finding.op), std::string_view(finding.graph), ClassOf(finding.type),
        ClassOf(finding.expected), ClassOf(finding.got)}) {
    family += "|" + std::string(part);
  }
  return family;
}

}  // namespace

std::vector<std::vector<size_t>> Families(const std::vector<ReportedFinding>& findings) {
  std::vector<std::vector<size_t>> families;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < findings.size(); ++i) {
    const auto [at, is_new] = known.try_emplace(FamilyOf(findings[i]), families.size());
    if (is_new) families.emplace_back();
    families[at->second].push_back(i);
  }
  return families;
}

}  // namespace assay
