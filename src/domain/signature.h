// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "attributes.h"
#include "scalar.h"

namespace assay {

// An operator and the facts about its operands that are known before it runs. Shape rules, checks
// and meanings read it. It holds only views; the caller owns everything.
struct Signature {
  Op op = Op::kUnknown;
  const Attributes* attributes = nullptr;
  std::span<const TensorType> inputs;
  std::span<const TensorType> outputs;  // empty while they are being inferred
  // The elements of the operands that the rules read: shape_t operands, zero points, MUL.shift,
  // RESCALE.multiplier and shift, TABLE.table, PAD.pad_const. Empty for the others.
  std::span<const std::span<const Scalar>> constants;

  DType in(int i) const { return inputs[static_cast<size_t>(i)].type; }
  const Shape& shape(int i) const { return inputs[static_cast<size_t>(i)].shape; }
  DType out(int i = 0) const { return outputs[static_cast<size_t>(i)].type; }
  const Shape& out_shape(int i = 0) const { return outputs[static_cast<size_t>(i)].shape; }
  int64_t ConstantInteger(int input, int element = 0) const {
    return constants[static_cast<size_t>(input)][static_cast<size_t>(element)].integer();
  }
  int64_t ConstantCount(int input) const {
    return static_cast<int64_t>(constants[static_cast<size_t>(input)].size());
  }
  // Returns true if the zero point is 0 (of either sign, if it is a float).
  bool IsZero(int input) const {
    const Scalar zero_point = constants[static_cast<size_t>(input)][0];
    return IsFloat(in(input)) ? zero_point.real() == 0 : zero_point.integer() == 0;
  }
};

// The verdict on the validity of a graph.
enum class Fate : uint8_t { kValid, kError, kUnpredictable };

// Decides on validity by the rules that are broken. A broken rule is a kind and the rule's id, a
// string that lives as long as the program. REQUIRE and level checks override errors. Among rules
// of the same kind the first wins (specification, "Error handling"; reading `first-error-wins`).
class Judgement {
 public:
  Judgement() = default;
  // Also collects the broken rules: each goes into `broken` once, in the order in which they are
  // met. This is for the validator, and for vectors that have to break one rule and no other.
  explicit Judgement(std::vector<const char*>& broken) : broken_(&broken) {}

  void ErrorIf(bool holds, const char* rule) {
    if (holds) [[unlikely]]
      Note(Fate::kError, rule);
  }
  void Require(bool holds, const char* rule) {
    if (!holds) [[unlikely]]
      Note(Fate::kUnpredictable, rule);
  }
  void Merge(const Judgement& other) {
    if (!other.valid()) Note(other.fate_, other.rule_);
  }
  Fate fate() const { return fate_; }
  bool valid() const { return fate_ == Fate::kValid; }
  const char* rule() const { return rule_; }
  // Returns the list that collects broken rules, or null.
  std::vector<const char*>* broken() const { return broken_; }

 private:
  // Not inline, because rules are in many places and are rarely broken.
  [[gnu::cold, gnu::noinline]] void Note(Fate fate, const char* rule) {
    if (broken_ != nullptr) Collect(rule);
    if (fate > fate_) {
      fate_ = fate;
      rule_ = rule;
    }
  }
  void Collect(std::string_view rule) {
    const bool known = std::any_of(broken_->begin(), broken_->end(),
                                   [rule](const char* other) { return rule == other; });
    if (!known) broken_->push_back(rule.data());
  }

  Fate fate_ = Fate::kValid;
  const char* rule_ = "";
  std::vector<const char*>* broken_ = nullptr;
};

}  // namespace assay
