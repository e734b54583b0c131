// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "elementary.h"
#include "levels.h"
#include "numbered_checks.h"
#include "operator_definition.h"

namespace assay::ops {

// Definitions that FFT2D and RFFT2D share.

inline bool IsPowerOfTwo(int32_t value) {
  return std::has_single_bit(static_cast<uint32_t>(value));
}

// Checks the level checks and the ERROR_IFs of FFT2D or RFFT2D.
inline void CheckFourier(const Signature& s, const Level& level, Judgement& j) {
  NumberedChecks checks(s.op, j);
  for (const int axis : {1, 2}) checks.LevelCheck(s.shape(0)[axis] <= level.max_kernel);
  for (const int axis : {1, 2}) checks.ErrorIf(!IsPowerOfTwo(s.shape(0)[axis]));
}

// The dimensions of the input by their names in the pseudocode.
struct FourierDimensions {
  explicit FourierDimensions(const Shape& input) : N(input[0]), H(input[1]), W(input[2]) {}
  int64_t N, H, W;
};

// The ay and ax of the pseudocode for one input position (iy, ix) and one output position.
struct FourierAngle {
  int64_t ay, ax;
};

// The cosines and sines of a = sign_val * 2 * pi() * (ay / H + ax / W), calculated in fp64 like in
// the pseudocode: sin(pi()) is 1.2e-16 and not zero. The sum in parentheses is exact. It is a
// multiple of 1 / max(H, W), and less than 2.
class FourierWeights {
 public:
  FourierWeights(const FourierDimensions& dimensions, double sign_val)
      : step_y_(std::max(dimensions.H, dimensions.W) / dimensions.H),
        step_x_(std::max(dimensions.H, dimensions.W) / dimensions.W),
        table_(TableOf(std::max(dimensions.H, dimensions.W), sign_val)) {}
  double Cos(const FourierAngle& a) const { return table_.cos[Index(a)]; }
  double Sin(const FourierAngle& a) const { return table_.sin[Index(a)]; }

 private:
  struct Table {
    std::vector<double> cos, sin;
  };
  // Returns the table of a turn, computed at the first call. There is one for each power of two and
  // sign.
  static const Table& TableOf(int64_t turn, double sign_val) {
    static thread_local std::map<std::pair<int64_t, double>, Table> tables;
    const auto [at, is_new] = tables.try_emplace({turn, sign_val});
    for (int64_t i = 0; is_new && i < 2 * turn; ++i) {
      const double a =
          sign_val * 2 * std::numbers::pi * (static_cast<double>(i) / static_cast<double>(turn));
      at->second.cos.push_back(assay::Cos(a));
      at->second.sin.push_back(assay::Sin(a));
    }
    return at->second;
  }
  size_t Index(const FourierAngle& a) const {
    return static_cast<size_t>(a.ay * step_y_ + a.ax * step_x_);
  }
  int64_t step_y_, step_x_;
  const Table& table_;
};

// Calls visit(angle) for every input position in the order of the pseudocode.
template <class Visit>
void ForEachAngle(const FourierDimensions& dimensions, int64_t oy, int64_t ox, Visit visit) {
  for (int64_t iy = 0; iy < dimensions.H; ++iy) {
    for (int64_t ix = 0; ix < dimensions.W; ++ix) {
      visit(FourierAngle{iy * oy % dimensions.H, ix * ox % dimensions.W});
    }
  }
}

// The largest error of a value of FourierWeights. The pseudocode's angle is an in_out_t: in fp32,
// pi() and the product are each rounded by 2^-24 of an angle below 4 pi(), 1.5e-6 in all. Its cos()
// and sin() are rounded again.
constexpr double kWeightError = 0x1p-19;

// Returns the dot product rule for `input`, all data operands of the operator.
template <class D>
DotRule FourierRule(D& d, const Call<D>& call, std::span<const typename D::Element> input,
                    int64_t kernel_size) {
  DotRule rule;
  rule.in_type = rule.weight_type = rule.acc_type = rule.out_type = call.in();
  rule.kernel_size = kernel_size;
  const bool local_bound = call.attributes().Has(AttributeId::kLocalBound) &&
                           call.attributes().Flag(AttributeId::kLocalBound);
  if (!local_bound) rule.input_maximum = d.MaximumMagnitude(rule.in_type, input);
  rule.weight_error = kWeightError;  // reading `fourier-coefficients`
  return rule;
}

}  // namespace assay::ops
