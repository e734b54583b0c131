// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "executor.h"
#include "generator.h"
#include "rounds.h"

namespace assay {

// Helpers that the tests of generators share.

// The number of cases of a kind that are tried: all targets of small kinds, a sample of the others.
inline constexpr uint64_t kCases = Rounds(400);

inline GeneratorOptions Options(uint64_t seed) {
  GeneratorOptions options;
  options.seed = seed;
  options.level = kLevel8K;
  return options;
}

// Returns true if the executor runs every step to its end.
inline bool IsValid(TestVector vector) {
  if (!Expect(vector, {})) return false;
  for (const Step& step : vector.steps) {
    if (step.expected != OutcomeKind::kValid) return false;
  }
  return true;
}

inline bool HasTag(const TestVector& vector, const std::string& tag) {
  return std::find(vector.tags.begin(), vector.tags.end(), tag) != vector.tags.end();
}

}  // namespace assay
