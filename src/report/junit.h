#pragma once

#include <string>

#include "report.h"

namespace assay {

// A run as JUnit XML, one test case per vector: a disagreement is a failure, bad input and defects
// are errors, what was not decided is skipped with the reason.
std::string RunToJunit(const RunReport& run);

}  // namespace assay
