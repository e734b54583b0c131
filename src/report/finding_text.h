#pragma once

#include <string>
#include <string_view>

#include "report.h"

namespace assay {

// How tables call the operator and the type of a finding: "whole graph" and "any" where it names
// none.
std::string_view OperatorLabel(Op op);
std::string_view TypeLabel(DType type);
// Tells whether the finding is about an error that no ERROR_IF of the text states. Reports keep
// such findings apart.
bool IsImplied(const Finding& finding);
// Moves those behind the others; the order stays the same otherwise.
void ImpliedErrorsLast(std::vector<ReportedFinding>& findings);
// "ADD i8: wrong value", "CONV2D: accepted an invalid graph (CONV2D/ERROR_IF/3)", "SLICE: crash in
// canonicalize", "PAD, AVG_POOL2D fp16: crash", "whole graph: crash": in one line.
std::string FindingHeadline(const Finding& finding);
// The same, and whether it is "not repeatable" or "not minimized".
std::string ReportedHeadline(const ReportedFinding& reported);
// The first wrong element, what it is and what it had to be; some lines.
std::string FindingText(const Finding& finding);
// Why it is not minimized: how the worker ended that tried it; "" if none did.
std::string LossText(const ReportedFinding& reported);
// FindingText(), LossText() and the last lines of the backend's standard error.
std::string ReportedText(const ReportedFinding& reported);

}  // namespace assay
