// SPDX-License-Identifier: Apache-2.0
#include "ball_panels.h"

#include <algorithm>

#include "dot_tiles.h"
#include "parallel.h"

namespace assay {
BallRows::BallRows(size_t size, size_t most, double maximum) : size_(size), maximum_(maximum) {
  for (std::vector<double>& member : members_) member.resize(size * most);
}

void BallRows::Append(std::span<const Ball> elements) {
  const bool is_local = maximum_ < 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Ball& x = elements[i];
    members_[0][count_ + i] = x.value;
    members_[1][count_ + i] = is_local || x.bound == 0 ? x.bound : maximum_;
    members_[2][count_ + i] = x.absolute;
    members_[3][count_ + i] = x.outer;
  }
  count_ += elements.size();
}

void BallRows::AppendPadding(size_t count) {
  for (std::vector<double>& member : members_) std::fill_n(member.data() + count_, count, 0.0);
  count_ += count;
}

std::vector<Ball> BallRows::BallsOf(size_t row) const {
  std::vector<Ball> balls(size_);
  for (size_t i = 0; i < size_; ++i) {
    balls[i] = {Row(0, row)[i], Row(1, row)[i], Row(2, row)[i], Row(3, row)[i]};
  }
  return balls;
}

BallColumns::BallColumns(std::span<const Ball> balls, size_t size, size_t columns,
                         size_t column_pitch, size_t pitch)
    : size_(size),
      columns_(columns),
      lanes_(static_cast<size_t>(RealLanes(BestDotInstructions()))) {
  if (columns == 0) return;
  const size_t last = panels() - 1;
  members_.resize((last * lanes_ + Lanes(last)) * kBallMembers * size);
  const double nanoseconds = 4 * static_cast<double>(lanes_ * size);
  ForEachPart(static_cast<int64_t>(panels()), nanoseconds, [&](int64_t begin, int64_t end) {
    for (auto panel = static_cast<size_t>(begin); panel < static_cast<size_t>(end); ++panel) {
      double* const to = members_.data() + panel * lanes_ * kBallMembers * size;
      const size_t lanes = Lanes(panel), member = size * lanes;
      for (size_t i = 0; i < size; ++i) {
        for (size_t k = 0; k < Columns(panel); ++k) {
          const Ball& x = balls[(panel * lanes_ + k) * column_pitch + i * pitch];
          double* const at = to + i * lanes + k;
          at[0] = x.value;
          at[member] = x.bound;
          at[2 * member] = x.absolute;
          at[3 * member] = x.outer;
        }
      }
    }
  });
}

size_t BallColumns::Columns(size_t panel) const {
  return std::min(lanes_, columns_ - panel * lanes_);
}

size_t BallColumns::Lanes(size_t panel) const {
  constexpr size_t kUnit = kRealLaneUnit;
  return (Columns(panel) + kUnit - 1) / kUnit * kUnit;
}

const double* BallColumns::Panel(size_t member, size_t panel) const {
  return members_.data() + (panel * lanes_ * kBallMembers + member * Lanes(panel)) * size_;
}

std::vector<Ball> BallColumns::BallsOf(size_t column) const {
  const size_t panel = column / lanes_, lane = column % lanes_;
  const auto at = [&](size_t member, size_t i) {
    return Panel(member, panel)[i * Lanes(panel) + lane];
  };
  std::vector<Ball> balls(size_);
  for (size_t i = 0; i < size_; ++i) balls[i] = {at(0, i), at(1, i), at(2, i), at(3, i)};
  return balls;
}

void SumPanel(const BallRows& a, size_t first, size_t rows, const BallColumns& b, size_t panel,
              std::vector<double>& sums) {
  const size_t lanes = b.Lanes(panel);
  sums.resize(kBallMembers * rows * lanes);
  std::vector<ProductRun> runs(rows);
  std::vector<const ProductRun*> runs_of_rows(rows);
  for (size_t row = 0; row < rows; ++row) {
    runs[row] = {static_cast<int64_t>(row * a.size()), 0, static_cast<int64_t>(a.size())};
    runs_of_rows[row] = &runs[row];
  }
  for (size_t member = 0; member < kBallMembers; ++member) {
    // The values and their magnitudes are elements of tensors, which have at most 24 bits.
    const bool is_exact = member == 0 || member == 2;
    SumReals(BestDotInstructions(),
             {a.Row(member, first), runs_of_rows.data(), 1, b.Panel(member, panel),
              static_cast<int64_t>(lanes), sums.data() + member * rows * lanes, is_exact},
             rows);
  }
}

}  // namespace assay
