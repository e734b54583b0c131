// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <charconv>
#include <cmath>

#include "accuracy.h"
#include "tensor_elements.h"

namespace assay {
namespace {

std::string NumberText(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

}  // namespace

std::string PositionText(const Shape& shape, int64_t index) {
  Shape position = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    position[axis] = static_cast<int32_t>(index % shape[axis]);
    index /= shape[axis];
  }
  return position.ToString();
}

std::optional<int64_t> IndexOfPosition(const Shape& shape, std::string_view position) {
  int64_t index = 0;
  size_t at = 0;
  const auto take = [&](char c) { return at < position.size() && position[at++] == c; };
  if (!take('[')) return std::nullopt;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0 && !take(',')) return std::nullopt;
    int32_t place = -1;
    const char* const end = position.data() + position.size();
    const auto read = std::from_chars(position.data() + at, end, place);
    if (read.ec != std::errc() || place < 0 || place >= shape[axis]) return std::nullopt;
    at = static_cast<size_t>(read.ptr - position.data());
    index = index * shape[axis] + place;
  }
  if (!take(']') || at != position.size()) return std::nullopt;
  return index;
}

std::string AllowedText(const Expectation& expectation, int64_t index) {
  const auto at = static_cast<size_t>(index);
  if (expectation.error.empty() || expectation.error[at] == 0) return "exact";
  return "within " + NumberText(expectation.error[at]) + " of " +
         NumberText(expectation.reference[at]);
}

Fit FitOf(const Expectation& expectation, const Tensor& got, const std::vector<double>& numbers,
          int64_t index) {
  const Tensor& value = expectation.value;
  const auto at = static_cast<size_t>(index);
  const bool bounded = !expectation.error.empty();
  const double error = bounded ? expectation.error[at] : 0;
  if (!std::isfinite(error)) return Fit::kUndecided;  // an infinite error admits everything
  bool fits = false;
  if (!IsFloat(value.type())) {
    fits = error == 0
               ? got.Integer(index) == value.Integer(index)
               : std::fabs(static_cast<double>(got.Integer(index)) - expectation.reference[at]) <=
                     error;
  } else if (error == 0) {
    const double reference = bounded ? expectation.reference[at] : value.Float(index);
    fits = MatchesExactly(value.type(), numbers[at], reference);
  } else {
    fits = WithinBound(value.type(), numbers[at], expectation.reference[at], error);
  }
  return fits ? Fit::kFits : Fit::kWrong;
}

std::vector<double> NumbersOf(const Tensor& tensor) {
  std::vector<double> numbers;
  if (!IsFloat(tensor.type())) return numbers;
  numbers.reserve(static_cast<size_t>(tensor.elements()));
  ForEachFloat(tensor, [&](double x) { numbers.push_back(x); });
  return numbers;
}

Comparison Compare(const Expectation& expectation, const Tensor& got) {
  Comparison comparison;
  const Tensor& value = expectation.value;
  if (!got.has_value() || got.tensor_type() != value.tensor_type()) {
    comparison.type_differs = true;
    comparison.expected = value.tensor_type().ToString();
    comparison.got = got.has_value() ? got.tensor_type().ToString() : "no value";
    comparison.allowed = "exact";
    return comparison;
  }
  if (expectation.error.empty() && got == value) {  // as most are
    comparison.judged = value.elements();
    return comparison;
  }
  const std::vector<double> numbers = NumbersOf(got);
  for (int64_t i = 0; i < value.elements(); ++i) {
    const Fit fit = FitOf(expectation, got, numbers, i);
    if (fit == Fit::kUndecided) {
      ++comparison.undecided;
      continue;
    }
    ++comparison.judged;
    if (fit == Fit::kFits || comparison.wrong++ > 0) continue;
    comparison.first_wrong = i;
    comparison.position = PositionText(value.shape(), i);
    comparison.expected = value.ElementText(i);
    comparison.got = got.ElementText(i);
    comparison.allowed = AllowedText(expectation, i);
  }
  return comparison;
}

Finding FindingOf(const Comparison& comparison, const Expectation& expectation,
                  Violation violation) {
  Finding finding;
  finding.violation = comparison.type_differs ? Violation::kType : violation;
  finding.rule = expectation.rule;
  finding.position = comparison.position;
  finding.expected = comparison.expected;
  finding.got = comparison.got;
  finding.allowed = comparison.allowed;
  finding.wrong_elements = comparison.wrong;
  return finding;
}

}  // namespace assay
