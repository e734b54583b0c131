#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace assay {

// Dimensions of a tensor, outermost first. Rank 0 is a scalar. Holds up to kMaxRank dimensions (the
// largest MAX_RANK of any level); a dimension may be any int32, also one that no rule allows.
class Shape {
 public:
  static constexpr int kMaxRank = 32;

  Shape() {}
  // Copies what there is of the 32 dimensions.
  Shape(const Shape& other) : rank_(other.rank_) {
    std::copy_n(other.begin(), rank_, dims_.begin());
  }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    if (this != &other) std::copy_n(other.begin(), rank_, dims_.begin());
    return *this;
  }
  Shape(std::initializer_list<int32_t> dims) { Assign({dims.begin(), dims.size()}); }
  explicit Shape(std::span<const int32_t> dims) { Assign(dims); }

  int rank() const { return rank_; }
  int32_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int32_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  const int32_t* begin() const { return dims_.data(); }
  const int32_t* end() const { return dims_.data() + rank_; }
  std::span<const int32_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }

  void PushBack(int32_t dim);
  void Erase(int axis);
  void Insert(int axis, int32_t dim);

  // Product of the dimensions, 1 for rank 0; saturates at INT64_MAX, 0 if any dimension is < 1.
  int64_t Elements() const;
  std::string ToString() const;  // "[2,3]", "[]" for rank 0

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void Assign(std::span<const int32_t> dims);

  int32_t rank_ = 0;
  std::array<int32_t, kMaxRank> dims_;  // the first rank_ are set
};

// broadcast_shape() of the specification: equal ranks, a dimension of 1 stretches. False if the
// shapes do not broadcast; `out` is then unspecified.
bool BroadcastShape(const Shape& a, const Shape& b, Shape& out);

}  // namespace assay
