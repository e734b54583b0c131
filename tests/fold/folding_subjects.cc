// SPDX-License-Identifier: Apache-2.0
#include "folding_subjects.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fold_graph.h"
#include "generator_table.h"
#include "hand_folding.h"
#include "postponable_subjects.h"
#include "random.h"

namespace assay {
namespace {

using enum Constness;

constexpr int64_t kLoopMax = 64;  // iterations of a WHILE_LOOP, on inputs worth a try

SizePolicy RandomPolicy(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return {SizePolicyKind::kRatio, random.Between(0, 3)};
    case 1:
      return {SizePolicyKind::kAdditive, random.Between(0, 64)};
    case 2:
      return {SizePolicyKind::kAbsolute, random.Between(0, 256)};
    default:
      return {};
  }
}

std::vector<Constness> RandomMarks(Random& random, size_t count) {
  std::vector<Constness> marks(count, kVarying);
  const uint64_t style = random.Below(8);
  for (Constness& mark : marks) {
    mark = static_cast<Constness>(random.Below(3));
    if (style == 0) mark = kCompileTime;
    if (style == 1) mark = kRuntime;
    if (style == 2) mark = static_cast<Constness>(1 + random.Below(2));
  }
  return marks;
}

// --- Graphs, each with what makes it hard. x varies, w is known at run time, c at compile time.

Attributes Perms(std::vector<int32_t> perms) { return {{AttributeId::kPerms, std::move(perms)}}; }
Attributes Named(std::string name) { return {{AttributeId::kName, std::move(name)}}; }
Attributes Branches() {
  return {{AttributeId::kThenGraph, std::string("then")},
          {AttributeId::kElseGraph, std::string("else")}};
}
Attributes Loop() {
  return {{AttributeId::kCondGraph, std::string("cond")},
          {AttributeId::kBodyGraph, std::string("body")}};
}
Attributes Variable(std::string name, DType type, std::vector<int32_t> shape, Tensor initial) {
  return {{AttributeId::kName, std::move(name)},
          {AttributeId::kType, static_cast<int32_t>(type)},
          {AttributeId::kVarShape, std::move(shape)},
          {AttributeId::kInitialValue, std::move(initial)}};
}

// Returns a block of one operator on its inputs.
Block BlockOf(std::string name, std::vector<std::string_view> inputs, Op op, std::string_view type,
              Attributes attributes = {}) {
  BlockBuilder block(std::move(name));
  std::vector<TensorIndex> operands;
  for (const std::string_view input : inputs) operands.push_back(block.Input(input));
  return block.Outputs({block.Add(op, operands, type, std::move(attributes))}).block;
}

// Constants of every level are mixed: y = (x0 | (w0 ^ ~c0)) ^ (c1 & w1), and others.
FoldSubject Interleaved() {
  return {"interleaved marks",
          NamedBuilder()
              .Input("c0", "i32[2,1]")
              .Input("x0", "i32[2,3]")
              .Input("w0", "i32[1,3]")
              .Input("x1", "i32[2,3]")
              .Input("c1", "i32[2,3]")
              .Input("w1", "i32[2,3]")
              .Add("k", "i32[2,1]", Op::kSub, {"c0", "c0"})
              .Add("m", "i32[2,1]", Op::kBitwiseNot, {"c0"})
              .Add("s", "i32[2,3]", Op::kBitwiseXor, {"w0", "m"})
              .Add("t", "i32[2,3]", Op::kBitwiseAnd, {"c1", "w1"})
              .Add("u", "i32[2,3]", Op::kBitwiseOr, {"x0", "s"})
              .Add("y", "i32[2,3]", Op::kBitwiseXor, {"u", "t"})
              .Add("z", "i32[2,3]", Op::kBitwiseOr, {"k", "x1"})
              .Add("v", "i32[2,3]", Op::kBitwiseXor, {"c1", "m"})
              .Returns({"y", "s", "z", "s", "v"}),
          {kCompileTime, kVarying, kRuntime, kVarying, kCompileTime, kRuntime}};
}

// The run-time stage reads a tensor that was folded at compile time, and no compile-time argument.
// Two modules of this graph differ only in that tensor.
FoldSubject BothKinds() {
  return {"constants of both kinds",
          NamedBuilder()
              .Input("x", "i32[2]")
              .Input("w", "i32[2]")
              .Input("c", "i32[2]")
              .Add("k", "i32[2]", Op::kBitwiseNot, {"c"})
              .Add("s", "i32[2]", Op::kBitwiseXor, {"w", "k"})
              .Add("y", "i32[2]", Op::kBitwiseXor, {"x", "s"})
              .Returns({"y", "k"}),
          {kVarying, kRuntime, kCompileTime}};
}

// Distinct weights have one type, and are used where another one would fit.
FoldSubject Weights() {
  return {"weights of one type",
          NamedBuilder()
              .Input("x", "fp32[2,3]")
              .Input("a", "fp32[2,3]")
              .Input("b", "fp32[2,3]")
              .Input("c", "fp32[2,3]")
              .Input("d", "fp32[2,3]")
              .Add("p", "fp32[2,3]", Op::kFloor, {"a"})
              .Add("q", "fp32[2,3]", Op::kCeil, {"b"})
              .Add("r", "fp32[2,3]", Op::kAbs, {"c"})
              .Add("s", "fp32[2,3]", Op::kSub, {"d", "c"})
              .Add("i", "fp32[2,3]", Op::kIdentity, {"a"})
              .Add("y", "fp32[2,3]", Op::kSub, {"x", "p"})
              .Add("z", "fp32[2,3]", Op::kSub, {"x", "q"})
              .Add("u", "fp32[2,3]", Op::kSub, {"r", "x"})
              .Add("v", "fp32[2,3]", Op::kSub, {"s", "x"})
              .Add("w", "fp32[2,3]", Op::kSub, {"i", "x"})
              .Returns({"y", "z", "u", "v", "w", "p"}),
          {kVarying, kRuntime, kRuntime, kCompileTime, kCompileTime}};
}

// RESHAPE and IDENTITY of weights move nothing. TRANSPOSE moves elements, by its attribute.
FoldSubject Views() {
  return {"views, and a permutation",
          NamedBuilder()
              .Input("x", "fp32[6]")
              .Input("w", "fp32[2,3]")
              .Input("c", "fp32[2,3]")
              .Constant("flat", "shape[1]{6}")
              .Add("r", "fp32[6]", Op::kReshape, {"w", "flat"})
              .Add("t", "fp32[3,2]", Op::kTranspose, {"w"}, Perms({1, 0}))
              .Add("u", "fp32[6]", Op::kReshape, {"t", "flat"})
              .Add("e", "fp32[3,2]", Op::kTranspose, {"c"}, Perms({1, 0}))
              .Add("f", "fp32[6]", Op::kReshape, {"e", "flat"})
              .Add("y", "fp32[6]", Op::kSub, {"x", "r"})
              .Add("z", "fp32[6]", Op::kSub, {"x", "u"})
              .Add("v", "fp32[6]", Op::kSub, {"x", "f"})
              .Returns({"y", "z", "v", "r"}),
          {kVarying, kRuntime, kCompileTime}};
}

// If the permutation of a square matrix is lost, its type does not change.
FoldSubject Squares() {
  return {"a permutation of a square, and axes",
          NamedBuilder()
              .Input("x", "i32[2,2]")
              .Input("w", "i32[2,2]")
              .Input("c", "i32[2,2]")
              .Add("t", "i32[2,2]", Op::kTranspose, {"w"}, Perms({1, 0}))
              .Add("r", "i32[2,2]", Op::kReverse, {"c"}, Axis(1))
              .Add("y", "i32[2,2]", Op::kBitwiseXor, {"x", "t"})
              .Add("z", "i32[2,2]", Op::kBitwiseXor, {"x", "r"})
              .Returns({"y", "z"}),
          {kVarying, kRuntime, kCompileTime}};
}

// One operator has two results.
FoldSubject TwoResults(Constness mark) {
  return {"two results",
          NamedBuilder()
              .Input("x", "fp32[1,2,2]")
              .Input("w", "fp32[1,2,2]")
              .AddAll({{"r", "fp32[1,2,2]"}, {"i", "fp32[1,2,2]"}}, Op::kRfft2d, {"w"},
                      {{AttributeId::kLocalBound, false}})
              .Add("y", "fp32[1,2,2]", Op::kSub, {"x", "r"})
              .Add("z", "fp32[1,2,2]", Op::kSub, {"x", "i"})
              .Returns({"y", "z"}),
          {kVarying, mark}};
}

// The result is as constant as the condition, which chooses a block, and the operand.
FoldSubject Conditional(Constness condition, Constness operand) {
  return {"a condition",
          NamedBuilder()
              .Input("p", "bool[1]")
              .Input("x", "i32[2]")
              .Input("a", "i32[2]")
              .Add("y", "i32[2]", Op::kCondIf, {"p", "a"}, Branches())
              .Add("z", "i32[2]", Op::kBitwiseXor, {"y", "x"})
              .Returns({"z", "y"}, {BlockOf("then", {"i32[2]"}, Op::kBitwiseNot, "i32[2]"),
                                    BlockOf("else", {"i32[2]"}, Op::kClz, "i32[2]")}),
          {condition, kVarying, operand}};
}

// A loop (while n > i) has a bound that varies and a constant start, or the other way round.
FoldSubject Looping(bool bound_first, Constness bound, Constness start) {
  BlockBuilder cond("cond"), body("body");
  const std::string_view first = "i32[]", second = "i32[]";
  const TensorIndex a = cond.Input(first), b = cond.Input(second);
  const TensorIndex n = bound_first ? a : b, i = bound_first ? b : a;
  const TensorIndex most = cond.Constant("i32[]{6}");
  const TensorIndex capped =
      cond.Add(Op::kMinimum, {n, most}, "i32[]", {{AttributeId::kNanMode, int32_t{1}}});
  cond.Outputs({cond.Add(Op::kGreater, {capped, i}, "bool[]")});
  const TensorIndex c = body.Input(first), d = body.Input(second);
  const TensorIndex m = bound_first ? c : d, j = bound_first ? d : c;
  const TensorIndex one = body.Constant("i32[]{1}");
  const TensorIndex next = body.Add(Op::kAdd, {j, one}, "i32[]");
  body.Outputs(bound_first ? std::vector{m, next} : std::vector{next, m});
  NamedBuilder main;
  main.Input("n", "i32[]").Input("i", "i32[]").Input("x", "i32[]");
  if (bound_first) {
    main.AddAll({{"m", "i32[]"}, {"j", "i32[]"}}, Op::kWhileLoop, {"n", "i"}, Loop());
  } else {
    main.AddAll({{"j", "i32[]"}, {"m", "i32[]"}}, Op::kWhileLoop, {"i", "n"}, Loop());
  }
  FoldSubject subject{"a loop",
                      main.Add("y", "i32[]", Op::kBitwiseXor, {"j", "x"})
                          .Add("k", "i32[]", Op::kBitwiseNot, {"j"})
                          .Returns({"y", "k"}, {cond.block, body.block}),
                      {bound, start, kVarying}};
  if (start != kVarying) subject.fixed[1] = TensorOf("i32[]{0}");
  if (bound != kVarying) subject.fixed[0] = TensorOf("i32[]{3}");
  return subject;
}

// A block that is not taken divides by zero, with constants of its own.
FoldSubject Untaken() {
  BlockBuilder then("then");
  const TensorIndex in = then.Input("i32[1]");
  const TensorIndex one = then.Constant("i32[1]{1}"), zero = then.Constant("i32[1]{0}");
  const TensorIndex quotient = then.Add(Op::kIntdiv, {one, zero}, "i32[1]");
  then.Outputs({then.Add(Op::kBitwiseXor, {in, quotient}, "i32[1]")});
  FoldSubject subject{
      "a block that is not taken",
      NamedBuilder()
          .Input("p", "bool[1]")
          .Input("x", "i32[1]")
          .Input("w", "i32[1]")
          .Add("s", "i32[1]", Op::kBitwiseNot, {"w"})
          .Add("y", "i32[1]", Op::kCondIf, {"p", "x"}, Branches())
          .Add("z", "i32[1]", Op::kBitwiseXor, {"y", "s"})
          .Returns({"z"}, {then.block, BlockOf("else", {"i32[1]"}, Op::kBitwiseNot, "i32[1]")}),
      {kVarying, kVarying, kRuntime}};
  subject.fixed[0] = TensorOf("bool[1]{false}");
  return subject;
}

// Each execution reads a variable, and then sets it to an input that varies, or to a constant.
FoldSubject Variables(bool constant_write) {
  const Tensor initial = TensorOf("i8[2]{3,4}");
  NamedBuilder builder;
  builder.Input("x", "i8[2]")
      .Input("w", "i8[2]")
      .Constant("never", "i8[2]{9,9}")
      .AddAll({}, Op::kVariable, {}, Variable("v", DType::kInt8, {2}, initial))
      .Add("r", "i8[2]", Op::kVariableRead, {}, Named("v"))
      .Add("s", "i8[2]", Op::kBitwiseXor, {"w", "w"})
      .Add("n", "i8[2]", Op::kBitwiseNot, {"w"})
      .Add("y", "i8[2]", Op::kBitwiseXor, {"r", "n"})
      .AddAll({}, Op::kVariableWrite, {constant_write ? "n" : "x"}, Named("v"))
      .Add("z", "i8[2]", Op::kBitwiseXor, {"s", "x"});
  return {"variables", builder.Returns({"y", "z"}), {kVarying, kRuntime}};
}

// A block writes to a variable although all its inputs are constant.
FoldSubject NestedEffects() {
  const auto block = [](std::string name, Op op) {
    BlockBuilder builder(std::move(name));
    const TensorIndex input = builder.Input("i8[2]");
    builder.Append(Op::kVariable, {}, {}, Variable("v", DType::kInt8, {2}, TensorOf("i8[2]{3,4}")));
    const TensorIndex read = builder.Add(Op::kVariableRead, {}, "i8[2]", Named("v"));
    const TensorIndex one = builder.Constant("i8[2]{1,1}");
    const TensorIndex next = builder.Add(op, {read, one}, "i8[2]");
    builder.Append(Op::kVariableWrite, {next}, {}, Named("v"));
    return builder.Outputs({builder.Add(Op::kBitwiseXor, {input, next}, "i8[2]")}).block;
  };
  return {
      "a block that writes to a variable",
      NamedBuilder()
          .Input("p", "bool[1]")
          .Input("w", "i8[2]")
          .AddAll({}, Op::kVariable, {}, Variable("v", DType::kInt8, {2}, TensorOf("i8[2]{3,4}")))
          .Add("s", "i8[2]", Op::kBitwiseNot, {"w"})
          .Add("y", "i8[2]", Op::kCondIf, {"p", "s"}, Branches())
          .Returns({"y"}, {block("then", Op::kBitwiseXor), block("else", Op::kBitwiseOr)}),
      {kRuntime, kRuntime}};
}

// A CUSTOM whose results are fives. A folder does not know this.
void GiveFive(ValueDomain& d, const Call<ValueDomain>& call) {
  for (auto& element : call.output()) element = d.Store(call.out(), d.Integer(5));
}

FoldSubject Custom(bool has_operand) {
  const Attributes attributes = {{AttributeId::kOperatorName, std::string("five")},
                                 {AttributeId::kDomainName, std::string("test")},
                                 {AttributeId::kImplementationAttrs, std::string()}};
  NamedBuilder builder;
  builder.Input("x", "i32[2]").Input("w", "i32[2]");
  if (has_operand) builder.Add("u", "i32[2]", Op::kCustom, {"w"}, attributes);
  if (!has_operand) builder.Add("u", "i32[2]", Op::kCustom, {}, attributes);
  return {"a CUSTOM operator",
          builder.Add("s", "i32[2]", Op::kBitwiseXor, {"w", "u"})
              .Add("y", "i32[2]", Op::kBitwiseXor, {"x", "s"})
              .Returns({"y"}),
          {kVarying, kRuntime}};
}

// A tensor is exactly as large as the policy allows, or one element larger: 8 times 4 bytes, 9
// times.
FoldSubject AtTheLimit(int32_t times, Constness mark) {
  const std::string type = "i32[" + std::to_string(times) + "]";
  const std::string multiples = "shape[1]{" + std::to_string(times) + "}";
  return {"the limit of the policy",
          NamedBuilder()
              .Input("x", type)
              .Input("w", "i32[1]")
              .Constant("m", multiples)
              .Add("e", type, Op::kTile, {"w", "m"})
              .Add("y", type, Op::kBitwiseXor, {"x", "e"})
              .Returns({"y"}),
          {kVarying, mark}};
}

// A tensor that is too large to be cached is read by the entry and by operators that are folded.
FoldSubject TooLargeAndShared(Constness mark) {
  return {"too large, and read by what is folded",
          NamedBuilder()
              .Input("x", "i32[20]")
              .Input("w", "i32[1]")
              .Constant("m", "shape[1]{20}")
              .Add("e", "i32[20]", Op::kTile, {"w", "m"})
              .Add("s", "i32[1]", Op::kReduceMax, {"e"},
                   {{AttributeId::kAxis, int32_t{0}}, {AttributeId::kNanMode, int32_t{1}}})
              .Add("y", "i32[20]", Op::kBitwiseXor, {"x", "e"})
              .Add("z", "i32[20]", Op::kBitwiseXor, {"x", "s"})
              .Returns({"y", "z"}),
          {kVarying, mark}};
}

// Only the run-time stage reads a large value of compile time.
FoldSubject Crossing() {
  return {"too large between the stages",
          NamedBuilder()
              .Input("x", "i32[1]")
              .Input("w", "i32[20]")
              .Input("c", "i32[1]")
              .Constant("m", "shape[1]{20}")
              .Add("e", "i32[20]", Op::kTile, {"c", "m"})
              .Add("s", "i32[20]", Op::kBitwiseXor, {"w", "e"})
              .Add("t", "i32[1]", Op::kReduceMin, {"s"},
                   {{AttributeId::kAxis, int32_t{0}}, {AttributeId::kNanMode, int32_t{1}}})
              .Add("y", "i32[1]", Op::kBitwiseXor, {"x", "t"})
              .Returns({"y"}),
          {kVarying, kRuntime, kCompileTime}};
}

// Elements of less than a byte lie next to others.
FoldSubject SmallElements() {
  return {"elements of one and of four bits",
          NamedBuilder()
              .Input("x", "bool[5]")
              .Input("a", "bool[5]")
              .Input("b", "i4[2,3]")
              .Add("n", "bool[5]", Op::kLogicalNot, {"a"})
              .Add("t", "i4[2,3]", Op::kIdentity, {"b"})
              .Add("y", "bool[5]", Op::kLogicalXor, {"x", "n"})
              .Returns({"y", "t"}),
          {kVarying, kRuntime, kRuntime}};
}

// An operand has to be a compile-time constant.
FoldSubject Parameters() {
  return {"parameters",
          NamedBuilder()
              .Input("x", "i32[4]")
              .Input("w", "i32[4]")
              .Input("c", "i32[4]")
              .Constant("shift", "i8[1]{3}")
              .Constant("k", "i32[4]{5,-7,9,-11}")
              .Constant("small", "i32[4]{1,3,5,-7}")
              .Add("v", "i32[4]", Op::kBitwiseAnd, {"w", "small"})
              .Add("a", "i32[4]", Op::kMul, {"v", "k", "shift"})
              .Add("b", "i32[4]", Op::kMul, {"small", "k", "shift"})
              .Add("d", "i32[4]", Op::kBitwiseXor, {"b", "c"})
              .Add("y", "i32[4]", Op::kBitwiseXor, {"x", "a"})
              .Add("z", "i32[4]", Op::kBitwiseXor, {"x", "d"})
              .Returns({"y", "z"}),
          {kVarying, kRuntime, kCompileTime}};
}

// These are numbers that evaluators get wrong. All inputs are known at compile time, or at run
// time.
FoldSubject Numbers(Constness mark) {
  FoldSubject subject{"numbers",
                      NamedBuilder()
                          .Input("x", "fp32[4]")
                          .Input("c", "fp32[4]")
                          .Input("p", "bool[4]")
                          .Input("h", "fp16[4]")
                          .Input("s", "fp32[2]")
                          .Input("u", "fp32[2]")
                          .Constant("half", "fp32[4]{0.5,0.5,0.5,0.5}")
                          .Constant("shift0", "i8[1]{0}")
                          .Constant("shift3", "i8[1]{3}")
                          .Constant("odd", "i32[4]{5,-7,9,-11}")
                          .Add("d", "fp32[4]", Op::kMul, {"c", "half", "shift0"})
                          .Add("b", "i32[4]", Op::kCast, {"p"})
                          .Add("i", "i8[4]", Op::kCast, {"c"})
                          .Add("m", "i32[4]", Op::kMul, {"b", "odd", "shift3"})
                          .Add("g", "fp16[4]", Op::kMul, {"h", "h", "shift0"})
                          .Add("e", "fp16[4]", Op::kSub, {"g", "h"})
                          .Add("z", "fp32[2]", Op::kFloor, {"s"})
                          .Add("y", "fp32[4]", Op::kMul, {"x", "d", "shift0"})
                          .Add("q", "fp32[2]", Op::kMul, {"u", "z", "shift0"})
                          .Returns({"y", "d", "b", "i", "m", "e", "z", "q"}),
                      {kVarying, mark, mark, mark, mark, kVarying}};
  subject.fixed[1] = TensorOf("fp32[4]{1.5e-38,-1.2e-38,300.7,-4000}");
  subject.fixed[2] = TensorOf("bool[4]{true,false,true,true}");
  subject.fixed[3] = TensorOf("fp16[4]{1.0009765625,3.00390625,0.333251953125,-1.7001953125}");
  subject.fixed[4] = TensorOf("fp32[2]{-0,0}");
  subject.fixed[5] = TensorOf("fp32[2]{1,1}");
  return subject;
}

// x * 0 and x - x, where x may be NaN, infinite or negative.
FoldSubject Algebra() {
  return {"x * 0 and x - x",
          NamedBuilder()
              .Input("x", "fp32[4]")
              .Input("w", "fp32[4]")
              .Constant("zero", "fp32[4]{0,0,0,0}")
              .Constant("shift", "i8[1]{0}")
              .Add("z", "fp32[4]", Op::kMul, {"x", "zero", "shift"})
              .Add("d", "fp32[4]", Op::kSub, {"x", "x"})
              .Add("s", "fp32[4]", Op::kFloor, {"w"})
              .Add("y", "fp32[4]", Op::kMul, {"d", "s", "shift"})
              .Returns({"z", "y", "d"}),
          {kVarying, kRuntime}};
}

}  // namespace

const std::vector<FoldSubject>& DirectedSubjects() {
  static const std::vector<FoldSubject> kSubjects = [] {
    std::vector<FoldSubject> subjects = {Interleaved(),
                                         BothKinds(),
                                         Weights(),
                                         Views(),
                                         Squares(),
                                         TwoResults(kRuntime),
                                         TwoResults(kCompileTime),
                                         Conditional(kVarying, kRuntime),
                                         Conditional(kRuntime, kVarying),
                                         Conditional(kRuntime, kCompileTime),
                                         Conditional(kVarying, kCompileTime),
                                         Looping(true, kVarying, kRuntime),
                                         Looping(false, kVarying, kRuntime),
                                         Looping(true, kRuntime, kVarying),
                                         Looping(false, kRuntime, kRuntime),
                                         Untaken(),
                                         Variables(false),
                                         Variables(true),
                                         NestedEffects(),
                                         AtTheLimit(8, kRuntime),
                                         AtTheLimit(8, kCompileTime),
                                         AtTheLimit(9, kRuntime),
                                         TooLargeAndShared(kRuntime),
                                         TooLargeAndShared(kCompileTime),
                                         Crossing(),
                                         SmallElements(),
                                         Parameters(),
                                         Numbers(kCompileTime),
                                         Numbers(kRuntime),
                                         Algebra()};
    std::ranges::move(PostponableSubjects(), std::back_inserter(subjects));
    for (const bool has_operand : {true, false}) {
      FoldSubject custom = Custom(has_operand);
      custom.execution.custom_domains["test"] = GiveFive;
      subjects.push_back(std::move(custom));
    }
    for (FoldSubject& subject : subjects) subject.execution.loop_iterations_max = kLoopMax;
    return subjects;
  }();
  return kSubjects;
}

std::optional<FoldSubject> RandomSubject(uint64_t seed, uint64_t index) {
  GeneratorOptions options;
  options.seed = seed;
  options.level = kLevel8K;
  for (const FeatureRow& row : AllFeatures())
    options.target = options.target | Requirements{row.feature};
  std::optional<TestVector> vector = GeneratorByKind("graph")->make(options, index);
  if (!vector || vector->steps.empty()) return std::nullopt;
  Random random = Random::For(seed, index, "fold", 1);
  FoldSubject subject;
  subject.name = "random " + std::to_string(index);
  subject.graph = vector->graphs[0];
  subject.sample = vector->steps[0].inputs;
  subject.arguments = RandomMarks(random, subject.sample.size());
  subject.policy = RandomPolicy(random);
  subject.execution.loop_iterations_max = kLoopMax;
  return subject;
}

Folder FolderOf(const FoldSubject& subject, FoldFault fault) {
  FoldOptions options;
  options.policy = subject.policy;
  options.pure_domains = subject.pure_domains;
  options.execution = subject.execution;
  options.fault = fault;
  return [options](const Graph& graph, std::span<const Constness> marks,
                   FoldForm form) mutable -> Result<Folding> {
    options.form = form;
    return FoldGraph(graph, marks, options);
  };
}

}  // namespace assay
