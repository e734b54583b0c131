#pragma once

#include <vector>

#include "report.h"

namespace assay {

// Groups findings that likely have one cause, for a reader. The findings of a family have the same
// operator, and element types of the same class (integers, floats). They have the same kind of
// error: a number, an infinity or a NaN instead of another. Each family holds positions in
// `findings`, in order. Families are in the order of their first finding.
std::vector<std::vector<size_t>> Families(const std::vector<ReportedFinding>& findings);

}  // namespace assay
