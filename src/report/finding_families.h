#pragma once

#include <vector>

#include "report.h"

namespace assay {

// Findings that likely have one cause, for a reader: the same operator, on element types of the
// same class (integers, floats), wrong in the same way (a number, an infinity or a NaN for
// another). Each holds positions in `findings`, in their order; the families are in the order of
// their first.
std::vector<std::vector<size_t>> Families(const std::vector<ReportedFinding>& findings);

}  // namespace assay
