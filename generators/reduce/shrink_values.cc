// SPDX-License-Identifier: Apache-2.0
#include "shrink_values.h"

#include <algorithm>
#include <utility>

#include "value_ladder.h"

namespace assay {

int64_t WeightOfData(const TestVector& vector) {
  int64_t sum = 0;
  for (const Tensor* data : DataOf(vector)) sum += WeightOf(*data);
  return sum;
}

Tensor PartlyZero(const Tensor& tensor, size_t first, size_t count) {
  std::vector<uint8_t> bytes(tensor.bytes().begin(), tensor.bytes().end());
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first * width), count * width,
              uint8_t{0});
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(bytes));
}

bool NextOfSameSum(std::vector<int64_t>& weights) {
  if (weights.empty()) return false;
  size_t last = weights.size() - 1;
  while (last > 0 && weights[last] == 0) --last;
  if (last == 0) return false;
  const int64_t rest = weights[last] - 1;
  weights[last] = 0;
  ++weights[last - 1];
  weights.back() = rest;
  return true;
}

Candidate WithWeights(const TestVector& vector, const std::vector<int64_t>& weights) {
  TestVector other = vector;
  const std::vector<const Tensor*> all = DataOf(vector);
  size_t at = 0;
  for (size_t t = 0; t < all.size(); ++t) {
    Tensor data = *all[t];
    const Tensor& ladder = LadderOf(data.type());
    for (int64_t i = 0; i < data.elements(); ++i, ++at) {
      if (weights[at] >= ladder.elements()) return std::nullopt;
      data = WithElement(data, i, ladder, weights[at]);
    }
    other = *SetData(other, t, std::move(data));
  }
  return other;
}

}  // namespace assay
