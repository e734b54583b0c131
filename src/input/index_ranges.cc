// SPDX-License-Identifier: Apache-2.0
#include "index_ranges.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "operator_set.h"

namespace assay {
namespace {

// Adds a range to those of a tensor: indices of two tables must fit the smaller one.
void Narrow(std::map<TensorIndex, IndexRange>& ranges, TensorIndex tensor,
            const IndexRange& range) {
  const auto [at, is_new] = ranges.try_emplace(tensor, range);
  if (is_new) return;
  at->second.size = std::min(at->second.size, range.size);
  at->second.are_distinct |= range.are_distinct;
}

}  // namespace

std::map<TensorIndex, IndexRange> IndexRangesOf(const Block& block) {
  std::map<TensorIndex, IndexRange> ranges;
  for (auto op = block.operators.rbegin(); op != block.operators.rend(); ++op) {
    if (op->op == Op::kGather || op->op == Op::kScatter) {
      if (op->inputs.size() < 2) continue;  // the graph may break rules
      const Shape& table = block.TypeOf(op->inputs[0]).shape;
      if (table.rank() < 2) continue;
      Narrow(ranges, op->inputs[1], {table[1], op->op == Op::kScatter});
    } else if (!op->outputs.empty() && ops::DefinitionOf(op->op).move != nullptr) {
      const auto found = ranges.find(op->outputs[0]);
      if (found == ranges.end()) continue;
      const IndexRange range = found->second;
      for (const TensorIndex input : op->inputs) {
        if (block.TypeOf(input).type != DType::kShape) Narrow(ranges, input, range);
      }
    }
  }
  return ranges;
}

Tensor DrawIndices(Random& random, const TensorType& type, const IndexRange& range) {
  const int64_t count = type.shape.Elements();
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::ranges::generate(indices, [&] { return random.Between(0, range.size - 1); });
  if (count > 0) indices[0] = range.size - 1;
  if (count > 1) indices[1] = 0;
  const int64_t row = type.shape.rank() == 0 ? 1 : type.shape[type.shape.rank() - 1];
  for (int64_t at = 0; range.are_distinct && row <= range.size && at < count; at += row) {
    std::vector<int64_t> all(static_cast<size_t>(range.size));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::reverse(all);
    // The ends of the table stay in front; what follows is a part of a permutation.
    if (range.size > 2) std::swap(all[1], all.back());
    for (size_t i = std::min<size_t>(2, all.size()); i < static_cast<size_t>(row); ++i) {
      std::swap(all[i], all[i + random.Below(all.size() - i)]);
    }
    std::copy_n(all.begin(), row, indices.begin() + at);
  }
  return Tensor::FromIntegers(type.type, type.shape, indices);
}

}  // namespace assay
