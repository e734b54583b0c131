// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "memory_plan.h"
#include "random.h"

namespace assay {

// A memory problem that is hard to plan and whose smallest plan is known. Its buffers are cut out
// of a rectangle of all ticks and `height` bytes, so they fit. At one tick at least they take all
// `height` bytes, so no plan is smaller.
struct HardPacking {
  std::string name;  // the style of its cuts, and its index
  MemoryProblem problem;
  int64_t height = 0;
};

struct CutRectangle {
  int64_t from = 0, to = 0;   // ticks
  int64_t low = 0, high = 0;  // granules of memory
};

struct CutStyle {
  const char* name;
  bool pinwheels;      // some cuts are into five pieces, which no straight cut takes apart
  int64_t granules;    // the height: the fewer, the more buffers have the same size
  int64_t ticks;       // for each buffer
  int64_t long_lived;  // how many of 4 cuts are between layers of memory
  uint64_t dropped;    // how many of 16 buffers are left out
  int64_t count_max;   // the most buffers
};
inline constexpr CutStyle kCutStyles[] = {
    {"straight", false, 1 << 20, 4, 2, 0, 396}, {"pinwheels", true, 1 << 20, 4, 2, 0, 396},
    {"coarse", true, 256, 4, 2, 0, 260},        {"layers", true, 4096, 4, 3, 0, 200},
    {"bursts", true, 4096, 2, 1, 0, 240},       {"loose", true, 1 << 20, 4, 2, 1, 240},
    {"looser", false, 1024, 4, 2, 3, 240},      {"flickering", true, 1024, 1, 2, 1, 120},
};
inline constexpr int64_t kCutHeight = 1 << 20;

class RectangleCutter {
 public:
  RectangleCutter(const CutStyle& style, size_t count, Random random)
      : style_(style), random_(random) {
    const int64_t ticks = style.ticks * static_cast<int64_t>(count);
    pieces_.push_back({0, ticks, 0, style.granules});
    for (int tries = 0; pieces_.size() < count && tries < 100'000; ++tries) Cut();
    full_tick_ = random_.Between(0, ticks - 1);
    if (style.dropped > 0)
      std::erase_if(pieces_, [this](const auto& piece) { return Drops(piece); });
    for (size_t i = pieces_.size(); i > 1; --i) {
      std::swap(pieces_[i - 1], pieces_[random_.Below(i)]);
    }
  }

  const std::vector<CutRectangle>& pieces() const { return pieces_; }

 private:
  bool Drops(const CutRectangle& piece) {
    const bool counts = piece.from <= full_tick_ && full_tick_ < piece.to;
    return random_.Below(16) < style_.dropped && !counts;
  }

  static double Area(const CutRectangle& piece) {
    return static_cast<double>(piece.to - piece.from) * static_cast<double>(piece.high - piece.low);
  }

  // Cuts the larger of two random pieces, so that none becomes very small.
  void Cut() {
    size_t which = random_.Below(pieces_.size());
    const size_t other = random_.Below(pieces_.size());
    if (Area(pieces_[other]) > Area(pieces_[which])) which = other;
    const CutRectangle whole = pieces_[which];
    if (style_.pinwheels && random_.OneIn(3)) {
      CutAsPinwheel(which, whole);
    } else {
      CutStraight(which, whole);
    }
  }

  // Returns a number between a sixth and five sixths of the way, or `low` if there is no room.
  int64_t Between(int64_t low, int64_t high) {
    const int64_t margin = std::max<int64_t>(1, (high - low) / 6);
    return high - low < 2 ? low : random_.Between(low + margin, high - margin);
  }

  void CutStraight(size_t which, const CutRectangle& whole) {
    CutRectangle first = whole, second = whole;
    if (random_.Between(0, 3) < style_.long_lived) {
      first.high = second.low = Between(whole.low, whole.high);
      if (first.high == whole.low) return;
    } else {
      first.to = second.from = Between(whole.from, whole.to);
      if (first.to == whole.from) return;
    }
    pieces_[which] = first;
    pieces_.push_back(second);
  }

  void CutAsPinwheel(size_t which, const CutRectangle& whole) {
    if (whole.to - whole.from < 3 || whole.high - whole.low < 3) return;
    const int64_t from = random_.Between(whole.from + 1, whole.to - 2);
    const int64_t to = random_.Between(from + 1, whole.to - 1);
    const int64_t low = random_.Between(whole.low + 1, whole.high - 2);
    const int64_t high = random_.Between(low + 1, whole.high - 1);
    pieces_[which] = {from, to, low, high};
    if (random_.OneIn(2)) {
      pieces_.push_back({whole.from, to, whole.low, low});
      pieces_.push_back({to, whole.to, whole.low, high});
      pieces_.push_back({from, whole.to, high, whole.high});
      pieces_.push_back({whole.from, from, low, whole.high});
    } else {
      pieces_.push_back({from, whole.to, whole.low, low});
      pieces_.push_back({to, whole.to, low, whole.high});
      pieces_.push_back({whole.from, to, high, whole.high});
      pieces_.push_back({whole.from, from, whole.low, high});
    }
  }

  const CutStyle& style_;
  Random random_;
  std::vector<CutRectangle> pieces_;
  int64_t full_tick_ = 0;
};

// Returns the packing of number `index`, of 30 to 400 buffers. It is the same on every machine.
// Harder kinds have fewer buffers.
inline HardPacking HardPackingOf(uint64_t index) {
  const CutStyle& style = kCutStyles[index % std::size(kCutStyles)];
  Random random(index);
  const auto count = static_cast<size_t>(random.Between(30, style.count_max));
  HardPacking hard;
  hard.name = std::string(style.name) + "-" + std::to_string(index);
  hard.height = kCutHeight;
  const RectangleCutter cutter(style, count, random);
  for (const CutRectangle& piece : cutter.pieces()) {
    BufferInfo buffer;
    buffer.name_hint = "b" + std::to_string(hard.problem.buffers.size());
    buffer.size_bytes = (piece.high - piece.low) * (kCutHeight / style.granules);
    buffer.live = {{piece.from, piece.to}};
    hard.problem.buffers.push_back(std::move(buffer));
  }
  hard.problem.pools.push_back({.name = "memory", .size_bytes = kCutHeight});
  return hard;
}

// The number of packings to measure; larger indices also make packings.
inline constexpr uint64_t kHardPackings = 200;

}  // namespace assay
