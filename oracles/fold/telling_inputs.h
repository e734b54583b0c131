#pragma once

#include <map>
#include <vector>

#include "graph.h"

namespace assay {

// Inputs on which graphs are likely to differ, if they do: zeros of both signs, ones, the ends of
// every range, NaN, infinities, subnormals, ties, and whatever constants the graphs hold, with
// their neighbors; all pairs of them, single ones among small numbers (so that sums stay in range),
// small numbers alone (so that indices and shifts do), and random bits.
class FoldInputs {
 public:
  FoldInputs(const Graph& before, const Graph& after);

  // The inputs of run `run` = 0, 1, ...: one tensor per type. A pure function of the graphs'
  // constants, `run` and `types`.
  std::vector<Tensor> Of(int run, const std::vector<TensorType>& types) const;

  // Special elements of a type: integers, or the bits of floats.
  const std::vector<int64_t>& Specials(DType type) const { return specials_.at(type); }

 private:
  void AddConstants(const Graph& graph);
  void Add(const Tensor& tensor);
  void Add(DType type, int64_t element);

  std::map<DType, std::vector<int64_t>> specials_;
};

// An element of any bits that the type allows: an integer of its range, or the bits of a float.
int64_t ElementOfBits(DType type, uint64_t bits);

}  // namespace assay
