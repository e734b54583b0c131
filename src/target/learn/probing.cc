// SPDX-License-Identifier: Apache-2.0
#include "probing.h"

#include <algorithm>

namespace assay {
namespace {

std::string OnOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

bool Probing::Refuse(std::string why) {
  why_ = OnOneLine(std::move(why));
  return false;
}

bool Probing::Takes(const TestVector& vector) {
  if (error_) return false;
  ++probes_;
  const std::string why = backend_.WhyUnsupported(vector);
  if (!why.empty()) return Refuse("unsupported: " + why);
  const Result<std::vector<Outcome>> outcomes = backend_.Run(vector);
  error_ = backend_.MachineFailure();
  if (!outcomes && !error_) error_ = outcomes.error();
  if (error_) return Refuse(error_->message);
  for (const Outcome& outcome : *outcomes) {
    if (outcome.kind == OutcomeKind::kValid) continue;
    const std::string name =
        outcome.kind == OutcomeKind::kError ? "refused" : std::string(OutcomeName(outcome.kind));
    return Refuse(name + (outcome.message.empty() ? "" : ": " + outcome.message));
  }
  return true;
}

int64_t GreatestTaken(int64_t low, int64_t high, const std::function<bool(int64_t)>& takes) {
  if (takes(high)) return high;
  if (!takes(low)) return low - 1;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (takes(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<Shape> BalancedShape(int64_t elements, int64_t dimension_max, int rank_max) {
  Shape shape;
  int64_t rest = elements;
  for (int axis = 0; axis < rank_max; ++axis) {
    if (rest <= dimension_max) {
      shape.PushBack(static_cast<int32_t>(rest));
      return shape;
    }
    if (axis + 1 == rank_max) return std::nullopt;
    // The greatest divisor that is possible leaves the least for the other dimensions.
    int64_t side = dimension_max;
    while (rest % side != 0) --side;
    shape.PushBack(static_cast<int32_t>(side));
    rest /= side;
  }
  return std::nullopt;
}

}  // namespace assay
