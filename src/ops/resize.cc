// SPDX-License-Identifier: Apache-2.0
#include "levels.h"
#include "pooling.h"

namespace assay::ops {
namespace {

// The largest entry of scale, offset or border that is calculated with.
constexpr int64_t kEntryMax = 2147483647;

// Returns true if sums and products with the entry cannot overflow.
bool IsCalculable(int64_t entry) { return entry >= -kEntryMax && entry <= kEntryMax; }

// One of the two axes, by the names of the pseudocode without y or x.
struct ResizeAxis {
  ResizeAxis(const Signature& s, int axis)  // 0 for y, 1 for x
      : scale_n(s.ConstantInteger(1, 2 * axis)),
        scale_d(s.ConstantInteger(1, 2 * axis + 1)),
        offset(s.ConstantInteger(2, axis)),
        border(s.ConstantInteger(3, axis)),
        I(s.shape(0)[axis + 1]) {}

  // Returns the number that idiv_check divides by scale_d.
  int64_t Span() const { return (I - 1) * scale_n - offset + border; }
  // Returns true if this division is possible and its dividend does not overflow.
  bool HasSpan() const {
    return IsCalculable(scale_n) && IsCalculable(scale_d) && IsCalculable(offset) &&
           IsCalculable(border) && scale_d >= 1;
  }

  // Returns true if n / d <= limit as rational numbers (reading `resize-max-scale`).
  bool ScaleIsWithin(int64_t limit) const {
    return scale_d < 1 || scale_n / limit + (scale_n % limit > 0 ? 1 : 0) <= scale_d;
  }

  int64_t scale_n, scale_d, offset, border, I;
};

// Returns the one output type that the mode and the input type allow (reading `resize-mode-row`).
DType OutputType(const Signature& s, ResizeMode mode) {
  if (mode == ResizeMode::kBilinear && s.in(0) == DType::kInt8) return DType::kInt32;
  if (mode == ResizeMode::kBilinear && s.in(0) == DType::kInt16) return DType::kInt48;
  return s.in(0);
}

ResizeMode ModeOf(const Signature& s) {
  return static_cast<ResizeMode>(s.attributes->Int(AttributeId::kMode));
}

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  if (s.shape(0).rank() != 4) return false;
  if (s.ConstantCount(1) != 4 || s.ConstantCount(2) != 2 || s.ConstantCount(3) != 2) return false;
  Shape out = s.shape(0);
  for (const int axis : {0, 1}) {
    const ResizeAxis a(s, axis);
    if (!a.HasSpan()) return false;
    const int64_t O = DividedDimension(a.Span(), a.scale_d);
    if (O < 1 || O > MaximumInteger(DType::kInt32)) return false;
    out[axis + 1] = static_cast<int32_t>(O);
  }
  outputs.assign(1, {OutputType(s, ModeOf(s)), out});
  return true;
}

void Checks(const Signature& s, const Level& level, Judgement& j) {
  const ResizeMode other =
      ModeOf(s) == ResizeMode::kNearest ? ResizeMode::kBilinear : ResizeMode::kNearest;
  j.ErrorIf(s.out() != OutputType(s, ModeOf(s)) && s.out() == OutputType(s, other),
            "RESIZE/ERROR_IF/mode-types");
  if (!j.valid() && j.broken() == nullptr) return;
  const ResizeAxis y(s, 0);
  const ResizeAxis x(s, 1);
  const Shape& to = s.out_shape();
  j.Require(y.ScaleIsWithin(level.max_scale), "RESIZE/LEVEL_CHECK/1");
  j.Require(x.ScaleIsWithin(level.max_scale), "RESIZE/LEVEL_CHECK/2");
  j.ErrorIf(std::max({to[1], to[2], s.shape(0)[1], s.shape(0)[2]}) >= 16384, "RESIZE/ERROR_IF/1");
  j.ErrorIf(y.scale_n <= 0 || y.scale_d <= 0 || x.scale_n <= 0 || x.scale_d <= 0,
            "RESIZE/ERROR_IF/2");
  j.ErrorIf(y.scale_n > 2048 || x.scale_n > 2048, "RESIZE/ERROR_IF/3");
  if (!IsCalculable(y.scale_n) || !IsCalculable(x.scale_n)) return;
  j.ErrorIf(y.scale_d >= 16 * y.scale_n || x.scale_d >= 16 * x.scale_n, "RESIZE/ERROR_IF/4");
  j.ErrorIf(y.offset < -y.scale_n || y.offset >= 16 * y.scale_n, "RESIZE/ERROR_IF/5");
  j.ErrorIf(x.offset < -x.scale_n || x.offset >= 16 * x.scale_n, "RESIZE/ERROR_IF/6");
  j.ErrorIf(y.border < -16 * y.scale_n || y.border >= y.scale_n, "RESIZE/ERROR_IF/7");
  j.ErrorIf(x.border < -16 * x.scale_n || x.border >= x.scale_n, "RESIZE/ERROR_IF/8");
  if (y.HasSpan()) {
    j.ErrorIf(y.Span() % y.scale_d != 0, "RESIZE/ERROR_IF/idiv_check");
    j.ErrorIf(to[1] != y.Span() / y.scale_d + 1, "RESIZE/ERROR_IF/9");
  }
  if (x.HasSpan()) {
    j.ErrorIf(x.Span() % x.scale_d != 0, "RESIZE/ERROR_IF/idiv_check");
    j.ErrorIf(to[2] != x.Span() / x.scale_d + 1, "RESIZE/ERROR_IF/10");
  }
}

// The place of an output index along an axis: between elements i0 and i1, r / scale_n of the way.
struct Place {
  int64_t i0, i1, r, scale_n;
  int64_t nearest, other_nearest;  // elements: the one that NEAREST takes, the one that it may take

  // Returns the weight of i0 (corner 0) or i1 (corner 1), in parts of scale_n.
  int64_t Weight(int corner) const { return corner == 0 ? scale_n - r : r; }
  double Fraction() const { return static_cast<double>(r) / static_cast<double>(scale_n); }
};

// Reports whether r / n and 0.5 compare in another way if a float type rounds the operands of the
// division, its result, or both (reading `resize-nearest`).
bool RoundingMovesNearest(DType type, double r, double n) {
  const bool exact = r / n >= 0.5;
  const double of_rounded = RoundToType(type, r) / RoundToType(type, n);
  for (const double fraction :
       {of_rounded, RoundToType(type, of_rounded), RoundToType(type, r / n)}) {
    if ((fraction >= 0.5) != exact) return true;
  }
  return false;
}

std::vector<Place> PlacesOf(const ResizeAxis& axis, int64_t count, DType type) {
  std::vector<Place> places;
  for (int64_t o = 0; o < count; ++o) {
    const int64_t n = axis.scale_n;
    const int64_t position = o * axis.scale_d + axis.offset;
    const int64_t r = (position % n + n) % n;
    const int64_t i = (position - r) / n;  // idiv_floor
    const int64_t i0 = std::max<int64_t>(i, 0);
    const int64_t i1 = std::min(i + 1, axis.I - 1);
    const bool takes_next = 2 * r >= n;
    const bool moves =
        IsFloat(type) && RoundingMovesNearest(type, static_cast<double>(r), static_cast<double>(n));
    places.push_back({i0, i1, r, n, takes_next ? i1 : i0, takes_next != moves ? i1 : i0});
  }
  return places;
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const auto mode = static_cast<ResizeMode>(call.attributes().Int(AttributeId::kMode));
  const DType type = call.out();
  const Shape& from = call.shape();
  const Shape& to = call.out_shape();
  const std::vector<Element>& input = *call.input(0).elements;
  const bool interpolates_floats = IsFloat(type) && mode == ResizeMode::kBilinear;
  const double maximum = interpolates_floats ? d.MaximumMagnitude(type, input).value_or(0) : 0;
  const auto bilinear = [&](std::span<const Element, 4> corners, const Place& y, const Place& x) {
    if (IsFloat(type)) return d.Bilinear(type, maximum, corners, y.Fraction(), x.Fraction());
    // At most 2^15 * 2^11 * 2^11 in magnitude: the weights are parts of a whole.
    Element acc = d.Integer(0);
    for (const int i : {0, 1, 2, 3}) {
      const Element weight = d.Integer(y.Weight(i / 2) * x.Weight(i % 2));
      acc = d.AddInteger(acc, d.MulInteger(corners[static_cast<size_t>(i)], weight));
    }
    return acc;
  };
  const std::vector<Place> rows = PlacesOf(ResizeAxis(call.signature, 0), to[1], type);
  const std::vector<Place> columns = PlacesOf(ResizeAxis(call.signature, 1), to[2], type);
  size_t at = 0;
  for (int64_t n = 0; n < to[0]; ++n) {
    for (const Place& y : rows) {
      for (const Place& x : columns) {
        for (int64_t c = 0; c < to[3]; ++c) {
          const auto element = [&](int64_t iy, int64_t ix) {
            return input[static_cast<size_t>(((n * from[1] + iy) * from[2] + ix) * from[3] + c)];
          };
          if (mode == ResizeMode::kNearest) {
            Element taken = element(y.nearest, x.nearest);
            if constexpr (std::is_same_v<D, BoundDomain>) {
              for (const int64_t iy : {y.nearest, y.other_nearest}) {
                for (const int64_t ix : {x.nearest, x.other_nearest}) {
                  if (iy == y.nearest && ix == x.nearest) continue;
                  taken = d.EitherOf(type, taken, element(iy, ix));
                }
              }
            }
            call.output()[at++] = taken;
            continue;
          }
          const Element corners[] = {element(y.i0, x.i0), element(y.i0, x.i1), element(y.i1, x.i0),
                                     element(y.i1, x.i1)};
          call.output()[at++] = d.Store(type, bilinear(corners, y, x));
        }
      }
    }
  }
}

constexpr Example kExamples[] = {
    // Rows at -1/3, 1/3, 1, 5/3 and columns at -1/4, 1/4, 3/4, 5/4 of 10 20 / 40 80: outside the
    // image the border goes on. Columns in quarters: 40 50 70 80 / 160 200 280 320; rows in thirds:
    // 3 times the first, twice the first and the second, 3 times the second, twice.
    {"i8[1,2,2,1]{10,20,40,80} shape[4]{3,2,4,2} shape[2]{-1,-1} shape[2]{2,1}", "mode=BILINEAR",
     "i32[1,4,4,1]{120,150,210,240,240,300,420,480,480,600,840,960,480,600,840,960}"},
    // The nearest of the same places: rows 0,0,1,1 (-1/3 is met by 2/3 of the way from -1 to 0),
    // columns 0,0,1,1.
    {"i8[1,2,2,1]{10,20,40,80} shape[4]{3,2,4,2} shape[2]{-1,-1} shape[2]{2,1}", "mode=NEAREST",
     "i8[1,4,4,1]{10,10,20,20,10,10,20,20,40,40,80,80,40,40,80,80}"},
    // Halfway the later one is the nearest: rows at 0, 1/2, 1; columns at 1/2 and at 3/2, beyond
    // which there is no other.
    {"i16[1,2,2,1]{1,2,3,4} shape[4]{2,1,2,2} shape[2]{0,1} shape[2]{0,1}", "mode=NEAREST",
     "i16[1,3,2,1]{2,2,4,4,4,4}"},
    // Every second row from 1 on, every third column from 0 on, of 1 2 3 4 / 5 6 7 8 / 9 10 11 12 /
    // 13 14 15 16.
    {"i8[1,4,4,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} shape[4]{1,2,1,3} shape[2]{1,0} "
     "shape[2]{0,0}",
     "mode=NEAREST", "i8[1,2,2,1]{5,8,13,16}"},
    // The same without interpolation by BILINEAR; a border of -1 or -3 leaves out the last.
    {"i8[1,4,4,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} shape[4]{1,2,1,3} shape[2]{1,0} "
     "shape[2]{-2,-3}",
     "mode=BILINEAR", "i32[1,1,1,1]{5}"},
    // Two images of two channels, columns at 1/3 and 2/3: 2*1+1*3, 2*-2-4, 1+2*3, -2-2*4; 2*5+7,
    // 2*-6-8, 5+2*7, -6-2*8.
    {"i16[2,1,2,2]{1,-2,3,-4,5,-6,7,-8} shape[4]{1,1,3,1} shape[2]{0,1} shape[2]{0,-1}",
     "mode=BILINEAR", "i48[2,1,2,2]{5,-8,7,-10,17,-20,19,-22}"},
    // A row at 1/2, a column at 1/4: 1*3 + 2*1 + 3*3 + 5*1 eighths; the scales are multiplied.
    {"i8[1,2,2,1]{1,2,3,5} shape[4]{2,1,4,1} shape[2]{1,1} shape[2]{-1,-3}", "mode=BILINEAR",
     "i32[1,1,1,1]{19}"},
    // 2048 * 2048 * 32767 = 137434759168 is no i32.
    {"i16[1,1,1,1]{32767} shape[4]{2048,8,2048,8} shape[2]{0,0} shape[2]{0,0}", "mode=BILINEAR",
     "i48[1,1,1,1]{137434759168}"},
    // Floats are divided: (1*3 + 2*1 + 3*3 + 5*1) / 8.
    {"fp32[1,2,2,1]{1,2,3,5} shape[4]{2,1,4,1} shape[2]{1,1} shape[2]{-1,-3}", "mode=BILINEAR",
     "fp32[1,1,1,1]{2.375}"},
    // 2049 and 2051 lie halfway between numbers of fp16: to 2048 and 2052, which are even.
    {"fp16[1,1,3,1]{2048,2050,2052} shape[4]{1,1,2,2} shape[2]{0,1} shape[2]{0,-1}",
     "mode=BILINEAR", "fp16[1,1,2,1]{2048,2052}"},
    // A corner counts also with the weight 0: 1*1 + NaN*0; 1*1 + inf*0. With no weight of 0:
    // (1 + 2 + inf + 4) / 4. The nearest is one element.
    {"fp32[1,1,2,1]{1,nan} shape[4]{1,1,2,1} shape[2]{0,0} shape[2]{0,-1}", "mode=BILINEAR",
     "fp32[1,1,2,1]{nan,nan}"},
    {"fp32[1,2,1,1]{1,inf} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{-1,0}", "mode=BILINEAR",
     "fp32[1,1,1,1]{nan}"},
    {"bf16[1,2,2,1]{1,2,inf,4} shape[4]{2,1,2,1} shape[2]{1,1} shape[2]{-1,-1}", "mode=BILINEAR",
     "bf16[1,1,1,1]{inf}"},
    {"fp32[1,1,2,1]{-0,nan} shape[4]{1,1,2,1} shape[2]{0,0} shape[2]{0,0}", "mode=NEAREST",
     "fp32[1,1,3,1]{-0,nan,nan}"},
    // At the limits of the ERROR_IFs: 16383 rows or columns, of the input and of the output.
    {"i8[1,16383,1,1]{3} shape[4]{1,15,1,1} shape[2]{0,0} shape[2]{-2,0}", "mode=NEAREST",
     "i8[1,1093,1,1]{3}"},
    {"i8[1,1,16383,1]{3} shape[4]{1,1,1,15} shape[2]{0,0} shape[2]{0,-2}", "mode=BILINEAR",
     "i32[1,1,1093,1]{3}"},
    {"i8[1,129,1,1]{3} shape[4]{128,1,1,1} shape[2]{0,0} shape[2]{-2,0}", "mode=BILINEAR",
     "i32[1,16383,1,1]{384}"},
    {"i8[1,1,129,1]{3} shape[4]{1,1,128,1} shape[2]{0,0} shape[2]{0,-2}", "mode=NEAREST",
     "i8[1,1,16383,1]{3}"},
    // The least and the greatest offset and border: rows at -1 and 0; at 15 of 16; at 0 of 17; at 0
    // and 1/2 (to 1, which is beyond: the last).
    {"i8[1,1,1,1]{3} shape[4]{1,1,1,1} shape[2]{-1,0} shape[2]{0,0}", "mode=NEAREST",
     "i8[1,2,1,1]{3}"},
    {"i8[1,1,1,1]{3} shape[4]{1,1,1,1} shape[2]{0,-1} shape[2]{0,0}", "mode=BILINEAR",
     "i32[1,1,2,1]{3}"},
    {"i8[1,16,1,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} shape[4]{1,1,1,1} shape[2]{15,0} "
     "shape[2]{0,0}",
     "mode=BILINEAR", "i32[1,1,1,1]{16}"},
    {"i8[1,1,16,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} shape[4]{1,1,1,1} shape[2]{0,15} "
     "shape[2]{0,0}",
     "mode=NEAREST", "i8[1,1,1,1]{16}"},
    {"i8[1,17,1,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17} shape[4]{1,1,1,1} shape[2]{0,0} "
     "shape[2]{-16,0}",
     "mode=BILINEAR", "i32[1,1,1,1]{1}"},
    {"i8[1,1,17,1]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17} shape[4]{1,1,1,1} shape[2]{0,0} "
     "shape[2]{0,-16}",
     "mode=NEAREST", "i8[1,1,1,1]{1}"},
    {"i8[1,1,1,1]{1} shape[4]{2,1,2,1} shape[2]{0,0} shape[2]{1,1}", "mode=NEAREST",
     "i8[1,2,2,1]{1}"},
    // Beyond them.
    {"i8[1,16384,1,1]{3} shape[4]{1,15,1,1} shape[2]{0,0} shape[2]{-3,0}",
     "mode=NEAREST output=i8[1,1093,1,1]", "error RESIZE/ERROR_IF/1"},
    {"i8[1,1,16384,1]{3} shape[4]{1,1,1,15} shape[2]{0,0} shape[2]{0,-3}",
     "mode=NEAREST output=i8[1,1,1093,1]", "error RESIZE/ERROR_IF/1"},
    {"i8[1,129,1,1]{3} shape[4]{128,1,1,1} shape[2]{0,0} shape[2]{-1,0}",
     "mode=NEAREST output=i8[1,16384,1,1]", "error RESIZE/ERROR_IF/1"},
    {"i8[1,1,129,1]{3} shape[4]{1,1,128,1} shape[2]{0,0} shape[2]{0,-1}",
     "mode=NEAREST output=i8[1,1,16384,1]", "error RESIZE/ERROR_IF/1"},
    {"i8[1,1,1,1]{1} shape[4]{0,1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/2"},
    {"i8[1,1,1,1]{1} shape[4]{1,0,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/2"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,0,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/2"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,0} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/2"},
    {"i8[1,1,1,1]{1} shape[4]{1,-1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/2"},
    {"i8[1,1,1,1]{1} shape[4]{2049,2049,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/3"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,2049,2049} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/3"},
    {"i8[1,1,1,1]{1} shape[4]{1,16,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/4"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,16} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/4"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{-2,0} shape[2]{-2,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/5"},
    {"i8[1,17,1,1]{1} shape[4]{1,1,1,1} shape[2]{16,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/5"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,-2} shape[2]{0,-2}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/6"},
    {"i8[1,1,17,1]{1} shape[4]{1,1,1,1} shape[2]{0,16} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/6"},
    {"i8[1,18,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{-17,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/7"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{1,0}",
     "mode=NEAREST output=i8[1,2,1,1]", "error RESIZE/ERROR_IF/7"},
    {"i8[1,1,18,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{0,-17}",
     "mode=NEAREST output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/8"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{0,1}",
     "mode=NEAREST output=i8[1,1,2,1]", "error RESIZE/ERROR_IF/8"},
    // (2 - 1) * 3 / 2 leaves a rest.
    {"i8[1,2,1,1]{1} shape[4]{3,2,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,2,1,1]", "error RESIZE/ERROR_IF/idiv_check"},
    {"i8[1,1,2,1]{1} shape[4]{1,1,3,2} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,2,1]", "error RESIZE/ERROR_IF/idiv_check"},
    // ((2 - 1) * 2 - 1 + 1) / 1 + 1 = 3; (3 - 1) * 1 / 2 + 1 = 2.
    {"i8[1,2,3,1]{1} shape[4]{2,1,1,2} shape[2]{1,0} shape[2]{1,0}",
     "mode=NEAREST output=i8[1,2,2,1]", "error RESIZE/ERROR_IF/9"},
    {"i8[1,2,3,1]{1} shape[4]{2,1,1,2} shape[2]{1,0} shape[2]{1,0}",
     "mode=NEAREST output=i8[1,3,3,1]", "error RESIZE/ERROR_IF/10"},
    // The type of the output goes with the mode.
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i32[1,1,1,1]", "error RESIZE/ERROR_IF/mode-types"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=BILINEAR output=i8[1,1,1,1]", "error RESIZE/ERROR_IF/mode-types"},
    {"i16[1,1,1,1]{1} shape[4]{1,1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=BILINEAR output=i16[1,1,1,1]", "error RESIZE/ERROR_IF/mode-types"},
    // At the limit of the level: 256 / 1; beyond it: 257 / 1, and 513 / 2 > 256.
    {"i8[1,1,1,1]{1} shape[4]{256,1,256,1} shape[2]{0,0} shape[2]{0,0}", "mode=NEAREST",
     "i8[1,1,1,1]{1}"},
    {"i8[1,1,1,1]{1} shape[4]{257,1,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "unpredictable RESIZE/LEVEL_CHECK/1"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,257,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "unpredictable RESIZE/LEVEL_CHECK/2"},
    {"i8[1,1,1,1]{1} shape[4]{513,2,1,1} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "unpredictable RESIZE/LEVEL_CHECK/1"},
    {"i8[1,1,1,1]{1} shape[4]{1,1,513,2} shape[2]{0,0} shape[2]{0,0}",
     "mode=NEAREST output=i8[1,1,1,1]", "unpredictable RESIZE/LEVEL_CHECK/2"},
    // One value everywhere: 32767 * 255 * 3 = 25066755, an odd number beyond 2^24. Columns at 1/3,
    // 2/3, 1 and 4/3.
    {"i16[1,1,2,1]{32767} shape[4]{255,1,3,1} shape[2]{0,1} shape[2]{0,1}", "mode=BILINEAR",
     "i48[1,1,4,1]{25066755}"},
};

}  // namespace

extern const OperatorDefinition resize_operator = {
    .op = Op::kResize,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops
