// SPDX-License-Identifier: Apache-2.0
// Tests that the traits of every operator are true of what the reference computes. Each trait is
// shown by calls that the operator generator makes. What a trait denies is shown, too: one call at
// least is a counterexample.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allowed_operators.h"
#include "element_wise.h"
#include "generated.h"
#include "generator_table.h"
#include "operator_set.h"
#include "operator_table.h"
#include "recipe.h"
#include "run_operator.h"
#include "signature.h"

namespace assay::operator_traits_test {
namespace {

using ops::ElementWise;
using ops::ResultOrigin;

constexpr int64_t kCalls = Rounds(160);  // of one operator

// An operator on operands of its own, and its results.
struct MadeCall {
  Operator op;
  std::vector<Tensor> inputs;
  std::vector<TensorType> output_types;
  std::vector<Tensor> outputs;
  std::string name;

  bool IsConstant(size_t input) const {
    size_t position = 0;
    for (const ArgumentRow& argument : RowOf(op.op).arguments) {
      if (argument.direction != Direction::kInput) continue;
      if (argument.list) return false;
      if (position++ == input) return argument.compile_time_constant;
    }
    return false;
  }
};

std::optional<std::vector<Tensor>> Results(const MadeCall& call,
                                           const std::vector<Tensor>& inputs) {
  std::vector<ValueTensor> values;
  for (const Tensor& input : inputs) values.emplace_back(input);
  OperatorRun<ValueDomain> run;
  run.op = &call.op;
  for (const ValueTensor& value : values) run.inputs.push_back(&value);
  run.output_types = call.output_types;
  ValueDomain d;
  RunOperator(d, kLevel8K, Kernels::kTemplate, run);
  if (!d.judgement().valid()) return std::nullopt;
  std::vector<Tensor> outputs;
  for (const ValueTensor& output : run.outputs) outputs.push_back(output.tensor());
  return outputs;
}

// Returns the call of the last operator of a graph whose others are constants.
std::optional<MadeCall> CallOf(const TestVector& vector) {
  if (vector.graphs.size() != 1 || vector.steps.size() != 1) return std::nullopt;
  const Block& main = *vector.graphs[0].Main();
  std::map<TensorIndex, Tensor> known;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    known[main.inputs[i]] = vector.steps[0].inputs[i];
  }
  for (size_t i = 0; i + 1 < main.operators.size(); ++i) {
    const Operator& op = main.operators[i];
    if (!assay::IsConstant(op.op)) return std::nullopt;
    known[op.outputs[0]] = op.attributes.Value(AttributeId::kValues);
  }
  MadeCall call;
  call.op = main.operators.back();
  call.name = vector.name;
  for (const TensorIndex input : call.op.inputs) {
    if (!known.contains(input)) return std::nullopt;
    call.inputs.emplace_back(ValueTensor(known[input]).tensor());
  }
  for (const TensorIndex output : call.op.outputs) call.output_types.push_back(main.TypeOf(output));
  std::optional<std::vector<Tensor>> outputs = Results(call, call.inputs);
  if (!outputs) return std::nullopt;
  call.outputs = std::move(*outputs);
  return call;
}

// Returns calls of an operator, of all that the generator makes for it alone. They are few for
// operators that the generator does not make alone.
const std::vector<MadeCall>& CallsOf(Op op) {
  static std::map<Op, std::vector<MadeCall>> calls;
  const auto [entry, is_new] = calls.try_emplace(op);
  if (!is_new) return entry->second;
  const Generator& generator = *GeneratorByKind("operator");
  GeneratorOptions options = Options(1);
  options.operators = {op};
  options.elements_max = 48;
  const int64_t targets = generator.targets(options);
  const int64_t step = std::max<int64_t>(1, targets / kCalls);
  for (int64_t index = 0; index < targets; index += step) {
    const auto vector = generator.make(options, static_cast<uint64_t>(index));
    if (!vector) continue;
    std::optional<MadeCall> call = CallOf(*vector);
    if (call && call->op.op == op) entry->second.push_back(std::move(*call));
  }
  return entry->second;
}

size_t Width(const Tensor& tensor) { return static_cast<size_t>(ElementBytes(tensor.type())); }

std::string BytesOf(const Tensor& tensor, int64_t i) {
  const size_t width = Width(tensor);
  const auto bytes = tensor.bytes().subspan(static_cast<size_t>(i) * width, width);
  return {bytes.begin(), bytes.end()};
}

Tensor WithElement(const Tensor& tensor, int64_t i, const std::string& element) {
  std::vector<uint8_t> bytes(tensor.bytes().begin(), tensor.bytes().end());
  std::memcpy(bytes.data() + static_cast<size_t>(i) * element.size(), element.data(),
              element.size());
  return Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(bytes));
}

// Returns the offset in an operand of the element that belongs to each element of the output, after
// broadcasting. Returns nothing if the shapes do not broadcast.
std::optional<std::vector<int64_t>> PlacesOf(const Tensor& operand, const Shape& to) {
  const Shape& from = operand.shape();
  if (from.rank() != to.rank()) return std::nullopt;
  for (int i = 0; i < to.rank(); ++i) {
    if (from[i] != to[i] && from[i] != 1) return std::nullopt;
  }
  std::vector<int64_t> places;
  const std::array<ops::BroadcastStrides, 1> strides = {ops::BroadcastStrides(from, to)};
  ops::ForEachBroadcast<1>(to, strides,
                           [&](int64_t, const auto& offset) { places.push_back(offset[0]); });
  return places;
}

// Replaces elements of the operand, one at a time, by other elements of it. Returns false if an
// element of the result changes at a place where that element is not read.
bool ChangesOnlyItsPlaces(const MadeCall& call, size_t input, Random& random) {
  const Tensor& operand = call.inputs[input];
  const auto places = PlacesOf(operand, call.outputs[0].shape());
  if (!places) return false;
  for (int tries = 0; tries < 8; ++tries) {
    const auto count = static_cast<uint64_t>(operand.elements());
    const auto at = static_cast<int64_t>(random.Below(count));
    const auto from = static_cast<int64_t>(random.Below(count));
    std::vector<Tensor> inputs = call.inputs;
    inputs[input] = WithElement(operand, at, BytesOf(operand, from));
    const auto outputs = Results(call, inputs);
    if (!outputs) continue;
    for (int64_t i = 0; i < call.outputs[0].elements(); ++i) {
      const bool changed = BytesOf((*outputs)[0], i) != BytesOf(call.outputs[0], i);
      if (changed && (*places)[static_cast<size_t>(i)] != at) return false;
    }
  }
  return true;
}

bool IsElementWise(const MadeCall& call, Random& random) {
  for (size_t input = 0; input < call.inputs.size(); ++input) {
    if (!call.IsConstant(input) && !ChangesOnlyItsPlaces(call, input, random)) return false;
  }
  return true;
}

// Returns the results that are computed one after the other and each written over the operand, in
// its memory.
std::optional<Tensor> ResultInPlace(const MadeCall& call, size_t input) {
  std::vector<Tensor> inputs = call.inputs;
  for (int64_t i = 0; i < call.outputs[0].elements(); ++i) {
    const auto outputs = Results(call, inputs);
    if (!outputs) return std::nullopt;
    // Operands that are the same tensor lie in the same memory.
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (call.op.inputs[k] != call.op.inputs[input]) continue;
      inputs[k] = WithElement(inputs[k], i, BytesOf((*outputs)[0], i));
    }
  }
  return inputs[input];
}

// The elements of all operands of the type of the results, and of CLAMP's bounds.
std::set<std::string> ElementsOfOperands(const MadeCall& call) {
  std::set<std::string> elements;
  const auto add = [&](const Tensor& tensor) {
    if (tensor.type() != call.output_types[0].type) return;
    for (int64_t i = 0; i < tensor.elements(); ++i) elements.insert(BytesOf(tensor, i));
  };
  for (const Tensor& input : call.inputs) add(input);
  if (call.op.op == Op::kClamp) {
    for (const AttributeId bound : {AttributeId::kMinVal, AttributeId::kMaxVal}) {
      add(ValueTensor(call.op.attributes.Value(bound)).tensor());
    }
  }
  return elements;
}

bool ResultsAreElementsOfOperands(const MadeCall& call) {
  const std::set<std::string> elements = ElementsOfOperands(call);
  for (const Tensor& output : call.outputs) {
    for (int64_t i = 0; i < output.elements(); ++i) {
      if (!elements.contains(BytesOf(output, i))) return false;
    }
  }
  return true;
}

// Returns true if the elements of an operand are of the type variable of the result: they are what
// an operator that moves data moves.
bool IsMoved(const MadeCall& call, size_t input) {
  const ArgumentRow* of_input = nullptr;
  const ArgumentRow* of_output = nullptr;
  size_t position = 0;
  for (const ArgumentRow& argument : RowOf(call.op.op).arguments) {
    if (argument.direction == Direction::kOutput) of_output = &argument;
    if (argument.direction != Direction::kInput) continue;
    if (position == input || (argument.list && position < input)) of_input = &argument;
    ++position;
  }
  return of_input != nullptr && of_output != nullptr && of_input->type_variable &&
         of_input->type_variable == of_output->type_variable;
}

Tensor Exchanged(const Tensor& tensor, const std::string& a, const std::string& b) {
  Tensor exchanged = tensor;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const std::string element = BytesOf(tensor, i);
    if (element == a) exchanged = WithElement(exchanged, i, b);
    if (element == b) exchanged = WithElement(exchanged, i, a);
  }
  return exchanged;
}

// Exchanges two elements wherever they stand in operands that the operator moves. Returns true if
// exactly that happens to the results, too.
bool MovesByPosition(const MadeCall& call, Random& random) {
  const std::set<std::string> all = ElementsOfOperands(call);
  const std::vector<std::string> elements(all.begin(), all.end());
  const std::string a = random.Pick(elements), b = random.Pick(elements);
  std::vector<Tensor> inputs = call.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (IsMoved(call, i)) inputs[i] = Exchanged(inputs[i], a, b);
  }
  const auto outputs = Results(call, inputs);
  return outputs && (*outputs)[0] == Exchanged(call.outputs[0], a, b);
}

// Returns the sign of the difference of two elements, or 2 if one is NaN.
int Comparison(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  if (!IsFloat(a.type())) return (a.Integer(i) > b.Integer(j)) - (a.Integer(i) < b.Integer(j));
  const double x = a.Float(i), y = b.Float(j);
  return std::isnan(x) || std::isnan(y) ? 2 : (x > y) - (x < y);
}

// Returns true if replacing one element and replacing another one of operand 0 change the same
// element of the result.
bool Accumulates(const MadeCall& call, Random& random) {
  const Tensor& operand = call.inputs[0];
  std::map<int64_t, std::set<int64_t>> read;  // by element of the result
  for (int tries = 0; tries < 16; ++tries) {
    const auto count = static_cast<uint64_t>(operand.elements());
    const auto at = static_cast<int64_t>(random.Below(count));
    std::vector<Tensor> inputs = call.inputs;
    inputs[0] =
        WithElement(operand, at, BytesOf(operand, static_cast<int64_t>(random.Below(count))));
    const auto outputs = Results(call, inputs);
    if (!outputs) continue;
    for (int64_t i = 0; i < call.outputs[0].elements(); ++i) {
      if (BytesOf((*outputs)[0], i) != BytesOf(call.outputs[0], i)) read[i].insert(at);
    }
  }
  return std::ranges::any_of(read, [](const auto& places) { return places.second.size() > 1; });
}

class OperatorTraits : public testing::TestWithParam<const ops::OperatorDefinition*> {
 protected:
  const ops::OperatorDefinition& definition() const { return *GetParam(); }
  const std::vector<MadeCall>& calls() const { return CallsOf(definition().op); }
  bool computes() const {
    return definition().move != nullptr || definition().meaning.value != nullptr;
  }
  // CONST and CONST_SHAPE have no operands.
  bool reads() const { return computes() && !assay::IsConstant(definition().op); }
};

TEST_P(OperatorTraits, AreShownByEnoughCalls) { EXPECT_GE(calls().size(), reads() ? 8u : 0u); }

TEST_P(OperatorTraits, ElementWiseOperatorsReadOneElementOfEachOperand) {
  Random random(1);
  if (!reads()) {
    EXPECT_EQ(definition().traits.element_wise, ElementWise::kNo);
    return;
  }
  const auto is_element_wise = [&](const MadeCall& call) { return IsElementWise(call, random); };
  if (definition().traits.element_wise == ElementWise::kNo) {
    EXPECT_FALSE(std::ranges::all_of(calls(), is_element_wise));
  } else {
    for (const MadeCall& call : calls()) EXPECT_TRUE(is_element_wise(call)) << call.name;
  }
}

TEST_P(OperatorTraits, ResultsMayOverwriteOperandsOfOperatorsInPlace) {
  if (definition().traits.element_wise != ElementWise::kInPlace) return;
  int shown = 0;
  for (const MadeCall& call : calls()) {
    for (size_t input = 0; input < call.inputs.size(); ++input) {
      if (call.IsConstant(input) || call.inputs[input].tensor_type() != call.output_types[0]) {
        continue;
      }
      const std::optional<Tensor> result = ResultInPlace(call, input);
      if (!result) continue;  // an element of the result is no operand that the rules allow
      EXPECT_TRUE(*result == call.outputs[0]) << call.name << " " << input;
      ++shown;
    }
  }
  EXPECT_GT(shown, 0);
}

TEST_P(OperatorTraits, ViewsKeepTheBytesOfTheirOperand) {
  if (definition().move == nullptr) {
    EXPECT_FALSE(definition().view);
    return;
  }
  bool keeps = true;
  for (const MadeCall& call : calls()) {
    // The executor does not call the function of a view.
    std::vector<TensorType> types;
    std::vector<ValueTensor> values;
    for (const Tensor& input : call.inputs) {
      types.push_back(input.tensor_type());
      values.emplace_back(input);
    }
    std::vector<const ValueTensor*> inputs;
    for (const ValueTensor& value : values) inputs.push_back(&value);
    OperandConstants<ValueTensor> constants;
    constants.Read(call.op.op, inputs);
    std::vector<ops::Run> runs;
    definition().move(
        {call.op.op, &call.op.attributes, types, call.output_types, constants.views()}, runs);
    const int64_t elements = call.outputs[0].elements();
    const bool in_order = runs.size() == 1 && runs[0].operand == 0 && runs[0].first == 0 &&
                          runs[0].count == elements && (runs[0].step == 1 || elements == 1);
    const bool same = std::ranges::equal(call.outputs[0].bytes(), call.inputs[0].bytes());
    EXPECT_TRUE(!definition().view || (in_order && same)) << call.name;
    keeps = keeps && in_order;
  }
  EXPECT_EQ(keeps, definition().view);
}

TEST_P(OperatorTraits, ResultsHaveTheirOrigin) {
  if (!reads()) return;
  Random random(1);
  std::map<int, std::set<int64_t>> of_comparison;
  bool only_elements = true;
  for (const MadeCall& call : calls()) {
    const Tensor& input = call.inputs[0];
    const Tensor& output = call.outputs[0];
    const bool is_float = IsFloat(output.type());
    only_elements &= output.type() == DType::kBool || ResultsAreElementsOfOperands(call);
    switch (definition().traits.results) {
      case ResultOrigin::kPassed:
        EXPECT_TRUE(MovesByPosition(call, random)) << call.name;
        EXPECT_TRUE(ResultsAreElementsOfOperands(call)) << call.name;
        break;
      case ResultOrigin::kChosen:
        EXPECT_TRUE(ResultsAreElementsOfOperands(call)) << call.name;
        break;
      case ResultOrigin::kResigned:
        for (int64_t i = 0; is_float && i < output.elements(); ++i) {
          const double x = std::fabs(input.Float(i)), y = std::fabs(output.Float(i));
          EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << call.name;
        }
        break;
      case ResultOrigin::kRounded:
        EXPECT_EQ(output.type(), input.type());
        for (int64_t i = 0; is_float && i < output.elements(); ++i) {
          const double x = input.Float(i), y = output.Float(i);
          const bool rounded = y == std::floor(x) || y == std::ceil(x);
          EXPECT_TRUE(rounded || (std::isnan(x) && std::isnan(y))) << call.name;
        }
        break;
      case ResultOrigin::kCompared: {
        ASSERT_EQ(output.type(), DType::kBool);
        const auto a = PlacesOf(input, output.shape()),
                   b = PlacesOf(call.inputs[1], output.shape());
        ASSERT_TRUE(a && b);
        for (size_t i = 0; i < a->size(); ++i) {
          of_comparison[Comparison(input, (*a)[i], call.inputs[1], (*b)[i])].insert(
              output.Integer(static_cast<int64_t>(i)));
        }
        break;
      }
      case ResultOrigin::kCalculated:
        break;
    }
  }
  for (const auto& [comparison, results] : of_comparison) {
    EXPECT_EQ(results.size(), 1u) << comparison;
  }
  const bool compares = definition().traits.results == ResultOrigin::kCompared;
  EXPECT_EQ(of_comparison.size(), compares ? 4u : 0u);
  if (definition().traits.results == ResultOrigin::kCalculated) {
    // Types of one bit leave nothing to calculate that is not there already.
    const bool is_bool = std::ranges::all_of(
        calls(), [](const MadeCall& call) { return call.output_types[0].type == DType::kBool; });
    EXPECT_EQ(only_elements, is_bool);
  }
}

// RESIZE and the Fourier transforms add up as well, but have no `acc_type` that would say how wide
// the sum is.
TEST_P(OperatorTraits, AccumulatorsBelongToSums) {
  const ops::ScratchKind scratch = definition().traits.scratch;
  const Op op = definition().op;
  if (scratch == ops::ScratchKind::kNone) {
    EXPECT_EQ(FindAttribute(op, AttributeId::kAccType), nullptr);
    return;
  }
  Random random(1);
  EXPECT_EQ(definition().traits.results, ResultOrigin::kCalculated);
  EXPECT_TRUE(std::ranges::any_of(calls(),
                                  [&](const MadeCall& call) { return Accumulates(call, random); }));
  if (scratch == ops::ScratchKind::kAccumulatorAndPadding) {
    ASSERT_NE(FindAttribute(op, AttributeId::kPad), nullptr);
    EXPECT_TRUE(std::ranges::any_of(calls(), [](const MadeCall& call) {
      return std::ranges::any_of(call.op.attributes.Ints(AttributeId::kPad),
                                 [](int32_t p) { return p > 0; });
    }));
  }
}

TEST_P(OperatorTraits, SpecialValuesFitTheOperands) {
  const ops::Specials specials = definition().traits.specials;
  if (specials == ops::Specials::kNone) return;
  for (const MadeCall& call : calls()) {
    if (!IsFloat(call.inputs[0].type())) continue;
    size_t operands = 0;
    for (size_t i = 0; i < call.inputs.size(); ++i) operands += call.IsConstant(i) ? 0 : 1;
    EXPECT_EQ(operands, specials == ops::Specials::kPairs ? 2u : 1u) << call.name;
  }
  const bool selects = definition().traits.element_wise == ElementWise::kNo;
  EXPECT_EQ(specials == ops::Specials::kRows, selects);
}

INSTANTIATE_TEST_SUITE_P(All, OperatorTraits, testing::ValuesIn(ops::AllDefinitions()),
                         [](const auto& test) {
                           return std::string(OperatorName(test.param->op));
                         });

// Each type row is drawn as often as the weight says. CAST has so many that its weight is 1.
TEST(OperatorWeights, SayHowOftenOperatorsAreDrawn) {
  constexpr int kDraws = 400'000;
  const Menu menu(Options(1));
  Choices choices{Random(1)};
  std::map<Op, int64_t> drawn, shares;
  int64_t all = 0;
  for (int i = 0; i < kDraws; ++i) ++drawn[menu.PickAny(choices).op];
  for (const Recipe& recipe : AllRecipes()) {
    const int weight = ops::DefinitionOf(recipe.op).traits.weight;
    EXPECT_GE(weight, 1);
    EXPECT_LE(weight, 3);
    shares[recipe.op] =
        std::ssize(RowOf(recipe.op).type_rows) * (recipe.op == Op::kCast ? 1 : weight);
    all += shares[recipe.op];
  }
  for (const auto& [op, share] : shares) {
    const double expected = static_cast<double>(kDraws * share) / static_cast<double>(all);
    EXPECT_NEAR(static_cast<double>(drawn[op]), expected, 6 * std::sqrt(expected))
        << OperatorName(op);
  }
}

}  // namespace
}  // namespace assay::operator_traits_test
