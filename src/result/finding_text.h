// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report.h"

namespace assay {

// Return the words of tables for the operator and the type of a finding: "whole graph" and "any" if
// it names none.
std::string_view OperatorLabel(Op op);
std::string_view TypeLabel(DType type);
// Tells whether the finding is about an error that no ERROR_IF of the text states. Reports keep
// such findings apart.
bool IsImplied(const Finding& finding);

// The rule of a finding on a vector that is wrong only after others (DamagedBy). The finding names
// the operators of the last of these, and has the violation, element and message of the vector.
inline constexpr std::string_view kDamageRule = "vectors-are-independent";
// The rule of such a finding if the vector is also wrong after vectors that have nothing in common.
// The finding names what is wrong in the vector itself.
inline constexpr std::string_view kDependenceRule = "vector-is-independent";
// Tells whether a finding has one of these rules.
bool IsDamage(const Finding& finding);

// Tells whether the backend ran a graph that it has to refuse.
bool IsAccepted(const Finding& finding);
// Moves findings on implied errors behind the others. The order stays the same otherwise.
void ImpliedErrorsLast(std::vector<ReportedFinding>& findings);
// Returns the finding in one line: "ADD i8: wrong value", "CONV2D: accepted an invalid graph
// (CONV2D/ERROR_IF/3)", "SLICE: crash in canonicalize", "PAD, AVG_POOL2D fp16: crash", "whole
// graph: crash", "CONV2D i8: later vectors are wrong".
std::string FindingHeadline(const Finding& finding);
// Returns this line, with "not repeatable" or "not minimized" if that applies.
std::string ReportedHeadline(const ReportedFinding& reported);
// Returns some lines: the first wrong element, its value and the expected value.
std::string FindingText(const Finding& finding, bool names_step = true);
// Returns why a finding is not minimized: how the worker that tried it ended. Returns "" if no
// worker ended.
std::string LossText(const ReportedFinding& reported);
// Returns, in one line, what is wrong after which vectors; "" if no vectors are named.
std::string DamageText(const DamagedBy& damaged_by);
// Returns what is known of the cause in one line; "" if nothing is.
std::string CauseText(const FindingCause& cause);
// Returns FindingText(), DamageText(), CauseText(), LossText() and the last lines of the backend's
// standard error.
std::string ReportedText(const ReportedFinding& reported);

}  // namespace assay
