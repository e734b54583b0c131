// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend.h"
#include "known_failures.h"
#include "report.h"
#include "result.h"
#include "test_vector.h"

namespace assay::python {

// A verification that runs in this process, one vector after the other.
struct VerificationPlan {
  std::vector<std::string> paths;   // of suites, vectors and Arm test directories
  std::vector<TestVector> vectors;  // further vectors, which are in memory
  std::string backend;              // as replay lines name it
  BackendOptions options;
  bool minimize = false;
  std::string folder;  // receives the minimized vectors; needed to minimize
  int repeats = 1;
  bool implied_errors = false;
  KnownFailures known;
  // Called before each vector; an Error ends the run.
  std::function<Result<Done>(int64_t done)> progress;
};

// Judges all vectors as `assay verify` does, and works up the findings. The report counts no
// coverage.
Result<RunReport> Verify(Backend& backend, const VerificationPlan& plan);

// Returns the smallest vector on which the backend fails as it fails on this one. Error kBadInput
// if it does not fail on it.
Result<TestVector> Minimize(Backend& backend, const TestVector& vector, int64_t calls_max);

}  // namespace assay::python
