// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// A backend that counts the edges of its own control flow (SanitizerCoverage) may also be of this
// class. Edges have numbers from 0.
class CodeCoverage {
 public:
  virtual ~CodeCoverage() = default;
  // Returns the number of edges; 0 if the backend counts none.
  virtual int64_t Edges() const = 0;
  // Returns the edges that ran since the last call, ascending.
  virtual std::vector<int32_t> TakeReachedEdges() = 0;
};

}  // namespace assay
