#include "nasty_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "check.h"
#include "float_codec.h"

namespace assay {
namespace {

constexpr int64_t kBools[] = {0, 1};
// Bounds (-8 is not a value of the type), sign changes, powers of two.
constexpr int64_t kInt4s[] = {-7, -6, -4, -2, -1, 0, 1, 2, 3, 4, 6, 7};
// Bounds and their neighbours; where a product of two fills 7, 14 or 15 bits.
constexpr int64_t kInt8s[] = {-128, -127, -126, -91, -65, -64, -33, -16, -8, -3, -2, -1,  0,
                              1,    2,    3,    7,   8,   15,  16,  31,  63, 64, 91, 126, 127};
// The same, and the bounds of 8-bit types of either signedness.
constexpr int64_t kInt16s[] = {-32768, -32767, -16385, -16384, -257,  -256, -255, -181,
                               -129,   -128,   -127,   -3,     -2,    -1,   0,    1,
                               2,      3,      127,    128,    129,   181,  255,  256,
                               257,    4095,   16383,  16384,  32766, 32767};
// The same; the square root of the type's range (46341); where fp32, fp16 and bf16 stop holding
// every integer (2^24, 2^11, 2^8) and, one further, the first ties; one beyond a tie of bf16 that
// fp32 does not hold (2^24 + 2^16 + 1), and of fp16 (2^15 + 2^4 + 1): rounded twice, they come out
// wrong.
constexpr int64_t kInt32s[] = {
    -2147483648, -2147483647, -1073741824, -16842753, -46341, -32769, -32768,   -129,
    -128,        -2,          -1,          0,         1,      2,      3,        127,
    128,         255,         256,         257,       2048,   2049,   32767,    32768,
    32785,       46340,       46341,       65535,     65536,  65537,  16777216, 16777217,
    16842753,    1073741824,  2147483646,  2147483647};
// Bounds of 48, 32 and 16 bits, which RESCALE narrows to.
constexpr int64_t kInt48s[] = {-140737488355328,
                               -140737488355327,
                               -4294967296,
                               -2147483649,
                               -2147483648,
                               -65536,
                               -32769,
                               -1,
                               0,
                               1,
                               2,
                               32767,
                               32768,
                               65535,
                               2147483647,
                               2147483648,
                               4294967295,
                               4294967296,
                               140737488355326,
                               140737488355327};

std::vector<double> MakeNastyFloats(DType type) {
  const FloatFormat& format = FormatOf(type);
  const double ulp = std::ldexp(1.0, -format.fraction_bits);  // of 1
  std::vector<double> positive = {
      format.normal_min * ulp,          // the least subnormal
      format.normal_min * (1.0 - ulp),  // the greatest subnormal
      format.normal_min,
      format.normal_min * (1.0 + ulp),
      ulp,            // 1 + x is a tie for its half, exact for x
      ulp / 2,        //
      0.5 - ulp / 4,  // rounds to 0; adding a half first rounds it to 1
      0.5,            // a tie between 0 and 1
      0.5 + ulp / 2,
      1.0 - ulp / 2,
      1.0,
      1.0 + ulp,  // odd last bit
      1.5,
      2.0,
      2.5,
      3.0,  // ties to either side
      7.0,
      127.0,
      127.5,
      128.0,  // around the bounds of i8: 127.5 saturates after rounding
      32767.0,
      32768.0,  // i16
      2147483520.0,
      2147483648.0,  // i32: the last fp32 below, and beyond
      1.0 / ulp,     // from here on all values are integers
      1.0 / ulp + 1.0,
      std::sqrt(format.max),  // squares just fit
      format.max / 2,
      format.max,
  };
  for (double& value : positive) value = RoundToType(type, value);
  std::erase_if(positive, [&](double value) { return !(value > 0 && value <= format.max); });
  std::sort(positive.begin(), positive.end());
  positive.erase(std::unique(positive.begin(), positive.end()), positive.end());
  std::vector<double> all;
  for (auto value = positive.rbegin(); value != positive.rend(); ++value) all.push_back(-*value);
  all.push_back(-0.0);
  all.push_back(0.0);
  all.insert(all.end(), positive.begin(), positive.end());
  return all;
}

// The bits of `a` where the mask is set, those of `b` elsewhere: draws take either at random, and a
// branch would be mispredicted as often as not.
uint64_t Choose(uint64_t mask, uint64_t a, uint64_t b) { return (a & mask) | (b & ~mask); }

// How fine the numbers of a float tensor are.
enum class Grain : uint8_t { kIntegers, kEighths, kAnyFraction, kAnyMagnitude };

// What is fixed for all elements of one float tensor.
struct FloatStyle {
  double low, high;
  double spread;  // what a fraction of is added to `low`
  Grain grain;
  // The bits of magnitudes below this one are replaced by these, beside their sign if it is kept.
  uint64_t replaced_below;
  uint64_t replacement;
  uint64_t kept_sign;
  std::span<const double> nasty;    // within [low, high]
  std::span<const double> special;  // in the special mode
  uint64_t special_in_8;            // how often; 0 without special values
};

FloatStyle DrawFloatStyle(Choices& choices, DType type, const ValueRange& range, ValueMode mode) {
  const FloatFormat& format = FormatOf(type);
  // At times nearly all elements are one special value and the others the greatest there are: what
  // a reduction starts from, or what stands for padding, must not show through.
  const bool one_special = mode == ValueMode::kSpecial && choices.OneIn(3);
  // Mostly modest, at times up to where squares still fit, or everything.
  constexpr std::array<double, 6> kModest = {1, 2, 4, 8, 16, 64};
  const uint64_t size = one_special ? 7 : choices.Below(8);
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
  style.grain = static_cast<Grain>(choices.Below(4));
  const bool subnormals = format.must_keep_subnormals || choices.OneIn(16);
  // Subnormals become zeros, but where there must be none: these and zeros become a bound.
  const bool to_bound = style.low > 0 || range.nonzero;
  const double least = range.nonzero ? std::numeric_limits<double>::denorm_min() : 0;
  style.replaced_below = std::bit_cast<uint64_t>(subnormals ? least : format.normal_min);
  const double bound = style.high != 0 ? style.high : style.low;
  style.replacement = to_bound ? std::bit_cast<uint64_t>(bound) : 0;
  style.kept_sign = to_bound ? 0 : kDoubleSign;
  const std::span<const double> nasty = NastyFloats(type);
  const auto begin = std::lower_bound(nasty.begin(), nasty.end(), style.low);
  const auto end = std::upper_bound(begin, nasty.end(), style.high);
  style.nasty = {begin, end};
  style.special = SpecialFloats(type);
  style.special_in_8 = mode != ValueMode::kFinite && range.may_be_special ? 1 : 0;
  if (one_special) {
    style.special = style.special.subspan(choices.Below(style.special.size()), 1);
    style.special_in_8 *= 6;
    if (!style.nasty.empty()) {
      style.nasty = choices.OneIn(2) ? style.nasty.first(1) : style.nasty.last(1);
    }
  }
  return style;
}

// std::nearbyint() for what is not beyond 2^51 anyway.
double Nearest(double value) {
  constexpr double kWhole = 0x1.8p52;
  return std::fabs(value) < 0x1p51 ? (value + kWhole) - kWhole : value;
}

// `value` made as coarse as the grain says.
template <Grain grain>
double Grained(double value, uint64_t word) {
  if constexpr (grain == Grain::kIntegers) return Nearest(value);
  if constexpr (grain == Grain::kEighths) return Nearest(value * 8) * 0.125;
  if constexpr (grain == Grain::kAnyMagnitude) {
    const uint64_t exponent = 1023 - ((word >> 4) & 15);
    return value * std::bit_cast<double>(exponent << 52);
  }
  return value;
}

// The number that 64 random bits stand for. It is rounded to the type when it is stored.
template <Grain grain>
[[gnu::always_inline]] inline double FloatOf(uint64_t word, const FloatStyle& style) {
  const uint64_t high_half = word >> 32;
  const auto below = [high_half](uint64_t bound) { return (high_half * bound) >> 32; };
  if ((word & 7) < style.special_in_8) return style.special[below(style.special.size())];
  const double unit = static_cast<double>(static_cast<int64_t>(high_half)) * 0x1p-32;
  double value = Grained<grain>(style.low + style.spread * unit, word);
  value = value < style.low ? style.low : value;
  value = value > style.high ? style.high : value;
  auto bits = std::bit_cast<uint64_t>(value);
  if (!style.nasty.empty()) {
    const auto nasty = std::bit_cast<uint64_t>(style.nasty[below(style.nasty.size())]);
    bits = Choose(((word >> 3) & 1) - 1, nasty, bits);
  }
  const bool replaced = (bits & ~kDoubleSign) < style.replaced_below;
  const uint64_t replacement = style.replacement | (bits & style.kept_sign);
  return std::bit_cast<double>(Choose(replaced ? ~uint64_t{0} : 0, replacement, bits));
}

template <Grain grain>
void DrawFloatsOf(Choices& choices, const FloatStyle& style, std::span<double> numbers) {
  choices.Take([&](auto& given) {
    auto source = given;  // copies can stay in registers
    const FloatStyle fixed = style;
    for (double& number : numbers) number = FloatOf<grain>(source.Next(), fixed);
    given = source;
  });
}

void DrawFloats(Choices& choices, const FloatStyle& style, std::span<double> numbers) {
  switch (style.grain) {
    case Grain::kIntegers:
      return DrawFloatsOf<Grain::kIntegers>(choices, style, numbers);
    case Grain::kEighths:
      return DrawFloatsOf<Grain::kEighths>(choices, style, numbers);
    case Grain::kAnyFraction:
      return DrawFloatsOf<Grain::kAnyFraction>(choices, style, numbers);
    case Grain::kAnyMagnitude:
      return DrawFloatsOf<Grain::kAnyMagnitude>(choices, style, numbers);
  }
}

struct IntegerStyle {
  int64_t low, high;
  uint64_t width;  // how many numbers there are; 0 for 2^64
  bool nonzero;
  // Those of the type within [low, high], and these two: as nasty as the bounds of the type.
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

// `narrow`: the numbers are few enough to be told apart by 32 bits.
template <bool narrow>
void DrawIntegersOf(Choices& choices, const IntegerStyle& style, std::span<int64_t> numbers) {
  const auto low = static_cast<uint64_t>(style.low);
  const uint64_t width = style.width;
  const uint64_t nasty_count = style.nasty_count;
  const bool nonzero = style.nonzero;
  choices.Take([&](auto& given) {
    auto source = given;
    for (int64_t& number : numbers) {
      const uint64_t word = source.Next();
      const uint64_t high_half = word >> 32;
      const bool is_nasty = (word & 1) == 0;
      const int64_t nasty = style.nasty[(high_half * nasty_count) >> 32];
      uint64_t offset = 0;
      if constexpr (narrow) {
        offset = (high_half * width) >> 32;
      } else if (!is_nasty) {
        offset = source.Below(width == 0 ? 1 : width);
      }
      const auto other = static_cast<int64_t>(low + offset);
      number = is_nasty ? nasty : other;
      if (nonzero && number == 0) number = style.high != 0 ? style.high : style.low;
    }
    given = source;
  });
}

void DrawIntegers(Choices& choices, const IntegerStyle& style, std::span<int64_t> numbers) {
  const bool narrow = style.width <= (uint64_t{1} << 32) && style.width != 0;
  narrow ? DrawIntegersOf<true>(choices, style, numbers)
         : DrawIntegersOf<false>(choices, style, numbers);
}

// The numbers of every class that lie within a range, from a random one on: the first elements of a
// tensor that sweeps.
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

// Room for the numbers of one tensor, the same for every tensor of a thread.
template <class Number>
std::span<Number> RoomForNumbers(size_t count) {
  static thread_local std::vector<Number> room;
  if (room.size() < count) room.resize(count);
  return std::span(room).first(count);
}

// Stores numbers as the elements of a tensor.
template <class Stored, class Number, class Encode>
void StoreAs(std::span<const Number> numbers, uint8_t* to, Encode encode) {
  for (const Number number : numbers) {
    const auto stored = static_cast<Stored>(encode(number));
    std::memcpy(to, &stored, sizeof(Stored));
    to += sizeof(Stored);
  }
}

void StoreFloats(DType type, std::span<const double> numbers, uint8_t* to) {
  WithFormat(type, [&]<const FloatFormat & format>() {
    StoreAs<FloatBits<format>>(numbers, to, EncodeAs<format>);
  });
}

void StoreIntegers(DType type, std::span<const int64_t> numbers, uint8_t* to) {
  const int width = ElementBytes(type);
  if (width == 1) return StoreAs<int8_t>(numbers, to, std::identity());
  if (width == 2) return StoreAs<int16_t>(numbers, to, std::identity());
  if (width == 4) return StoreAs<int32_t>(numbers, to, std::identity());
  StoreAs<int64_t>(numbers, to, std::identity());
}

}  // namespace

std::span<const int64_t> NastyIntegers(DType type) {
  switch (type) {
    case DType::kBool:
      return kBools;
    case DType::kInt4:
      return kInt4s;
    case DType::kInt8:
      return kInt8s;
    case DType::kInt16:
      return kInt16s;
    case DType::kInt32:
      return kInt32s;
    case DType::kInt48:
      return kInt48s;
    case DType::kUnknown:
    case DType::kFp32:
    case DType::kFp16:
    case DType::kBf16:
    case DType::kShape:
    case DType::kFp8e4m3:
    case DType::kFp8e5m2:
      return {};
  }
  return {};
}

std::span<const double> NastyFloats(DType type) {
  static const std::vector<double> fp32 = MakeNastyFloats(DType::kFp32);
  static const std::vector<double> fp16 = MakeNastyFloats(DType::kFp16);
  static const std::vector<double> bf16 = MakeNastyFloats(DType::kBf16);
  static const std::vector<double> fp8e4m3 = MakeNastyFloats(DType::kFp8e4m3);
  static const std::vector<double> fp8e5m2 = MakeNastyFloats(DType::kFp8e5m2);
  Check(IsFloat(type), "a floating-point type");
  if (type == DType::kFp32) return fp32;
  if (type == DType::kFp16) return fp16;
  if (type == DType::kBf16) return bf16;
  return type == DType::kFp8e4m3 ? fp8e4m3 : fp8e5m2;
}

std::span<const double> SpecialFloats(DType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity,
                                        -kInfinity};
  const std::span<const double> all = kSpecial;
  return FormatOf(type).has_infinity ? all : all.first(1);
}

std::span<const double> NumbersOfEveryClass(DType type) {
  static const std::map<DType, std::vector<double>> classes = [] {
    std::map<DType, std::vector<double>> all;
    for (const DType known : kAllTypes) {
      std::vector<double>& numbers = all[known];
      if (!IsFloat(known)) {
        const auto low = static_cast<double>(MinimumInteger(known));
        const auto high = static_cast<double>(MaximumInteger(known));
        numbers = {0, 1};
        if (known != DType::kBool) numbers.insert(numbers.end(), {-1, low, high});
        continue;
      }
      const FloatFormat& format = FormatOf(known);
      numbers = {1, -1, 0.0, -0.0, format.normal_min, NextUp(known, 0), format.max, -format.max};
      const std::span<const double> special = SpecialFloats(known);
      numbers.insert(numbers.end(), special.begin(), special.end());
    }
    return all;
  }();
  return classes.at(type);
}

ValueRange ValueRange::All(DType type) {
  if (IsFloat(type)) return Between(-FormatOf(type).max, FormatOf(type).max);
  return Between(static_cast<double>(MinimumInteger(type)),
                 static_cast<double>(MaximumInteger(type)));
}

Tensor DrawTensor(Choices& choices, const TensorType& type, const ValueRange& range,
                  ValueMode mode) {
  const auto count = static_cast<size_t>(type.shape.Elements());
  const auto owner = std::make_shared_for_overwrite<uint8_t[]>(
      count * static_cast<size_t>(ElementBytes(type.type)));
  // The numbers of the sweep, then what is drawn.
  std::vector<double> sweep;
  if (mode == ValueMode::kSweep) sweep = DrawSweep(choices, type.type, range);
  sweep.resize(std::min(sweep.size(), count));
  if (IsFloat(type.type)) {
    const FloatStyle style = DrawFloatStyle(choices, type.type, range, mode);
    const std::span<double> numbers = RoomForNumbers<double>(count);
    std::copy(sweep.begin(), sweep.end(), numbers.begin());
    DrawFloats(choices, style, numbers.subspan(sweep.size()));
    StoreFloats(type.type, numbers, owner.get());
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

Tensor DrawSplat(Choices& choices, const TensorType& type, const ValueRange& range,
                 ValueMode mode) {
  const Tensor one = DrawTensor(choices, {type.type, Shape{}}, range, mode);
  const int64_t element =
      IsFloat(type.type) ? static_cast<int64_t>(one.FloatBits(0)) : one.Integer(0);
  return Tensor::Splat(type.type, type.shape, element);
}

}  // namespace assay
