// SPDX-License-Identifier: Apache-2.0
// Tests the searches of `exact` on packings that are known to fit: none of them may prove the
// contrary. The test calls the searches and their bounds directly, because a simple heuristic plans
// most of these problems first. ASSAY_PLANTED_PACKINGS is the number of packings (default: 3000).
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "hard_packings.h"
#include "packing_bounds.h"
#include "packing_fill.h"
#include "packing_fillers.h"
#include "packing_fusion.h"
#include "packing_ranks.h"
#include "packing_search.h"
#include "planner.h"
#include "pool_packing.h"
#include "random.h"

namespace assay::planted_packings_test {
namespace {

using State = PackingSearch::State;

constexpr size_t kTiny = 8;  // buffers that a search by brute force can place

size_t Index(int32_t i) { return static_cast<size_t>(i); }

// A problem of one pool, and offsets of its buffers that use at most `height` bytes.
struct Planted {
  MemoryProblem problem;
  std::vector<int64_t> offsets;
  int64_t height = 0;

  Packing Packed() const {
    const Conflicts conflicts(problem);
    std::vector<int32_t> all(problem.buffers.size());
    std::iota(all.begin(), all.end(), 0);
    return PackingOf({problem, conflicts, Clique{}}, all, 0);
  }
};

// Cuts a rectangle in one of the styles of the hard packings or of the denser ones below.
class Planter {
 public:
  explicit Planter(uint64_t seed) : random_(seed) {}

  // Returns `count_min` to `count_max` buffers, less some that are dropped.
  Planted Plant(int64_t count_min, int64_t count_max) {
    static constexpr CutStyle kDense[] = {
        {"full", true, 8, 1, 2, 0, 0},   {"fuller", true, 32, 1, 3, 0, 0},
        {"brief", true, 16, 1, 1, 0, 0}, {"nearly full", true, 24, 1, 2, 1, 0},
        {"open", true, 12, 1, 2, 4, 0},
    };
    const bool dense = random_.OneIn(2);
    CutStyle style = dense ? kDense[random_.Below(std::size(kDense))]
                           : kCutStyles[random_.Below(std::size(kCutStyles))];
    const bool tiny = count_max < 2 * static_cast<int64_t>(kTiny);
    if (tiny) style.granules = random_.Between(4, 8);
    auto count = static_cast<size_t>(random_.Between(count_min, count_max));
    // Only the first of every `stride` ticks is kept, so that many buffers begin where many others
    // end.
    const int64_t stride = random_.OneIn(2) ? 1 : random_.Between(2, 4);
    const RectangleCutter cutter(style, count, Random(random_.Below(uint64_t{1} << 40)));
    planted_.height = style.granules;
    for (const CutRectangle& piece : cutter.pieces()) {
      if (!tiny || !random_.OneIn(4)) Add(piece, stride);
    }
    if (random_.OneIn(4)) JoinRanges();
    if (random_.OneIn(6)) AddConflicts();
    if (random_.OneIn(6)) AddAlignments();
    if (random_.OneIn(8)) FixSome();
    planted_.problem.pools.push_back({"memory", planted_.height, 0, 0, {}});
    return std::move(planted_);
  }

 private:
  void Add(const CutRectangle& piece, int64_t stride) {
    const int64_t from = (piece.from + stride - 1) / stride;
    const int64_t to = (piece.to + stride - 1) / stride;
    if (from >= to) return;
    BufferInfo& buffer = planted_.problem.buffers.emplace_back();
    buffer.name_hint = std::to_string(planted_.offsets.size());
    buffer.size_bytes = piece.high - piece.low;
    buffer.live = {{from, to}};
    planted_.offsets.push_back(piece.low);
  }

  // Makes one buffer with two live ranges of two buffers in the same place.
  void JoinRanges() {
    auto& buffers = planted_.problem.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (size_t j = i + 1; j < buffers.size() && random_.OneIn(2); ++j) {
        if (planted_.offsets[i] != planted_.offsets[j]) continue;
        if (buffers[i].size_bytes != buffers[j].size_bytes) continue;
        if (buffers[i].live.back().upper > buffers[j].live.front().lower) continue;
        buffers[i].live.push_back(buffers[j].live.front());
        buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(j));
        planted_.offsets.erase(planted_.offsets.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  // Adds conflicts between buffers that share no bytes.
  void AddConflicts() {
    auto& buffers = planted_.problem.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const int64_t x = planted_.offsets[i], y = planted_.offsets[j];
        const bool apart = x + buffers[i].size_bytes <= y || y + buffers[j].size_bytes <= x;
        if (apart && random_.OneIn(8)) buffers[i].conflicts.push_back(static_cast<int32_t>(j));
      }
    }
  }

  void AddAlignments() {
    for (size_t i = 0; i < planted_.offsets.size(); ++i) {
      if (random_.OneIn(2)) continue;
      for (const int64_t alignment : {8, 4, 2}) {
        if (planted_.offsets[i] % alignment != 0) continue;
        planted_.problem.buffers[i].alignment = alignment;
        break;
      }
    }
  }

  void FixSome() {
    for (size_t i = 0; i < planted_.offsets.size(); ++i) {
      if (random_.OneIn(6)) planted_.problem.buffers[i].fixed_offset = planted_.offsets[i];
    }
  }

  Random random_;
  Planted planted_;
};

// Returns true if no two buffers that are live at once overlap.
bool IsValid(const Packing& packing, const std::vector<int64_t>& offsets, int64_t height) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t fixed = packing.fixed[i];
    if (offsets[i] < packing.start || offsets[i] + packing.sizes[i] > height) return false;
    if (offsets[i] % packing.alignments[i] != 0 || (fixed >= 0 && fixed != offsets[i]))
      return false;
    for (const int32_t other : packing.neighbours[static_cast<int32_t>(i)]) {
      const size_t j = Index(other);
      if (std::max(offsets[i], offsets[j]) <
          std::min(offsets[i] + packing.sizes[i], offsets[j] + packing.sizes[j])) {
        return false;
      }
    }
  }
  return true;
}

// Returns true if there is a packing below a height: tries all offsets, buffer by buffer.
class BruteForce {
 public:
  BruteForce(const Packing& packing, int64_t height) : packing_(packing), height_(height) {}

  // Returns nothing if the search takes too long.
  std::optional<bool> Fits() {
    offsets_.clear();
    const bool fits = Fits(0);
    if (tries_ == 0) return std::nullopt;
    return fits;
  }

 private:
  bool Fits(size_t next) {
    if (next == packing_.sizes.size()) return true;
    const int64_t fixed = packing_.fixed[next], size = packing_.sizes[next];
    const int64_t first = fixed >= 0 ? fixed : packing_.start;
    const int64_t last = fixed >= 0 ? std::min(fixed, height_ - size) : height_ - size;
    for (int64_t offset = first; offset <= last; ++offset) {
      if (tries_ == 0) return false;
      --tries_;
      if (offset % packing_.alignments[next] != 0 || !IsFree(next, offset)) continue;
      offsets_.push_back(offset);
      if (Fits(next + 1)) return true;
      offsets_.pop_back();
    }
    return false;
  }

  bool IsFree(size_t buffer, int64_t offset) const {
    const auto neighbours = packing_.neighbours[static_cast<int32_t>(buffer)];
    return std::none_of(neighbours.begin(), neighbours.end(), [&](int32_t other) {
      const size_t j = Index(other);
      return j < buffer &&
             std::max(offset, offsets_[j]) <
                 std::min(offset + packing_.sizes[buffer], offsets_[j] + packing_.sizes[j]);
    });
  }

  const Packing& packing_;
  int64_t height_;
  std::vector<int64_t> offsets_;
  int64_t tries_ = 200'000;
};

// Moves each buffer as far down as the others allow, so that one supports the next.
void PushDown(const Packing& packing, std::vector<int64_t>& offsets, int64_t height) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int64_t& offset : offsets) {
      const int64_t before = offset;
      for (int64_t lower = packing.start; lower < before && offset == before; ++lower) {
        offset = lower;
        if (IsValid(packing, offsets, height)) {
          moved = true;
        } else {
          offset = before;
        }
      }
    }
  }
}

// Takes random decisions that agree with a packing. The bounds must leave this packing possible.
class Walk {
 public:
  Walk(const Packing& packing, const std::vector<int32_t>& order, int64_t height,
       const std::vector<int64_t>& offsets)
      : bounds_(packing, order, height), height_(height) {
    for (const int32_t i : order) offsets_.push_back(offsets[Index(i)]);
  }

  // Returns a description of the first mistake, or "".
  std::string Run(Random& random) {
    if (!bounds_.is_possible()) return "impossible from the start";
    for (int turn = 0; turn < 200; ++turn) {
      if (!Admits()) return "excluded after turn " + std::to_string(turn);
      if (const std::string wrong = Step(random); wrong != " ") return wrong;
    }
    return "";
  }

 private:
  int64_t Distance(int side, int32_t i) const {
    const int64_t offset = offsets_[Index(i)];
    return side == 0 ? offset : height_ - offset - bounds_.ranked().sizes[Index(i)];
  }

  bool Admits() const {
    for (size_t i = 0; i < offsets_.size(); ++i) {
      const auto self = static_cast<int32_t>(i);
      for (const int side : {0, 1}) {
        if (bounds_.IsLeft(self) && bounds_.low(side, self) > Distance(side, self)) return false;
      }
    }
    return true;
  }

  // Takes one step. Returns " " if the walk goes on.
  std::string Step(Random& random) {
    const auto count = offsets_.size();
    const size_t first = random.Below(count);
    const int first_side = random.OneIn(2) ? 1 : 0;
    for (size_t k = 0; k < 2 * count; ++k) {
      const auto i = static_cast<int32_t>((first + k / 2) % count);
      const int side = (first_side + static_cast<int>(k)) % 2;
      if (!bounds_.IsLeft(i)) continue;
      const auto neighbours = bounds_.ranked().neighbours[i];
      const bool comes_after =
          std::any_of(neighbours.begin(), neighbours.end(), [&](int32_t other) {
            return bounds_.IsLeft(other) && Distance(side, other) < Distance(side, i);
          });
      if (comes_after) {
        if (!random.OneIn(4)) continue;
        if (!bounds_.PlaceAfter(side, i)) return "not after another one";
        return " ";
      }
      if (bounds_.low(side, i) != Distance(side, i)) continue;
      if (!bounds_.Place(side, i)) return "not in its place";
      return " ";
    }
    return "";
  }

  PackingBounds bounds_;
  int64_t height_;
  std::vector<int64_t> offsets_;  // by rank
};

std::vector<int32_t> RandomOrder(size_t count, Random& random) {
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  return order;
}

// Returns the state of a search after a limited number of steps. Checks that a result is a packing.
template <class Search>
State EndOf(Search search, const Packing& packing, const PackingFusion& fusion, bool fused,
            int64_t height) {
  const State state = search.Run(20'000);
  // A search must stop soon after its last step, or --max-steps would mean nothing.
  EXPECT_LT(search.steps(), 500'000);
  if (state != State::kFound) return state;
  const auto offsets = fused ? fusion.Offsets(search.Offsets()) : search.Offsets();
  EXPECT_TRUE(IsValid(packing, offsets, height));
  return state;
}

// Returns the states of all searches, with and without fused buffers.
std::vector<State> EndsOfSearches(const Packing& packing, int64_t height, Random& random) {
  const PackingFusion fusion(packing, height);
  std::vector<State> states;
  for (const bool fused : {false, true}) {
    const Packing& own = fused ? fusion.packing() : packing;
    const auto order = RandomOrder(own.sizes.size(), random);
    states.push_back(
        EndOf(PackingSearch(own, order, height, false), packing, fusion, fused, height));
    states.push_back(EndOf(PackingFill(own, order, height, 20), packing, fusion, fused, height));
  }
  return states;
}

// Checks that every section is full with fillers, and that offsets which pack the fillers also pack
// the buffers alone. Returns true if such offsets are found.
bool PacksWithFillers(const Packing& packing, int64_t height, Random& random) {
  const std::optional<Packing> filled = WithFillers(packing, height, random.Below(4));
  if (!filled) return false;
  for (int32_t s = 0; s < filled->sections.size(); ++s) {
    int64_t end = filled->start;
    for (const int32_t i : filled->sections[s]) end += filled->sizes[Index(i)];
    EXPECT_EQ(end, height);
  }
  const PackingFusion fusion(*filled, height);
  const auto order = RandomOrder(fusion.packing().sizes.size(), random);
  PackingFill search(fusion.packing(), order, height, 20);
  if (search.Run(20'000) != State::kFound) return false;
  auto offsets = fusion.Offsets(search.Offsets());
  EXPECT_TRUE(IsValid(*filled, offsets, height));
  offsets.resize(packing.sizes.size());
  EXPECT_TRUE(IsValid(packing, offsets, height));
  return true;
}

uint64_t PackingCount() {
  const char* text = std::getenv("ASSAY_PLANTED_PACKINGS");
  return text == nullptr ? 3000 : std::strtoull(text, nullptr, 10);
}

TEST(PlantedPackings, AreNeverProvedNotToFit) {
  uint64_t found = 0, filled = 0;
  for (uint64_t seed = 0; seed < PackingCount(); ++seed) {
    Random random(seed);
    Planted planted = Planter(seed).Plant(8, 40);
    const Packing packing = planted.Packed();
    const int64_t height = planted.height / packing.unit_bytes;
    for (int64_t& offset : planted.offsets) offset /= packing.unit_bytes;
    ASSERT_TRUE(IsValid(packing, planted.offsets, height)) << seed;
    for (int walks = 0; walks < 3; ++walks) {
      Walk walk(packing, RandomOrder(packing.sizes.size(), random), height, planted.offsets);
      ASSERT_EQ(walk.Run(random), "") << seed;
      if (walks == 0 && height <= 64) PushDown(packing, planted.offsets, height);
    }
    const auto ends = EndsOfSearches(packing, height, random);
    for (size_t i = 0; i < ends.size(); ++i) {
      ASSERT_TRUE(ends[i] != State::kNone) << seed << " search " << i;
      if (ends[i] == State::kFound) ++found;
    }
    if (PacksWithFillers(packing, height, random)) ++filled;
  }
  EXPECT_GT(found, 2 * PackingCount());
  EXPECT_GT(filled, PackingCount() / 8);
}

TEST(PlantedPackings, TinyOnesFitWhereBruteForceSaysSo) {
  uint64_t lower = 0, refused = 0, endless = 0;
  for (uint64_t seed = 0; seed < PackingCount(); ++seed) {
    Random random(seed);
    const Planted planted = Planter(seed).Plant(5, 12);
    const Packing packing = planted.Packed();
    if (packing.sizes.empty() || packing.sizes.size() > kTiny) continue;
    const int64_t highest = planted.height / packing.unit_bytes;
    for (int64_t height = LeastHeight(packing); height <= highest; ++height) {
      const std::optional<bool> fits = BruteForce(packing, height).Fits();
      if (!fits) continue;
      if (height < highest) *fits ? ++lower : ++refused;
      const auto ends = EndsOfSearches(packing, height, random);
      for (size_t i = 0; i < ends.size(); ++i) {
        ASSERT_TRUE(ends[i] != (*fits ? State::kNone : State::kFound)) << seed << " search " << i;
        if (ends[i] == State::kRunning) ++endless;
      }
    }
  }
  EXPECT_GT(lower, PackingCount() / 8);
  EXPECT_GT(refused, PackingCount() / 64);
  EXPECT_LT(endless, PackingCount() / 8);
}

// Returns a packing whose fillers do not fit, although the packing does.
std::optional<Planted> PlantMisfilled(int64_t height) {
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    Planted planted = Planter(seed).Plant(8, 30);
    const Packing packing = planted.Packed();
    if (planted.height / packing.unit_bytes != planted.height || height % planted.height != 0)
      continue;
    const std::optional<Packing> filled = WithFillers(packing, planted.height, 0);
    if (!filled) continue;
    const PackingFusion fusion(*filled, planted.height);
    const auto order = RandomOrder(fusion.packing().sizes.size(), random);
    PackingFill search(fusion.packing(), order, planted.height, 20);
    if (search.Run(20'000) == State::kNone) return planted;
  }
  return std::nullopt;
}

// The search needs so many steps for the packing itself that it first finds that the fillers do not
// fit.
TEST(PlantedPackings, FitEvenIfTheirFillersDoNot) {
  HardPacking hard = HardPackingOf(39);
  const std::optional<Planted> misfilled = PlantMisfilled(hard.height);
  ASSERT_TRUE(misfilled);
  int64_t end = 0;
  for (const BufferInfo& buffer : hard.problem.buffers) end = std::max(end, buffer.live[0].upper);
  for (BufferInfo buffer : misfilled->problem.buffers) {
    buffer.size_bytes *= hard.height / misfilled->height;
    for (LiveRange& range : buffer.live) range = {range.lower + end, range.upper + end};
    hard.problem.buffers.push_back(std::move(buffer));
  }
  const Result<PlanningResult> result = PlanMemory(hard.problem, *AlgorithmByName("exact"));
  EXPECT_TRUE(result) << result.error().message;
}

// The second begins where the first ends, but both are live later: they must not become one buffer.
TEST(PackingFusion, LeavesBuffersApartThatConflictLater) {
  Planted planted;
  const std::vector<LiveRange> lives[] = {{{0, 1}, {4, 5}}, {{1, 2}, {4, 5}}, {{0, 2}}};
  for (const auto& live : lives) {
    BufferInfo& buffer = planted.problem.buffers.emplace_back();
    buffer.size_bytes = 1;
    buffer.live = live;
  }
  planted.problem.pools.push_back({"memory", 2, 0, 0, {}});
  const Packing packing = planted.Packed();
  EXPECT_EQ(BruteForce(packing, 2).Fits(), false);
  Random random(1);
  for (const State state : EndsOfSearches(packing, 2, random)) EXPECT_EQ(state, State::kNone);
}

TEST(RankedPacking, RoundsDownBelowZero) {
  Planted planted;
  BufferInfo& buffer = planted.problem.buffers.emplace_back();
  buffer.size_bytes = 3;
  buffer.alignment = 4;
  buffer.live = {{0, 1}};
  planted.problem.pools.push_back({"memory", 8, 0, 0, {}});
  const Packing packing = planted.Packed();
  const std::vector<int32_t> order = {0};
  const RankedPacking ranked(packing, order);
  EXPECT_EQ(ranked.HighestUpTo(0, 7), 4);
  EXPECT_LT(ranked.HighestUpTo(0, -3), 0);
}

}  // namespace
}  // namespace assay::planted_packings_test
