// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "test_vector.h"

namespace assay {

struct ReduceOptions {
  int64_t calls_max = 2000;         // of the predicate; 0 for no limit
  std::function<bool()> stop = {};  // if set, true ends the search
};

struct Reduction {
  TestVector vector;       // the smallest found, with its own expectation, requirements, tags
  int64_t calls = 0;       // of the predicate
  int64_t accepted = 0;    // moves
  int64_t candidates = 0;  // edits tried, most of which never reach the predicate
  bool complete = true;    // no single move makes it smaller; false if a limit or `stop` ended it
};

// Computes anew the requirements and tags of a vector that was made smaller.
void StateFacts(TestVector& vector);

// Makes a vector as small as structural moves can while `same_finding` holds. Calls `same_finding`
// at most once for each vector, and only for vectors that are as valid as the original by the
// executor. Every accepted move lowers MeasureOf(), so the search ends. It takes the first success
// in a fixed order, so the result depends only on the arguments.
Reduction Reduce(const TestVector& vector,
                 const std::function<bool(const TestVector&)>& same_finding,
                 const ReduceOptions& options = {});

class SameEnds;  // same_ends.h

// The vectors that one move of Reduce() makes smaller, for a search that decides itself which of
// them it goes on with, such as RapidCheck's. A search that goes on with the first vector that
// fails ends about where Reduce() does. They depend on the first vector and on the numbers alone.
class SmallerVectors {
 public:
  explicit SmallerVectors(TestVector vector);

  const TestVector& vector() const { return vector_; }

  // Returns the smaller vector of this number, counted from 0; nullopt if there are fewer. Computes
  // only as many as are needed.
  std::optional<SmallerVectors> At(size_t number);

 private:
  // A vector, the pass that made it, and how many hashes were in the log by then.
  struct Found {
    TestVector vector;
    size_t pass;
    std::ptrdiff_t tried;
  };
  SmallerVectors(TestVector vector, std::shared_ptr<const SameEnds> same_ends, size_t pass,
                 std::vector<uint64_t> tried)
      : vector_(std::move(vector)),
        same_ends_(std::move(same_ends)),
        pass_(pass),
        tried_(std::move(tried)) {}
  void FindMore();

  TestVector vector_;
  std::shared_ptr<const SameEnds> same_ends_;
  size_t pass_ = 0;              // the pass to begin with
  std::vector<uint64_t> tried_;  // hashes, in order
  std::vector<Found> found_;
  bool complete_ = false;
};

}  // namespace assay
