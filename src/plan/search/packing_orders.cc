// SPDX-License-Identifier: Apache-2.0
#include "packing_orders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string_view>

#include "random.h"

namespace assay {
namespace {

class Features {
 public:
  explicit Features(const Packing& packing) : packing_(packing), fullest_(packing.sizes.size(), 0) {
    for (int32_t s = 0; s < packing.sections.size(); ++s) {
      int64_t bytes = 0;
      for (const int32_t i : packing.sections[s]) bytes += packing.sizes[static_cast<size_t>(i)];
      for (const int32_t i : packing.sections[s]) {
        int64_t& fullest = fullest_[static_cast<size_t>(i)];
        fullest = std::max(fullest, bytes);
      }
    }
  }

  // Products may overflow 64 bits. Therefore, they are 128 bits wide and compared as such.
  __extension__ using Wide = __int128;
  Wide Of(int32_t buffer, char feature) const {
    const auto at = static_cast<size_t>(buffer);
    const Wide size = packing_.sizes[at];
    const auto sections = static_cast<int64_t>(packing_.sections_of[buffer].size());
    switch (feature) {
      case 'W':
        return packing_.lifetimes[at];
      case 'C':
        return sections;
      case 'Z':
        return size;
      case 'A':
        return size * packing_.lifetimes[at];
      case 'S':
        return size * sections;
      case 'T':
        return fullest_[at];
      case 'U':
        return sections == 0 ? 0 : packing_.sections_of[buffer].back();
      default:
        return static_cast<int64_t>(packing_.neighbours[buffer].size());
    }
  }

 private:
  const Packing& packing_;
  std::vector<int64_t> fullest_;
};

std::vector<int32_t> AllOf(const Packing& packing) {
  std::vector<int32_t> order(packing.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Returns about 256 times the binary logarithm of number + 1. It is linear between the powers of
// two.
int64_t Logarithm(int64_t number) {
  const uint64_t value = static_cast<uint64_t>(number) + 1;
  const int bits = static_cast<int>(std::bit_width(value)) - 1;
  const uint64_t rest = value - (uint64_t{1} << bits);
  const uint64_t fraction = bits >= 8 ? rest >> (bits - 8) : rest << (8 - bits);
  return 256 * bits + static_cast<int64_t>(fraction);
}

// Orders the buffers by a product of powers of their features.
std::vector<int32_t> ByMixture(const Packing& packing, Random& random) {
  const Features features(packing);
  constexpr std::string_view kNames = "WCZTO";
  std::array<int64_t, kNames.size()> powers;
  for (int64_t& power : powers) power = random.Between(0, 3);
  std::vector<int64_t> scores(packing.sizes.size(), 0);
  for (size_t i = 0; i < scores.size(); ++i) {
    for (size_t k = 0; k < kNames.size(); ++k) {
      const auto value = static_cast<int64_t>(features.Of(static_cast<int32_t>(i), kNames[k]));
      scores[i] += powers[k] * (kNames[k] == 'T' ? 3 : 1) * Logarithm(value);
    }
  }
  std::vector<int32_t> order = AllOf(packing);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  return order;
}

struct Known {
  std::string_view features;
  bool hasty;
};
constexpr Known kKnown[] = {{"TO", false},  {"C", true},    {"S", true},  {"CS", false},
                            {"TWA", false}, {"CT", true},   {"U", false}, {"TS", false},
                            {"O", true},    {"TAW", false}, {"OA", true}, {"WAT", false}};

}  // namespace

std::vector<int32_t> OrderBy(const Packing& packing, std::string_view names) {
  const Features features(packing);
  std::vector<int32_t> order = AllOf(packing);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    for (const char name : names) {
      const auto of_a = features.Of(a, name), of_b = features.Of(b, name);
      if (of_a != of_b) return of_a > of_b;
    }
    return a < b;
  });
  return order;
}

PackingStrategy StrategyFor(const Packing& packing, uint64_t index) {
  if (index < std::size(kKnown)) {
    return {OrderBy(packing, kKnown[index].features), kKnown[index].hasty};
  }
  Random random(index);
  return {ByMixture(packing, random), index % 2 == 0};
}

}  // namespace assay
