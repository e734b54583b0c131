// SPDX-License-Identifier: Apache-2.0
#include "folding_subjects.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "block_builder.h"
#include "fold_graph.h"
#include "generator_table.h"
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

// Constants of every level are mixed: y = (x0 | (w0 ^ ~c0)) ^ (c1 & w1), and others.
FoldSubject Interleaved() {
  return {"interleaved marks",
          GraphOf(R"(
    block main (%c0:i32[2,1],%x0:i32[2,3],%w0:i32[1,3],%x1:i32[2,3],%c1:i32[2,3],%w1:i32[2,3])
        -> (%y,%s,%z,%s,%v)
      %k:i32[2,1] = SUB(%c0,%c0)
      %m:i32[2,1] = BITWISE_NOT(%c0)
      %s:i32[2,3] = BITWISE_XOR(%w0,%m)
      %t:i32[2,3] = BITWISE_AND(%c1,%w1)
      %u:i32[2,3] = BITWISE_OR(%x0,%s)
      %y:i32[2,3] = BITWISE_XOR(%u,%t)
      %z:i32[2,3] = BITWISE_OR(%k,%x1)
      %v:i32[2,3] = BITWISE_XOR(%c1,%m))"),
          {kCompileTime, kVarying, kRuntime, kVarying, kCompileTime, kRuntime}};
}

// The run-time stage reads a tensor that was folded at compile time, and no compile-time argument.
// Two modules of this graph differ only in that tensor.
FoldSubject BothKinds() {
  return {"constants of both kinds",
          GraphOf(R"(
    block main (%x:i32[2],%w:i32[2],%c:i32[2]) -> (%y,%k)
      %k:i32[2] = BITWISE_NOT(%c)
      %s:i32[2] = BITWISE_XOR(%w,%k)
      %y:i32[2] = BITWISE_XOR(%x,%s))"),
          {kVarying, kRuntime, kCompileTime}};
}

// Distinct weights have one type, and are used where another one would fit.
FoldSubject Weights() {
  return {"weights of one type",
          GraphOf(R"(
    block main (%x:fp32[2,3],%a:fp32[2,3],%b:fp32[2,3],%c:fp32[2,3],%d:fp32[2,3])
        -> (%y,%z,%u,%v,%w,%p)
      %p:fp32[2,3] = FLOOR(%a)
      %q:fp32[2,3] = CEIL(%b)
      %r:fp32[2,3] = ABS(%c)
      %s:fp32[2,3] = SUB(%d,%c)
      %i:fp32[2,3] = IDENTITY(%a)
      %y:fp32[2,3] = SUB(%x,%p)
      %z:fp32[2,3] = SUB(%x,%q)
      %u:fp32[2,3] = SUB(%r,%x)
      %v:fp32[2,3] = SUB(%s,%x)
      %w:fp32[2,3] = SUB(%i,%x))"),
          {kVarying, kRuntime, kRuntime, kCompileTime, kCompileTime}};
}

// RESHAPE and IDENTITY of weights move nothing. TRANSPOSE moves elements, by its attribute.
FoldSubject Views() {
  return {"views, and a permutation",
          GraphOf(R"(
    block main (%x:fp32[6],%w:fp32[2,3],%c:fp32[2,3]) -> (%y,%z,%v,%r)
      %flat = shape[1]{6}
      %r:fp32[6] = RESHAPE(%w,%flat)
      %t:fp32[3,2] = TRANSPOSE(%w) perms=[1,0]
      %u:fp32[6] = RESHAPE(%t,%flat)
      %e:fp32[3,2] = TRANSPOSE(%c) perms=[1,0]
      %f:fp32[6] = RESHAPE(%e,%flat)
      %y:fp32[6] = SUB(%x,%r)
      %z:fp32[6] = SUB(%x,%u)
      %v:fp32[6] = SUB(%x,%f))"),
          {kVarying, kRuntime, kCompileTime}};
}

// If the permutation of a square matrix is lost, its type does not change.
FoldSubject Squares() {
  return {"a permutation of a square, and axes",
          GraphOf(R"(
    block main (%x:i32[2,2],%w:i32[2,2],%c:i32[2,2]) -> (%y,%z)
      %t:i32[2,2] = TRANSPOSE(%w) perms=[1,0]
      %r:i32[2,2] = REVERSE(%c) axis=1
      %y:i32[2,2] = BITWISE_XOR(%x,%t)
      %z:i32[2,2] = BITWISE_XOR(%x,%r))"),
          {kVarying, kRuntime, kCompileTime}};
}

// One operator has two results.
FoldSubject TwoResults(Constness mark) {
  return {"two results",
          GraphOf(R"(
    block main (%x:fp32[1,2,2],%w:fp32[1,2,2]) -> (%y,%z)
      %r:fp32[1,2,2],%i:fp32[1,2,2] = RFFT2D(%w) local_bound=false
      %y:fp32[1,2,2] = SUB(%x,%r)
      %z:fp32[1,2,2] = SUB(%x,%i))"),
          {kVarying, mark}};
}

// The result is as constant as the condition, which chooses a block, and the operand.
FoldSubject Conditional(Constness condition, Constness operand) {
  return {"a condition",
          GraphOf(R"(
    block main (%p:bool[1],%x:i32[2],%a:i32[2]) -> (%z,%y)
      %y:i32[2] = COND_IF(%p,%a) then_graph=then else_graph=else
      %z:i32[2] = BITWISE_XOR(%y,%x)
    block then (%a:i32[2]) -> (%b)
      %b:i32[2] = BITWISE_NOT(%a)
    block else (%a:i32[2]) -> (%b)
      %b:i32[2] = CLZ(%a))"),
          {condition, kVarying, operand}};
}

// A loop (while n > i) has a bound that varies and a constant start, or the other way round.
FoldSubject Looping(bool bound_first, Constness bound, Constness start) {
  const auto list = [&](const std::string& n, const std::string& i) {
    return bound_first ? n + "," + i : i + "," + n;
  };
  const std::string inputs = "(" + list("%n:i32[]", "%i:i32[]") + ")";
  FoldSubject subject{"a loop",
                      GraphOf("block main (%n:i32[],%i:i32[],%x:i32[]) -> (%y,%k)\n" +
                              list("%m:i32[]", "%j:i32[]") + " = WHILE_LOOP(" + list("%n", "%i") +
                              ") cond_graph=cond body_graph=body\n"
                              "%y:i32[] = BITWISE_XOR(%j,%x)\n"
                              "%k:i32[] = BITWISE_NOT(%j)\n"
                              "block cond " +
                              inputs +
                              " -> (%goes_on)\n"
                              "%capped:i32[] = MINIMUM(%n,6)\n"
                              "%goes_on:bool[] = GREATER(%capped,%i)\n"
                              "block body " +
                              inputs + " -> (" + list("%n", "%next") +
                              ")\n"
                              "%next:i32[] = ADD(%i,1)\n"),
                      {bound, start, kVarying}};
  if (start != kVarying) subject.fixed[1] = TensorOf("i32[]{0}");
  if (bound != kVarying) subject.fixed[0] = TensorOf("i32[]{3}");
  return subject;
}

// A block that is not taken divides by zero, with constants of its own.
FoldSubject Untaken() {
  return {.name = "a block that is not taken",
          .graph = GraphOf(R"(
    block main (%p:bool[1],%x:i32[1],%w:i32[1]) -> (%z)
      %s:i32[1] = BITWISE_NOT(%w)
      %y:i32[1] = COND_IF(%p,%x) then_graph=then else_graph=else
      %z:i32[1] = BITWISE_XOR(%y,%s)
    block then (%a:i32[1]) -> (%b)
      %q:i32[1] = INTDIV(i32[1]{1},i32[1]{0})
      %b:i32[1] = BITWISE_XOR(%a,%q)
    block else (%a:i32[1]) -> (%b)
      %b:i32[1] = BITWISE_NOT(%a))"),
          .arguments = {kVarying, kVarying, kRuntime},
          .fixed = {{0, TensorOf("bool[1]{false}")}}};
}

// Each execution reads a variable, and then sets it to an input that varies, or to a constant.
FoldSubject Variables(bool constant_write) {
  return {"variables",
          GraphOf(R"(
    block main (%x:i8[2],%w:i8[2]) -> (%y,%z)
      %never = i8[2]{9}
      VARIABLE() name=v type=i8 var_shape=[2] initial_value=i8[2]{3,4}
      %r:i8[2] = VARIABLE_READ() name=v
      %s:i8[2] = BITWISE_XOR(%w,%w)
      %n:i8[2] = BITWISE_NOT(%w)
      %y:i8[2] = BITWISE_XOR(%r,%n)
      VARIABLE_WRITE()" +
                  std::string(constant_write ? "%n" : "%x") + R"() name=v
      %z:i8[2] = BITWISE_XOR(%s,%x))"),
          {kVarying, kRuntime}};
}

// A block writes to a variable although all its inputs are constant.
FoldSubject NestedEffects() {
  const auto block = [](const std::string& name, const std::string& op) {
    return "\nblock " + name + R"( (%a:i8[2]) -> (%b)
      VARIABLE() name=v type=i8 var_shape=[2] initial_value=i8[2]{3,4}
      %read:i8[2] = VARIABLE_READ() name=v
      %next:i8[2] = )" +
           op + R"((%read,i8[2]{1})
      VARIABLE_WRITE(%next) name=v
      %b:i8[2] = BITWISE_XOR(%a,%next))";
  };
  return {"a block that writes to a variable",
          GraphOf(R"(
    block main (%p:bool[1],%w:i8[2]) -> (%y)
      VARIABLE() name=v type=i8 var_shape=[2] initial_value=i8[2]{3,4}
      %s:i8[2] = BITWISE_NOT(%w)
      %y:i8[2] = COND_IF(%p,%s) then_graph=then else_graph=else)" +
                  block("then", "BITWISE_XOR") + block("else", "BITWISE_OR")),
          {kRuntime, kRuntime}};
}

// A CUSTOM whose results are fives. A folder does not know this.
void GiveFive(ValueDomain& d, const Call<ValueDomain>& call) {
  for (auto& element : call.output()) element = d.Store(call.out(), d.Integer(5));
}

FoldSubject Custom(bool has_operand) {
  return {"a CUSTOM operator",
          GraphOf(R"(
    block main (%x:i32[2],%w:i32[2]) -> (%y)
      %u:i32[2] = CUSTOM()" +
                  std::string(has_operand ? "%w" : "") +
                  R"() operator_name=five domain_name=test implementation_attrs=""
      %s:i32[2] = BITWISE_XOR(%w,%u)
      %y:i32[2] = BITWISE_XOR(%x,%s))"),
          {kVarying, kRuntime}};
}

// A tensor is exactly as large as the policy allows, or one element larger: 8 times 4 bytes, 9
// times.
FoldSubject AtTheLimit(int32_t times, Constness mark) {
  const std::string number = std::to_string(times), type = "i32[" + number + "]";
  return {"the limit of the policy",
          GraphOf("block main (%x:" + type + ",%w:i32[1]) -> (%y)\n%e:" + type + " = TILE(%w,[" +
                  number + "])\n%y:" + type + " = BITWISE_XOR(%x,%e)"),
          {kVarying, mark}};
}

// A tensor that is too large to be cached is read by the entry and by operators that are folded.
FoldSubject TooLargeAndShared(Constness mark) {
  return {"too large, and read by what is folded",
          GraphOf(R"(
    block main (%x:i32[20],%w:i32[1]) -> (%y,%z)
      %e:i32[20] = TILE(%w,[20])
      %s:i32[1] = REDUCE_MAX(%e) axis=0
      %y:i32[20] = BITWISE_XOR(%x,%e)
      %z:i32[20] = BITWISE_XOR(%x,%s))"),
          {kVarying, mark}};
}

// Only the run-time stage reads a large value of compile time.
FoldSubject Crossing() {
  return {"too large between the stages",
          GraphOf(R"(
    block main (%x:i32[1],%w:i32[20],%c:i32[1]) -> (%y)
      %e:i32[20] = TILE(%c,[20])
      %s:i32[20] = BITWISE_XOR(%w,%e)
      %t:i32[1] = REDUCE_MIN(%s) axis=0
      %y:i32[1] = BITWISE_XOR(%x,%t))"),
          {kVarying, kRuntime, kCompileTime}};
}

// Elements of less than a byte lie next to others.
FoldSubject SmallElements() {
  return {"elements of one and of four bits",
          GraphOf(R"(
    block main (%x:bool[5],%a:bool[5],%b:i4[2,3]) -> (%y,%t)
      %n:bool[5] = LOGICAL_NOT(%a)
      %t:i4[2,3] = IDENTITY(%b)
      %y:bool[5] = LOGICAL_XOR(%x,%n))"),
          {kVarying, kRuntime, kRuntime}};
}

// An operand has to be a compile-time constant.
FoldSubject Parameters() {
  return {"parameters",
          GraphOf(R"(
    block main (%x:i32[4],%w:i32[4],%c:i32[4]) -> (%y,%z)
      %shift = i8[1]{3}
      %k = i32[4]{5,-7,9,-11}
      %small = i32[4]{1,3,5,-7}
      %v:i32[4] = BITWISE_AND(%w,%small)
      %a:i32[4] = MUL(%v,%k,%shift)
      %b:i32[4] = MUL(%small,%k,%shift)
      %d:i32[4] = BITWISE_XOR(%b,%c)
      %y:i32[4] = BITWISE_XOR(%x,%a)
      %z:i32[4] = BITWISE_XOR(%x,%d))"),
          {kVarying, kRuntime, kCompileTime}};
}

// These are numbers that evaluators get wrong. All inputs are known at compile time, or at run
// time.
FoldSubject Numbers(Constness mark) {
  return {.name = "numbers",
          .graph = GraphOf(R"(
    block main (%x:fp32[4],%c:fp32[4],%p:bool[4],%h:fp16[4],%s:fp32[2],%u:fp32[2])
        -> (%y,%d,%b,%i,%m,%e,%z,%q)
      %shift0 = i8[1]{0}
      %d:fp32[4] = MUL(%c,fp32[4]{0.5},%shift0)
      %b:i32[4] = CAST(%p)
      %i:i8[4] = CAST(%c)
      %m:i32[4] = MUL(%b,i32[4]{5,-7,9,-11},3)
      %g:fp16[4] = MUL(%h,%h,%shift0)
      %e:fp16[4] = SUB(%g,%h)
      %z:fp32[2] = FLOOR(%s)
      %y:fp32[4] = MUL(%x,%d,%shift0)
      %q:fp32[2] = MUL(%u,%z,%shift0))"),
          .arguments = {kVarying, mark, mark, mark, mark, kVarying},
          .fixed = {{1, TensorOf("fp32[4]{1.5e-38,-1.2e-38,300.7,-4000}")},
                    {2, TensorOf("bool[4]{true,false,true,true}")},
                    {3, TensorOf("fp16[4]{1.0009765625,3.00390625,0.333251953125,-1.7001953125}")},
                    {4, TensorOf("fp32[2]{-0,0}")},
                    {5, TensorOf("fp32[2]{1,1}")}}};
}

// x * 0 and x - x, where x may be NaN, infinite or negative.
FoldSubject Algebra() {
  return {"x * 0 and x - x",
          GraphOf(R"(
    block main (%x:fp32[4],%w:fp32[4]) -> (%z,%y,%d)
      %shift = i8[1]{0}
      %z:fp32[4] = MUL(%x,fp32[4]{0},%shift)
      %d:fp32[4] = SUB(%x,%x)
      %s:fp32[4] = FLOOR(%w)
      %y:fp32[4] = MUL(%d,%s,%shift))"),
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
