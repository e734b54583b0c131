#include "bound_domain.h"
#include "ruling.h"

namespace assay {
namespace {

// Applies a function of one operand and its accuracy rule. Both include the tables of special
// values.
Bounded ByFunction(DType type, const Bounded& a, double (*function)(double),
                   double (*error)(DType, double, double)) {
  const auto rule = [&](double x) -> Ruling {
    const double reference = function(x);
    return {reference, error(type, x, reference)};
  };
  return ByRule(type, type, rule, a);
}

// Returns the ruling on a result of finite operands. An infinite result has overflowed fp64. Like
// an overflow of the type, it is a rounded result, so it is not determined.
Ruling OfFinite(const Ruling& ruling) {
  if (!std::isinf(ruling.reference)) return ruling;
  const double largest = std::numeric_limits<double>::max();
  return {std::copysign(largest, ruling.reference), largest / 4};
}

double HalfUlp(DType type, double, double reference) { return UlpError(type, reference, 0.5); }

}  // namespace

Bounded BoundDomain::Ceil(DType type, const Bounded& a) const {
  return ByFunction(
      type, a, [](double x) { return std::ceil(x); }, HalfUlp);
}

Bounded BoundDomain::Floor(DType type, const Bounded& a) const {
  return ByFunction(
      type, a, [](double x) { return std::floor(x); }, HalfUlp);
}

Bounded BoundDomain::Exp(DType type, const Bounded& a) const {
  const auto rule = [&](double x) -> Ruling {
    const double reference = assay::Exp(x);
    const Ruling ruling = {reference, ExpError(type, x, reference)};
    return std::isfinite(x) ? OfFinite(ruling) : ruling;
  };
  return ByRule(type, type, rule, a);
}

Bounded BoundDomain::Log(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Log, LogError);
}

Bounded BoundDomain::Sin(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Sin, SinError);
}

Bounded BoundDomain::Cos(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Cos, CosError);
}

Bounded BoundDomain::Tanh(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Tanh, TanhError);
}

Bounded BoundDomain::Erf(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Erf, ErfError);
}

Bounded BoundDomain::Sigmoid(DType type, const Bounded& a) const {
  return ByFunction(type, a, assay::Sigmoid, SigmoidError);
}

// A zero of unknown sign has two reciprocals, so the result is undecided.
Bounded BoundDomain::Reciprocal(DType type, const Bounded& a) const {
  if (a.certainty == Certainty::kZeroSignOpen) return UndecidedFloat(1.0 / a.value.real());
  return ByFunction(
      type, a, [](double x) { return 1.0 / x; }, RecipError);
}

Bounded BoundDomain::Rsqrt(DType type, const Bounded& a) const {
  if (a.certainty == Certainty::kZeroSignOpen) return UndecidedFloat(assay::Rsqrt(a.value.real()));
  return ByFunction(type, a, assay::Rsqrt, RsqrtError);
}

Bounded BoundDomain::Pow(DType type, const Bounded& a, const Bounded& b) const {
  const auto rule = [&](double x, double y) -> Ruling {
    const double reference = value_.Pow(type, Scalar::OfFloat(x), Scalar::OfFloat(y)).real();
    const Ruling ruling = {reference, PowError(type, x, y, reference)};
    return std::isfinite(ruling.error) ? OfFinite(ruling) : ruling;
  };
  return ByRule(type, type, rule, a, b);
}

// If the error is infinite, an infinite result is undecided as well, because no table demands it.
Bounded BoundDomain::Bilinear(DType type, double maximum, std::span<const Bounded, 4> corners,
                              double dy, double dx) const {
  const auto rule = [&](double v00, double v01, double v10, double v11) -> Ruling {
    const Scalar values[] = {Scalar::OfFloat(v00), Scalar::OfFloat(v01), Scalar::OfFloat(v10),
                             Scalar::OfFloat(v11)};
    const double reference = value_.Bilinear(type, maximum, values, dy, dx).real();
    const double error = ResizeBilinearError(type, maximum, reference);
    return {reference, std::isfinite(error) ? error : NAN};
  };
  return ByRule(type, type, rule, corners[0], corners[1], corners[2], corners[3]);
}

}  // namespace assay
