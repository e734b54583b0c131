// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend_exam.h"
#include "declaration_names.h"
#include "probe_graph.h"

namespace assay {

// Returns the probes of a declaration, which a backend that keeps it answers exactly. There are
// none for `taps-used`, which no output shows (tap_probes.h), and for `no-checks`.
std::vector<Probe> ProbesOf(const DeclarationRow& declaration);

// Runs the probes of all declarations that the backend supports. Returns a point for each
// declaration that has probes. What is not declared may differ.
std::vector<ExamPoint> ProbeDeclarations(Backend& backend);

}  // namespace assay
