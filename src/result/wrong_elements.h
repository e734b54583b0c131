// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// The difference between an element and its expectation.
struct WrongElement {
  enum class State : uint8_t { kRight, kWrong, kUndecided };
  std::string expected, got;
  State state = State::kRight;
  // Got minus expected, away from zero: in units of the last place of floats, in ones of integers.
  // Nothing if one of them is a NaN or an infinity and the other is not the same.
  std::optional<int64_t> units = 0;
  friend bool operator==(const WrongElement&, const WrongElement&) = default;
};

// A wrong tensor for a picture. Its rows are along its last axis. All other axes are one axis.
struct WrongElements {
  // The part that is drawn has at most this many rows and columns.
  static constexpr int64_t kSideMax = 32;

  std::string tensor;                  // "t2: fp32[2,1]"
  int64_t rows = 0;                    // of the whole tensor
  int64_t columns = 0;                 // of the whole tensor
  int64_t row = 0, column = 0;         // of the first element that is drawn
  int64_t width = 0;                   // columns that are drawn
  std::vector<WrongElement> elements;  // drawn, row by row
  // The number of elements of the whole tensor whose difference has no unit is at 0. The number of
  // those with no difference is at 1, and of those with a difference of 10^(i-2) to 10^(i-1) - 1
  // units at i.
  std::vector<int64_t> histogram;
  friend bool operator==(const WrongElements&, const WrongElements&) = default;
};

// Returns the elements as one line of JSON.
std::string WrongElementsToJson(const std::optional<WrongElements>& wrong);
// Reads such a line. Returns nothing for the line of nothing, and for what is no such line.
std::optional<WrongElements> WrongElementsFromJson(const std::string& line);

}  // namespace assay
