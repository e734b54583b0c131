// SPDX-License-Identifier: Apache-2.0
// Tests the executor's verdict about a graph: outcomes, the Arguments tables, the rules of graphs,
// caps. The results of operators are tested in ops_test.cc; control flow and state have files of
// their own.

#include <cmath>

#include "block_builder.h"
#include "operator_table.h"

namespace assay::exec_test {
namespace {

// A block of one operator. An operand with elements becomes a CONST or CONST_SHAPE, one without
// becomes an input.
struct OneOperator {
  BlockBuilder b;
  std::vector<std::string> inputs;

  OneOperator(Op op, const std::vector<std::string_view>& operands, std::string_view type,
              Attributes attributes = {}) {
    std::vector<TensorIndex> in;
    for (const std::string_view operand : operands) {
      if (operand.find('{') != std::string_view::npos) {
        in.push_back(b.Constant(operand));
      } else {
        in.push_back(b.Input(operand));
        const bool boolean = operand.starts_with("bool");
        inputs.push_back(std::string(operand) + (boolean ? "{true}" : "{1}"));
      }
    }
    b.Outputs({b.Add(op, in, type, std::move(attributes))});
  }
  std::string Result(ExecutionOptions options = {}) const {
    return ResultOf(GraphOf({b.block}), {inputs.begin(), inputs.end()}, options);
  }
};

std::string One(Op op, const std::vector<std::string_view>& operands, std::string_view type,
                Attributes attributes = {}) {
  return OneOperator(op, operands, type, std::move(attributes)).Result();
}

Attributes Axis(int32_t axis) { return {{AttributeId::kAxis, axis}}; }

Attributes Pool(std::vector<int32_t> kernel, std::vector<int32_t> stride,
                std::vector<int32_t> pad) {
  return {{AttributeId::kKernel, std::move(kernel)},
          {AttributeId::kStride, std::move(stride)},
          {AttributeId::kPad, std::move(pad)},
          {AttributeId::kNanMode, 1}};
}

// ---- Outcomes (specification, "Operator Validation Helpers") ----

// Within an operator the first ERROR_IF that holds is named, in the order of its pseudocode.
TEST(Outcomes, NameTheFirstErrorOfAnOperator) {
  // CONCAT: axis (2) before ranks (3) before dimensions (4) before their sum (5).
  EXPECT_EQ(One(Op::kConcat, {"i8[1,2]", "i8[3]"}, "i8[1,9]", Axis(2)), "error CONCAT/ERROR_IF/2");
  EXPECT_EQ(One(Op::kConcat, {"i8[1,2]", "i8[3]"}, "i8[1,9]", Axis(1)), "error CONCAT/ERROR_IF/3");
  EXPECT_EQ(One(Op::kConcat, {"i8[1,2]", "i8[2,2]"}, "i8[1,9]", Axis(1)),
            "error CONCAT/ERROR_IF/4");
  EXPECT_EQ(One(Op::kConcat, {"i8[1,2]", "i8[1,2]"}, "i8[1,5]", Axis(1)),
            "error CONCAT/ERROR_IF/5");
  // MAX_POOL2D: kernel (1), stride (2), negative padding (3), wide padding (4, 5), sizes (6, 7).
  EXPECT_EQ(
      One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({0, 1}, {0, 1}, {-1, 0, 0, 0})),
      "error MAX_POOL2D/ERROR_IF/1");
  EXPECT_EQ(
      One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({1, 1}, {1, 0}, {-1, 0, 0, 0})),
      "error MAX_POOL2D/ERROR_IF/2");
  EXPECT_EQ(
      One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({1, 1}, {1, 1}, {1, 0, 0, -1})),
      "error MAX_POOL2D/ERROR_IF/3");
  EXPECT_EQ(One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({1, 1}, {1, 1}, {1, 0, 0, 1})),
            "error MAX_POOL2D/ERROR_IF/4");
  EXPECT_EQ(One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({1, 2}, {1, 1}, {1, 0, 0, 1})),
            "error MAX_POOL2D/ERROR_IF/5");
  EXPECT_EQ(One(Op::kMaxPool2d, {"i8[1,4,4,1]"}, "i8[1,9,9,1]", Pool({1, 1}, {1, 1}, {0, 0, 0, 0})),
            "error MAX_POOL2D/ERROR_IF/6");
  // SLICE checks axis by axis: axis 0 has a size of 0 (4), axis 1 a negative start (3).
  EXPECT_EQ(One(Op::kSlice, {"i8[2,2]", "shape[2]{0,-1}", "shape[2]{0,1}"}, "i8[1,1]"),
            "error SLICE/ERROR_IF/4");
}

// Returns the outcome of two operators that do not depend on each other. `first` is listed first.
std::string Both(const OneOperator& first, const OneOperator& second) {
  Block block = first.b.block;
  const auto shift = static_cast<TensorIndex>(block.tensors.size());
  const auto moved = [&](std::vector<TensorIndex> list) {
    for (TensorIndex& tensor : list) tensor += shift;
    return list;
  };
  for (TensorInfo info : second.b.block.tensors) {
    info.name += "_second";
    block.tensors.push_back(info);
  }
  for (Operator op : second.b.block.operators) {
    op.inputs = moved(op.inputs);
    op.outputs = moved(op.outputs);
    block.operators.push_back(op);
  }
  for (const TensorIndex input : moved(second.b.block.inputs)) block.inputs.push_back(input);
  for (const TensorIndex output : moved(second.b.block.outputs)) block.outputs.push_back(output);
  std::vector<std::string> inputs = first.inputs;
  inputs.insert(inputs.end(), second.inputs.begin(), second.inputs.end());
  return ResultOf(GraphOf({block}), {inputs.begin(), inputs.end()});
}

const OneOperator& Wrong() {
  static const OneOperator op(Op::kAdd, {"i32[2]", "i32[3]"}, "i32[3]");
  return op;
}

// A REQUIRE marks the whole graph. An ERROR_IF counts only in a graph that is not marked. The order
// of the operators does not matter (reading require-elsewhere).
TEST(Outcomes, AreUnpredictableIfAnyOperatorIs) {
  const std::pair<OneOperator, std::string> cases[] = {
      {{Op::kIntdiv, {"i32[1]", "i32[1]{0}"}, "i32[1]"}, "INTDIV/REQUIRE/1"},
      {{Op::kMul, {"i32[1]{2147483647}", "i32[1]{2147483647}", "i8[1]{1}"}, "i32[1]"},
       "MUL/REQUIRE/3"},
      {{Op::kMul, {"i32[1]", "i32[1]", "i8[1]{64}"}, "i32[1]"}, "MUL/REQUIRE/1"},
      {{Op::kAdd, {"fp32[1,1,1,1,1,1,1]", "fp32[1,1,1,1,1,1,1]"}, "fp32[1,1,1,1,1,1,1]"},
       "ADD/LEVEL_CHECK/1"},
      {{Op::kMaxPool2d, {"i8[1,4,9000,1]"}, "i8[1,4,1,1]", Pool({1, 9000}, {1, 1}, {0, 0, 0, 0})},
       "MAX_POOL2D/LEVEL_CHECK/2"}};
  for (const auto& [op, rule] : cases) {
    EXPECT_EQ(op.Result(), "unpredictable " + rule);
    EXPECT_EQ(Both(op, Wrong()), "unpredictable " + rule);
    EXPECT_EQ(Both(Wrong(), op), "unpredictable " + rule);
  }
  EXPECT_EQ(Wrong().Result(), "error ADD/ERROR_IF/broadcast_shape");
}

TEST(Outcomes, AreUnpredictableInsideControlFlowAfterAnError) {
  for (const bool wrong_first : {true, false}) {
    BlockBuilder b;
    const TensorIndex x = b.Input("i32[2]");
    const TensorIndex y = b.Input("i32[3]");
    const TensorIndex yes = b.Constant("bool[]{true}");
    const TensorIndex sum = b.Declare("i32[3]");
    const TensorIndex quotient = b.Declare("i32[3]");
    if (wrong_first) b.Append(Op::kAdd, {x, y}, {sum});
    b.Append(Op::kCondIf, {yes, y}, {quotient},
             {{AttributeId::kThenGraph, std::string("inner")},
              {AttributeId::kElseGraph, std::string("inner")}});
    if (!wrong_first) b.Append(Op::kAdd, {x, y}, {sum});
    b.Outputs({sum, quotient});
    BlockBuilder inner("inner");
    const TensorIndex z = inner.Input("i32[3]");
    const TensorIndex zero = inner.Constant("i32[1]{0}");
    inner.Outputs({inner.Add(Op::kIntdiv, {z, zero}, "i32[3]")});
    EXPECT_EQ(ResultOf(GraphOf({b.block, inner.block}), {"i32[2]{1}", "i32[3]{1}"}),
              "unpredictable INTDIV/REQUIRE/1");
  }
}

// The first error of a graph is named, with its place.
TEST(Outcomes, NameTheFirstErrorOfAGraph) {
  const OneOperator other(Op::kConcat, {"i8[1,2]"}, "i8[1,2]", Axis(2));
  EXPECT_EQ(Both(Wrong(), other), "error ADD/ERROR_IF/broadcast_shape");
  EXPECT_EQ(Both(other, Wrong()), "error CONCAT/ERROR_IF/2");
  std::vector<std::string_view> inputs(Wrong().inputs.begin(), Wrong().inputs.end());
  const Outcome outcome = Session().Run(GraphOf({Wrong().b.block}), inputs);
  EXPECT_EQ(outcome.message, "operator 0 (ADD) of block main");
  EXPECT_TRUE(outcome.outputs.empty());
}

// Operators whose results nobody reads run as well (reading dead-operators).
TEST(Outcomes, CountDeadOperators) {
  OneOperator dead(Op::kIntdiv, {"i32[1]", "i32[1]{0}"}, "i32[1]");
  dead.b.Outputs({dead.b.block.inputs[0]});
  EXPECT_EQ(dead.Result(), "unpredictable INTDIV/REQUIRE/1");
}

// An operator behind one in error cannot run, and adds no error.
TEST(Outcomes, StopBehindAnError) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex y = b.Input("i32[3]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, y}, "i32[3]");
  const TensorIndex zero = b.Constant("i32[1]{0}");
  b.Outputs({b.Add(Op::kIntdiv, {sum, zero}, "i32[3]")});
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"i32[2]{1}", "i32[3]{1}"}),
            "error ADD/ERROR_IF/broadcast_shape");
}

// ---- The level ----

TEST(Levels, MakeARankBeyondTheirsUnpredictable) {
  const std::string_view seven = "i32[1,1,1,1,1,1,1]";
  const std::string_view six = "i32[1,1,1,1,1,1]";
  EXPECT_EQ(One(Op::kAdd, {six, six}, six), "valid i32[1,1,1,1,1,1]{2}");
  EXPECT_EQ(One(Op::kAdd, {seven, seven}, seven), "unpredictable ADD/LEVEL_CHECK/1");
  OneOperator add(Op::kAdd, {seven, seven}, seven);
  ExecutionOptions none;
  none.level = kLevelNone;
  EXPECT_EQ(add.Result(none), "valid i32[1,1,1,1,1,1,1]{2}");
  // Operators without a level check of their own (reading rank-beyond-level).
  EXPECT_EQ(One(Op::kIdentity, {seven}, seven), "unpredictable graph/LEVEL_CHECK/tensor-rank");
  EXPECT_EQ(One(Op::kReduceSum, {seven}, seven, Axis(0)),
            "unpredictable graph/LEVEL_CHECK/tensor-rank");
  // RESHAPE has one for each side.
  EXPECT_EQ(One(Op::kReshape, {seven, "shape[1]{1}"}, "i32[1]"),
            "unpredictable RESHAPE/LEVEL_CHECK/1");
  EXPECT_EQ(One(Op::kReshape, {"i32[1]", "shape[7]{1,1,1,1,1,1,1}"}, seven),
            "unpredictable RESHAPE/LEVEL_CHECK/2");
}

TEST(Levels, LimitTheSizeOfTensors) {
  // No operator computes these: the shapes alone decide.
  EXPECT_EQ(One(Op::kAdd, {"i32[1]", "i32[0]"}, "i32[0]"), "unpredictable ADD/REQUIRE/tensor_size");
  EXPECT_EQ(One(Op::kIdentity, {"i32[0]"}, "i32[0]"), "unpredictable graph/REQUIRE/tensor-size");
  // 2^31 bytes are one more than tensor_size_t of level 8K holds (reading tensor-bytes).
  EXPECT_EQ(One(Op::kTile, {"i8[1]", "shape[1]{2147483647}"}, "i8[2147483647]").substr(0, 11),
            "unsupported");
  EXPECT_EQ(One(Op::kTile, {"i32[1]", "shape[1]{536870912}"}, "i32[536870912]"),
            "unpredictable TILE/REQUIRE/tensor_size");
}

// ---- The Arguments tables ----

TEST(Arguments, HaveTheRankOfTheTable) {
  EXPECT_EQ(One(Op::kMaxPool2d, {"i8[1,4,4]"}, "i8[1,4,4]", Pool({1, 1}, {1, 1}, {0, 0, 0, 0})),
            "error MAX_POOL2D/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kConcat, {"i8[]"}, "i8[1]", Axis(0)), "error CONCAT/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kReduceSum, {"i32[]"}, "i32[]", Axis(0)),
            "error REDUCE_SUM/ERROR_IF/arguments");
  EXPECT_EQ(
      One(Op::kArgmax, {"i8[2]"}, "i32[1]", {{AttributeId::kAxis, 0}, {AttributeId::kNanMode, 1}})
          .substr(0, 21),
      "error ARGMAX/ERROR_IF");
}

TEST(Arguments, HaveTheShapeOfTheTable) {
  // Zero points and shifts are of shape [1].
  EXPECT_EQ(One(Op::kNegate, {"i8[2]", "i8[1]{0}", "i8[1]{0}"}, "i8[2]"), "valid i8[2]{-1,-1}");
  EXPECT_EQ(One(Op::kNegate, {"i8[2]", "i8[2]{0,0}", "i8[1]{0}"}, "i8[2]"),
            "error NEGATE/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kNegate, {"i8[2]", "i8[1]{0}", "i8[]{0}"}, "i8[2]"),
            "error NEGATE/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kMul, {"i32[2]", "i32[2]", "i8[2]{0,0}"}, "i32[2]"),
            "error MUL/ERROR_IF/arguments");
  // One symbol, one number: K and C of MATMUL, N of GATHER, shape of an element-wise operator.
  const auto matmul = [](std::string_view a, std::string_view b, std::string_view out) {
    return One(Op::kMatmul, {a, b, "i8[1]{0}", "i8[1]{0}"}, out);
  };
  EXPECT_EQ(matmul("i8[1,2,3]", "i8[1,3,1]", "i32[1,2,1]"), "valid i32[1,2,1]{3,3}");
  EXPECT_EQ(matmul("i8[1,2,3]", "i8[1,4,1]", "i32[1,2,1]"), "error MATMUL/ERROR_IF/arguments");
  EXPECT_EQ(matmul("i8[2,2,3]", "i8[1,3,1]", "i32[1,2,1]"), "error MATMUL/ERROR_IF/arguments");
  EXPECT_EQ(matmul("i8[1,2,3]", "i8[1,3,1]", "i32[1,3,1]"), "error MATMUL/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kGather, {"i32[2,3,1]", "i32[1,2]{0,1}"}, "i32[2,2,1]"),
            "error GATHER/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kAbs, {"i32[2]"}, "i32[1,2]"), "error ABS/ERROR_IF/arguments");
  // The lengths of shape operands: as many as the rank, for PAD twice as many.
  EXPECT_EQ(One(Op::kTile, {"i8[2]", "shape[2]{1,1}"}, "i8[2]"), "error TILE/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kPad, {"i8[2]", "shape[1]{1}", "i8[1]{0}"}, "i8[3]"),
            "error PAD/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kReshape, {"i8[2]", "shape[1]{2}"}, "i8[1,2]"),
            "error RESHAPE/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kReshape, {"i8[1]", "shape[0]{}"}, "i8[]"), "valid i8[]{1}");
  // SLICE has its own ERROR_IF for this.
  EXPECT_EQ(One(Op::kSlice, {"i8[2]", "shape[2]{0,0}", "shape[1]{1}"}, "i8[1]"),
            "error SLICE/ERROR_IF/1");
  // A tensor is no shape_t and a shape_t no tensor.
  EXPECT_EQ(One(Op::kReshape, {"i8[2]", "i32[1]{2}"}, "i8[2]"), "error RESHAPE/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kAdd, {"i32[1]", "shape[1]{2}"}, "i32[1]"), "error ADD/ERROR_IF/arguments");
}

TEST(Arguments, AreAsManyAsTheTableHas) {
  EXPECT_EQ(One(Op::kAdd, {"i32[1]"}, "i32[1]"), "error ADD/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kAdd, {"i32[1]", "i32[1]", "i32[1]"}, "i32[1]"),
            "error ADD/ERROR_IF/arguments");
  EXPECT_EQ(One(Op::kConcat, {}, "i32[1]", Axis(0)), "error CONCAT/ERROR_IF/1");
  OneOperator two(Op::kAdd, {"i32[1]", "i32[1]"}, "i32[1]");
  two.b.block.operators[0].outputs.push_back(two.b.Declare("i32[1]"));
  EXPECT_EQ(two.Result(), "error ADD/ERROR_IF/arguments");
}

TEST(Arguments, HaveTypesThatAreARowOfTheTable) {
  EXPECT_EQ(One(Op::kAdd, {"i16[1]", "i16[1]"}, "i16[1]"), "error ADD/ERROR_IF/types");
  EXPECT_EQ(One(Op::kAdd, {"i32[1]", "fp32[1]"}, "i32[1]"), "error ADD/ERROR_IF/types");
  EXPECT_EQ(One(Op::kAdd, {"i32[1]", "i32[1]"}, "i8[1]"), "error ADD/ERROR_IF/types");
  EXPECT_EQ(One(Op::kReduceSum, {"i8[1]"}, "i8[1]", Axis(0)), "error REDUCE_SUM/ERROR_IF/types");
  EXPECT_EQ(One(Op::kCast, {"i32[1]"}, "i48[1]"), "error CAST/ERROR_IF/types");
  EXPECT_EQ(One(Op::kMul, {"i8[1]", "i8[1]", "i8[1]{0}"}, "i8[1]"), "error MUL/ERROR_IF/types");
  EXPECT_EQ(One(Op::kMul, {"i8[1]", "i8[1]", "i32[1]{0}"}, "i32[1]"), "error MUL/ERROR_IF/types");
}

TEST(Attributes, AreThereAndOfTheirForm) {
  const auto pool = [](AttributeId id, std::optional<AttributeValue> value) {
    Attributes attributes = Pool({1, 1}, {1, 1}, {0, 0, 0, 0});
    attributes.Remove(id);
    if (value) attributes.Set(id, *value);
    return One(Op::kMaxPool2d, {"i8[1,1,1,1]"}, "i8[1,1,1,1]", attributes);
  };
  const std::string valid = "valid i8[1,1,1,1]{1}";
  const std::string error = "error MAX_POOL2D/ERROR_IF/attributes";
  EXPECT_EQ(pool(AttributeId::kNanMode, 2), valid);
  EXPECT_EQ(pool(AttributeId::kKernel, std::nullopt), error);
  EXPECT_EQ(pool(AttributeId::kKernel, std::vector<int32_t>{1}), error);
  EXPECT_EQ(pool(AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0, 0}), error);
  EXPECT_EQ(pool(AttributeId::kStride, 1), error);
  // Reading nan-mode-default: the attribute must be there for integers, too, and be an enumerator.
  EXPECT_EQ(pool(AttributeId::kNanMode, std::nullopt), error);
  EXPECT_EQ(pool(AttributeId::kNanMode, 0), error);
  EXPECT_EQ(pool(AttributeId::kNanMode, 3), error);
  EXPECT_EQ(One(Op::kConcat, {"i8[1]"}, "i8[1]"), "error CONCAT/ERROR_IF/attributes");
  EXPECT_EQ(
      One(Op::kTranspose, {"i8[1,1]"}, "i8[1,1]", {{AttributeId::kPerms, std::vector<int32_t>{0}}}),
      "error TRANSPOSE/ERROR_IF/attributes");
  const auto clamp = [](std::string_view low) {
    return One(Op::kClamp, {"i8[1]"}, "i8[1]",
               {{AttributeId::kMinVal, TensorOf(low)},
                {AttributeId::kMaxVal, TensorOf("i8[]{5}")},
                {AttributeId::kNanMode, 1}});
  };
  EXPECT_EQ(clamp("i8[]{0}"), "valid i8[1]{1}");
  EXPECT_EQ(clamp("i16[]{0}"), "error CLAMP/ERROR_IF/attributes");
  EXPECT_EQ(clamp("i8[2]{0,0}"), "error CLAMP/ERROR_IF/attributes");
}

// acc_type_t has INT32, FP16, FP32 and INT48. Any other type is no value of the enumeration. A type
// of the enumeration may still have no row.
TEST(Attributes, AreEnumeratorsOfTheirEnumeration) {
  const auto average = [](int32_t acc_type) {
    Attributes attributes = Pool({1, 1}, {1, 1}, {0, 0, 0, 0});
    attributes.Remove(AttributeId::kNanMode);
    attributes.Set(AttributeId::kAccType, acc_type);
    return One(Op::kAvgPool2d, {"i8[1,1,1,1]", "i8[1]{0}", "i8[1]{0}"}, "i8[1,1,1,1]", attributes);
  };
  EXPECT_EQ(average(static_cast<int32_t>(DType::kInt32)), "valid i8[1,1,1,1]{1}");
  EXPECT_EQ(average(static_cast<int32_t>(DType::kFp32)), "error AVG_POOL2D/ERROR_IF/types");
  EXPECT_EQ(average(static_cast<int32_t>(DType::kInt8)), "error AVG_POOL2D/ERROR_IF/attributes");
  EXPECT_EQ(average(0), "error AVG_POOL2D/ERROR_IF/attributes");
}

// ---- Graphs ----

Graph AddGraph() {
  return GraphOf({OneOperator(Op::kAdd, {"i32[1]", "i32[1]"}, "i32[1]").b.block});
}

TEST(Graphs, HaveTheInputsThatTheyDeclare) {
  EXPECT_EQ(ResultOf(AddGraph(), {"i32[1]{1}", "i32[1]{2}"}), "valid i32[1]{3}");
  EXPECT_EQ(ResultOf(AddGraph(), {"i32[1]{1}"}), "error graph/ERROR_IF/input-list");
  EXPECT_EQ(ResultOf(AddGraph(), {"i32[1]{1}", "i32[2]{2}"}), "error graph/ERROR_IF/input-list");
  EXPECT_EQ(ResultOf(AddGraph(), {"i32[1]{1}", "i32[1,1]{2}"}), "error graph/ERROR_IF/input-list");
  EXPECT_EQ(ResultOf(AddGraph(), {"i32[1]{1}", "fp32[1]{2}"}), "error graph/ERROR_IF/list-types");
  EXPECT_EQ(ResultOf(Graph{}), "error graph/ERROR_IF/main-block");
}

// Returns the outcome after `change` has changed the block of AddGraph. Tensors 0 and 1 are the
// inputs of that block, 2 is its output.
template <class Change>
std::string Changed(Change change) {
  BlockBuilder b;
  Graph graph = AddGraph();
  b.block = graph.regions[0].blocks[0];
  change(b);
  return ResultOf(GraphOf({b.block}), {"i32[1]{1}", "i32[1]{2}"});
}

TEST(Graphs, ReadOnlyWhatIsThere) {
  EXPECT_EQ(Changed([](BlockBuilder& b) { b.block.operators[0].inputs[0] = b.Declare("i32[1]"); }),
            "error graph/ERROR_IF/unproduced-tensor");
  EXPECT_EQ(Changed([](BlockBuilder& b) { b.Outputs({b.Declare("i32[1]")}); }),
            "error graph/ERROR_IF/unproduced-tensor");
  for (const TensorIndex index : {-1, 3, 1'000'000}) {
    EXPECT_EQ(Changed([&](BlockBuilder& b) { b.block.operators[0].inputs[0] = index; }),
              "error graph/ERROR_IF/undefined-tensor");
    EXPECT_EQ(Changed([&](BlockBuilder& b) { b.block.operators[0].outputs[0] = index; }),
              "error graph/ERROR_IF/undefined-tensor");
    EXPECT_EQ(Changed([&](BlockBuilder& b) { b.Outputs({index}); }),
              "error graph/ERROR_IF/undefined-tensor");
    EXPECT_EQ(Changed([&](BlockBuilder& b) { b.block.inputs[0] = index; }),
              "error graph/ERROR_IF/undefined-tensor");
  }
}

TEST(Graphs, MakeEachTensorOnce) {
  EXPECT_EQ(Changed([](BlockBuilder& b) {
              b.Append(Op::kSub, {0, 1}, {2});
            }),
            "error graph/ERROR_IF/duplicate-producer");
  EXPECT_EQ(Changed([](BlockBuilder& b) {
              b.Append(Op::kSub, {0, 1}, {1});
            }),
            "error graph/ERROR_IF/produced-input");
}

TEST(Graphs, HaveNoCycles) {
  EXPECT_EQ(Changed([](BlockBuilder& b) { b.block.operators[0].inputs[0] = 2; }),
            "error graph/ERROR_IF/cycle");
  EXPECT_EQ(Changed([](BlockBuilder& b) {
              const TensorIndex back = b.Declare("i32[1]");
              b.block.operators[0].inputs[0] = back;
              b.Append(Op::kAbs, {2}, {back});
            }),
            "error graph/ERROR_IF/cycle");
}

TEST(Graphs, RunInAnOrderOfExecutionHoweverTheyAreListed) {
  EXPECT_EQ(Changed([](BlockBuilder& b) {
              // (0 + 1) - 1, then doubled; listed backwards.
              const TensorIndex one = b.Constant("i32[1]{1}");
              const TensorIndex less = b.Add(Op::kSub, {2, one}, "i32[1]");
              b.Outputs({b.Add(Op::kAdd, {less, less}, "i32[1]")});
              std::reverse(b.block.operators.begin(), b.block.operators.end());
            }),
            "valid i32[1]{4}");
}

// Ordering stays fast for many operators in the worst order.
TEST(Graphs, OrderManyOperatorsInNoTime) {
  BlockBuilder b;
  TensorIndex x = b.Input("i32[]");
  for (int i = 0; i < 100'000; ++i) x = b.Add(Op::kAbs, {x}, "i32[]");
  b.Outputs({x});
  std::reverse(b.block.operators.begin(), b.block.operators.end());
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"i32[]{-3}"}), "valid i32[]{3}");
}

TEST(Graphs, HaveNoShapesAsInputsOrOutputs) {
  EXPECT_EQ(Changed([](BlockBuilder& b) { b.block.outputs.push_back(b.Constant("shape[1]{2}")); }),
            "error graph/ERROR_IF/shape-operand");
  BlockBuilder b;
  b.Input("shape[1]");
  b.Outputs({b.Constant("i8[]{1}")});
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"shape[1]{2}"}), "error graph/ERROR_IF/shape-operand");
}

TEST(Graphs, HandOnInputsAndRepeatOutputs) {
  EXPECT_EQ(Changed([](BlockBuilder& b) {
              b.Outputs({1, 2, 2, 0});
            }),
            "valid i32[1]{2} i32[1]{3} i32[1]{3} i32[1]{1}");
  EXPECT_EQ(Changed([](BlockBuilder& b) { b.Outputs({}); }), "valid");
}

TEST(Graphs, ConnectCompileTimeConstantsToConstants) {
  const OneOperator computed(Op::kMul, {"i32[1]", "i32[1]", "i8[1]"}, "i32[1]");
  EXPECT_EQ(computed.Result(), "error graph/ERROR_IF/compile-time-constant");
  ExecutionOptions dynamic;
  dynamic.dynamic = true;
  // 1 * 1 with a shift of 1: (1 + 1) >> 1.
  EXPECT_EQ(computed.Result(dynamic), "valid i32[1]{1}");
  // IDENTITY is no CTC output, not even of a constant.
  OneOperator copied(Op::kMul, {"i32[1]", "i32[1]", "i8[1]{0}"}, "i32[1]");
  const TensorIndex shift = copied.b.block.operators.back().inputs[2];
  const TensorIndex copy = copied.b.Add(Op::kIdentity, {shift}, "i8[1]");
  copied.b.block.operators[copied.b.block.operators.size() - 2].inputs[2] = copy;
  EXPECT_EQ(copied.Result(), "error graph/ERROR_IF/compile-time-constant");
}

TEST(Graphs, HaveKnownOperatorsOnly) {
  EXPECT_EQ(One(Op::kUnknown, {"i8[1]"}, "i8[1]"), "error graph/ERROR_IF/unknown-operator");
}

// ---- Caps ----

TEST(Caps, StopTensorsThatAreTooLarge) {
  ExecutionOptions options;
  options.elements_max = 101;  // one of them is the shape
  const OneOperator fits(Op::kTile, {"i8[1]", "shape[1]{100}"}, "i8[100]");
  EXPECT_EQ(fits.Result(options).substr(0, 5), "valid");
  const OneOperator large(Op::kTile, {"i8[1]", "shape[1]{101}"}, "i8[101]");
  std::vector<std::string_view> inputs(large.inputs.begin(), large.inputs.end());
  const Outcome outcome = Session(options).Run(GraphOf({large.b.block}), inputs);
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_NE(outcome.message.find("TILE"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("101 elements"), std::string::npos) << outcome.message;
}

// Returns the outcome of ten tensors of ten elements, each computed from the one before, with at
// most 95 elements alive. `view` stands behind each of them, unless it is kUnknown. `all_out` makes
// all of them outputs.
Outcome RunChain(Op view, bool all_out) {
  BlockBuilder b;
  TensorIndex x = b.Input("i32[10]");
  std::vector<TensorIndex> made;
  for (int i = 0; i < 10; ++i) {
    x = b.Add(Op::kAbs, {x}, "i32[10]");
    if (view != Op::kUnknown) x = b.Add(view, {x}, "i32[10]");
    made.push_back(x);
  }
  b.Outputs(all_out ? made : std::vector{x});
  ExecutionOptions options;
  options.elements_max = 95;
  return Session(options).Run(GraphOf({b.block}), {"i32[10]{-7}"});
}

// The cap is on the sum of all tensors alive, not on each tensor.
TEST(Caps, StopTensorsThatAreTooMany) {
  EXPECT_EQ(RunChain(Op::kUnknown, true).kind, OutcomeKind::kUnsupported);
}

TEST(Caps, CountNoTensorBehindItsLastReader) {
  EXPECT_EQ(RunChain(Op::kUnknown, false).kind, OutcomeKind::kValid);
}

// The operand of a view lives on in its result.
TEST(Caps, CountTheOperandsOfViews) {
  EXPECT_EQ(RunChain(Op::kIdentity, false).kind, OutcomeKind::kUnsupported);
}

// A view without an operand breaks a rule, and has no operand to count.
TEST(Caps, CountNoOperandThatIsMissing) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kIdentity, {}, "i32[10]")});
  EXPECT_EQ(TextOf(Session().Run(GraphOf({b.block}))), "error IDENTITY/ERROR_IF/arguments");
}

TEST(Caps, CountNoConstants) {
  BlockBuilder b;
  TensorIndex x = b.Input("i32[10]");
  for (int i = 0; i < 10; ++i) {
    x = b.Add(Op::kAdd, {x, b.Constant("i32[10]{1}")}, "i32[10]");
  }
  b.Outputs({x});
  ExecutionOptions options;
  options.elements_max = 20;
  for (const bool fits : {true, false}) {
    const Outcome outcome = Session(options).Run(GraphOf({b.block}), {"i32[10]{-7}"});
    EXPECT_EQ(outcome.kind, fits ? OutcomeKind::kValid : OutcomeKind::kUnsupported);
    --options.elements_max;
  }
}

// A tensor is not freed before its last reader has run, in an order that is not that of the list.
TEST(Graphs, KeepTensorsForTheirLastReader) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]"), later = b.Declare("i32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, later}, "i32[2]");
  b.Append(Op::kAbs, {x}, {later});
  const TensorIndex unread = b.Add(Op::kAbs, {later}, "i32[2]");
  b.Outputs({b.Add(Op::kAdd, {sum, sum}, "i32[2]"), x});
  EXPECT_NE(unread, x);
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"i32[2]{-4,5}"}), "valid i32[2]{0,20} i32[2]{-4,5}");
}

// ---- CUSTOM ----

Attributes Custom(std::string name) {
  return {{AttributeId::kOperatorName, std::move(name)},
          {AttributeId::kDomainName, std::string("assay.test")},
          {AttributeId::kImplementationAttrs, std::string("")}};
}

// Adds up all elements of all operands, plus the number of characters of the operator's name.
// "none" is not defined.
void Total(ValueDomain& d, const Call<ValueDomain>& call) {
  d.Require(call.attributes().Text(AttributeId::kOperatorName) != "none", "INTDIV/REQUIRE/1");
  auto sum = d.Integer(std::ssize(call.attributes().Text(AttributeId::kOperatorName)));
  for (const auto* input : call.inputs) {
    for (const Scalar x : *input->elements) sum = d.AddInteger(sum, x);
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    std::fill(call.outputs[i].begin(), call.outputs[i].end(),
              d.AddInteger(sum, d.Integer(static_cast<int64_t>(i))));
  }
}

TEST(Custom, IsRefusedByTheNamesOfItsDomainAndOperator) {
  OneOperator custom(Op::kCustom, {"i32[2]"}, "i32[2]", Custom("dot\n"));
  const std::vector<std::string_view> inputs(custom.inputs.begin(), custom.inputs.end());
  const Outcome outcome = Session().Run(GraphOf({custom.b.block}), inputs);
  EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcome.message,
            "CUSTOM \"dot\\x0a\" of domain \"assay.test\" is not executable: what it does is up to "
            "its implementation");
}

TEST(Custom, HasAnArgumentsTable) {
  OneOperator nameless(Op::kCustom, {"i32[2]"}, "i32[2]");
  EXPECT_EQ(nameless.Result(), "error CUSTOM/ERROR_IF/attributes");
  const std::vector<std::string_view> many(65, "i32[1]");
  OneOperator wide(Op::kCustom, many, "i32[1]", Custom("wide"));
  EXPECT_EQ(wide.Result(), "unpredictable CUSTOM/LEVEL_CHECK/1");
  OneOperator fits(Op::kCustom, {many.begin(), many.end() - 1}, "i32[1]", Custom("fits"));
  EXPECT_EQ(fits.Result(), "unsupported");
  BlockBuilder b;
  std::vector<TensorIndex> outputs;
  for (int i = 0; i < 64; ++i) outputs.push_back(b.Declare("i32[1]"));
  b.Append(Op::kCustom, {}, outputs, Custom("tall"));
  EXPECT_EQ(ResultOf(GraphOf({b.Outputs({outputs[0]}).block})), "unsupported");
  b.block.operators[0].outputs.push_back(b.Declare("i32[1]"));
  EXPECT_EQ(ResultOf(GraphOf({b.Outputs({outputs[0]}).block})),
            "unpredictable CUSTOM/LEVEL_CHECK/2");
}

TEST(Custom, MayRefuseAtRunTime) {
  ExecutionOptions options;
  options.custom_domains = {{"assay.test", Total}};
  OneOperator none(Op::kCustom, {"i32[2]"}, "i32[2]", Custom("none"));
  EXPECT_EQ(none.Result(options), "unpredictable INTDIV/REQUIRE/1");
}

TEST(Custom, RunsInADomainThatTheCallerBrings) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex y = b.Input("i8[1]");
  const TensorIndex first = b.Declare("i32[2]");
  const TensorIndex second = b.Declare("i32[]");
  b.Append(Op::kCustom, {x, y}, {first, second}, Custom("sum"));
  b.Outputs({b.Add(Op::kAdd, {first, x}, "i32[2]"), second});
  const Graph graph = GraphOf({b.block});
  ExecutionOptions options;
  options.custom_domains = {{"assay.test", Total}};
  // 3 + 4 + 5 + 6 = 18; the second output one more.
  EXPECT_EQ(ResultOf(graph, {"i32[2]{4,5}", "i8[1]{6}"}, options), "valid i32[2]{22,23} i32[]{19}");
  // ... and are not judged: no rule says how accurate they have to be.
  BoundContext context;
  const std::vector<Tensor> inputs = {TensorOf("i32[2]{4,5}"), TensorOf("i8[1]{6}")};
  const BoundedOutcome bounded = ExecuteWithBounds(context, graph, inputs, options);
  ASSERT_EQ(bounded.outputs.size(), 2u);
  for (const Expectation& output : bounded.outputs) {
    ASSERT_FALSE(output.error.empty());
    EXPECT_TRUE(std::isnan(output.error[0]));
  }
  options.elements_max = 2;
  const Outcome capped = Session(options).Run(graph, {"i32[2]{4,5}", "i8[1]{6}"});
  EXPECT_EQ(capped.message,
            "operator CUSTOM brings the tensors alive to more than 2 elements, the cap in force");
  options.custom_domains = {{"assay", Total}};
  EXPECT_EQ(ResultOf(graph, {"i32[2]{4,5}", "i8[1]{6}"}, options), "unsupported");
}

// ---- All operators ----

// Every rule that the executor itself can name has an id in the table.
TEST(Rules, AreThoseOfTheTable) {
  for (const OperatorRow& row : AllOperators()) {
    for (const std::string_view name : {"arguments", "attributes", "types"}) {
      EXPECT_TRUE(IsKnownRule(RuleId(row.op, RuleKind::kErrorIf, name))) << row.name;
    }
  }
}

}  // namespace
}  // namespace assay::exec_test
