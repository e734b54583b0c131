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

// A backend that is asked whether it takes vectors. It gets each vector twice, because one answer
// may be a matter of chance. After an Error, or kInconsistentMax vectors with two different
// answers, it takes nothing.
class Probing {
 public:
  static constexpr size_t kInconsistentMax = 8;

  explicit Probing(Backend& backend) : backend_(backend) {}

  // Returns true if the backend answers every step, at least once. Otherwise sets why().
  bool Takes(const TestVector& vector);
  // Takes the vector, of which Takes() returned `taken` earlier, as one with two different answers
  // if it returns something else now.
  void AskAgain(const TestVector& vector, bool taken);
  // Returns why the last vector that was not taken was not, on one line.
  const std::string& why() const { return why_; }

  int64_t probes() const { return probes_; }
  // Returns the number of vectors that crashed or timed out each time.
  int64_t crashes() const { return crashes_; }
  // Returns a line for each vector with two different answers.
  const std::vector<std::string>& inconsistent() const { return inconsistent_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  // The answer to a vector: what became of the first step that was not answered.
  struct Answer {
    OutcomeKind kind = OutcomeKind::kValid;
    std::string why;  // on one line; "" if every step was answered
  };
  Answer Ask(const TestVector& vector);
  void AddInconsistent(const TestVector& vector, const std::string& first,
                       const std::string& second);

  Backend& backend_;
  std::string why_;
  int64_t probes_ = 0, crashes_ = 0;
  std::vector<std::string> inconsistent_;
  std::optional<Error> error_;
};

// Returns the greatest number from `low` to `high` that `takes` returns true for, provided that it
// takes all numbers below. Returns low - 1 if it does not take `low`.
int64_t GreatestTaken(int64_t low, int64_t high, const std::function<bool(int64_t)>& takes);

// Does the same downwards: returns the least number, or high + 1.
int64_t LeastTaken(int64_t low, int64_t high, const std::function<bool(int64_t)>& takes);

// Returns a shape of a rank with dimensions of at most `dimension_max` each, whose product is
// `elements`: few that are not 1, and these similar. Returns nothing if there is none.
std::optional<Shape> BalancedShape(int64_t elements, int64_t dimension_max, int rank);

}  // namespace assay
