// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "target.h"
#include "test_vector.h"

namespace assay {

// A reason why a graph or a vector is outside a target.
struct Misfit {
  std::string where;  // "CONV2D %5", "graph 1: tensor %x"; "" for the vector as a whole
  std::string what;   // "kernel 9x9"
  std::string limit;  // "the target has at most 8"
  std::string brief;  // where and what in a few words: "CONV2D with kernel=[9,9]"

  // Returns "CONV2D %5: kernel 9x9, the target has at most 8".
  std::string ToString() const;
};

// Returns the reasons why a vector is outside a target, in the order of its operators, and then
// those of its tensors and of the whole; none if it is inside. At most `misfits_max`.
std::vector<Misfit> Misfits(const Target& target, const TestVector& vector,
                            size_t misfits_max = 1000);

// Returns true if a vector is inside every target.
bool FitsAll(std::span<const Target> targets, const TestVector& vector);

}  // namespace assay
