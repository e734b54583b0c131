// SPDX-License-Identifier: Apache-2.0
#include "steps_domain.h"

#include <array>

namespace assay {

// --- making steps

SteppedElement StepsDomain::OfInteger(const char* form, Scalar value,
                                      std::initializer_list<Element> operands, DType type) const {
  const std::vector<StepId> steps = StepsOf(std::span(operands.begin(), operands.size()));
  return {value, calculation_->Word(form, type, false, value, steps)};
}

SteppedElement StepsDomain::OfFloat(const char* form, Scalar value,
                                    std::initializer_list<Element> operands, DType type) const {
  const std::vector<StepId> steps = StepsOf(std::span(operands.begin(), operands.size()));
  return {value, calculation_->Word(form, type, true, value, steps)};
}

std::vector<Scalar> StepsDomain::ValuesOf(std::span<const Element> elements) {
  std::vector<Scalar> values;
  values.reserve(elements.size());
  for (const Element& x : elements) values.push_back(x.value);
  return values;
}

std::vector<StepId> StepsDomain::StepsOf(std::span<const Element> elements) {
  std::vector<StepId> steps;
  steps.reserve(elements.size());
  for (const Element& x : elements) steps.push_back(x.step);
  return steps;
}

SteppedElement StepsDomain::ChainOf(const char* form, bool is_float, Scalar value,
                                    std::span<const Element> elements) const {
  return {value, calculation_->Chain(form, is_float, value, StepsOf(elements))};
}

// --- stored elements

SteppedElement StepsDomain::FromScalar(DType type, Scalar value) const {
  return {value, calculation_->Constant(type, IsFloat(type), value)};
}

SteppedElement StepsDomain::Integer(int64_t value) const {
  const Scalar x = Scalar::OfInteger(value);
  return {x, calculation_->Constant(DType::kUnknown, false, x)};
}

SteppedElement StepsDomain::Real(double value) const {
  const Scalar x = Scalar::OfFloat(value);
  return {x, calculation_->Constant(DType::kUnknown, true, x)};
}

SteppedElement StepsDomain::Store(DType type, Element x) const {
  if (!IsFloat(type)) return x;
  const Scalar stored = words_.Store(type, x.value);
  const bool is_same =
      std::bit_cast<uint64_t>(stored.real()) == std::bit_cast<uint64_t>(x.value.real());
  return is_same ? x : OfFloat("$ rounded to %", stored, {x}, type);
}

// --- integers

SteppedElement StepsDomain::AddInteger(Element a, Element b) const {
  return OfInteger("$ + $", words_.AddInteger(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::SubInteger(Element a, Element b) const {
  return OfInteger("$ - $", words_.SubInteger(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::MulInteger(Element a, Element b) const {
  return OfInteger("$ * $", words_.MulInteger(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::RequireBetween(Element x, int64_t low, int64_t high, const char* rule) {
  words_.RequireBetween(x.value, low, high, rule);
  return x;
}

void StepsDomain::RequireTrue(Element condition, const char* rule) {
  words_.RequireTrue(condition.value, rule);
}

SteppedElement StepsDomain::Truncate(DType type, Element x) const {
  const Scalar low_bits = words_.Truncate(type, x.value);
  if (low_bits.integer() == x.value.integer()) return x;
  return OfInteger("the low bits of $ as %", low_bits, {x}, type);
}

SteppedElement StepsDomain::ZeroExtend(int bits, Element x) const {
  const Scalar low_bits = words_.ZeroExtend(bits, x.value);
  if (low_bits.integer() == x.value.integer()) return x;
  return OfInteger("the low $ bits of $ (unsigned)", low_bits, {Integer(bits), x});
}

SteppedElement StepsDomain::Clip(Element x, int64_t low, int64_t high) const {
  return OfInteger("apply_clip_s($, $, $)", words_.Clip(x.value, low, high),
                   {x, Integer(low), Integer(high)});
}

SteppedElement StepsDomain::And(Element a, Element b) const {
  return OfInteger("$ & $", words_.And(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::Or(Element a, Element b) const {
  return OfInteger("$ | $", words_.Or(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::Xor(Element a, Element b) const {
  return OfInteger("$ ^ $", words_.Xor(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::Not(Element a) const {
  return OfInteger("~$", words_.Not(a.value), {a});
}

SteppedElement StepsDomain::ShiftLeft(Element x, Element by) const {
  return OfInteger("$ << $", words_.ShiftLeft(x.value, by.value), {x, by});
}

SteppedElement StepsDomain::ShiftRight(Element x, Element by) const {
  return OfInteger("$ >> $", words_.ShiftRight(x.value, by.value), {x, by});
}

SteppedElement StepsDomain::DivInteger(Element a, Element b) const {
  return OfInteger("$ / $ (toward zero)", words_.DivInteger(a.value, b.value), {a, b});
}

SteppedElement StepsDomain::CountLeadingZeros(int bits, Element x) const {
  return OfInteger("leading zeros of the $ bits of $", words_.CountLeadingZeros(bits, x.value),
                   {Integer(bits), x});
}

// --- logic and selection

SteppedElement StepsDomain::LogicalNot(Element a) const {
  return OfInteger("!$", words_.LogicalNot(a.value), {a}, DType::kBool);
}

SteppedElement StepsDomain::Select(DType type, Element condition, Element a, Element b) const {
  const Scalar chosen = words_.Select(type, condition.value, a.value, b.value);
  return IsFloat(type) ? OfFloat("$ ? $ : $", chosen, {condition, a, b}, type)
                       : OfInteger("$ ? $ : $", chosen, {condition, a, b}, type);
}

SteppedElement StepsDomain::Lookup(DType type, std::span<const Element> table,
                                   Element index) const {
  const auto at = static_cast<uint64_t>(index.value.integer());
  if (at >= table.size()) return Zero(type);
  const Element entry = table[at];
  const char* const form = "$ (entry $)";
  return IsFloat(type) ? OfFloat(form, entry.value, {entry, index}, type)
                       : OfInteger(form, entry.value, {entry, index}, type);
}

void StepsDomain::Update(DType, std::span<Element> table, Element index, Element x) const {
  const auto at = static_cast<uint64_t>(index.value.integer());
  if (at < table.size()) table[at] = x;
}

// --- numbers of either class

SteppedElement StepsDomain::Add(DType type, Element a, Element b, const char* rule) {
  const Scalar sum = words_.Add(type, a.value, b.value, rule);
  return IsFloat(type) ? OfFloat("$ + $", sum, {a, b}) : OfInteger("$ + $", sum, {a, b});
}

SteppedElement StepsDomain::Sub(DType type, Element a, Element b, const char* rule) {
  const Scalar difference = words_.Sub(type, a.value, b.value, rule);
  return IsFloat(type) ? OfFloat("$ - $", difference, {a, b})
                       : OfInteger("$ - $", difference, {a, b});
}

SteppedElement StepsDomain::IsNan(DType type, Element x) const {
  return OfInteger("isNaN($)", words_.IsNan(type, x.value), {x}, DType::kBool);
}

SteppedElement StepsDomain::Equal(DType type, Element a, Element b) const {
  return OfInteger("$ == $", words_.Equal(type, a.value, b.value), {a, b}, DType::kBool);
}

SteppedElement StepsDomain::Greater(DType type, Element a, Element b) const {
  return OfInteger("$ > $", words_.Greater(type, a.value, b.value), {a, b}, DType::kBool);
}

SteppedElement StepsDomain::GreaterEqual(DType type, Element a, Element b) const {
  return OfInteger("$ >= $", words_.GreaterEqual(type, a.value, b.value), {a, b}, DType::kBool);
}

SteppedElement StepsDomain::Max(DType type, NanMode mode, Element a, Element b) const {
  const Scalar greater = words_.Max(type, mode, a.value, b.value);
  if (!IsFloat(type)) return OfInteger("apply_max_s($, $)", greater, {a, b});
  const bool ignores = mode == NanMode::kIgnore;
  return OfFloat(ignores ? "apply_max_s($, $, IGNORE)" : "apply_max_s($, $, PROPAGATE)", greater,
                 {a, b}, type);
}

SteppedElement StepsDomain::Min(DType type, NanMode mode, Element a, Element b) const {
  const Scalar less = words_.Min(type, mode, a.value, b.value);
  if (!IsFloat(type)) return OfInteger("apply_min_s($, $)", less, {a, b});
  const bool ignores = mode == NanMode::kIgnore;
  return OfFloat(ignores ? "apply_min_s($, $, IGNORE)" : "apply_min_s($, $, PROPAGATE)", less,
                 {a, b}, type);
}

SteppedElement StepsDomain::ArgMax(DType type, NanMode mode,
                                   std::span<const Element> elements) const {
  const Scalar index = words_.ArgMax(type, mode, ValuesOf(elements));
  const bool ignores = mode == NanMode::kIgnore;
  return ChainOf(!IsFloat(type) ? "index of the first maximum of"
                 : ignores      ? "index of the first maximum, NaN IGNORE, of"
                                : "index of the first maximum, NaN PROPAGATE, of",
                 false, index, elements);
}

// --- floats

SteppedElement StepsDomain::Mul(DType type, Element a, Element b) const {
  return OfFloat("$ * $", words_.Mul(type, a.value, b.value), {a, b});
}

SteppedElement StepsDomain::Abs(DType type, Element a) const {
  return OfFloat("abs($)", words_.Abs(type, a.value), {a});
}

SteppedElement StepsDomain::Negate(DType type, Element a) const {
  return OfFloat("-$", words_.Negate(type, a.value), {a});
}

SteppedElement StepsDomain::Ceil(DType type, Element a) const {
  return OfFloat("ceil($)", words_.Ceil(type, a.value), {a});
}

SteppedElement StepsDomain::Floor(DType type, Element a) const {
  return OfFloat("floor($)", words_.Floor(type, a.value), {a});
}

SteppedElement StepsDomain::Elementary(Op op, DType type, Element a) const {
  return OfFloat(ElementaryFunctionOf(op).form, words_.Elementary(op, type, a.value), {a});
}

SteppedElement StepsDomain::Pow(DType type, Element a, Element b) const {
  return OfFloat("pow($, $)", words_.Pow(type, a.value, b.value), {a, b});
}

SteppedElement StepsDomain::Bilinear(DType type, double maximum,
                                     std::span<const Element, 4> corners, double dy,
                                     double dx) const {
  const std::array<Scalar, 4> values = {corners[0].value, corners[1].value, corners[2].value,
                                        corners[3].value};
  return OfFloat("between the corners $, $, $, $ at dy = $, dx = $",
                 words_.Bilinear(type, maximum, values, dy, dx),
                 {corners[0], corners[1], corners[2], corners[3], Real(dy), Real(dx)});
}

SteppedElement StepsDomain::FloatToInteger(DType from, DType to, Element a, const char* nan_rule) {
  return OfInteger("$ rounded to the nearest (even) integer and saturated to %",
                   words_.FloatToInteger(from, to, a.value, nan_rule), {a}, to);
}

SteppedElement StepsDomain::IntegerToFloat(DType from, DType to, Element a) const {
  return OfFloat("$ as a float", words_.IntegerToFloat(from, to, a.value), {a});
}

// --- sums

SteppedElement StepsDomain::Dot(const DotRule& rule, std::span<const Element> a,
                                std::span<const Element> b, std::span<const Element>,
                                const Element* bias) {
  const std::vector<Scalar> first = ValuesOf(a), second = ValuesOf(b);
  const Scalar sum = words_.Dot(rule, first, second, {}, bias != nullptr ? &bias->value : nullptr);
  std::vector<StepId> operands = StepsOf(a);
  for (const Element& x : b) operands.push_back(x.step);
  if (bias != nullptr) operands.push_back(bias->step);
  return {sum, calculation_->Products(IsFloat(rule.acc_type), sum, operands)};
}

SteppedElement StepsDomain::Sum(const DotRule& rule, std::span<const Element> a) {
  return ChainOf("sum of", IsFloat(rule.in_type), words_.Sum(rule, ValuesOf(a)), a);
}

SteppedElement StepsDomain::Average(const DotRule& rule, std::span<const Element> a,
                                    int64_t count) {
  const Element sum = Sum(rule, a);
  return OfFloat("$ / $", words_.Average(rule, ValuesOf(a), count), {sum, Integer(count)});
}

SteppedElement StepsDomain::Product(DType type, std::span<const Element> a) const {
  return ChainOf("product of", true, words_.Product(type, ValuesOf(a)), a);
}

}  // namespace assay
