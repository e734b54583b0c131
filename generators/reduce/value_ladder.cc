// SPDX-License-Identifier: Apache-2.0
#include "value_ladder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>

#include "float_format.h"

namespace assay {
namespace {

// The weights of elements that are not in the list begin here.
constexpr int64_t kOtherInteger = 32;
constexpr int64_t kOtherFloat = 64;
constexpr int64_t kOtherNan = 1000;

// The bits of an element.
uint64_t PatternOf(std::span<const uint8_t> bytes, size_t width, int64_t index) {
  uint64_t pattern = 0;
  for (size_t i = 0; i < width; ++i) {
    pattern |= uint64_t{bytes[static_cast<size_t>(index) * width + i]} << (8 * i);
  }
  return pattern;
}

Tensor ListOf(DType type, const std::vector<double>& floats, const std::vector<int64_t>& integers) {
  const auto count = static_cast<int32_t>(IsFloat(type) ? floats.size() : integers.size());
  return IsFloat(type) ? Tensor::FromFloats(type, Shape{count}, floats)
                       : Tensor::FromIntegers(type, Shape{count}, integers);
}

// Returns the elements at these positions.
Tensor Chosen(const Tensor& from, const std::vector<int64_t>& positions) {
  const auto width = static_cast<size_t>(ElementBytes(from.type()));
  std::vector<uint8_t> bytes;
  for (const int64_t at : positions) {
    const auto begin = from.bytes().begin() + at * static_cast<int64_t>(width);
    bytes.insert(bytes.end(), begin, begin + static_cast<int64_t>(width));
  }
  return Tensor::FromBytes(from.type(), Shape{static_cast<int32_t>(positions.size())},
                           std::move(bytes));
}

Tensor MakeLadder(DType type) {
  const std::vector<double> floats = {
      0,   1,    2,         -1,         -2,
      0.5, -0.5, 3,         1.5,        -1.5,
      4,   -0.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  std::vector<int64_t> integers = {0, 1};
  if (!IsFloat(type) && type != DType::kBool) {
    const int64_t low = type == DType::kShape ? 0 : MinimumInteger(type);
    const int64_t high = type == DType::kShape ? 1 << 30 : MaximumInteger(type);
    for (const int64_t value : {int64_t{2}, int64_t{-1}, int64_t{-2}, int64_t{3}, int64_t{4}, high,
                                low, high - 1, low + 1, int64_t{-3}, int64_t{5}}) {
      const bool is_known = std::ranges::find(integers, value) != integers.end();
      if (value >= low && value <= high && !is_known) integers.push_back(value);
    }
  }
  const Tensor all = ListOf(type, floats, integers);
  // Types without infinities have fewer values.
  const auto width = static_cast<size_t>(ElementBytes(type));
  std::vector<uint64_t> patterns;
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < all.elements(); ++i) {
    const uint64_t pattern = PatternOf(all.bytes(), width, i);
    if (std::ranges::find(patterns, pattern) != patterns.end()) continue;
    patterns.push_back(pattern);
    kept.push_back(i);
  }
  return Chosen(all, kept);
}

struct Ladder {
  Tensor values;
  std::vector<uint64_t> patterns;
};

const Ladder& FindLadder(DType type) {
  static thread_local std::map<DType, Ladder> ladders;
  const auto [at, is_new] = ladders.try_emplace(type);
  if (is_new) {
    Ladder& ladder = at->second;
    ladder.values = MakeLadder(type);
    const auto width = static_cast<size_t>(ElementBytes(type));
    for (int64_t i = 0; i < ladder.values.elements(); ++i) {
      ladder.patterns.push_back(PatternOf(ladder.values.bytes(), width, i));
    }
  }
  return at->second;
}

constexpr int kFractionBits = 52;
constexpr uint64_t kFraction = (uint64_t{1} << kFractionBits) - 1;

int SignificantBits(double value) {
  const uint64_t fraction = std::bit_cast<uint64_t>(value) & kFraction;
  return fraction == 0 ? 1 : kFractionBits + 1 - std::countr_zero(fraction);
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

int64_t WeightOfOther(const Tensor& tensor, int64_t index) {
  if (!IsFloat(tensor.type())) {
    const int64_t value = tensor.Integer(index);
    const uint64_t magnitude = Magnitude(value);
    return kOtherInteger + 2 * static_cast<int64_t>(std::bit_width(magnitude)) +
           std::popcount(magnitude) + (value < 0 ? 1 : 0);
  }
  const double value = tensor.Float(index);
  if (!std::isfinite(value)) return kOtherNan;
  const int64_t exponent = value == 0 ? 0 : std::ilogb(value);
  const uint64_t fraction = std::bit_cast<uint64_t>(value) & kFraction;
  return kOtherFloat + 8 * SignificantBits(value) + std::popcount(fraction) + std::abs(exponent) +
         (value < 0 ? 1 : 0);
}

// Returns the number with only its `bits` highest significant bits.
double Shortened(double value, int bits) {
  const int dropped = std::clamp(kFractionBits + 1 - bits, 0, kFractionBits);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) & ~((uint64_t{1} << dropped) - 1));
}

std::vector<double> SimplerFloats(double value) {
  if (!std::isfinite(value) || value == 0) return {};
  const int bits = SignificantBits(value);
  std::vector<double> simpler;
  const double scaled = std::ldexp(value, -std::ilogb(value));
  for (const double x : {scaled, value}) {
    for (const int kept : {1, 2, bits / 2, bits - 1, bits}) {
      if (kept < 1) continue;
      simpler.push_back(Shortened(std::fabs(x), kept));
      simpler.push_back(Shortened(x, kept));
    }
  }
  const int exponent = std::ilogb(value);
  simpler.push_back(std::ldexp(value, exponent / 2 - exponent));
  // Numbers that show faults of rounding, by their last bit: 1 + e, 1 + 3e, 1.5 + e and 2 - e.
  for (int last = 2; last < bits; ++last) {
    const double unit = std::ldexp(1.0, -last);
    for (const double x : {1 + unit, 1 + 3 * unit, 1.5 + unit, 2 - unit}) simpler.push_back(x);
  }
  return simpler;
}

std::vector<int64_t> SimplerIntegers(int64_t value) {
  const uint64_t magnitude = Magnitude(value);
  if (magnitude < 2 || magnitude >> 62 != 0) return {};
  const uint64_t top = std::bit_floor(magnitude);
  std::vector<int64_t> simpler;
  for (const uint64_t m :
       {top, top + 1, top - 1, top / 2 + 1, magnitude / 2, magnitude & (magnitude - 1)}) {
    simpler.push_back(static_cast<int64_t>(m));
    if (value < 0) simpler.push_back(-static_cast<int64_t>(m));
  }
  simpler.push_back(static_cast<int64_t>(magnitude));
  return simpler;
}

}  // namespace

int64_t WeightOf(const Tensor& tensor, int64_t index) {
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  const uint64_t pattern = PatternOf(tensor.bytes(), width, index);
  if (pattern == 0) return 0;
  const std::vector<uint64_t>& patterns = FindLadder(tensor.type()).patterns;
  const auto found = std::ranges::find(patterns, pattern);
  return found != patterns.end() ? found - patterns.begin() : WeightOfOther(tensor, index);
}

int64_t WeightOf(const Tensor& tensor) {
  int64_t weight = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) weight += WeightOf(tensor, i);
  return weight;
}

const Tensor& LadderOf(DType type) { return FindLadder(type).values; }

Tensor WithElement(const Tensor& tensor, int64_t index, const Tensor& values, int64_t from) {
  std::vector<uint8_t> bytes(tensor.bytes().begin(), tensor.bytes().end());
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  std::memcpy(bytes.data() + static_cast<size_t>(index) * width,
              values.bytes().data() + static_cast<size_t>(from) * width, width);
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(bytes));
}

Tensor SimplerElements(const Tensor& tensor, int64_t index) {
  const DType type = tensor.type();
  const int64_t weight = WeightOf(tensor, index);
  const Tensor& ladder = LadderOf(type);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < std::min(weight, ladder.elements()); ++i) positions.push_back(i);
  if (weight < ladder.elements()) return Chosen(ladder, positions);
  std::vector<double> floats;
  std::vector<int64_t> integers;
  if (IsFloat(type)) {
    floats = SimplerFloats(tensor.Float(index));
  } else {
    integers = SimplerIntegers(tensor.Integer(index));
    std::erase_if(integers, [type](int64_t value) {
      return value < MinimumInteger(type) || value > MaximumInteger(type);
    });
  }
  const Tensor others = ListOf(type, floats, integers);
  std::vector<std::pair<int64_t, int64_t>> ranked;
  for (int64_t i = 0; i < others.elements(); ++i) {
    const int64_t other = WeightOf(others, i);
    if (other >= ladder.elements() && other < weight) ranked.emplace_back(other, i);
  }
  std::ranges::sort(ranked);
  std::vector<int64_t> chosen;
  for (const auto& [other, i] : ranked) chosen.push_back(i);
  const Tensor first = Chosen(ladder, positions), last = Chosen(others, chosen);
  std::vector<uint8_t> bytes(first.bytes().begin(), first.bytes().end());
  bytes.insert(bytes.end(), last.bytes().begin(), last.bytes().end());
  const auto count = static_cast<int32_t>(first.elements() + last.elements());
  return Tensor::FromBytes(type, Shape{count}, std::move(bytes));
}

}  // namespace assay
