// SPDX-License-Identifier: Apache-2.0
#include "fourier.h"
#include "time_limit.h"

namespace assay::ops {
namespace {

// Reading `rfft-output-shape`.
bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const Shape& input = s.shape(0);
  if (input.rank() != 3) return false;
  outputs.assign(2, {s.in(0), {input[0], input[1], input[2] / 2 + 1}});
  return true;
}

void Checks(const Signature& s, const Level& level, Judgement& j) {
  CheckFourier(s, level, j);
  const int32_t W = s.shape(0)[2];
  j.ErrorIf(s.out_shape(0)[2] != W / 2 + 1 || s.out_shape(1)[2] != W / 2 + 1,
            "RFFT2D/ERROR_IF/arguments");
}

// Returns true if the sine of the angle is not zero.
bool HasSine(const FourierDimensions& dims, const FourierAngle& a) {
  return (dims.H > 1 && a.ay % (dims.H / 2) > 0) || (dims.W > 1 && a.ax % (dims.W / 2) > 0);
}

// The coefficients of one output position.
template <class Element>
struct Coefficients {
  std::vector<Element> real;
  std::vector<Element> imag;  // of the positions that have a sine
  std::vector<size_t> sines;  // these positions, in order
};

// Computes the imaginary value. An implementation may multiply the values without a sine by zero
// (tosa_extra_multiplies), or by a sine that it calculates (reading `rfft-imaginary-zeros`). So
// these values take part in the bound. Without local_bound, an infinity or NaN anywhere in the
// tensor does, too.
template <class D>
typename D::Result Imaginary(D& d, const DotRule& rule, std::span<const typename D::Element> image,
                             const Coefficients<typename D::Element>& coefficients) {
  std::vector<typename D::Element> with_sine;
  std::vector<typename D::Element> without_sine;
  for (size_t i = 0; i < image.size(); ++i) {
    const bool has_sine =
        with_sine.size() < coefficients.sines.size() && coefficients.sines[with_sine.size()] == i;
    (has_sine ? with_sine : without_sine).push_back(image[i]);
  }
  if (rule.input_maximum && !std::isfinite(*rule.input_maximum)) {
    std::fill(without_sine.begin(), without_sine.end(), d.Real(*rule.input_maximum));
  }
  return d.Dot(rule, with_sine, coefficients.imag, without_sine, nullptr);
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  const FourierDimensions dims(call.shape());
  const FourierWeights weights(dims, 1.0);
  const std::span<const Element> input = *call.input(0).elements;
  const DotRule rule = FourierRule(d, call, input, dims.H * dims.W);
  const auto KS = static_cast<size_t>(rule.kernel_size);
  const int64_t OW = dims.W / 2 + 1;
  Coefficients<Element> coefficients;
  for (int64_t oy = 0; oy < dims.H; ++oy) {
    for (int64_t ox = 0; ox < OW; ++ox) {
      Spend(2 * (dims.N + 1) * rule.kernel_size);
      coefficients.real.clear();
      coefficients.imag.clear();
      coefficients.sines.clear();
      ForEachAngle(dims, oy, ox, [&](const FourierAngle& a) {
        if (HasSine(dims, a)) {
          coefficients.sines.push_back(coefficients.real.size());
          coefficients.imag.push_back(d.Real(-weights.Sin(a)));
        }
        coefficients.real.push_back(d.Real(weights.Cos(a)));
      });
      for (int64_t n = 0; n < dims.N; ++n) {
        const auto image = input.subspan(static_cast<size_t>(n) * KS, KS);
        const auto position = static_cast<size_t>((n * dims.H + oy) * OW + ox);
        call.output(0)[position] =
            d.Store(rule.out_type, d.Dot(rule, image, coefficients.real, {}, nullptr));
        call.output(1)[position] =
            d.Store(rule.out_type, Imaginary<D>(d, rule, image, coefficients));
      }
    }
  }
}

constexpr Example kExamples[] = {
    // The transform of x = 1 2 4 8: 1+2+4+8, x0 - i x1 - x2 + i x3, 1-2+4-8; the last is left out.
    {"fp32[1,1,4]{1,2,4,8}", "", "fp32[1,1,3]{15,-3,-5} fp32[1,1,3]{0,6,0}"},
    // All of it: only the last axis is cut.
    {"fp32[1,4,1]{1,2,4,8}", "", "fp32[1,4,1]{15,-3,-5,-3} fp32[1,4,1]{0,6,0,-6}"},
    // Sums and differences. No angle has a sine, so that no imaginary value has to be calculated:
    // these are zero, not 4 * sin(pi()).
    {"fp32[1,2,2]{1,2,4,8}", "", "fp32[1,2,2]{15,-5,-9,3} fp32[1,2,2]{0}"},
    {"fp32[1,1,1]{5}", "local_bound=true", "fp32[1,1,1]{5} fp32[1,1,1]{0}"},
    // Rows x and 16 x: 17 and -15 times the transform of x. A second image has 3 at (0,0).
    {"fp32[2,2,4]{1,2,4,8,16,32,64,128,3,0,0,0,0,0,0,0}", "",
     "fp32[2,2,3]{255,-51,-85,-225,45,75,3,3,3,3,3,3} "
     "fp32[2,2,3]{0,102,0,0,-90,0,0,0,0,0,0,0}"},
    // The same as columns.
    {"fp32[1,4,2]{1,16,2,32,4,64,8,128}", "",
     "fp32[1,4,2]{255,-225,-51,45,-85,75,-51,45} fp32[1,4,2]{0,0,102,-90,0,0,-102,90}"},
    // 2^24 + 3, rounded once: a tie between + 2 and + 4, + 4 is even. 2^24 - 1; -1 + 1.
    {"fp32[1,1,4]{16777216,1,1,1}", "",
     "fp32[1,1,3]{16777220,16777215,16777215} fp32[1,1,3]{0,0,0}"},
    // A value without a sine is not multiplied: -2 + 8.
    {"fp32[1,1,4]{nan,2,inf,8}", "", "fp32[1,1,3]{nan,nan,nan} fp32[1,1,3]{0,6,0}"},
    {"fp32[1,3,1]{1}", "", "error RFFT2D/ERROR_IF/1"},
    {"fp32[1,1,6]{1}", "", "error RFFT2D/ERROR_IF/2"},
    {"fp32[2,1,2]{1}", "output=fp32[1,1,2] output=fp32[1,1,2]", "error RFFT2D/ERROR_IF/arguments"},
    {"fp32[1,16384,1]{1}", "", "unpredictable RFFT2D/LEVEL_CHECK/1"},
    {"fp32[1,1,16384]{1}", "", "unpredictable RFFT2D/LEVEL_CHECK/2"},
    // W / 2 + 1 = 2 columns, neither 3 nor W.
    {"fp32[1,1,2]{1}", "output=fp32[1,1,3] output=fp32[1,1,2]", "error RFFT2D/ERROR_IF/arguments"},
    {"fp32[1,1,4]{1}", "output=fp32[1,1,3] output=fp32[1,1,4]", "error RFFT2D/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition rfft2d_operator = {
    .op = Op::kRfft2d,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone, 1},
    .infer = Infer,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops
