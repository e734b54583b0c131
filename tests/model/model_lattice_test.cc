// SPDX-License-Identifier: Apache-2.0
// Tests models whose weights are replaced by those of a lattice.
#include "model_lattice.h"

#include <cmath>

#include "backend_kind.h"
#include "block_builder.h"
#include "exact_sums.h"
#include "lattice_weights.h"
#include "model_values.h"
#include "model_verdict.h"

namespace assay::model_lattice_test {
namespace {

Attributes OfConvolution() {
  return {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
          {AttributeId::kStride, std::vector<int32_t>{1, 1}},
          {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
          {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
          {AttributeId::kLocalBound, false}};
}

// Builds models layer by layer. Weights are thirds, so that nothing is exact at first.
class ModelBuilder {
 public:
  TensorIndex Constant(const Shape& shape, double first) {
    std::vector<double> elements(static_cast<size_t>(shape.Elements()));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = (first + static_cast<double>(i)) / 3;
    const Tensor tensor = Tensor::FromFloats(DType::kFp32, shape, elements);
    return b.Add(Op::kConst, {}, tensor.tensor_type().ToString(), {{AttributeId::kValues, tensor}});
  }
  TensorIndex Convolution(TensorIndex x, int32_t in, int32_t out) {
    const TensorIndex weight = Constant({out, 1, 1, in}, 1), bias = Constant({out}, -2);
    const TensorIndex zero = b.Constant("fp32[1]{0}");
    return b.Add(Op::kConv2d, {x, weight, bias, zero, zero},
                 "fp32[1,4,4," + std::to_string(out) + "]", OfConvolution());
  }
  TensorIndex Clamp(TensorIndex x, const std::string& type) {
    return b.Add(Op::kClamp, {x}, type,
                 {{AttributeId::kMinVal, TensorOf("fp32[1]{0}")},
                  {AttributeId::kMaxVal, TensorOf("fp32[1]{6}")},
                  {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
  }
  TestVector Finish(TensorIndex output) {
    b.Outputs({output});
    TestVector model;
    model.graphs.push_back(GraphOf({b.block}));
    model.steps.assign(1, {});
    for (const TensorIndex input : b.block.inputs) {
      const TensorType& type = b.block.TypeOf(input);
      model.steps[0].inputs.push_back(Tensor::Splat(type.type, type.shape, 0));
    }
    return model;
  }

  BlockBuilder b;
};

// CONV2D, CLAMP, CONV2D, MUL and ADD of channels, and `last` if it is an operator.
TestVector Model(Op last) {
  ModelBuilder m;
  const TensorIndex x = m.b.Input("fp32[1,4,4,8]");
  TensorIndex y = m.Clamp(m.Convolution(x, 8, 12), "fp32[1,4,4,12]");
  y = m.Convolution(y, 12, 6);
  y = m.b.Add(Op::kMul, {y, m.Constant({1, 1, 1, 6}, 1), m.b.Constant("i8[1]{0}")},
              "fp32[1,4,4,6]");
  y = m.b.Add(Op::kAdd, {y, m.Constant({1, 1, 1, 6}, 5)}, "fp32[1,4,4,6]");
  if (last != Op::kUnknown) y = m.b.Add(last, {y}, "fp32[1,4,4,6]");
  return m.Finish(y);
}

TEST(ModelLattice, MakesAWholeModelExact) {
  const TestVector model = Model(Op::kUnknown);
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Result<LatticeModel> lattice = OnLattice(model, seed, 0);
    ASSERT_TRUE(lattice) << lattice.error().message;
    EXPECT_EQ(lattice->Summary(),
              "6 constants on a lattice; with plain sums all 5 layers are exact, and 96 of 96 "
              "output elements");
    EXPECT_TRUE(HasOneAnswer(lattice->vector, 1));
    const Tensor result = ExecuteVector(lattice->vector, {})[0].outputs[0];
    std::set<double> distinct;
    for (const double y : FloatsOf(result)) distinct.insert(y);
    EXPECT_GT(distinct.size(), 20u);
  }
}

// Alone the specification leaves the order of sums open, so that these elements have no one right
// value.
TEST(ModelLattice, CountsWhatItMakesExact) {
  const Result<LatticeModel> lattice = OnLattice(Model(Op::kUnknown), 1, 0);
  ASSERT_TRUE(lattice) << lattice.error().message;
  const auto backend = OpenBackend("reference", {});
  for (const bool is_tagged : {true, false}) {
    TestVector model = lattice->vector;
    if (!is_tagged) model.tags.clear();
    const Result<ModelVerdict> verdict = JudgeModel(**backend, model, "model");
    ASSERT_TRUE(verdict) << verdict.error().message;
    const auto& [exact, by_lattice, by_sets, open] = verdict->evidence;
    EXPECT_EQ(exact + by_lattice + by_sets + open, 96);
    EXPECT_EQ(by_lattice, is_tagged ? 96 - exact : 0);
    EXPECT_LT(exact, 96);
  }
}

// The reference executor's bounds decide what is exact.
TEST(ModelLattice, SaysWhereExactnessEnds) {
  const Result<LatticeModel> lattice = OnLattice(Model(Op::kSigmoid), 1, 0);
  ASSERT_TRUE(lattice) << lattice.error().message;
  EXPECT_EQ(lattice->exact_up_to, 5);
  EXPECT_EQ(lattice->layers, 6);
  EXPECT_TRUE(lattice->first_inexact.starts_with("SIGMOID t")) << lattice->first_inexact;
  EXPECT_EQ(lattice->exact_outputs, 0);
  EXPECT_FALSE(HasOneAnswer(lattice->vector, 1));
}

TEST(ModelLattice, KeepsTheArchitecture) {
  const TestVector model = Model(Op::kUnknown);
  const Result<LatticeModel> lattice = OnLattice(model, 7, 0);
  ASSERT_TRUE(lattice) << lattice.error().message;
  const Block& before = MainOf(model);
  const Block& after = MainOf(lattice->vector);
  EXPECT_EQ(after.tensors, before.tensors);
  ASSERT_EQ(after.operators.size(), before.operators.size());
  for (size_t i = 0; i < before.operators.size(); ++i) {
    const Operator& op = before.operators[i];
    EXPECT_EQ(after.operators[i].inputs, op.inputs);
    // Zero points, shifts and bounds stay.
    const bool is_weight = op.op == Op::kConst && before.TypeOf(op.outputs[0]).shape.Elements() > 1;
    EXPECT_EQ(after.operators[i].attributes == op.attributes, !is_weight) << i;
  }
  EXPECT_EQ(lattice->vector, OnLattice(model, 7, 0)->vector);
  EXPECT_NE(lattice->vector, OnLattice(model, 8, 0)->vector);
  EXPECT_NE(lattice->vector, OnLattice(model, 7, 1)->vector);
}

TEST(ModelLattice, RefusesAModelWithoutWeights) {
  ModelBuilder m;
  const TensorIndex x = m.b.Input("fp32[4]");
  const Result<LatticeModel> lattice = OnLattice(m.Finish(m.b.Add(Op::kAbs, {x}, "fp32[4]")), 1, 0);
  ASSERT_FALSE(lattice);
  EXPECT_EQ(lattice.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(lattice.error().message,
            "the model has no floating-point weights to replace, neither constants nor inputs");
}

// Compilers share equal constants: here one is bias and zero points at once. Only the bias changes.
TEST(ModelLattice, ReplacesABiasThatIsAlsoAZeroPoint) {
  ModelBuilder m;
  const TensorIndex x = m.b.Input("fp32[1,4,4,3]"), w = m.Constant({2, 1, 1, 3}, 1);
  const TensorIndex z = m.b.Constant("fp32[1]{0}");
  const TensorIndex y = m.b.Add(Op::kConv2d, {x, w, z, z, z}, "fp32[1,4,4,2]", OfConvolution());
  const Result<LatticeModel> lattice = OnLattice(m.Finish(y), 1, 0);
  ASSERT_TRUE(lattice) << lattice.error().message;
  EXPECT_EQ(lattice->replaced, 2);
  EXPECT_EQ(lattice->exact_layers, 1);
  const Block& main = MainOf(lattice->vector);
  const Operator& conv = main.operators.back();
  EXPECT_NE(conv.inputs[2], conv.inputs[3]);
  EXPECT_EQ(conv.inputs[3], conv.inputs[4]);
  const auto value = [&](size_t operand) {
    return main.ProducerOf(conv.inputs[operand])->attributes.Value(AttributeId::kValues).Float(0);
  };
  EXPECT_NE(value(2), 0);
  EXPECT_EQ(value(3), 0);
}

// Weights that are an input are as sparse as those that are a constant.
TEST(ModelLattice, DrawsWeightsThatAreInputs) {
  ModelBuilder m;
  const TensorIndex x = m.b.Input("fp32[1,8,96]"), w = m.b.Input("fp32[1,96,5]");
  const TensorIndex z = m.b.Constant("fp32[1]{0}");
  const TensorIndex y = m.b.Add(Op::kMatmul, {x, w, z, z}, "fp32[1,8,5]");
  const Result<LatticeModel> lattice = OnLattice(m.Finish(y), 1, 0);
  ASSERT_TRUE(lattice) << lattice.error().message;
  EXPECT_EQ(lattice->replaced, 0);
  EXPECT_EQ(lattice->exact_outputs, 40);
  const std::vector<Tensor>& inputs = lattice->vector.steps[0].inputs;
  EXPECT_GT(std::ranges::count(FloatsOf(inputs[1]), 0.0), 96 * 5 / 2);
  EXPECT_LT(std::ranges::count(FloatsOf(inputs[0]), 0.0), 96 * 8 / 20);
}

// The reason names the operator and the rule.
TEST(ModelLattice, SaysWhichOperatorCannotBeExecuted) {
  ModelBuilder m;
  const TensorIndex x = m.b.Input("fp32[1,2,2]"), i = m.b.Input("i32[1,1]");
  const TensorIndex z = m.b.Constant("fp32[1]{0}");
  const TensorIndex y = m.b.Add(Op::kMatmul, {x, m.Constant({1, 2, 2}, 1), z, z}, "fp32[1,2,2]");
  TestVector model = m.Finish(m.b.Add(Op::kGather, {y, i}, "fp32[1,1,2]"));
  model.steps[0].inputs[1] = TensorOf("i32[1,1]{7}");
  const Result<LatticeModel> lattice = OnLattice(model, 1, 0);
  ASSERT_FALSE(lattice);
  EXPECT_EQ(lattice.error().message, "GATHER t5 cannot be executed: GATHER/REQUIRE/1");
}

TEST(LatticeWeights, ReadEveryChannelAndGiveEveryOutputItsWeights) {
  struct Row {
    Op op;
    size_t operand;
    Shape shape;
    int32_t outputs, channels;
  };
  const Row rows[] = {{Op::kConv2d, 1, {5, 3, 3, 7}, 5, 7},
                      {Op::kConv3d, 1, {5, 2, 3, 3, 7}, 5, 7},
                      {Op::kTransposeConv2d, 1, {4, 2, 2, 6}, 4, 6},
                      {Op::kMatmul, 1, {1, 8, 3}, 3, 8},
                      {Op::kMatmul, 0, {1, 3, 8}, 3, 8}};
  for (const Row& row : rows) {
    Random random = Random::For(1, 0, "test", 1);
    WeightPlan plan;
    plan.connections = ConnectionsToCover(row.op, row.operand, row.shape);
    EXPECT_GE(plan.connections * row.outputs, row.channels);
    EXPECT_EQ(TapsOf(row.op, row.operand, row.shape) * row.outputs, row.shape.Elements());
    const std::vector<double> weights = DrawWeights(random, row.op, row.operand, row.shape, plan);
    const bool is_last = row.op != Op::kMatmul || row.operand == 0;
    std::vector<int> by_channel(static_cast<size_t>(row.channels)),
        by_output(static_cast<size_t>(row.outputs));
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      EXPECT_EQ(std::fabs(weights[i]), 1);
      const auto channels = static_cast<size_t>(row.channels);
      const auto per_output = weights.size() / static_cast<size_t>(row.outputs);
      ++by_channel[is_last ? i % channels : i / static_cast<size_t>(row.outputs)];
      ++by_output[is_last ? i / per_output : i % static_cast<size_t>(row.outputs)];
    }
    for (const int count : by_channel) EXPECT_GE(count, 1) << OperatorName(row.op);
    for (const int count : by_output) EXPECT_GE(count, 1) << OperatorName(row.op);
  }
}

}  // namespace
}  // namespace assay::model_lattice_test
