// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// A violation that an oracle must report (Finding::violation), and the canary that commits it.
struct OracleCanary {
  Violation violation;
  std::string_view canary;  // the backend is canary:NAME
};

// An oracle asks one question about the results of a backend for a vector. Each oracles/<name>.cc
// defines one, `<name>_oracle`. It neither throws nor exits, starts from `undecided`, and never
// reads results that the backend was not asked for.
struct Oracle {
  std::string_view name;
  std::string_view question;
  std::string_view relies_on;              // what it trusts: "the recorded expectation", ...
  std::span<const OracleCanary> canaries;  // one for each violation that it reports
  // Judges step `step`. The verdict agrees only if something was compared and all of it fits.
  Verdict (*judge)(const TestVector& vector, std::span<const Outcome> outcomes, int step);
};

std::span<const Oracle* const> AllOracles();

}  // namespace assay
