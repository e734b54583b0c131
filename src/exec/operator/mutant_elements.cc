// SPDX-License-Identifier: Apache-2.0
#include "mutant_elements.h"

#include <algorithm>
#include <cmath>

#include "float_format.h"
#include "lossy_rounding.h"

namespace assay {
namespace {

Scalar Negated(DType type, Scalar x) {
  return IsFloat(type) ? Scalar::OfFloat(-x.real()) : Scalar::OfInteger(-x.integer());
}

Scalar InFp32(DType type, Scalar x) {
  if (IsFloat(type)) return x;
  const double rounded = RoundToType(DType::kFp32, static_cast<double>(x.integer()));
  return Scalar::OfInteger(static_cast<int64_t>(rounded));
}

Scalar AsUnsigned(DType type, Scalar x) {
  const int bits = IntegerBits(type);
  if (IsFloat(type) || bits >= 64) return x;
  return Scalar::OfInteger(x.integer() & ((int64_t{1} << bits) - 1));
}

Scalar StepFrom(DType type, Scalar x, int64_t step) {
  if (IsFloat(type)) return x;
  const int64_t low = MinimumInteger(type), high = MaximumInteger(type);
  return Scalar::OfInteger(step > 0 ? std::min(x.integer(), high - step) + step
                                    : std::max(x.integer(), low - step) + step);
}

Scalar ChangedFloat(const Mutant& mutant, DType type, Scalar x) {
  const double value = x.real();
  const double most = mutant.detail.b;
  switch (mutant.twist) {
    case Twist::kOperandLimited:
      return std::isnan(value) ? x : Scalar::OfFloat(std::clamp(value, -most, most));
    case Twist::kOperandNarrow:
      return Scalar::OfFloat(NarrowFloat(type, value));
    case Twist::kOperandNanZero:
    case Twist::kResultNanZero:
      return std::isnan(value) ? Scalar::OfFloat(0) : x;
    case Twist::kOperandInfinityFinite:
    case Twist::kResultInfinityFinite:
      return std::isinf(value) ? Scalar::OfFloat(std::copysign(FormatOf(type).max, value)) : x;
    case Twist::kOperandZeroUnsigned:
      return value == 0 ? Scalar::OfFloat(0) : x;
    default:
      return x;
  }
}

// Returns the row-major strides of a shape.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 2; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    strides[at] = strides[at + 1] * shape[i + 1];
  }
  return strides;
}

// Sets to[index] = from[offset]. The offset is the sum of `along(axis, index of the axis)`.
template <class Along>
Elements Gathered(const Elements& from, const Shape& shape, Along along) {
  const std::vector<int64_t> strides = Strides(shape);
  Elements to(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < to.size(); ++i) {
    int64_t offset = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int64_t step = strides[static_cast<size_t>(axis)];
      offset += along(axis, static_cast<int64_t>(i) / step % shape[axis]);
    }
    to[i] = from[static_cast<size_t>(std::min<int64_t>(offset, std::ssize(from) - 1))];
  }
  return to;
}

}  // namespace

Scalar Held(DType type, Scalar x) {
  if (IsFloat(type) || type == DType::kShape) return x;
  if (type == DType::kBool) return Scalar::OfInteger(x.integer() != 0);
  return Scalar::OfInteger(WrapInteger(IntegerBits(type), x.integer()));
}

Scalar Changed(const Mutant& mutant, DType type, Scalar x) {
  switch (mutant.twist) {
    case Twist::kOperandLowBits:
      return IsFloat(type) ? x
                           : Scalar::OfInteger(x.integer() & ((int64_t{1} << mutant.detail.b) - 1));
    case Twist::kOperandZeroed:
      return IsFloat(type) ? Scalar::OfFloat(0) : Scalar::OfInteger(0);
    case Twist::kOperandIncremented:
      return StepFrom(type, x, 1);
    case Twist::kOperandDecremented:
      return StepFrom(type, x, -1);
    case Twist::kOperandNegated:
    case Twist::kResultNegated:
      return Negated(type, x);
    case Twist::kOperandMagnitude:
      return (IsFloat(type) ? std::signbit(x.real()) : x.integer() < 0) ? Negated(type, x) : x;
    case Twist::kOperandUnsigned:
      return AsUnsigned(type, x);
    case Twist::kOperandInFp32:
    case Twist::kResultInFp32:
      return InFp32(type, x);
    default:
      return IsFloat(type) ? ChangedFloat(mutant, type, x) : x;
  }
}

bool ChangesSome(const Mutant& mutant, DType type) {
  std::vector<Scalar> telling;
  if (IsFloat(type)) {
    const FloatFormat& format = FormatOf(type);
    for (const double x : {0.0, -0.0, 1 + std::ldexp(1.0, -format.fraction_bits), -1.0, format.max,
                           HUGE_VAL, std::nan("")}) {
      telling.push_back(Scalar::OfFloat(RoundToType(type, x)));
    }
  } else {
    const int64_t low = MinimumInteger(type), high = MaximumInteger(type);
    for (const int64_t x : {int64_t{0}, low, high}) telling.push_back(Scalar::OfInteger(x));
  }
  return std::ranges::any_of(
      telling, [&](Scalar x) { return x.integer() != Changed(mutant, type, x).integer(); });
}

Elements Numbered(size_t count) {
  Elements elements;
  for (size_t i = 1; i <= count; ++i) {
    elements.push_back(Scalar::OfInteger(static_cast<int64_t>(i)));
  }
  return elements;
}

bool AreEqual(const Elements& a, const Elements& b) {
  return std::ranges::equal(a, b, {}, &Scalar::integer, &Scalar::integer);
}

Elements BatchRepeated(const Elements& from, const Shape& shape) {
  const int64_t batches = shape.rank() == 0 ? 1 : std::max(shape[0], 1);
  const size_t slice = from.size() / static_cast<size_t>(batches);
  Elements to = from;
  for (size_t i = slice; i < to.size(); ++i) to[i] = from[i % slice];
  return to;
}

Elements Reordered(Twist twist, const Elements& from, const Shape& shape) {
  const size_t size = from.size();
  Elements to = from;
  switch (twist) {
    case Twist::kOperandFirstOnly:
      std::fill(to.begin(), to.end(), from[0]);
      return to;
    case Twist::kOperandShifted:
      std::rotate(to.begin(), to.begin() + 1, to.end());
      return to;
    case Twist::kOperandReversed:
      std::reverse(to.begin(), to.end());
      return to;
    case Twist::kOperandPairsExchanged:
      for (size_t i = 0; i + 1 < size; i += 2) std::swap(to[i], to[i + 1]);
      return to;
    case Twist::kOperandHalvesExchanged:
      std::rotate(to.begin(), to.begin() + static_cast<ptrdiff_t>(size / 2), to.end());
      return to;
    case Twist::kOperandBatchRepeated:
    case Twist::kBatchRepeated:
      return BatchRepeated(from, shape);
    default:
      return to;
  }
}

Elements Fitted(const Elements& from, const Shape& from_shape, const Shape& to) {
  if (from_shape.rank() != to.rank()) {
    Elements fitted(static_cast<size_t>(to.Elements()));
    for (size_t i = 0; i < fitted.size(); ++i) fitted[i] = from[std::min(i, from.size() - 1)];
    return fitted;
  }
  const std::vector<int64_t> strides = Strides(from_shape);
  return Gathered(from, to, [&](int axis, int64_t index) {
    return std::min<int64_t>(index, from_shape[axis] - 1) * strides[static_cast<size_t>(axis)];
  });
}

Elements ColumnMajor(const Elements& from, const Shape& shape) {
  Shape reversed = shape;
  for (int i = 0; i < shape.rank(); ++i) reversed[i] = shape[shape.rank() - 1 - i];
  const std::vector<int64_t> strides = Strides(shape);
  return Gathered(from, reversed, [&](int axis, int64_t index) {
    return index * strides[static_cast<size_t>(shape.rank() - 1 - axis)];
  });
}

Elements RowsReversed(const Elements& from, const Shape& shape) {
  const std::vector<int64_t> strides = Strides(shape);
  return Gathered(from, shape, [&](int axis, int64_t index) {
    const int64_t seen = axis + 1 == shape.rank() ? shape[axis] - 1 - index : index;
    return seen * strides[static_cast<size_t>(axis)];
  });
}

Elements ElementsRepeated(const Elements& from, const Shape& shape, const Shape& to) {
  const std::vector<int64_t> strides = Strides(shape);
  return Gathered(from, to, [&](int axis, int64_t index) {
    return index / (to[axis] / shape[axis]) * strides[static_cast<size_t>(axis)];
  });
}

}  // namespace assay
