// SPDX-License-Identifier: Apache-2.0
// DrawTensor(), DrawSplat() and Filled(): tensors of random elements and of one number.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"
#include "float_bytes.h"
#include "float_codec.h"
#include "nasty_values.h"
#include "wide_vectors.h"

namespace assay {
namespace {

// Returns a buffer for the numbers of one tensor. All tensors of a thread share it.
template <class Number>
std::span<Number> RoomForNumbers(size_t count) {
  static thread_local std::vector<Number> room;
  if (room.size() < count) room.resize(count);
  return std::span(room).first(count);
}

// Returns the next 64 bits for each of `count` elements.
std::span<const uint64_t> DrawWords(Choices& choices, size_t count) {
  const std::span<uint64_t> words = RoomForNumbers<uint64_t>(count);
  choices.Take([&](auto& given) {
    auto source = given;  // a copy can stay in registers
    for (uint64_t& word : words) word = source.Next();
    given = source;
  });
  return words;
}

// Returns a number in [0, count) from the upper half of a word, for a count below 2^32.
uint64_t Below(uint64_t word, uint64_t count) { return ((word >> 32) * count) >> 32; }

// The granularity of the numbers of a float tensor.
enum class Grain : uint8_t { kIntegers, kEighths, kAnyFraction, kAnyMagnitude };

// The parameters that all elements of one float tensor share.
struct FloatStyle {
  double low, high;
  double spread;  // a fraction of it is added to `low`
  Grain grain;
  // `replacement` replaces the bits of magnitudes below `replaced_below`, except the sign if it is
  // kept.
  int64_t replaced_below;
  uint64_t replacement;
  uint64_t kept_sign;
  std::span<const double> nasty;    // within [low, high]
  std::span<const double> special;  // in the special mode
  uint64_t special_in_8;            // how often; 0 without special values
};

FloatStyle DrawFloatStyle(Choices& choices, DType type, const ValueRange& range, ValueMode mode) {
  const FloatFormat& format = FormatOf(type);
  // Sometimes nearly all elements are one special value, and the others are the greatest numbers.
  // Then the start value of a reduction, or the value that stands for padding, must not appear.
  const bool one_special = mode == ValueMode::kSpecial && choices.OneIn(3);
  // Mostly modest; sometimes up to where squares still fit, or everything.
  constexpr std::array<double, 6> kModest = {1, 2, 4, 8, 16, 64};
  const bool calm = mode == ValueMode::kCalm;
  const uint64_t size = one_special ? 7 : choices.Below(calm ? 3 : 8);
  const double limit = size < kModest.size() ? kModest[size]
                       : size == 6           ? std::sqrt(format.max)
                                             : format.max;
  FloatStyle style;
  style.low = std::max({range.low, -limit, -format.max});
  style.high = std::min({range.high, limit, format.max});
  if (style.low > style.high) {
    style.low = std::max(range.low, -format.max);
    style.high = std::min(range.high, format.max);
  }
  const double width = style.high - style.low;
  style.spread = std::isfinite(width) ? width : style.high;
  style.grain = calm ? Grain::kAnyFraction : static_cast<Grain>(choices.Below(4));
  const bool subnormals = format.must_keep_subnormals || (!calm && choices.OneIn(16));
  // Subnormals become zeros. Where zeros are not allowed, subnormals and zeros become a bound.
  const bool to_bound = style.low > 0 || range.nonzero;
  const double least = range.nonzero ? std::ldexp(format.normal_min, -format.fraction_bits) : 0;
  style.replaced_below = std::bit_cast<int64_t>(subnormals ? least : format.normal_min);
  const double bound = style.high != 0 ? style.high : style.low;
  style.replacement = to_bound ? std::bit_cast<uint64_t>(bound) : 0;
  style.kept_sign = to_bound ? 0 : kDoubleSign;
  const std::span<const double> nasty = calm ? std::span<const double>() : NastyFloats(type);
  const auto begin = std::lower_bound(nasty.begin(), nasty.end(), style.low);
  const auto end = std::upper_bound(begin, nasty.end(), style.high);
  style.nasty = {begin, end};
  style.special = SpecialFloats(type);
  style.special_in_8 = MayBeSpecial(mode) && range.may_be_special ? 1 : 0;
  if (one_special) {
    style.special = style.special.subspan(choices.Below(style.special.size()), 1);
    style.special_in_8 *= 6;
    if (!style.nasty.empty()) {
      style.nasty = choices.OneIn(2) ? style.nasty.first(1) : style.nasty.last(1);
    }
  }
  return style;
}

// Returns std::nearbyint(value) if its magnitude is below 2^51, otherwise the value itself.
[[gnu::always_inline]] inline double Nearest(double value) {
  constexpr double kWhole = 0x1.8p52;
  const double nearest = (value + kWhole) - kWhole;
  return std::bit_cast<double>(Choose(std::fabs(value) < 0x1p51, std::bit_cast<uint64_t>(nearest),
                                      std::bit_cast<uint64_t>(value)));
}

// Returns `value` made as coarse as the grain says.
template <Grain grain>
[[gnu::always_inline]] inline double Grained(double value, uint64_t word) {
  if constexpr (grain == Grain::kIntegers) return Nearest(value);
  if constexpr (grain == Grain::kEighths) return Nearest(value * 8) * 0.125;
  if constexpr (grain == Grain::kAnyMagnitude) {
    const uint64_t exponent = 1023 - ((word >> 4) & 15);
    return value * std::bit_cast<double>(exponent << 52);
  }
  return value;
}

// Makes numbers of random words. Each number may keep its old content, which is a nasty value.
template <Grain grain>
struct FloatsOf {
  FloatStyle style;
  const uint64_t* words;
  double* numbers;
  size_t count;

  [[gnu::always_inline]] void operator()() const {
    const FloatStyle fixed = style;  // nothing written changes a copy
    const uint64_t nasty_bit = fixed.nasty.empty() ? 0 : 8;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t word = words[i];
      // The upper half of the word becomes the low bits of this number.
      const double half = std::bit_cast<double>(std::bit_cast<uint64_t>(0x1p52) | (word >> 32));
      const double unit = (half - 0x1p52) * 0x1p-32;
      double value = Grained<grain>(fixed.low + fixed.spread * unit, word);
      value = value < fixed.low ? fixed.low : value;
      value = value > fixed.high ? fixed.high : value;
      const uint64_t bits = Choose((~word & nasty_bit) != 0, std::bit_cast<uint64_t>(numbers[i]),
                                   std::bit_cast<uint64_t>(value));
      const auto magnitude = static_cast<int64_t>(bits & ~kDoubleSign);
      const uint64_t replacement = fixed.replacement | (bits & fixed.kept_sign);
      numbers[i] =
          std::bit_cast<double>(Choose(magnitude < fixed.replaced_below, replacement, bits));
    }
  }
};

// Draws numbers, which are rounded to the type when they are stored.
void DrawFloats(Choices& choices, const FloatStyle& style, std::span<double> numbers) {
  const std::span<const uint64_t> words = DrawWords(choices, numbers.size());
  const size_t count = numbers.size();
  if (!style.nasty.empty()) {
    for (size_t i = 0; i < count; ++i) {
      numbers[i] = style.nasty[Below(words[i], style.nasty.size())];
    }
  }
  const auto run = [&]<Grain grain>() {
    RunWide(FloatsOf<grain>{style, words.data(), numbers.data(), count});
  };
  switch (style.grain) {
    case Grain::kIntegers:
      run.template operator()<Grain::kIntegers>();
      break;
    case Grain::kEighths:
      run.template operator()<Grain::kEighths>();
      break;
    case Grain::kAnyFraction:
      run.template operator()<Grain::kAnyFraction>();
      break;
    case Grain::kAnyMagnitude:
      run.template operator()<Grain::kAnyMagnitude>();
      break;
  }
  if (style.special_in_8 == 0) return;
  for (size_t i = 0; i < count; ++i) {
    if ((words[i] & 7) < style.special_in_8) {
      numbers[i] = style.special[Below(words[i], style.special.size())];
    }
  }
}

struct IntegerStyle {
  int64_t low, high;
  uint64_t width;  // how many numbers there are; 0 for 2^64
  bool nonzero;
  // The nasty integers of the type within [low, high], and low and high themselves.
  std::array<int64_t, 40> nasty;
  uint64_t nasty_count;
};

IntegerStyle MakeIntegerStyle(DType type, const ValueRange& range) {
  IntegerStyle style;
  style.low = std::max(MinimumInteger(type), static_cast<int64_t>(std::max(range.low, -0x1p62)));
  style.high = std::min(MaximumInteger(type), static_cast<int64_t>(std::min(range.high, 0x1p62)));
  style.width = static_cast<uint64_t>(style.high) - static_cast<uint64_t>(style.low) + 1;
  style.nonzero = range.nonzero;
  const std::span<const int64_t> nasty = NastyIntegers(type);
  const auto begin = std::lower_bound(nasty.begin(), nasty.end(), style.low);
  const auto end = std::upper_bound(begin, nasty.end(), style.high);
  Check(nasty.size() + 2 <= style.nasty.size(), "room for all nasty integers");
  auto bounds = std::copy(begin, end, style.nasty.begin());
  *bounds++ = style.low;
  *bounds++ = style.high;
  style.nasty_count = static_cast<uint64_t>(bounds - style.nasty.begin());
  return style;
}

void DrawIntegers(Choices& choices, const IntegerStyle& style, std::span<int64_t> numbers) {
  const auto low = static_cast<uint64_t>(style.low);
  if (style.width <= (uint64_t{1} << 32) && style.width != 0) {  // told apart by 32 bits
    const std::span<const uint64_t> words = DrawWords(choices, numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto nasty = static_cast<uint64_t>(style.nasty[Below(words[i], style.nasty_count)]);
      const uint64_t other = low + Below(words[i], style.width);
      numbers[i] = static_cast<int64_t>(Choose((words[i] & 1) == 0, nasty, other));
    }
  } else {
    choices.Take([&](auto& given) {
      auto source = given;
      for (int64_t& number : numbers) {
        const uint64_t word = source.Next();
        number = (word & 1) == 0
                     ? style.nasty[Below(word, style.nasty_count)]
                     : static_cast<int64_t>(low + source.Below(style.width == 0 ? 1 : style.width));
      }
      given = source;
    });
  }
  if (!style.nonzero) return;
  std::ranges::replace(numbers, 0, style.high != 0 ? style.high : style.low);
}

// Returns the numbers of every class that lie within a range, starting from a random one. They are
// the first elements of a tensor that sweeps.
std::vector<double> DrawSweep(Choices& choices, DType type, const ValueRange& range) {
  std::vector<double> numbers;
  for (const double x : NumbersOfEveryClass(type)) {
    const bool admitted = std::isfinite(x)
                              ? x >= range.low && x <= range.high && !(range.nonzero && x == 0)
                              : range.may_be_special;
    if (admitted) numbers.push_back(x);
  }
  if (numbers.empty()) return numbers;
  const auto first = static_cast<std::ptrdiff_t>(choices.Below(numbers.size()));
  std::rotate(numbers.begin(), numbers.begin() + first, numbers.end());
  return numbers;
}

// Stores numbers as the elements of a tensor.
template <class Stored>
void StoreIntegers(std::span<const int64_t> numbers, uint8_t* to) {
  for (const int64_t number : numbers) {
    const auto stored = static_cast<Stored>(number);
    std::memcpy(to, &stored, sizeof(stored));
    to += sizeof(stored);
  }
}

void StoreIntegers(DType type, std::span<const int64_t> numbers, uint8_t* to) {
  const int width = ElementBytes(type);
  if (width == 1) return StoreIntegers<int8_t>(numbers, to);
  if (width == 2) return StoreIntegers<int16_t>(numbers, to);
  if (width == 4) return StoreIntegers<int32_t>(numbers, to);
  StoreIntegers<int64_t>(numbers, to);
}

}  // namespace

Tensor DrawTensor(Choices& choices, const TensorType& type, const ValueRange& range,
                  ValueMode mode) {
  const auto count = static_cast<size_t>(type.shape.Elements());
  const auto owner = std::make_shared_for_overwrite<uint8_t[]>(
      count * static_cast<size_t>(ElementBytes(type.type)));
  // The numbers of the sweep come first, then drawn numbers.
  std::vector<double> sweep;
  if (mode == ValueMode::kSweep) sweep = DrawSweep(choices, type.type, range);
  sweep.resize(std::min(sweep.size(), count));
  if (IsFloat(type.type)) {
    const FloatStyle style = DrawFloatStyle(choices, type.type, range, mode);
    const std::span<double> numbers = RoomForNumbers<double>(count);
    std::copy(sweep.begin(), sweep.end(), numbers.begin());
    DrawFloats(choices, style, numbers.subspan(sweep.size()));
    EncodeFloats(type.type, numbers, owner.get());
  } else {
    const IntegerStyle style = MakeIntegerStyle(type.type, range);
    const std::span<int64_t> numbers = RoomForNumbers<int64_t>(count);
    std::transform(sweep.begin(), sweep.end(), numbers.begin(),
                   [](double x) { return static_cast<int64_t>(x); });
    DrawIntegers(choices, style, numbers.subspan(sweep.size()));
    StoreIntegers(type.type, numbers, owner.get());
  }
  return Tensor::FromShared(type.type, type.shape, owner);
}

Tensor Filled(const TensorType& type, double value) {
  if (!IsFloat(type.type)) {
    return Tensor::Splat(type.type, type.shape, static_cast<int64_t>(value));
  }
  const std::vector<double> elements(static_cast<size_t>(type.shape.Elements()), value);
  return Tensor::FromFloats(type.type, type.shape, elements);
}

Tensor DrawSplat(Choices& choices, const TensorType& type, const ValueRange& range,
                 ValueMode mode) {
  const Tensor one = DrawTensor(choices, {type.type, Shape{}}, range, mode);
  const int64_t element =
      IsFloat(type.type) ? static_cast<int64_t>(one.FloatBits(0)) : one.Integer(0);
  return Tensor::Splat(type.type, type.shape, element);
}

}  // namespace assay
