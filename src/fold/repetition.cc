// SPDX-License-Identifier: Apache-2.0
#include "repetition.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace assay {
namespace {

// Calls `visit` with the indices of all elements of a shape, in row-major order.
template <class Visit>
void ForEachIndex(const Shape& shape, const Visit& visit) {
  std::vector<int32_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    visit(index);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape[static_cast<int>(axis)]) break;
      index[axis] = 0;
    }
  }
}

int64_t OffsetOf(const Shape& shape, const std::vector<int32_t>& index) {
  int64_t offset = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    offset = offset * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return offset;
}

}  // namespace

std::optional<Tensor> FirstPeriod(const Tensor& tensor, const Shape& period) {
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  const uint8_t* elements = tensor.bytes().data();
  std::vector<uint8_t> first(static_cast<size_t>(period.Elements()) * width);
  ForEachIndex(period, [&](const std::vector<int32_t>& index) {
    std::memcpy(first.data() + static_cast<size_t>(OffsetOf(period, index)) * width,
                elements + static_cast<size_t>(OffsetOf(tensor.shape(), index)) * width, width);
  });
  bool repeats = true;
  size_t position = 0;
  ForEachIndex(tensor.shape(), [&](std::vector<int32_t> index) {
    for (int axis = 0; axis < period.rank(); ++axis) {
      index[static_cast<size_t>(axis)] %= period[axis];
    }
    repeats =
        repeats && std::memcmp(elements + position,
                               first.data() + static_cast<size_t>(OffsetOf(period, index)) * width,
                               width) == 0;
    position += width;
  });
  if (!repeats) return std::nullopt;
  return Tensor::FromBytes(tensor.type(), period, std::move(first));
}

Tensor Slice(const Tensor& tensor, int axis, int32_t start, int32_t count) {
  Shape shape = tensor.shape();
  shape[axis] = count;
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  std::vector<uint8_t> slices;
  slices.reserve(static_cast<size_t>(shape.Elements()) * width);
  ForEachIndex(shape, [&](std::vector<int32_t> index) {
    index[static_cast<size_t>(axis)] += start;
    const uint8_t* element =
        tensor.bytes().data() + static_cast<size_t>(OffsetOf(tensor.shape(), index)) * width;
    slices.insert(slices.end(), element, element + width);
  });
  return Tensor::FromBytes(tensor.type(), shape, std::move(slices));
}

bool RowsHaveAllBelow(const Tensor& indices, int32_t count) {
  const int32_t width = indices.shape()[1];
  for (int32_t row = 0; row < indices.shape()[0]; ++row) {
    std::set<int64_t> numbers;
    for (int32_t i = 0; i < width; ++i) numbers.insert(indices.Integer(int64_t{row} * width + i));
    if (std::ssize(numbers) != count || *numbers.begin() < 0 || *numbers.rbegin() >= count) {
      return false;
    }
  }
  return true;
}

}  // namespace assay
