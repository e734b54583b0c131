#pragma once

#include <string>

#include "verdict.h"

namespace assay {

// "ADD i8: value, exact": what is wrong, in one line.
std::string FindingHeadline(const Finding& finding);
// The first wrong element, what it is and what it had to be; some lines.
std::string FindingText(const Finding& finding);

}  // namespace assay
