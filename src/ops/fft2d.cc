// SPDX-License-Identifier: Apache-2.0
#include "fourier.h"
#include "time_limit.h"

namespace assay::ops {
namespace {

bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  if (s.shape(0).rank() != 3 || s.shape(0) != s.shape(1)) return false;
  outputs = {{s.in(0), s.shape(0)}, {s.in(0), s.shape(0)}};
  return true;
}

// Computes both outputs as dot products of the real and imaginary values, in turn, with
// coefficients ("Precision Requirements").
template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const FourierDimensions dims(call.shape());
  const FourierWeights weights(dims, call.attributes().Flag(AttributeId::kInverse) ? -1.0 : 1.0);
  std::vector<Element> input;
  input.reserve(2 * static_cast<size_t>(call.input(0).size()));
  for (int64_t i = 0; i < call.input(0).size(); ++i) {
    input.push_back(call.input(0)[i]);
    input.push_back(call.input(1)[i]);
  }
  const DotRule rule = FourierRule(d, call, input, 2 * dims.H * dims.W);
  const auto KS = static_cast<size_t>(rule.kernel_size);
  std::vector<Element> weight_real(KS), weight_imag(KS);
  for (int64_t oy = 0; oy < dims.H; ++oy) {
    for (int64_t ox = 0; ox < dims.W; ++ox) {
      Spend(2 * (dims.N + 1) * rule.kernel_size);
      size_t at = 0;
      ForEachAngle(dims, oy, ox, [&](const FourierAngle& a) {
        const double cos = weights.Cos(a), sin = weights.Sin(a);
        weight_real[at] = weight_imag[at + 1] = d.Real(cos);
        weight_real[at + 1] = d.Real(sin);
        weight_imag[at] = d.Real(-sin);
        at += 2;
      });
      for (int64_t n = 0; n < dims.N; ++n) {
        const auto image = std::span(input).subspan(static_cast<size_t>(n) * KS, KS);
        const auto position = static_cast<size_t>((n * dims.H + oy) * dims.W + ox);
        call.output(0)[position] =
            d.Store(rule.out_type, d.Dot(rule, image, weight_real, {}, nullptr));
        call.output(1)[position] =
            d.Store(rule.out_type, d.Dot(rule, image, weight_imag, {}, nullptr));
      }
    }
  }
}

// In fp64, multiples of pi() are not quite multiples of pi: what should be zero is about 1e-16, and
// disappears beside results that are not zero when these are rounded to fp32.
constexpr Example kExamples[] = {
    // 1-2, 1+2; 3+0.5, 3-0.5.
    {"fp32[1,1,2]{1,-2} fp32[1,1,2]{3,0.5}", "inverse=false",
     "fp32[1,1,2]{-1,3} fp32[1,1,2]{3.5,2.5}"},
    // x = 1+16i, 2+32i, 4+64i, 8+128i. Forward: the sum, x0 - i x1 - x2 + i x3 = -3-48i + (-96+6i),
    // x0 - x1 + x2 - x3, x0 + i x1 - x2 - i x3 = -3-48i - (-96+6i).
    {"fp32[1,1,4]{1,2,4,8} fp32[1,1,4]{16,32,64,128}", "inverse=false",
     "fp32[1,1,4]{15,-99,-5,93} fp32[1,1,4]{240,-42,-80,-54}"},
    // Inverse: -i and i change places, and nothing is divided by 4.
    {"fp32[1,4,1]{1,2,4,8} fp32[1,4,1]{16,32,64,128}", "inverse=true",
     "fp32[1,4,1]{15,93,-5,-99} fp32[1,4,1]{240,-54,-80,-42}"},
    // The row above and 0 1 0 0, whose transform is 1 -i -1 i: their sum and their difference. In a
    // second image 1+2i at (0,0), which all outputs take.
    {"fp32[2,2,4]{1,2,4,8,0,1,0,0,1,0,0,0,0,0,0,0} "
     "fp32[2,2,4]{16,32,64,128,0,0,0,0,2,0,0,0,0,0,0,0}",
     "inverse=false local_bound=true",
     "fp32[2,2,4]{16,-99,-6,93,14,-99,-4,93,1,1,1,1,1,1,1,1} "
     "fp32[2,2,4]{240,-43,-80,-53,240,-41,-80,-55,2,2,2,2,2,2,2,2}"},
    // The same with rows and columns exchanged, and inverse: the transform of 0 1 0 0 is 1 i -1 -i.
    {"fp32[1,4,2]{1,0,2,1,4,0,8,0} fp32[1,4,2]{16,0,32,0,64,0,128,0}", "inverse=true",
     "fp32[1,4,2]{16,14,93,93,-6,-4,-99,-99} fp32[1,4,2]{240,240,-53,-55,-80,-80,-43,-41}"},
    // 2^24 + 3, rounded once: a tie between + 2 and + 4, + 4 is even. 2^24 - 1 of the others, and
    // the imaginary part 1 of all.
    {"fp32[1,1,4]{16777216,1,1,1} fp32[1,1,4]{1,0,0,0}", "inverse=false",
     "fp32[1,1,4]{16777220,16777215,16777215,16777215} fp32[1,1,4]{1,1,1,1}"},
    // inf * cos(0) + 1 * sin(0); -inf * sin(0) is inf * 0.
    {"fp32[1,1,1]{inf} fp32[1,1,1]{1}", "inverse=false", "fp32[1,1,1]{inf} fp32[1,1,1]{nan}"},
    {"fp32[1,3,1]{1} fp32[1,3,1]{1}", "inverse=false", "error FFT2D/ERROR_IF/1"},
    {"fp32[1,1,6]{1} fp32[1,1,6]{1}", "inverse=false", "error FFT2D/ERROR_IF/2"},
    {"fp32[1,1,2]{1} fp32[1,2,1]{1}", "inverse=false output=fp32[1,1,2] output=fp32[1,1,2]",
     "error FFT2D/ERROR_IF/arguments"},
    {"fp32[1,16384,1]{1} fp32[1,16384,1]{1}", "inverse=false", "unpredictable FFT2D/LEVEL_CHECK/1"},
    {"fp32[1,1,16384]{1} fp32[1,1,16384]{1}", "inverse=false", "unpredictable FFT2D/LEVEL_CHECK/2"},
};

}  // namespace

extern const OperatorDefinition fft2d_operator = {
    .op = Op::kFft2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone, 1},
    .infer = Infer,
    .check = CheckFourier,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops
