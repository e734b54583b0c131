// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace assay {

// The dimensions of a tensor, outermost first. Rank 0 is a scalar. Holds up to kMaxRank dimensions
// (the largest MAX_RANK of any level). A dimension may be any int32, even one that no rule allows.
class Shape {
 public:
  static constexpr int kMaxRank = 32;

  Shape() = default;
  Shape(const Shape& other) : rank_(other.rank_), few_(other.few_) {
    if (other.many_ != nullptr) [[unlikely]]
      CopyMany(other);
  }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    few_ = other.few_;
    if (other.many_ != many_) [[unlikely]]
      CopyMany(other);
    return *this;
  }
  // A shape that was moved from may have lost its dimensions.
  Shape(Shape&& other) noexcept
      : rank_(other.rank_), few_(other.few_), many_(std::move(other.many_)) {
    if (many_ != nullptr) [[unlikely]]
      other.rank_ = 0;
  }
  Shape& operator=(Shape&& other) noexcept {
    rank_ = other.rank_;
    few_ = other.few_;
    if (other.many_ != many_) [[unlikely]]
      TakeMany(other);
    return *this;
  }
  Shape(std::initializer_list<int32_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int32_t> dims);

  int rank() const { return rank_; }
  int32_t operator[](int axis) const { return begin()[axis]; }
  int32_t& operator[](int axis) { return data()[axis]; }
  const int32_t* begin() const { return many_ == nullptr ? few_.data() : many_->data(); }
  const int32_t* end() const { return begin() + rank_; }
  std::span<const int32_t> dims() const { return {begin(), static_cast<size_t>(rank_)}; }

  void PushBack(int32_t dim);
  void Erase(int axis);
  void Insert(int axis, int32_t dim);

  // Returns the product of the dimensions, 1 for rank 0. It saturates at INT64_MAX, and is 0 if any
  // dimension is < 1.
  int64_t Elements() const {
    int64_t product = 1;
    for (int32_t dim : dims()) {
      if (dim < 1) return 0;
      if (__builtin_mul_overflow(product, int64_t{dim}, &product)) [[unlikely]] {
        product = std::numeric_limits<int64_t>::max();
      }
    }
    return product;
  }
  std::string ToString() const;  // "[2,3]", "[]" for rank 0

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  using Few = std::array<int32_t, 7>;
  using Many = std::array<int32_t, kMaxRank>;

  void CopyMany(const Shape& other);
  void TakeMany(Shape& other) noexcept;
  int32_t* data() { return many_ == nullptr ? few_.data() : many_->data(); }

  // The dimensions are in many_ if that is there, otherwise in few_. Large graphs have many tensors
  // of low rank.
  int32_t rank_ = 0;
  Few few_ = {};
  std::unique_ptr<Many> many_;
};

// Computes broadcast_shape() of the specification: ranks are equal, a dimension of 1 stretches.
// Returns false if the shapes do not broadcast; `out` is then unspecified.
bool BroadcastShape(const Shape& a, const Shape& b, Shape& out);

}  // namespace assay
