// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bound_domain.h"

namespace assay {

// The operands of many dot products of balls, in the form in which they are summed fast: each of
// the four members of the balls lies by itself, so that vectors run across columns.
inline constexpr size_t kBallMembers = 4;

// Rows of the first operand.
class BallRows {
 public:
  // `size` is the length of a row, and `most` the number of rows at any time. `maximum` is the
  // bound of every element except padding, or NaN; if it is negative, elements keep their own.
  BallRows(size_t size, size_t most, double maximum);

  // Appends elements, or padding, behind the last row or to a row that is not full.
  void Append(std::span<const Ball> elements);
  void AppendPadding(size_t count);
  void Clear() { count_ = 0; }
  size_t count() const { return count_ / size_; }
  size_t size() const { return size_; }
  const double* Row(size_t member, size_t row) const {
    return members_[member].data() + row * size_;
  }
  std::vector<Ball> BallsOf(size_t row) const;

 private:
  size_t size_, count_ = 0;
  double maximum_;
  std::vector<double> members_[kBallMembers];
};

// Columns of the second operand, in panels (dot_tiles.h).
class BallColumns {
 public:
  // Element i of a column k is balls[k * column_pitch + i * pitch].
  BallColumns(std::span<const Ball> balls, size_t size, size_t columns, size_t column_pitch,
              size_t pitch);

  size_t count() const { return columns_; }
  size_t panels() const { return (columns_ + lanes_ - 1) / lanes_; }
  size_t FirstColumn(size_t panel) const { return panel * lanes_; }
  // The columns of a panel, and the lanes: some more, so that they fill whole vectors.
  size_t Columns(size_t panel) const;
  size_t Lanes(size_t panel) const;
  // A member of the balls of a panel: [size][lanes].
  const double* Panel(size_t member, size_t panel) const;
  std::vector<Ball> BallsOf(size_t column) const;

 private:
  size_t size_, columns_;
  size_t lanes_;  // of a full panel
  std::vector<double> members_;
};

// Sets sums[member][row][lane] to the sums of the products of `rows` rows, from `first` on, with
// the columns of a panel, each in the order of its products. A product is fused with its sum only
// if it is exact, so that the sums are the same on every machine.
void SumPanel(const BallRows& a, size_t first, size_t rows, const BallColumns& b, size_t panel,
              std::vector<double>& sums);

}  // namespace assay
