#include "levels.h"
#include "operator_definition.h"

namespace assay::ops {
namespace {

// What goes round comes out.
bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(s.inputs.begin(), s.inputs.end());
  return true;
}

// The other ERROR_IFs compare with the graphs and belong to the interpreter. Element types count as
// well as shapes (reading `control-flow-types`).
void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) <= level.max_tensor_list_size, "WHILE_LOOP/LEVEL_CHECK/1");
  j.Require(std::ssize(s.outputs) <= level.max_tensor_list_size, "WHILE_LOOP/LEVEL_CHECK/2");
  j.ErrorIf(!std::equal(s.inputs.begin(), s.inputs.end(), s.outputs.begin(), s.outputs.end()),
            "WHILE_LOOP/ERROR_IF/2");
}

}  // namespace

extern const OperatorDefinition while_loop_operator = {
    .op = Op::kWhileLoop,
    .infer = Infer,
    .check = Checks,
    .examples = {},
};

}  // namespace assay::ops
