// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "element_wise.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level&, Judgement& j) {
  const Tensor& low = s.attributes->Value(AttributeId::kMinVal);
  const Tensor& high = s.attributes->Value(AttributeId::kMaxVal);
  if (IsFloat(s.in(0))) {
    j.ErrorIf(high.Float(0) < low.Float(0), "CLAMP/ERROR_IF/1");
    j.ErrorIf(std::isnan(low.Float(0)) || std::isnan(high.Float(0)), "CLAMP/ERROR_IF/2");
  } else {
    j.ErrorIf(high.Integer(0) < low.Integer(0), "CLAMP/ERROR_IF/1");
  }
}

// apply_clip_s(value, min_val, max_val, nan_mode): max with the lower bound, then min with the
// upper.
template <class D>
void Meaning(D& d, const Call<D>& call) {
  const DType type = call.in();
  const NanMode mode = call.attributes().nan_mode();
  const Tensor& low = call.attributes().Value(AttributeId::kMinVal);
  const Tensor& high = call.attributes().Value(AttributeId::kMaxVal);
  const auto bound = [&](const Tensor& t) {
    return IsFloat(type) ? d.Real(t.Float(0)) : d.Integer(t.Integer(0));
  };
  const auto lower = bound(low);
  const auto upper = bound(high);
  if constexpr (std::is_same_v<D, BoundDomain>) {
    if (IsFloat(type)) {
      return d.Clamp(type, mode, *call.input(0).elements, lower, upper, call.output());
    }
  }
  Unary(d, call, [&](const auto& x) {
    if (!IsFloat(type)) return d.Clip(x, low.Integer(0), high.Integer(0));
    return d.Min(type, mode, d.Max(type, mode, x, lower), upper);
  });
}

constexpr Example kExamples[] = {
    // Below, inside, above: max(-5,-1) = -1; 0; min(7,1) = 1.
    {"i8[3]{-5,0,7}", "min_val=i8[]{-1} max_val=i8[]{1} nan_mode=PROPAGATE", "i8[3]{-1,0,1}"},
    // NaN stays NaN under PROPAGATE and becomes min_val under IGNORE: max(NaN,-2) = -2.
    {"fp32[2]{nan,3}", "min_val=fp32[]{-2} max_val=fp32[]{2} nan_mode=PROPAGATE", "fp32[2]{nan,2}"},
    {"fp32[2]{nan,3}", "min_val=fp32[]{-2} max_val=fp32[]{2} nan_mode=IGNORE", "fp32[2]{-2,2}"},
    // 5 < 6.
    {"i16[1]{0}", "min_val=i16[]{6} max_val=i16[]{5} nan_mode=PROPAGATE", "error CLAMP/ERROR_IF/1"},
    // No number is less than a NaN, so the second rule decides.
    {"fp16[1]{0}", "min_val=fp16[]{nan} max_val=fp16[]{5} nan_mode=IGNORE",
     "error CLAMP/ERROR_IF/2"},
    {"fp32[1]{0}", "min_val=fp32[]{5} max_val=fp32[]{nan} nan_mode=PROPAGATE",
     "error CLAMP/ERROR_IF/2"},
    // The bounds need not lie around 0.
    {"i8[2]{-9,9}", "min_val=i8[]{-2} max_val=i8[]{5} nan_mode=PROPAGATE", "i8[2]{-2,5}"},
};

}  // namespace

extern const OperatorDefinition clamp_operator = {
    .op = Op::kClamp,
    .traits = {ElementWise::kInPlace, ResultOrigin::kChosen, ScratchKind::kNone, Specials::kList},
    .infer = InferSameAsInput,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops
