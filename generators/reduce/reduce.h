#pragma once

#include <cstdint>
#include <functional>

#include "test_vector.h"

namespace assay {

struct ReduceOptions {
  int64_t calls_max = 2000;  // of the predicate; 0 for no limit
};

struct Reduction {
  TestVector vector;       // the smallest found, with its own expectation, requirements, tags
  int64_t calls = 0;       // of the predicate
  int64_t accepted = 0;    // moves
  int64_t candidates = 0;  // edits tried, most of which never reach the predicate
  bool complete = true;    // no single move makes it smaller; false if the calls ran out
};

// Makes a vector as small as structural moves can while `same_finding` holds. Calls `same_finding`
// at most once for each vector, and only for vectors that are as valid as the original by the
// executor. Every accepted move lowers MeasureOf(), so the search ends. It takes the first success
// in a fixed order, so the result depends only on the arguments.
Reduction Reduce(const TestVector& vector,
                 const std::function<bool(const TestVector&)>& same_finding,
                 const ReduceOptions& options = {});

}  // namespace assay
