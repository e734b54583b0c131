// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "random.h"

namespace assay {

// The source of a generator's choices: a seed, or bytes that a fuzzer mutates. Every choice is
// taken modulo the number of possibilities, so that any bytes decode to a valid vector. After the
// last byte every further choice is the first possibility.
class Choices {
 public:
  explicit Choices(Random random) : random_(random) {}
  explicit Choices(std::span<const uint8_t> bytes) : random_(0), bytes_(bytes), from_bytes_(true) {}

  // Returns 64 bits.
  uint64_t Next() {
    if (from_bytes_) return Bytes(8);
    return random_.Next();
  }

  // Calls draw(source), which takes many choices from a source like this one that can stay in
  // registers.
  template <class Draw>
  void Take(Draw draw) {
    if (from_bytes_) return draw(*this);
    draw(random_);
  }

  // Returns a number in [0, bound); bound >= 1.
  uint64_t Below(uint64_t bound) {
    if (!from_bytes_) return random_.Below(bound);
    if (bound <= 1) return 0;
    return Bytes(bound <= 0x100 ? 1 : bound <= 0x10000 ? 2 : 8) % bound;
  }

  // Returns a number in [low, high], both inclusive.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (width == 0 ? Next() : Below(width)));
  }
  int32_t Between32(int32_t low, int32_t high) { return static_cast<int32_t>(Between(low, high)); }

  // Returns true once in `n` times on average; false after the last byte.
  bool OneIn(uint64_t n) { return Below(n) == n - 1; }

  // Returns any element of a non-empty range.
  template <class Range>
  const auto& Pick(const Range& range) {
    return range[static_cast<size_t>(Below(std::size(range)))];
  }

 private:
  uint64_t Bytes(size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count && !bytes_.empty(); ++i) {
      value |= static_cast<uint64_t>(bytes_.front()) << (8 * i);
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  Random random_;
  std::span<const uint8_t> bytes_;
  bool from_bytes_ = false;
};

}  // namespace assay
