#pragma once

#include <string>
#include <vector>

#include "backend_exam.h"
#include "declaration_names.h"
#include "test_vector.h"

namespace assay {

// A small vector in which a declaration determines every element of the results.
struct Probe {
  std::string what;  // "MATMUL fp16 to fp32, 64 products"
  TestVector vector;
};

// Returns the probes of a declaration, which a backend that keeps it answers exactly. There are
// none for `taps-used`, which no output shows (tap_probes.h).
std::vector<Probe> ProbesOf(const DeclarationRow& declaration);

// Runs the probes of all declarations that the backend supports. Returns a point for each
// declaration that has probes. What is not declared may differ.
std::vector<ExamPoint> ProbeDeclarations(Backend& backend);

}  // namespace assay
