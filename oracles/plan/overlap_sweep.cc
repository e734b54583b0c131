// SPDX-License-Identifier: Apache-2.0
#include "overlap_sweep.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "rank_set.h"

namespace assay {
namespace {

struct Keyed {
  uint64_t key;
  uint32_t index;
};

// Sorts by key with a stable radix sort.
void Sort(std::vector<Keyed>& rows) {
  constexpr unsigned kDigitBits = 11;
  constexpr uint64_t kDigits = 1 << kDigitBits;
  uint64_t differing = 0;
  bool sorted = true;
  for (size_t i = 1; i < rows.size(); ++i) {
    differing |= rows[i].key ^ rows[0].key;
    sorted = sorted && rows[i - 1].key <= rows[i].key;
  }
  if (sorted) return;
  std::vector<Keyed> other(rows.size());
  for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += kDigitBits) {
    if ((differing >> shift) % kDigits == 0) continue;
    std::array<size_t, kDigits> starts{};
    for (const Keyed& row : rows) ++starts[(row.key >> shift) % kDigits];
    size_t start = 0;
    for (size_t& digit : starts) start += std::exchange(digit, start);
    for (const Keyed& row : rows) other[starts[(row.key >> shift) % kDigits]++] = row;
    rows.swap(other);
  }
}

// Returns the rows sorted by a number. Their keys compare like the signed numbers, and are small if
// the numbers lie close together.
std::vector<Keyed> SortedBy(const std::vector<Occupancy>& all, int64_t Occupancy::*number) {
  int64_t least = all.empty() ? 0 : all[0].*number;
  for (const Occupancy& one : all) least = std::min(least, one.*number);
  std::vector<Keyed> rows(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    rows[i] = {static_cast<uint64_t>(all[i].*number) - static_cast<uint64_t>(least),
               static_cast<uint32_t>(i)};
  }
  Sort(rows);
  return rows;
}

// Sorts by time, so that neighbours in time become neighbours in memory.
void PutInOrderOfTime(std::vector<Occupancy>& all) {
  const auto begins_before = [](const Occupancy& a, const Occupancy& b) {
    return a.lower < b.lower;
  };
  if (std::is_sorted(all.begin(), all.end(), begins_before)) return;
  std::vector<Occupancy> ordered;
  ordered.reserve(all.size());
  for (const Keyed& row : SortedBy(all, &Occupancy::lower)) ordered.push_back(all[row.index]);
  all.swap(ordered);
}

// Returns the order by pool, then by address.
std::vector<uint32_t> ByAddress(const std::vector<Occupancy>& all, size_t pools) {
  std::vector<Keyed> rows = SortedBy(all, &Occupancy::begin);
  if (pools > 1) {
    for (Keyed& row : rows) row.key = static_cast<uint64_t>(all[row.index].pool);
    Sort(rows);
  }
  std::vector<uint32_t> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = rows[i].index;
  return order;
}

class Sweeper {
 public:
  // `all` must be in the order in which the ranges begin.
  Sweeper(const std::vector<Occupancy>& all, size_t pools)
      : all_(all),
        order_(ByAddress(all, pools)),
        rank_(all.size()),
        live_(all.size()),
        use_(pools) {
    for (size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = static_cast<uint32_t>(i);
    result_.certificate.max_live.resize(pools);
    result_.certificate.events.reserve(2 * all.size());
  }

  SweepResult Run() {
    const std::vector<Keyed> ends = SortedBy(all_, &Occupancy::upper);
    size_t ended = 0;
    for (size_t i = 0; i < all_.size(); ++i) {
      // A range that ends at a tick is no longer live in it.
      while (all_[ends[ended].index].upper <= all_[i].lower) End(ends[ended++].index);
      Begin(i);
    }
    while (ended < ends.size()) End(ends[ended++].index);
    if (!result_.collisions.empty()) result_.certificate.events.clear();
    return std::move(result_);
  }

 private:
  void Begin(size_t index) {
    const Occupancy& one = all_[index];
    const auto below = Neighbour(live_.Before(rank_[index]), one.pool);
    const auto above = Neighbour(live_.After(rank_[index]), one.pool);
    Count(one);
    if (below && all_[*below].end > one.begin) return Collide(*below, index);
    if (above && all_[*above].begin < one.end) return Collide(*above, index);
    live_.Insert(rank_[index]);
    result_.certificate.events.push_back(
        {one.range, below ? all_[*below].range : PlanCertificate::kLowest});
  }

  void End(size_t index) {
    const Occupancy& one = all_[index];
    use_[static_cast<size_t>(one.pool)] -= one.end - one.begin;
    live_.Erase(rank_[index]);
    result_.certificate.events.push_back({one.range, PlanCertificate::kEnds});
  }

  void Collide(size_t other, size_t index) {
    result_.collisions.push_back({other, index, all_[index].lower});
  }

  std::optional<size_t> Neighbour(std::optional<size_t> rank, int32_t pool) const {
    if (!rank || all_[order_[*rank]].pool != pool) return std::nullopt;
    return order_[*rank];
  }

  void Count(const Occupancy& one) {
    const auto pool = static_cast<size_t>(one.pool);
    use_[pool] += one.end - one.begin;
    PlanCertificate::MaxLive& most = result_.certificate.max_live[pool];
    if (use_[pool] > most.bytes) most = {use_[pool], one.lower};
  }

  const std::vector<Occupancy>& all_;
  const std::vector<uint32_t> order_;  // by address; its positions are the ranks
  std::vector<uint32_t> rank_;
  RankSet live_;
  std::vector<int64_t> use_;  // of each pool, the live bytes
  SweepResult result_;
};

}  // namespace

SweepResult Sweep(std::vector<Occupancy>& all, size_t pools) {
  PutInOrderOfTime(all);
  return Sweeper(all, pools).Run();
}

}  // namespace assay
