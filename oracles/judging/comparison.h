// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test_vector.h"
#include "verdict.h"

namespace assay {

// The comparison of one tensor of a backend with its expectation.
struct Comparison {
  bool type_differs = false;                // or the shape; then no element was looked at
  int64_t judged = 0;                       // elements that a rule reaches
  int64_t undecided = 0;                    // elements that none does
  int64_t wrong = 0;                        // of those judged
  std::optional<int64_t> first_wrong = {};  // the index of the first wrong element
  // The first wrong element, or the types if they differ.
  std::string position, expected, got, allowed;

  bool Wrong() const { return type_differs || wrong > 0; }
};

// The result of comparing one element.
enum class Fit : uint8_t { kFits, kWrong, kUndecided };

// Returns the decoded elements of a tensor that has a value; an empty list if it is not of floats.
std::vector<double> NumbersOf(const Tensor& tensor);

// Judges element `index` of a tensor that has the type and the shape of its expectation. `numbers`
// is NumbersOf(got).
Fit FitOf(const Expectation& expectation, const Tensor& got, const std::vector<double>& numbers,
          int64_t index);

// Returns the position of a row-major index as "[0,2,1]".
std::string PositionText(const Shape& shape, int64_t index);
// Returns the row-major index of such a position; nothing if the text is no position in the shape.
std::optional<int64_t> IndexOfPosition(const Shape& shape, std::string_view position);
// Returns what an element may be: "exact", or "within 0.5 of 3".
std::string AllowedText(const Expectation& expectation, int64_t index);

// Judges every element by the rule of its expectation (test_vector.h).
Comparison Compare(const Expectation& expectation, const Tensor& got);

// Returns the part of a finding that a wrong comparison gives: violation (kType, otherwise
// `violation`), position, texts, count, rule.
Finding FindingOf(const Comparison& comparison, const Expectation& expectation,
                  Violation violation);

}  // namespace assay
