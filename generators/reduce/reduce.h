#pragma once

#include <cstdint>
#include <functional>

#include "test_vector.h"

namespace assay {

struct ReduceOptions {
  int64_t calls_max = 2000;  // of the predicate; 0 for no limit
};

struct Reduction {
  TestVector vector;       // the smallest found; expectation, requirements and tags are its own
  int64_t calls = 0;       // of the predicate
  int64_t accepted = 0;    // moves
  int64_t candidates = 0;  // edits tried, most of which never reach the predicate
  bool complete = true;    // no single move makes it smaller; false if the calls ran out
};

// Makes a vector as small as structural moves can while `same_finding` holds (it is asked of
// vectors that the executor calls as valid as the original, once each). Every accepted move lowers
// MeasureOf(), so this ends; the first success in a fixed order is taken, so the result depends on
// nothing but the arguments.
Reduction Reduce(const TestVector& vector,
                 const std::function<bool(const TestVector&)>& same_finding,
                 const ReduceOptions& options = {});

}  // namespace assay
