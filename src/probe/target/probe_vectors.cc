// SPDX-License-Identifier: Apache-2.0
#include "probe_vectors.h"

#include <algorithm>

#include "operator_definition.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "probe_graph.h"
#include "recipe.h"
#include "vary_number.h"
#include "worked_example.h"

namespace assay {
namespace {

constexpr int kExamples = 2, kFromRecipe = 6, kWide = 24, kAttempts = 48, kOfValue = 4;
constexpr uint32_t kVersion = 1;  // a change gives other vectors

Requirements AllButDynamic() {
  Requirements all;
  for (const FeatureRow& row : AllFeatures()) {
    if (row.feature != Feature::kExtDynamic) all = all | Requirements{row.feature};
  }
  return all;
}

GeneratorOptions SmallVectors() {
  GeneratorOptions options;
  options.target = AllButDynamic();
  options.level = kLevel8K;
  options.dimension_max = 4;
  options.elements_max = 64;
  return options;
}

bool HasRow(const TestVector& vector, Op op, int row) {
  const Block& main = *vector.graphs[0].Main();
  const TypeRow* wanted = &RowOf(op).type_rows[static_cast<size_t>(row)];
  return std::ranges::any_of(main.operators, [&](const Operator& one) {
    return one.op == op && TypeRowOf(main, one) == wanted;
  });
}

// Returns the numbers of a quantity of the vector's operator of this kind.
std::optional<std::vector<int64_t>> Measured(const TestVector& vector, Op op,
                                             const Quantity& quantity) {
  const Block& main = *vector.graphs[0].Main();
  for (const Operator& one : main.operators) {
    if (one.op == op) return Measure(main, one, quantity);
  }
  return std::nullopt;
}

bool HasNumber(const TestVector& vector, Op op, const Quantity& quantity, int64_t number) {
  const auto numbers = Measured(vector, op, quantity);
  return numbers && std::ranges::find(*numbers, number) != numbers->end();
}

void AddExamples(Op op, int row, std::optional<int> rank, std::vector<TestVector>& vectors) {
  const auto most = std::ssize(vectors) + kExamples;
  for (const ops::Example& example : ops::DefinitionOf(op).examples) {
    if (std::ssize(vectors) >= most) return;
    Result<TestVector> vector = VectorOfExample(op, example);
    if (!vector || vector->steps[0].expected != OutcomeKind::kValid) continue;
    if (!HasRow(*vector, op, row)) continue;
    if (rank && !HasNumber(*vector, op, {Quantity::Kind::kRank}, *rank)) continue;
    vectors.push_back(std::move(*vector));
  }
}

// Returns what the recipe makes of a wish, or nothing if this attempt fails.
std::optional<TestVector> FromRecipe(const Wish& wish, uint64_t attempt) {
  const GeneratorOptions options = SmallVectors();
  Choices choices(Random::For(1, attempt, OperatorName(wish.op), kVersion));
  GraphBuilder builder(choices, options, ValueMode::kCalm);
  if (Grow(builder, wish) < 0) return std::nullopt;
  return builder.FinishVector(builder.Unread());
}

Wish WishFor(Op op, int row, std::optional<int> rank = {}) {
  Wish wish;
  wish.op = op;
  wish.type_row = row;
  wish.rank = rank;
  wish.from_pool = false;
  return wish;
}

Tensor Zeros(const TensorType& type) { return Tensor::Splat(type.type, type.shape, 0); }
Tensor Truth(bool value) { return Tensor::Splat(DType::kBool, {}, value ? 1 : 0); }

// ---- Windows

// The numbers of a window by axis.
struct Window {
  std::vector<int32_t> kernel, stride, dilation;
  std::vector<int32_t> pad;  // before and after each axis
};

Shape Between(int32_t first, const std::vector<int32_t>& sides, int32_t last) {
  Shape shape;
  if (first > 0) shape.PushBack(first);
  for (const int32_t side : sides) shape.PushBack(side);
  shape.PushBack(last);
  return shape;
}

// Returns the shape of the weight: [OC,KH,KW,IC], or [KH,KW,C,M] for DEPTHWISE_CONV2D.
Shape WeightShape(Op op, const std::vector<int32_t>& kernel) {
  Shape shape = Between(op == Op::kDepthwiseConv2d ? 0 : 1, kernel, 1);
  if (op == Op::kDepthwiseConv2d) shape.PushBack(1);
  return shape;
}

Attributes WindowAttributes(Op op, const TypeRow& row, const Window& window) {
  Attributes attributes;
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (!argument.attribute) continue;
    switch (const AttributeId id = *argument.attribute) {
      case AttributeId::kKernel:
        attributes.Set(id, window.kernel);
        break;
      case AttributeId::kStride:
        attributes.Set(id, window.stride);
        break;
      case AttributeId::kDilation:
        attributes.Set(id, window.dilation);
        break;
      case AttributeId::kPad:
      case AttributeId::kOutPad:
        attributes.Set(id, window.pad);
        break;
      case AttributeId::kLocalBound:
        attributes.Set(id, false);
        break;
      case AttributeId::kNanMode:
        attributes.Set(id, static_cast<int32_t>(NanMode::kPropagate));
        break;
      case AttributeId::kAccType: {
        const auto variables = RowOf(op).type_variables;
        const auto found = std::ranges::find(variables, "acc_t");
        const auto variable = static_cast<size_t>(found - variables.begin());
        attributes.Set(id, static_cast<int32_t>(row.types[variable]));
        break;
      }
      default:
        break;
    }
  }
  return attributes;
}

TestVector VectorOfWindow(Op op, int row, const Window& window, const std::vector<int32_t>& in,
                          const std::vector<int32_t>& out) {
  const TypeRow& types = RowOf(op).type_rows[static_cast<size_t>(row)];
  ProbeGraph graph;
  std::vector<TensorIndex> operands;
  DType result = DType::kUnknown;
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (argument.direction == Direction::kAttribute) continue;
    const DType type = TypeIn(types, argument);
    if (argument.direction == Direction::kOutput) {
      result = type;
    } else if (operands.empty()) {
      operands.push_back(graph.Input(Zeros({type, Between(1, in, 1)})));
    } else {
      const Shape shape = argument.name == "weight" ? WeightShape(op, window.kernel) : Shape{1};
      operands.push_back(graph.Constant(Zeros({type, shape})));
    }
  }
  const TensorIndex output =
      graph.Add(op, operands, {result, Between(1, out, 1)}, WindowAttributes(op, types, window));
  return graph.Finish({output});
}

Region RegionOf(Block block, const std::string& name) {
  block.name = name;
  return {name, {std::move(block)}};
}

// Returns a block that applies an operator of one operand and one result to its input.
Block UnaryBlock(Op op, const TensorType& type) {
  Block block;
  block.tensors = {{"in", type, false, {}, {}}, {"out", type, false, {}, {}}};
  block.operators = {{op, {}, {0}, {1}}};
  block.inputs = {0};
  block.outputs = {1};
  return block;
}

TestVector VectorOf(Block main, std::vector<Tensor> inputs) {
  TestVector vector;
  vector.graphs = {EmptyGraph()};
  main.name = vector.graphs[0].Main()->name;
  *vector.graphs[0].Main() = std::move(main);
  vector.steps.emplace_back().inputs = std::move(inputs);
  return vector;
}

}  // namespace

std::vector<TestVector> VectorsOfRow(Op op, int row, const ProbeWish& wish) {
  std::optional<int> rank = wish.rank;
  if (!rank && wish.base != nullptr && !wish.is_wide) {
    rank = static_cast<int>((*Measured(*wish.base, op, {Quantity::Kind::kRank}))[0]);
  }
  std::vector<TestVector> made;
  if (!wish.is_wide) {
    // The smallest window: kernel and stride are 1.
    if (WindowAxes(op) > 0) made.push_back(*WindowVector(op, row, WindowNumber::kKernel, 0, 1));
    std::erase_if(made, [&](const TestVector& vector) {
      return rank && !HasNumber(vector, op, {Quantity::Kind::kRank}, *rank);
    });
    AddExamples(op, row, rank, made);
  }
  const Recipe* recipe = RecipeOf(op);
  const size_t most = made.size() + (wish.is_wide ? kWide : kFromRecipe);
  const uint64_t attempts = recipe == nullptr ? 0 : kAttempts;
  for (uint64_t attempt = 0; attempt < attempts && made.size() < most; ++attempt) {
    Wish asked = WishFor(op, row, rank);
    if (wish.is_wide) {
      asked.attribute_class = static_cast<int>(attempt % recipe->classes.size());
      if (!rank) asked.rank = static_cast<int>(attempt % (kLevel8K.max_rank + 1));
    }
    std::optional<TestVector> vector =
        FromRecipe(asked, attempt + (wish.is_wide ? 2 * kAttempts : 0));
    if (!vector || !HasRow(*vector, op, row)) continue;
    const bool fits = !rank || HasNumber(*vector, op, {Quantity::Kind::kRank}, *rank);
    if (fits) made.push_back(std::move(*vector));
  }
  std::vector<TestVector> vectors;
  for (TestVector& vector : made) {
    TestVector varied = wish.base != nullptr ? LikeBase(vector, *wish.base) : WithZeros(vector);
    const bool differs = varied.graphs != vector.graphs;
    if (wish.base == nullptr) vectors.push_back(std::move(vector));
    if (wish.base != nullptr || differs) vectors.push_back(std::move(varied));
  }
  return vectors;
}

std::vector<TestVector> VectorsWithValue(Op op, const std::vector<int>& rows, AttributeId attribute,
                                         int64_t value) {
  std::vector<TestVector> vectors;
  const Recipe* recipe = RecipeOf(op);
  if (recipe == nullptr) return vectors;
  const Quantity quantity = {Quantity::Kind::kAttribute, attribute};
  for (uint64_t attempt = 0; attempt < 2 * kAttempts && vectors.size() < kOfValue; ++attempt) {
    Wish wish = WishFor(op, rows[static_cast<size_t>(attempt) % rows.size()]);
    wish.attribute_class = static_cast<int>((attempt / rows.size()) % recipe->classes.size());
    std::optional<TestVector> vector = FromRecipe(wish, attempt);
    if (vector && HasNumber(*vector, op, quantity, value)) vectors.push_back(std::move(*vector));
  }
  return vectors;
}

std::vector<TestVector> MixedVectors(Op op, int row) {
  std::vector<TestVector> vectors;
  const Recipe* recipe = RecipeOf(op);
  if (recipe == nullptr) return vectors;
  for (uint64_t attempt = 0; attempt < kAttempts && vectors.size() < kOfValue; ++attempt) {
    Wish wish = WishFor(op, row);
    const uint64_t next = static_cast<uint64_t>(row) * kOfValue + attempt;
    wish.attribute_class = static_cast<int>(next % recipe->classes.size());
    std::optional<TestVector> vector = FromRecipe(wish, kAttempts + attempt);
    if (vector && HasRow(*vector, op, row)) vectors.push_back(std::move(*vector));
  }
  return vectors;
}

bool IsPool(Op op) { return op == Op::kAvgPool2d || op == Op::kMaxPool2d; }

int WindowAxes(Op op) {
  switch (op) {
    case Op::kAvgPool2d:
    case Op::kMaxPool2d:
    case Op::kConv2d:
    case Op::kDepthwiseConv2d:
    case Op::kTransposeConv2d:
      return 2;
    case Op::kConv3d:
      return 3;
    default:
      return 0;
  }
}

std::optional<TestVector> WindowVector(Op op, int row, WindowNumber which, int axis,
                                       int32_t number) {
  const auto axes = static_cast<size_t>(WindowAxes(op));
  const std::vector<int32_t> ones(axes, 1);
  Window window = {ones, ones, ones, std::vector<int32_t>(2 * axes, 0)};
  std::vector<int32_t> in = ones, out = ones;
  const auto at = static_cast<size_t>(axis);
  const bool transposes = op == Op::kTransposeConv2d;
  switch (which) {
    case WindowNumber::kKernel:
      window.kernel[at] = number;
      (transposes ? out : in)[at] = number;
      break;
    case WindowNumber::kStride:
      window.stride[at] = number;
      break;
    case WindowNumber::kDilation:
      if (FindAttribute(op, AttributeId::kDilation) == nullptr) return std::nullopt;
      window.dilation[at] = number;
      window.kernel[at] = 2;
      in[at] = number + 1;
      break;
    case WindowNumber::kPad:
      window.pad[2 * at] = number;
      if (IsPool(op)) {
        window.kernel[at] = number + 1;  // padding must be smaller than the kernel
      } else {
        out[at] = number + 1;
      }
      break;
  }
  return VectorOfWindow(op, row, window, in, out);
}

bool IsUnary(Op op) {
  const auto arguments = RowOf(op).arguments;
  return arguments.size() == 2 && arguments[0].direction == Direction::kInput &&
         arguments[1].direction == Direction::kOutput &&
         arguments[0].type_variable == arguments[1].type_variable && arguments[0].type_variable &&
         (op == Op::kIdentity || RowOf(op).category.starts_with("elementwise"));
}

TestVector UnaryVector(Op op, const TensorType& type) {
  ProbeGraph graph;
  const TensorIndex input = graph.Input(Zeros(type));
  return graph.Finish({graph.Add(op, {input}, type)});
}

TestVector ConstantVector(Op op, const TensorType& type) {
  ProbeGraph graph;
  const TensorIndex constant = graph.Constant(Zeros(type));
  return graph.Finish({graph.Add(op, {constant}, type)});
}

TestVector ManyGraphs(Op op, const TensorType& type, int graphs) {
  TestVector vector = UnaryVector(op, type);
  const Graph graph = vector.graphs[0];
  const Step step = vector.steps[0];
  for (int i = 1; i < graphs; ++i) {
    vector.graphs.push_back(graph);
    vector.steps.push_back(step);
    vector.steps.back().graph = i;
  }
  return vector;
}

TestVector ControlFlowVector(Op op, const TensorType& value) {
  const TensorType truth = {DType::kBool, {}};
  Block main;
  main.tensors = {{"condition", truth, false, {}, {}},
                  {"value", value, false, {}, {}},
                  {"result", value, false, {}, {}}};
  main.inputs = {0, 1};
  main.outputs = {2};
  std::vector<Region> regions;
  if (op == Op::kCondIf) {
    const std::string then_block = "then", else_block = "else";
    main.operators = {
        {op,
         {{AttributeId::kThenGraph, then_block}, {AttributeId::kElseGraph, else_block}},
         {0, 1},
         {2}}};
    for (const std::string& name : {then_block, else_block}) {
      regions.push_back(RegionOf(UnaryBlock(Op::kIdentity, value), name));
    }
  } else {
    main.tensors.push_back({"last_condition", truth, false, {}, {}});
    const std::string condition = "condition", body = "body";
    main.operators = {{op,
                       {{AttributeId::kCondGraph, condition}, {AttributeId::kBodyGraph, body}},
                       {0, 1},
                       {3, 2}}};
    // Both blocks get the condition and the value.
    Block copies = UnaryBlock(Op::kIdentity, truth), negates = UnaryBlock(Op::kLogicalNot, truth);
    for (Block* block : {&copies, &negates}) {
      block->tensors.push_back({"value", value, false, {}, {}});
      block->inputs = {0, 2};
    }
    negates.tensors.push_back({"result", value, false, {}, {}});
    negates.operators.push_back({Op::kIdentity, {}, {2}, {3}});
    negates.outputs = {1, 3};
    regions.push_back(RegionOf(std::move(copies), condition));
    regions.push_back(RegionOf(std::move(negates), body));
  }
  TestVector vector = VectorOf(std::move(main), {Truth(true), Zeros(value)});
  for (Region& region : regions) vector.graphs[0].regions.push_back(std::move(region));
  return vector;
}

TestVector VariableVector(const TensorType& value) {
  const Attributes name = {{AttributeId::kName, std::string("v")}};
  Block main;
  main.tensors = {{"x", value, false, {}, {}}, {"y", value, false, {}, {}}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {DeclarationOf("v", value, Zeros(value)),
                    {Op::kVariableRead, name, {}, {1}},
                    {Op::kVariableWrite, name, {0}, {}}};
  return VectorOf(std::move(main), {Zeros(value)});
}

TestVector VariableTensorVector(const TensorType& value) {
  Block main;
  main.tensors = {{"x", value, false, {}, {}},
                  {"y", value, false, {}, {}},
                  {"v", value, true, {}, Zeros(value)}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {{Op::kIdentity, {}, {2}, {1}}, {Op::kIdentity, {}, {0}, {2}}};
  return VectorOf(std::move(main), {Zeros(value)});
}

}  // namespace assay
