#pragma once

#include <string>
#include <string_view>

#include "report.h"

namespace assay {

// How tables call the operator and the type of a finding: "none" where it names none.
std::string_view OperatorLabel(Op op);
std::string_view TypeLabel(DType type);
// Whether the finding is about an error that no ERROR_IF of the text states. Reports keep such
// findings apart.
bool IsImplied(const Finding& finding);
// Moves those behind the others; the order stays the same otherwise.
void ImpliedErrorsLast(std::vector<ReportedFinding>& findings);
// "ADD i8: wrong value", "CONV2D: wrong outcome (CONV2D/ERROR_IF/3)": in one line.
std::string FindingHeadline(const Finding& finding);
// The same, and whether it is "not repeatable".
std::string ReportedHeadline(const ReportedFinding& reported);
// The first wrong element, what it is and what it had to be; some lines.
std::string FindingText(const Finding& finding);

}  // namespace assay
