// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// A backend that is asked whether it takes vectors. After an Error it takes nothing.
class Probing {
 public:
  explicit Probing(Backend& backend) : backend_(backend) {}

  // Returns true if the backend answers every step. Otherwise sets why().
  bool Takes(const TestVector& vector);
  // Returns why the last vector that was not taken was not, on one line.
  const std::string& why() const { return why_; }

  int64_t probes() const { return probes_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool Refuse(std::string why);

  Backend& backend_;
  std::string why_;
  int64_t probes_ = 0;
  std::optional<Error> error_;
};

// Returns the greatest number from `low` to `high` that `takes` returns true for, provided that it
// takes all numbers below. Returns low - 1 if it does not take `low`.
int64_t GreatestTaken(int64_t low, int64_t high, const std::function<bool(int64_t)>& takes);

// Returns dimensions of at most `dimension_max` each, whose product is `elements`: few and similar.
// Returns nothing if that takes more than `rank_max` dimensions.
std::optional<Shape> BalancedShape(int64_t elements, int64_t dimension_max, int rank_max);

}  // namespace assay
