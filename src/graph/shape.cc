// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include "check.h"

namespace assay {

Shape::Shape(std::span<const int32_t> dims) {
  Check(dims.size() <= kMaxRank, "a shape has at most 32 dimensions");
  if (dims.size() > few_.size()) many_ = std::make_unique<Many>();
  std::copy(dims.begin(), dims.end(), data());
  rank_ = static_cast<int32_t>(dims.size());
}

void Shape::CopyMany(const Shape& other) {
  if (this == &other) return;
  many_ = other.many_ == nullptr ? nullptr : std::make_unique<Many>(*other.many_);
}

void Shape::TakeMany(Shape& other) noexcept {
  if (this == &other) return;
  many_ = std::move(other.many_);
  if (many_ != nullptr) other.rank_ = 0;
}

void Shape::PushBack(int32_t dim) { Insert(rank_, dim); }

void Shape::Erase(int axis) {
  Check(axis >= 0 && axis < rank_, "axis within the shape");
  std::copy(data() + axis + 1, data() + rank_, data() + axis);
  --rank_;
}

void Shape::Insert(int axis, int32_t dim) {
  Check(rank_ < kMaxRank && axis >= 0 && axis <= rank_, "room for one more dimension");
  if (many_ == nullptr && rank_ == std::ssize(few_)) {
    many_ = std::make_unique<Many>();
    std::copy(few_.begin(), few_.end(), many_->begin());
  }
  std::copy_backward(data() + axis, data() + rank_, data() + rank_ + 1);
  data()[axis] = dim;
  ++rank_;
}

std::string Shape::ToString() const {
  std::string text = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ',';
    text += std::to_string((*this)[axis]);
  }
  return text + "]";
}

bool BroadcastShape(const Shape& a, const Shape& b, Shape& out) {
  if (a.rank() != b.rank()) return false;
  out = a;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a[axis] == b[axis] || b[axis] == 1) continue;
    if (a[axis] != 1) return false;
    out[axis] = b[axis];
  }
  return true;
}

}  // namespace assay
