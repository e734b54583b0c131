// SPDX-License-Identifier: Apache-2.0
#include "made_operands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "choices.h"
#include "executor.h"
#include "index_ranges.h"
#include "model_values.h"
#include "nasty_values.h"
#include "types.h"
#include "windows.h"

namespace assay {
namespace {

// A way to draw the elements of an operand.
struct Way {
  ValueMode mode;
  double most;           // the largest magnitude of floats; 0: that of the type
  bool is_full = false;  // all elements are the greatest of the range, so that sums are largest
};
constexpr std::array kWays = {Way{ValueMode::kSpecial, 0}, Way{ValueMode::kCalm, 0},
                              Way{ValueMode::kFinite, 8},  Way{ValueMode::kFinite, 0, true},
                              Way{ValueMode::kSweep, 0},   Way{ValueMode::kFinite, 256},
                              Way{ValueMode::kFinite, 0},  Way{ValueMode::kSpecial, 8}};

// The shares of the range of a type that are tried, as powers of two, until no REQUIRE is broken.
constexpr int kShrinks[] = {0, 1, 8, 16, 24};

// Returns the range of an operand of an operator, of which the type's share 2^-shrink may be used.
ValueRange RangeOf(const Operator& op, size_t position, DType type, const Way& way, int shrink) {
  const bool is_amount =
      position == 1 && (op.op == Op::kArithmeticRightShift || op.op == Op::kLogicalLeftShift ||
                        op.op == Op::kLogicalRightShift);
  if (is_amount) return ValueRange::Between(0, std::min(IntegerBits(type) - 1, 31));
  ValueRange range = ValueRange::All(type);
  if (IsFloat(type) && way.most > 0) range.high = std::min(range.high, way.most);
  if (IsFloat(type)) {
    range.high = std::ldexp(range.high, -shrink);
    range.low = -range.high;
  } else {
    range.low = std::trunc(std::ldexp(range.low, -shrink));
    range.high = std::trunc(std::ldexp(range.high, -shrink));
  }
  range.nonzero = position == 1 && op.op == Op::kIntdiv;
  return range;
}

}  // namespace

std::optional<TestVector> WithMadeOperands(const TestVector& alone, uint64_t seed, int64_t number) {
  const Block& main = MainOf(alone);
  if (main.inputs.empty()) return std::nullopt;
  const std::map<TensorIndex, IndexRange> indices = IndexRangesOf(main);
  const Way& way = kWays[static_cast<size_t>(number) % kWays.size()];
  for (const int shrink : kShrinks) {
    Window window;
    window.vector = alone;
    Step& step = window.vector.steps[0];
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const TensorType& type = main.TypeOf(main.inputs[i]);
      Random random =
          Random::For(seed, static_cast<uint64_t>(number), "made", static_cast<uint32_t>(i));
      if (const auto found = indices.find(main.inputs[i]); found != indices.end()) {
        step.inputs[i] = DrawIndices(random, type, found->second);
        continue;
      }
      const auto op = std::ranges::find_if(main.operators, [&](const Operator& each) {
        return std::ranges::count(each.inputs, main.inputs[i]) > 0;
      });
      if (op == main.operators.end()) return std::nullopt;
      const auto at = std::ranges::find(op->inputs, main.inputs[i]) - op->inputs.begin();
      const ValueRange range = RangeOf(*op, static_cast<size_t>(at), type.type, way, shrink);
      Choices choices(random);
      step.inputs[i] =
          way.is_full ? Filled(type, range.high) : DrawTensor(choices, type, range, way.mode);
    }
    if (ExpectWindow(window)) return std::move(window.vector);
  }
  return std::nullopt;
}

}  // namespace assay
