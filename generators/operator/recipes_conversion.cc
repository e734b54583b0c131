// SPDX-License-Identifier: Apache-2.0
// Recipes of CAST, RESCALE and TABLE.
#include <algorithm>
#include <array>
#include <cmath>

#include "float_format.h"
#include "recipe.h"

namespace assay {
namespace {

constexpr std::string_view kCastClasses[] = {"in-range", "any-value", "ties", "rank-0", "rank-max"};

// Returns values halfway between neighbours of the type cast to, rounded to the type cast from. In
// the special mode they may be halfway between the greatest number and the next one if there were
// one.
std::vector<double> TiesBetween(Draft& draft, const Shape& shape, DType from, DType to) {
  const Tensor lower =
      DrawTensor(draft.choices(), {to, shape}, ValueRange::All(to), ValueMode::kFinite);
  std::vector<double> ties;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    const double below = lower.Float(i);
    const double above = below < FormatOf(to).max ? NextUp(to, below)
                         : draft.special()        ? 2 * below - NextDown(to, below)
                                                  : below;
    ties.push_back(RoundToType(from, (below + above) / 2));
  }
  return ties;
}

// Returns multiples of one half, with even and odd integers below.
std::vector<double> Halves(Draft& draft, const Shape& shape) {
  std::vector<double> halves;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    halves.push_back(static_cast<double>(draft.choices().Between(-16, 15)) / 2);
  }
  return halves;
}

bool ProposeCast(Draft& draft) {
  const DType from = draft.type("in_t");
  const DType to = draft.type("out_t");
  const int cls = draft.attribute_class();
  const int highest = draft.builder().level().max_rank;
  ValueRange range = ValueRange::All(from);
  if (IsFloat(to)) {
    const double most = FormatOf(to).max;
    if (range.high > most && !draft.special()) range = ValueRange::Between(-most, most);
  } else if (IsFloat(from)) {
    // No integer is a NaN (reading `cast-nan`); beyond the range it saturates.
    range.may_be_special = false;
    if (cls != 1) range = ValueRange::All(to);
    range.may_be_special = false;
  }
  if (cls == 2 && IsFloat(from)) {
    const Shape shape = draft.DrawShape(0, kAnyRank, draft.elements_max());
    const bool narrows = IsFloat(to) && FormatOf(to).fraction_bits < FormatOf(from).fraction_bits;
    draft.FreshOf(Tensor::FromFloats(
        from, shape, narrows ? TiesBetween(draft, shape, from, to) : Halves(draft, shape)));
  } else {
    draft.Any(from, cls == 4 ? highest : 0, cls == 3 ? 0 : kAnyRank, range);
  }
  return true;
}

constexpr std::string_view kRescaleClasses[] = {"scale32",
                                                "scale16",
                                                "per-channel",
                                                "double-round",
                                                "inexact-round",
                                                "zero-points",
                                                "input-unsigned",
                                                "output-unsigned",
                                                "small-shift",
                                                "per-channel-scale16",
                                                "lowest-zero-points",
                                                "highest-zero-points"};
constexpr int kLowestZeroPointsClass = 10;

// Returns true if the target has an extension. An empty target has all.
bool Has(const Draft& draft, Feature feature) {
  const Requirements& target = const_cast<Draft&>(draft).builder().options().target;
  return target.Empty() || target.Contains(feature);
}

struct Scales {
  std::vector<int64_t> multipliers, shifts;
  int64_t least_shift = 62;
};

Scales DrawScales(Draft& draft, int64_t count, bool scale32, DType in, bool small) {
  Scales scales;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t top = scale32 ? (int64_t{1} << 31) - 1 : (1 << 15) - 1;
    // Mostly normalised, as compilers emit them; sometimes one, zero or a power of two.
    const uint64_t kind = draft.choices().Below(8);
    const int64_t multiplier = kind < 5    ? draft.choices().Between(top / 2 + 1, top)
                               : kind == 5 ? top
                               : kind == 6 ? top / 2 + 1
                                           : draft.choices().Between(0, 2);
    // From here on no element is too great for the shift.
    const int64_t always = in == DType::kInt48 ? 31 : in == DType::kInt32 ? 33 : 18;
    const int64_t shift = small ? draft.choices().Between(2, always - 1)
                                : draft.choices().Between(always, scale32 ? 62 : 47);
    scales.multipliers.push_back(multiplier);
    scales.shifts.push_back(shift);
    scales.least_shift = std::min(scales.least_shift, shift);
  }
  return scales;
}

// Returns a zero point of i8 or, if unsigned, of u8 or u16, stored in the signed type.
int64_t RescaleZeroPoint(Draft& draft, DType type, bool is_unsigned) {
  const int cls = draft.attribute_class();
  if (type == DType::kInt8 && cls >= kLowestZeroPointsClass) {
    return cls == kLowestZeroPointsClass ? -128 : 127;
  }
  if (type == DType::kInt8) {
    constexpr std::array<int64_t, 4> kBounds = {-128, 127, 0, -1};
    return draft.choices().Below(2) == 0 ? draft.choices().Pick(kBounds)
                                         : draft.choices().Between(-128, 127);
  }
  if (type == DType::kInt16 && is_unsigned) return draft.choices().Below(2) == 0 ? 0 : -32768;
  return 0;
}

bool ProposeRescale(Draft& draft) {
  const DType in = draft.type("in_t");
  const DType out = draft.type("out_t");
  const int cls = draft.attribute_class();
  const bool narrow_in = in == DType::kInt8 || in == DType::kInt16;
  const bool narrow_out = out == DType::kInt8 || out == DType::kInt16;
  const bool scale32 = in != DType::kInt48 && cls != 1 && cls != 9;
  // The classes of the other rounding modes combine with all variants of the first one.
  const uint64_t mix = cls == 3 || cls == 4 ? draft.choices().Below(6) : 0;
  const bool per_channel = cls == 2 || cls == 9 || mix == 1;
  const bool in_unsigned = (cls == 6 || mix == 2) && narrow_in && narrow_out;
  const bool out_unsigned = (cls == 7 || mix == 3) && narrow_in && narrow_out;
  RoundingMode rounding = RoundingMode::kSingleRound;
  if (cls == 3 && scale32 && Has(draft, Feature::kExtDoubleround)) {
    rounding = RoundingMode::kDoubleRound;
  }
  if (cls == 4 && Has(draft, Feature::kExtInexactround)) rounding = RoundingMode::kInexactRound;

  // The scale decides which elements are in range, so it is drawn for the most channels there can
  // be.
  const bool small = cls == 8;
  const int64_t channels = per_channel ? draft.elements_max() : 1;
  Scales scales = DrawScales(draft, std::min<int64_t>(channels, 64), scale32, in, small);
  ValueRange range = ValueRange::All(in);
  if (small || in == DType::kInt32) {
    // |x - zero point| < 2^(shift - 1); the product shifted fits an i32.
    const double most = std::ldexp(1.0, static_cast<int>(scales.least_shift) - (scale32 ? 1 : -14));
    const double room = narrow_in ? std::max(most - 65536, 1.0) : most - 1;
    range = ValueRange::Between(std::max(range.low, -room), std::min(range.high, room));
  }
  draft.Any(in, per_channel ? 1 : 0, kAnyRank, range,
            [&](const Shape& shape) { return !per_channel || shape[shape.rank() - 1] <= 64; });
  if (per_channel) {
    const Shape& shape = draft.shape();
    const auto count = static_cast<size_t>(shape[shape.rank() - 1]);
    if (count > scales.multipliers.size()) return false;
    scales.multipliers.resize(count);
    scales.shifts.resize(count);
  }
  const Shape list = {static_cast<int32_t>(scales.multipliers.size())};
  draft.Constant(
      Tensor::FromIntegers(scale32 ? DType::kInt32 : DType::kInt16, list, scales.multipliers));
  draft.Constant(Tensor::FromIntegers(DType::kInt8, list, scales.shifts));
  const bool zero_points =
      (cls >= 5 && cls <= 7) || cls >= kLowestZeroPointsClass || (mix >= 2 && mix <= 4);
  draft.Constant(in, zero_points ? RescaleZeroPoint(draft, in, in_unsigned) : 0);
  draft.Constant(out, zero_points ? RescaleZeroPoint(draft, out, out_unsigned) : 0);
  draft.Set(AttributeId::kScale32, scale32);
  draft.Set(AttributeId::kRoundingMode, static_cast<int32_t>(rounding));
  draft.Set(AttributeId::kPerChannel, per_channel);
  draft.Set(AttributeId::kInputUnsigned, in_unsigned);
  draft.Set(AttributeId::kOutputUnsigned, out_unsigned);
  return true;
}

constexpr std::string_view kTableClasses[] = {"any", "ramp", "steps", "constant"};

bool ProposeTable(Draft& draft) {
  const DType type = draft.type("in_t");
  const DType entry = draft.type("table_t");
  draft.Any(type, 0, kAnyRank);
  const int32_t size = entry == DType::kInt8 ? 256 : 513;
  const Shape shape = {size};
  switch (draft.attribute_class()) {
    case 0: {
      // Neighbours of the 16-bit table may differ by no more than an i16 holds.
      const ValueRange range =
          entry == DType::kInt8 ? ValueRange::All(entry) : ValueRange::Between(-16384, 16383);
      draft.Constant(DrawTensor(draft.choices(), {entry, shape}, range, ValueMode::kFinite));
      break;
    }
    case 1: {
      std::vector<int64_t> ramp;
      for (int64_t i = 0; i < size; ++i) {
        ramp.push_back(entry == DType::kInt8 ? 127 - i : std::min<int64_t>(32767, 128 * i - 32768));
      }
      draft.Constant(Tensor::FromIntegers(entry, shape, ramp));
      break;
    }
    case 2: {
      std::vector<int64_t> steps;
      const int64_t high = entry == DType::kInt8 ? 127 : 16383;
      for (int64_t i = 0; i < size; ++i) steps.push_back(i % 2 == 0 ? high : -high - 1);
      draft.Constant(Tensor::FromIntegers(entry, shape, steps));
      break;
    }
    default:
      draft.Constant(Tensor::Splat(entry, shape, draft.choices().Between(-128, 127)));
      break;
  }
  return true;
}

constexpr Recipe kConversionRecipes[] = {
    {Op::kCast, kCastClasses, ProposeCast},
    {Op::kRescale, kRescaleClasses, ProposeRescale},
    {Op::kTable, kTableClasses, ProposeTable},
};

}  // namespace

std::span<const Recipe> ConversionRecipes() { return kConversionRecipes; }

}  // namespace assay
