// SPDX-License-Identifier: Apache-2.0
#include "probing.h"

#include <algorithm>
#include <utility>

#include "cut_text.h"

namespace assay {
namespace {

std::string OnOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

// Returns 0 for an answer, 1 for a refusal, 2 for a crash or a time-out.
int ClassOf(OutcomeKind kind) {
  if (kind == OutcomeKind::kValid) return 0;
  return kind >= OutcomeKind::kCrashed ? 2 : 1;
}

// Returns the working operators of a vector with their operands: "MUL i32[2] i32[2] i8[1]".
std::string TextOf(const TestVector& vector) {
  std::string text;
  for (const auto& [block, op] : vector.Operators()) {
    if (IsConstant(op.op)) continue;
    text += (text.empty() ? "" : ", ") + std::string(OperatorName(op.op));
    for (const TensorIndex input : op.inputs) text += " " + block.TypeOf(input).ToString();
  }
  return CutText(std::move(text));
}

}  // namespace

Probing::Answer Probing::Ask(const TestVector& vector) {
  const Result<std::vector<Outcome>> outcomes = backend_.Run(vector);
  error_ = backend_.MachineFailure();
  if (!outcomes && !error_) error_ = outcomes.error();
  if (error_) return {OutcomeKind::kUnsupported, error_->message};
  for (const Outcome& outcome : *outcomes) {
    if (outcome.kind == OutcomeKind::kValid) continue;
    const std::string name =
        outcome.kind == OutcomeKind::kError ? "refused" : std::string(OutcomeName(outcome.kind));
    return {outcome.kind,
            OnOneLine(name + (outcome.message.empty() ? "" : ": ") + outcome.message)};
  }
  return {};
}

bool Probing::Takes(const TestVector& vector) {
  if (error_ || inconsistent_.size() >= kInconsistentMax) return false;
  ++probes_;
  why_ = OnOneLine(backend_.WhyUnsupported(vector));
  if (!why_.empty()) {
    why_ = "unsupported: " + why_;
    return false;
  }
  const Answer first = Ask(vector);
  const Answer second = error_ ? first : Ask(vector);
  why_ = error_ ? error_->message : first.why;
  if (error_) return false;
  const int one = ClassOf(first.kind), other = ClassOf(second.kind);
  if (one != other) AddInconsistent(vector, first.why, second.why);
  if (one == 2 && other == 2) ++crashes_;
  return one == 0 || other == 0;
}

void Probing::AskAgain(const TestVector& vector, bool taken) {
  const size_t known = inconsistent_.size();
  const bool takes = Takes(vector);
  if (error_ || takes == taken || inconsistent_.size() > known || known >= kInconsistentMax) return;
  AddInconsistent(vector, taken ? "" : "refused", takes ? "" : why_);
}

void Probing::AddInconsistent(const TestVector& vector, const std::string& first,
                              const std::string& second) {
  const auto words = [](const std::string& why) { return why.empty() ? "answered" : why; };
  inconsistent_.push_back(TextOf(vector) + ": " + words(first) + ", and when asked again " +
                          words(second));
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

int64_t LeastTaken(int64_t low, int64_t high, const std::function<bool(int64_t)>& takes) {
  return -GreatestTaken(-high, -low, [&takes](int64_t n) { return takes(-n); });
}

std::optional<Shape> BalancedShape(int64_t elements, int64_t dimension_max, int rank) {
  if (elements < 1 || dimension_max < 1) return std::nullopt;
  Shape shape;
  int64_t rest = elements;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis + 1 == rank && rest > dimension_max) return std::nullopt;
    // The greatest divisor that is possible leaves the least for the other dimensions.
    int64_t side = std::min(rest, dimension_max);
    while (rest % side != 0) --side;
    shape.PushBack(static_cast<int32_t>(side));
    rest /= side;
  }
  return rest == 1 ? std::optional(shape) : std::nullopt;
}

}  // namespace assay
