// SPDX-License-Identifier: Apache-2.0
#include "flushing_pair.h"

#include <cmath>
#include <utility>

#include "expression.h"
#include "float_format.h"

namespace assay {
namespace {

// Builds operators that give subnormal numbers of one type without an error. Numbers are multiples
// of a 32nd of the least normal number.
class SubnormalResults {
 public:
  SubnormalResults(GraphBuilder& builder, const Menu& menu, DType type, const Shape& shape)
      : builder_(builder), expression_(builder, menu), type_(type), shape_(shape) {}

  bool Allows(Op op) const { return expression_.Reads(op, type_); }

  // Returns subnormal results of normal operands, if that is possible.
  MaybeValue FromNormal(Op op) {
    switch (op) {
      case Op::kMul:  // 2 to 4 times the least normal number, and an eighth
        return ApplyTo(op, Leaf(32, 63, 2), 1.0 / 8);
      case Op::kSub:
        return ApplyTo(op, Leaf(33, 63, 1), 32 * unit());
      case Op::kAdd:
        return ApplyTo(op, Leaf(33, 63, 1), -32 * unit());
      default:
        return std::nullopt;
    }
  }

  // Returns subnormal results of an operand that is subnormal.
  MaybeValue FromSubnormal(Op op, ValueIndex x) {
    switch (op) {
      case Op::kMul:
        return ApplyTo(op, x, -0.5);
      case Op::kSub:
        return expression_.Apply(op, x, Leaf(1, 31, 1));
      case Op::kAdd:
        return ApplyTo(op, x, -unit() / 2);
      default:
        return std::nullopt;
    }
  }

  // Tells whether an output shows if subnormal numbers are kept or flushed.
  bool Shows(ValueIndex x) const {
    const double least = FormatOf(type_).normal_min;
    const PoolValue& value = builder_[x];
    const auto is_subnormal = [&](double end) { return end != 0 && std::fabs(end) < least; };
    return is_subnormal(value.low) || is_subnormal(value.high);
  }

 private:
  double unit() const { return FormatOf(type_).normal_min / 32; }

  // Returns an input of random multiples of `step` units.
  ValueIndex Leaf(int64_t low, int64_t high, int64_t step) {
    std::vector<double> numbers(static_cast<size_t>(shape_.Elements()));
    for (double& x : numbers) {
      x = static_cast<double>(step * builder_.choices().Between(low, high)) * unit();
    }
    return builder_.AddInput(Tensor::FromFloats(type_, shape_, numbers));
  }
  // Applies an operator to a value and one number.
  MaybeValue ApplyTo(Op op, ValueIndex x, double number) {
    return expression_.Apply(op, x, builder_.AddInput(Filled({type_, shape_}, number)));
  }

  GraphBuilder& builder_;
  Expression expression_;
  const DType type_;
  const Shape shape_;
};

}  // namespace

TestVector GrowFlushingPair(Choices& choices, const GeneratorOptions& options, const Menu& menu) {
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  constexpr std::pair<Op, Op> kPairs[] = {{Op::kMul, Op::kAdd}, {Op::kMul, Op::kSub},
                                          {Op::kAdd, Op::kMul}, {Op::kAdd, Op::kSub},
                                          {Op::kSub, Op::kMul}, {Op::kSub, Op::kAdd}};
  GraphBuilder builder(choices, options, ValueMode::kCalm);
  const DType type = choices.Pick(kTypes);
  const auto [first, second] = choices.Pick(kPairs);
  const int32_t rows = choices.Between32(1, 3), columns = choices.Between32(2, 7);
  SubnormalResults results(builder, menu, type, Shape{rows, columns});
  if (!results.Allows(first) || !results.Allows(second)) return {};
  const MaybeValue produced = results.FromNormal(first);
  std::vector<MaybeValue> made = {produced};
  const bool reads = choices.OneIn(2);
  // A product of a flushed operand is a zero, whether MUL flushes or not.
  const bool apart = !reads || second == Op::kMul || choices.OneIn(2);
  if (produced && reads) made.push_back(results.FromSubnormal(second, *produced));
  if (apart) made.push_back(results.FromNormal(second));
  std::vector<ValueIndex> outputs;
  for (const MaybeValue output : made) {
    if (!output || !results.Shows(*output)) return {};
    outputs.push_back(*output);
  }
  return builder.FinishVector(outputs);
}

}  // namespace assay
