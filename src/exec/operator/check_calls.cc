// SPDX-License-Identifier: Apache-2.0
#include "check_calls.h"

#include <vector>

namespace assay {
namespace {

constexpr char kListTypes[] = "graph/ERROR_IF/list-types";

// Compares lists of tensors with the lists that graphs declare.
class ListCheck {
 public:
  explicit ListCheck(Judgement& judgement) : judgement_(judgement) {}

  // Records `rule` if numbers or shapes differ.
  void Compare(std::span<const TensorType> list, const Block& callee,
               const std::vector<TensorIndex>& declared, const char* rule) {
    bool same_shapes = list.size() == declared.size();
    bool same_types = true;
    for (size_t i = 0; same_shapes && i < declared.size(); ++i) {
      const TensorType& type = callee.TypeOf(declared[i]);
      same_shapes = list[i].shape == type.shape;
      same_types = same_types && list[i].type == type.type;
    }
    judgement_.ErrorIf(!same_shapes, rule);
    other_types_ = other_types_ || (same_shapes && !same_types);
  }
  // Call it after all lists of an operator, because an error that the text states comes first.
  void Conclude() { judgement_.ErrorIf(other_types_, kListTypes); }

 private:
  Judgement& judgement_;
  bool other_types_ = false;
};

void CheckBranches(const Block& block, const Operator& op, const Block& on_true,
                   const Block& on_false, Judgement& j) {
  if (op.inputs.empty()) return;
  const std::vector<TensorType> inputs = block.TypesOf(op.inputs);
  const std::vector<TensorType> outputs = block.TypesOf(op.outputs);
  const auto list = std::span(inputs).subspan(1);
  ListCheck check(j);
  check.Compare(list, on_true, on_true.inputs, "COND_IF/ERROR_IF/2");
  check.Compare(list, on_false, on_false.inputs, "COND_IF/ERROR_IF/3");
  check.Compare(outputs, on_true, on_true.outputs, "COND_IF/ERROR_IF/4");
  check.Compare(outputs, on_false, on_false.outputs, "COND_IF/ERROR_IF/5");
  check.Conclude();
}

void CheckLoop(const Block& block, const Operator& op, const Block& cond, const Block& body,
               Judgement& j) {
  const std::vector<TensorType> inputs = block.TypesOf(op.inputs);
  ListCheck check(j);
  check.Compare(inputs, cond, cond.inputs, "WHILE_LOOP/ERROR_IF/3");
  check.Compare(inputs, body, body.inputs, "WHILE_LOOP/ERROR_IF/4");
  check.Compare(inputs, body, body.outputs, "WHILE_LOOP/ERROR_IF/5");
  if (cond.outputs.size() == 1) {
    const TensorType& condition = cond.TypeOf(cond.outputs[0]);
    j.ErrorIf(condition.shape.Elements() != 1, "WHILE_LOOP/ERROR_IF/6");
    j.ErrorIf(condition.type != DType::kBool, "WHILE_LOOP/ERROR_IF/7");
  }
  j.ErrorIf(cond.outputs.size() != 1, "graph/ERROR_IF/condition-outputs");
  check.Conclude();
}

}  // namespace

void CheckInputs(const Block& main, std::span<const TensorType> given, Judgement& judgement) {
  ListCheck check(judgement);
  check.Compare(given, main, main.inputs, "graph/ERROR_IF/input-list");
  check.Conclude();
}

void CheckCalls(const BlockIndex& blocks, const Block& block, const Operator& op,
                Judgement& judgement) {
  const bool branches = op.op == Op::kCondIf;
  const Block* first =
      blocks.Callee(op, branches ? AttributeId::kThenGraph : AttributeId::kCondGraph);
  const Block* second =
      blocks.Callee(op, branches ? AttributeId::kElseGraph : AttributeId::kBodyGraph);
  judgement.ErrorIf(first == nullptr || second == nullptr, "graph/ERROR_IF/unknown-region");
  if (first == nullptr || second == nullptr) return;
  if (branches) {
    CheckBranches(block, op, *first, *second, judgement);
  } else {
    CheckLoop(block, op, *first, *second, judgement);
  }
}

}  // namespace assay
