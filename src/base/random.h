// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// A deterministic source of choices (SplitMix64). The same seed gives the same sequence on every
// machine and compiler; no std:: distribution is involved.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // Returns the random source for one case of a campaign: a pure function of the four arguments.
  static Random For(uint64_t campaign, uint64_t index, std::string_view kind,
                    uint32_t generator_version);

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Returns a uniform number in [0, bound); bound >= 1.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<Wide>(Next()) * bound) >> 64);
  }

  // Returns a uniform number in [low, high], both inclusive.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (width == 0 ? Next() : Below(width)));
  }

  // Returns true once in `n` times on average.
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // Returns a random element of a non-empty range.
  template <class Range>
  const auto& Pick(const Range& range) {
    return range[Below(std::size(range))];
  }

 private:
  __extension__ using Wide = unsigned __int128;

  uint64_t state_;
};

}  // namespace assay
