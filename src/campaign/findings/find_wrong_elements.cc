// SPDX-License-Identifier: Apache-2.0
#include "find_wrong_elements.h"

#include <algorithm>
#include <cmath>

#include "accuracy.h"
#include "comparison.h"

namespace assay {
namespace {

// The largest difference that is told exactly.
constexpr double kUnitsMax = 1e18;

int64_t Units(double difference) {
  const double away = difference < 0 ? std::floor(difference) : std::ceil(difference);
  return static_cast<int64_t>(std::clamp(away, -kUnitsMax, kUnitsMax));
}

std::optional<int64_t> FloatUnits(DType type, double expected, double got) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  if (!std::isfinite(got) || !std::isfinite(expected)) return std::nullopt;
  // Near zero, the unit is that of the least normal number, and for zero that of the other number.
  const double unit = UlpError(type, expected == 0 ? got : expected, 1.0);
  if (unit == 0) return std::nullopt;
  return Units((got - expected) / unit);
}

std::optional<int64_t> UnitsOf(const Tensor& expected, const Tensor& got, int64_t index) {
  if (IsFloat(got.type())) return FloatUnits(got.type(), expected.Float(index), got.Float(index));
  return Units(static_cast<double>(got.Integer(index)) -
               static_cast<double>(expected.Integer(index)));
}

// Returns the bin of the histogram for a difference.
size_t BinOf(std::optional<int64_t> units) {
  if (!units) return 0;
  size_t bin = 1;
  for (int64_t rest = std::abs(*units); rest > 0; rest /= 10) ++bin;
  return bin;
}

WrongElement::State StateOf(Fit fit) {
  switch (fit) {
    case Fit::kFits:
      return WrongElement::State::kRight;
    case Fit::kWrong:
      return WrongElement::State::kWrong;
    case Fit::kUndecided:
      break;
  }
  return WrongElement::State::kUndecided;
}

// Returns where a part of `size` positions that has `position` in its middle begins.
int64_t StartOf(int64_t position, int64_t size) {
  constexpr int64_t kSide = WrongElements::kSideMax;
  return std::clamp<int64_t>(position - kSide / 2, 0, std::max<int64_t>(size - kSide, 0));
}

}  // namespace

WrongElements WrongElementsOf(const Expectation& expectation, const Tensor& got,
                              const std::string& name, int64_t first_wrong) {
  const Tensor& value = expectation.value;
  const int rank = value.shape().rank();
  WrongElements wrong;
  wrong.tensor = name + ": " + value.tensor_type().ToString();
  wrong.columns = rank == 0 ? 1 : value.shape()[rank - 1];
  wrong.rows = value.elements() / wrong.columns;
  wrong.row = StartOf(first_wrong / wrong.columns, wrong.rows);
  wrong.column = StartOf(first_wrong % wrong.columns, wrong.columns);
  wrong.width = std::min(wrong.columns, WrongElements::kSideMax);
  const std::vector<double> numbers = NumbersOf(got);
  for (int64_t i = 0; i < value.elements(); ++i) {
    const std::optional<int64_t> units = UnitsOf(value, got, i);
    const size_t bin = BinOf(units);
    if (wrong.histogram.size() <= bin) wrong.histogram.resize(bin + 1);
    ++wrong.histogram[bin];
    const int64_t row = i / wrong.columns - wrong.row, column = i % wrong.columns - wrong.column;
    if (row < 0 || row >= WrongElements::kSideMax || column < 0 || column >= wrong.width) continue;
    wrong.elements.push_back({value.ElementText(i), got.ElementText(i),
                              StateOf(FitOf(expectation, got, numbers, i)), units});
  }
  return wrong;
}

std::optional<WrongElements> FindWrongElements(Backend& backend, const TestVector& vector,
                                               const Finding& finding) {
  const auto at = static_cast<size_t>(finding.step);
  if (finding.violation != Violation::kValue || at >= vector.steps.size()) return std::nullopt;
  const Result<std::vector<Outcome>> outcomes = backend.Run(vector);
  if (!outcomes || at >= outcomes->size()) return std::nullopt;
  const Step& step = vector.steps[at];
  const std::vector<Tensor>& got = (*outcomes)[at].outputs;
  const Block* main = vector.GraphOf(step).Main();
  for (size_t i = 0; i < std::min(got.size(), step.outputs.size()); ++i) {
    const auto output = static_cast<size_t>(main->outputs[i]);
    if (main->tensors[output].name != finding.tensor) continue;
    const Comparison comparison = Compare(step.outputs[i], got[i]);
    if (!comparison.first_wrong) continue;
    return WrongElementsOf(step.outputs[i], got[i], finding.tensor, *comparison.first_wrong);
  }
  return std::nullopt;
}

}  // namespace assay
