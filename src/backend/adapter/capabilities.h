// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "target.h"
#include "test_vector.h"
#include "worker_message.h"

namespace assay {

// Returns what a worker declares, as a target.
Target TargetOf(const worker::Ready& ready);

// The operators that a worker declares, and the largest graphs that it takes.
class Capabilities {
 public:
  Capabilities() = default;
  explicit Capabilities(const worker::Ready& ready) : target_(TargetOf(ready)) {}

  // Tells whether all operators, types, attributes and sizes of the graphs are among what the
  // worker declares. If not, `why` says why in a few words ("PAD", "CONV2D of i8, i8, i32 to i32",
  // "CLAMP with nan_mode=2", "a tensor of rank 6").
  bool Allow(const TestVector& vector, std::string* why) const;

 private:
  Target target_;
};

}  // namespace assay
