// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "graph.h"

namespace assay {

// Inputs for which two different graphs are likely to differ. They use zeros of both signs, ones,
// the ends of every range, NaN, infinities, subnormals, ties, and all constants of the graphs with
// their neighbors. These come as all pairs, and singly among small numbers, so that sums stay in
// range. There are also small numbers alone, so that indices and shifts stay in range, and random
// bits.
class FoldInputs {
 public:
  FoldInputs(const Graph& before, const Graph& after);

  // Returns the inputs of run `run` = 0, 1, ...: one tensor for each type. A pure function of the
  // graphs' constants, `run` and `types`.
  std::vector<Tensor> Of(int run, const std::vector<TensorType>& types) const;

  // Returns inputs of one special element: input `first` has elements `from` to `to` of its
  // specials in turn, input `second` has element `other` of its specials everywhere, and all other
  // inputs are ones. With one input, `second` is the number of no input.
  struct Special {
    size_t first, from, to;
    size_t second, other;
  };
  std::vector<Tensor> Of(const Special& special, const std::vector<TensorType>& types) const;

  // Returns special elements of a type: integers, or the bits of floats.
  const std::vector<int64_t>& Specials(DType type) const { return specials_.at(type); }

 private:
  void AddConstants(const Graph& graph);
  void Add(const Tensor& tensor);
  void Add(DType type, int64_t element);

  std::map<DType, std::vector<int64_t>> specials_;
};

// Returns an element from any bits: an integer in the range of the type, or the bits of a float.
int64_t ElementOfBits(DType type, uint64_t bits);

}  // namespace assay
