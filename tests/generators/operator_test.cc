// SPDX-License-Identifier: Apache-2.0
// Tests which cases one pass of the operator generator reaches, and the tags of vectors.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "block_builder.h"
#include "float_format.h"
#include "generated.h"
#include "generator_table.h"
#include "operator_definition.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "operator_table.h"
#include "readings.h"
#include "recipe.h"
#include "variable_order.h"

namespace assay::operator_test {
namespace {

// Returns the entry of the specification's tables of special values for a number. NaN propagation
// modes have a row for each place of the NaN.
std::string EntryOf(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "+inf";
  if (x == 0) return std::signbit(x) ? "-0" : "+0";
  return "";
}

bool IsJudged(const Expectation& expectation, int64_t i) {
  return expectation.error.empty() || std::isfinite(expectation.error[static_cast<size_t>(i)]);
}

// Returns the vectors of all targets of the kind, with seed 1.
const std::vector<TestVector>& AllAlone() {
  static const std::vector<TestVector> all = [] {
    std::vector<TestVector> made;
    const Generator& generator = *GeneratorByKind("operator");
    const GeneratorOptions options = Options(1);
    for (int64_t index = 0; index < generator.targets(options); ++index) {
      auto vector = generator.make(options, static_cast<uint64_t>(index));
      EXPECT_TRUE(vector) << index;
      if (vector) made.push_back(std::move(*vector));
    }
    return made;
  }();
  return all;
}

TEST(OperatorGenerator, JudgesEveryEntryOfTheTablesOfSpecialValues) {
  // The entries that are judged, by operator, type and, if there is one, NaN propagation mode.
  std::map<std::string, std::set<std::string>> judged, modes;
  for (const TestVector& vector : AllAlone()) {
    if (vector.name.find("special-table") == std::string::npos) continue;
    const Operator& op = vector.graphs[0].Main()->operators.back();
    const Step& step = vector.steps[0];
    const Tensor& input = step.inputs[0];
    std::string key = std::string(OperatorName(op.op)) + " " + std::string(TypeName(input.type()));
    if (op.attributes.Has(AttributeId::kNanMode)) {
      key += op.attributes.nan_mode() == NanMode::kIgnore ? " ignore" : " propagate";
    }
    const Expectation& output = step.outputs[0];
    if (step.inputs.size() > 1 || output.value.elements() != input.elements()) {
      for (int64_t i = 0; i < output.value.elements(); ++i) {
        // For ARGMAX, zeros of both signs are undecided: either may count as the greater.
        const bool zeros = op.op == Op::kArgmax && input.Float(3 * i) == 0;
        EXPECT_TRUE(IsJudged(output, i) || zeros) << key << " " << i;
        modes[key].insert(output.value.ElementText(i));
      }
      continue;
    }
    for (int64_t i = 0; i < input.elements(); ++i) {
      if (IsJudged(output, i)) judged[key].insert(EntryOf(input.Float(i)));
    }
  }
  const std::set<std::string> all = {"-inf", "+inf", "-0", "+0", "nan", ""};
  int rows = 0;
  for (const Op op :
       {Op::kAbs, Op::kCeil, Op::kCos, Op::kErf, Op::kExp, Op::kFloor, Op::kLog, Op::kNegate,
        Op::kReciprocal, Op::kRsqrt, Op::kSigmoid, Op::kSin, Op::kTanh}) {
    for (const char* type : {"fp16", "bf16", "fp32"}) {
      const std::string key = std::string(OperatorName(op)) + " " + type;
      EXPECT_EQ(judged[key], all) << key;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 39);
  // There are rows without, with one and with nothing but NaN. If NaNs are ignored, the result is
  // one of the numbers.
  for (const char* op : {"REDUCE_MAX", "REDUCE_MIN", "MAX_POOL2D", "MAXIMUM", "MINIMUM"}) {
    for (const char* type : {" fp16", " bf16", " fp32"}) {
      EXPECT_TRUE(modes[std::string(op) + type + " propagate"].contains("nan")) << op << type;
      EXPECT_TRUE(modes[std::string(op) + type + " ignore"].contains("inf")) << op << type;
    }
  }
  for (const char* type : {" fp16", " bf16", " fp32", " fp8e4m3", " fp8e5m2"}) {
    for (const char* mode : {" propagate", " ignore"}) {
      EXPECT_TRUE(modes.contains(std::string("ARGMAX") + type + mode)) << type << mode;
    }
  }
  for (const char* type : {" fp16", " bf16", " fp32"}) {
    for (const char* mode : {" propagate", " ignore"}) {
      EXPECT_EQ(judged[std::string("CLAMP") + type + mode], all) << type << mode;
    }
  }
}

TEST(OperatorGenerator, ClampsBetweenBoundsThatAreOneInfinity) {
  std::set<std::string> seen;
  for (const TestVector& vector : AllAlone()) {
    const Operator& op = vector.graphs[0].Main()->operators.back();
    if (op.op != Op::kClamp || vector.name.find("special-table") == std::string::npos) continue;
    const Tensor& low = op.attributes.Value(AttributeId::kMinVal);
    const Tensor& high = op.attributes.Value(AttributeId::kMaxVal);
    if (!IsFloat(low.type()) || !std::isinf(low.Float(0)) || !std::isinf(high.Float(0))) continue;
    seen.insert(std::string(TypeName(low.type())) + " " + low.ElementText(0) + " " +
                high.ElementText(0) +
                (op.attributes.nan_mode() == NanMode::kIgnore ? " ignore" : " propagate"));
  }
  std::set<std::string> all;
  for (const char* type : {"bf16", "fp16", "fp32"}) {
    for (const char* bounds : {" -inf inf", " -inf -inf", " inf inf"}) {
      for (const char* mode : {" propagate", " ignore"}) {
        all.insert(std::string(type) + bounds + mode);
      }
    }
  }
  EXPECT_EQ(seen, all);
}

// A kernel that is as large as the stride leaves no remainder when a backend splits it by the
// stride.
TEST(OperatorGenerator, TransposesConvolutionsWithAKernelOfTheStride) {
  std::set<DType> weights;
  for (const TestVector& vector : AllAlone()) {
    const Block& main = *vector.graphs[0].Main();
    const Operator& op = main.operators.back();
    if (op.op != Op::kTransposeConv2d) continue;
    const TensorType& weight = main.TypeOf(op.inputs[1]);
    const auto stride = op.attributes.Ints(AttributeId::kStride);
    const bool same = stride[0] == weight.shape[1] && stride[1] == weight.shape[2];
    if (same && stride[0] > 1) weights.insert(weight.type);
  }
  EXPECT_TRUE(weights.contains(DType::kInt4));
  EXPECT_EQ(weights.size(), 7u);  // i4, i8, fp8 of both kinds, fp16, bf16, fp32
}

TEST(OperatorGenerator, ReachesEveryOperatorThatComputes) {
  std::set<Op> reached;
  for (const TestVector& vector : AllAlone()) {
    for (const Operator& op : vector.graphs[0].Main()->operators) reached.insert(op.op);
  }
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    if (definition->meaning.value == nullptr && definition->move == nullptr) continue;
    EXPECT_TRUE(reached.contains(definition->op)) << OperatorName(definition->op);
  }
}

using RowSet = std::set<std::pair<Op, std::ptrdiff_t>>;

// Adds the type rows of the operators of all blocks.
void AddTypeRows(const TestVector& vector, RowSet& rows) {
  for (const auto& [block, op] : vector.Operators()) {
    const TypeRow* row = TypeRowOf(block, op);
    if (row != nullptr) rows.insert({op.op, row - RowOf(op.op).type_rows.data()});
  }
}

bool Computes(Op op) {
  const ops::OperatorDefinition& definition = ops::DefinitionOf(op);
  return definition.meaning.value != nullptr || definition.move != nullptr;
}

// Checks that every row of the Supported Data Types tables is reached, with all extensions. Other
// kinds of vectors test control flow and state, because these operators do nothing alone. No kind
// tests CUSTOM.
TEST(OperatorGenerator, ReachesEveryTypeRow) {
  RowSet reached;
  for (const TestVector& vector : AllAlone()) {
    // Examples of errors need no row.
    if (vector.steps[0].expected == OutcomeKind::kValid) AddTypeRows(vector, reached);
  }
  RowSet reached_by_others;
  const GeneratorOptions options = Options(1);
  for (const std::string_view kind : {"graph", "stateful"}) {
    for (uint64_t index = 0; index < kCases; ++index) {
      const auto vector = GeneratorByKind(kind)->make(options, index);
      if (vector) AddTypeRows(*vector, reached_by_others);
    }
  }
  for (const OperatorRow& row : AllOperators()) {
    if (row.op == Op::kCustom) continue;
    for (size_t i = 0; i < row.type_rows.size(); ++i) {
      EXPECT_TRUE(
          (Computes(row.op) ? reached : reached_by_others).contains({row.op, static_cast<int>(i)}))
          << row.name << " " << row.type_rows[i].mode;
    }
  }
}

TEST(OperatorGenerator, HasARecipeForEachOperatorThatComputes) {
  for (const OperatorRow& row : AllOperators()) {
    EXPECT_TRUE(!Computes(row.op) || IsConstant(row.op) || RecipeOf(row.op) != nullptr)
        << row.name << " has no recipe in generators/operator/recipes_*.cc";
  }
}

// Calls visit(operator, its block, the vector) for all vectors that the kind makes of an operator,
// with eight seeds.
template <class Visit>
void ForEachOperatorAlone(Op wanted, Visit visit) {
  const Generator& alone = *GeneratorByKind("operator");
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    GeneratorOptions options = Options(seed);
    options.operators = {wanted};
    for (int64_t index = 0; index < alone.targets(options); ++index) {
      const auto vector = alone.make(options, static_cast<uint64_t>(index));
      ASSERT_TRUE(vector) << index;
      const Block& main = *vector->graphs[0].Main();
      for (const Operator& op : main.operators) {
        if (op.op == wanted) visit(op, main, *vector);
      }
    }
  }
}

TEST(OperatorGenerator, KeepsToAllowedRowsAndRanks) {
  GeneratorOptions options = Options(1);
  options.rank_max = 2;
  options.type_rows.assign(kOperatorCount + 1, 0);
  options.type_rows[static_cast<size_t>(Op::kMul)] = 0b10;
  const TypeRow* allowed = &RowOf(Op::kMul).type_rows[1];
  const Generator& alone = *GeneratorByKind("operator");
  const Generator& graphs = *GeneratorByKind("graph");
  int64_t operators = 0;
  for (uint64_t index = 0; index < 60; ++index) {
    for (const Generator* kind : {&alone, &graphs}) {
      const auto vector = kind->make(options, index);
      if (!vector || std::ranges::count(vector->tags, "example") > 0) continue;
      const Block& main = *vector->graphs[0].Main();
      for (const Operator& op : main.operators) {
        if (IsConstant(op.op)) continue;
        ++operators;
        EXPECT_EQ(TypeRowOf(main, op), allowed) << OperatorName(op.op);
        // Graphs also have shapes of other ranks, of which the check of a target leaves them out.
        if (kind != &alone) continue;
        EXPECT_LE(main.TypeOf(op.outputs[0]).shape.rank(), 2) << vector->name;
      }
    }
  }
  EXPECT_GT(operators, 100);
}

// Returns true if x lies in the middle between two neighbours of the type.
bool IsTie(DType type, double x) {
  const double nearest = RoundToType(type, x);
  const double other = nearest > x ? NextDown(type, nearest) : NextUp(type, nearest);
  return nearest != x && std::fabs(x - nearest) == std::fabs(other - x);
}

TEST(OperatorGenerator, CastsTiesToEveryNarrowerFloat) {
  std::map<std::pair<DType, DType>, int64_t> ties;
  ForEachOperatorAlone(Op::kCast,
                       [&](const Operator& op, const Block& block, const TestVector& vector) {
                         const DType from = block.TypeOf(op.inputs[0]).type;
                         const DType to = block.TypeOf(op.outputs[0]).type;
                         if (!IsFloat(from) || !IsFloat(to) || vector.steps[0].inputs.empty())
                           return;
                         if (FormatOf(from).fraction_bits <= FormatOf(to).fraction_bits) return;
                         if (vector.name.find("-ties") == std::string::npos) return;
                         int64_t& count = ties[{from, to}];
                         const Tensor& input = vector.steps[0].inputs[0];
                         for (int64_t i = 0; i < input.elements(); ++i)
                           count += IsTie(to, input.Float(i));
                       });
  // From fp32 to the four others, from fp16 and bf16 to fp8.
  EXPECT_EQ(ties.size(), 8u);
  for (const auto& [types, count] : ties) {
    EXPECT_GT(count, 0) << TypeName(types.first) << " to " << TypeName(types.second);
  }
}

TEST(OperatorGenerator, RescalesInEveryRoundingWithAllElseThereIs) {
  constexpr AttributeId kFlags[] = {AttributeId::kPerChannel, AttributeId::kInputUnsigned,
                                    AttributeId::kOutputUnsigned};
  std::set<std::pair<RoundingMode, AttributeId>> met;
  std::set<RoundingMode> with_zero_point;
  ForEachOperatorAlone(
      Op::kRescale, [&](const Operator& op, const Block& block, const TestVector&) {
        const auto mode = static_cast<RoundingMode>(op.attributes.Int(AttributeId::kRoundingMode));
        for (const AttributeId id : kFlags) {
          if (op.attributes.Flag(id)) met.insert({mode, id});
        }
        for (const Operator& producer : block.operators) {
          if (producer.op != Op::kConst || producer.outputs[0] != op.inputs[3]) continue;
          if (producer.attributes.Value(AttributeId::kValues).Integer(0) != 0) {
            with_zero_point.insert(mode);
          }
        }
      });
  for (const RoundingMode mode :
       {RoundingMode::kSingleRound, RoundingMode::kDoubleRound, RoundingMode::kInexactRound}) {
    for (const AttributeId id : kFlags) {
      EXPECT_TRUE(met.contains({mode, id})) << static_cast<int>(mode) << " " << AttributeName(id);
    }
  }
  EXPECT_EQ(with_zero_point.size(), 3u);
}

// Returns "breaks" for "breaks:ADD/ERROR_IF/1" and for "breaks:RULE".
std::string WithoutName(const std::string& tag) { return tag.substr(0, tag.find(':')); }

// Returns the tags that are no ids of readings: the first column of the table in the README.
std::set<std::string> DocumentedTags() {
  std::ifstream readme(std::string(ASSAY_SOURCE_DIR) + "/generators/README.md");
  std::set<std::string> tags;
  bool within = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("| tag |")) within = true;
    if (within && line.starts_with("| `"))
      tags.insert(WithoutName(line.substr(3, line.find('`', 3) - 3)));
  }
  return tags;
}

TEST(Tags, AreReadingsThatAreJudgedOrDocumented) {
  const std::set<std::string> documented = DocumentedTags();
  std::set<std::string> met;
  for (const Generator* generator : AllGenerators()) {
    const GeneratorOptions options = Options(29);
    const auto count = std::min<int64_t>(generator->targets(options) + 100, 6000);
    for (int64_t index = 0; index < count; ++index) {
      const auto vector = generator->make(options, static_cast<uint64_t>(index));
      if (!vector) continue;
      for (const std::string& tag : vector->tags) met.insert(WithoutName(tag));
    }
  }
  for (const std::string& tag : met) {
    const Reading* reading = FindReading(tag);
    EXPECT_TRUE(reading != nullptr ? reading->judged : documented.contains(tag)) << tag;
  }
  for (const std::string& tag : documented) EXPECT_TRUE(met.contains(tag)) << tag;
}

TEST(Tags, OfResizeKnowTheMode) {
  std::map<bool, int> seen;
  ForEachOperatorAlone(
      Op::kResize, [&](const Operator& op, const Block& block, const TestVector& vector) {
        const bool copies_floats =
            IsFloat(block.TypeOf(op.inputs[0]).type) &&
            op.attributes.Int(AttributeId::kMode) == static_cast<int32_t>(ResizeMode::kNearest);
        EXPECT_EQ(HasTag(vector, "resize-nearest"), copies_floats) << vector.name;
        EXPECT_FALSE(HasTag(vector, "infinite-bound"));
        ++seen[copies_floats];
      });
  EXPECT_GT(seen[true], 0);
  EXPECT_GT(seen[false], 0);
}

// The numbers are fraction bits of types. Half of 23 - 10 and half of 10 - 3 are no integers; half
// of 23 - 7 and half of 0 are.
TEST(Tags, OfPoolsKnowBitsAndCounts) {
  std::set<DType> odd;
  std::map<bool, int> exact_counts;
  ForEachOperatorAlone(
      Op::kAvgPool2d, [&](const Operator& op, const Block& block, const TestVector& vector) {
        const DType type = block.TypeOf(op.inputs[0]).type;
        if (HasTag(vector, "accumulator-bits")) odd.insert(type);
        const auto& kernel = op.attributes.Ints(AttributeId::kKernel);
        if (type != DType::kFp32 || op.attributes.Ints(AttributeId::kPad) != std::vector(4, 0)) {
          return;
        }
        // 2^24 elements and fewer have counts in fp32.
        EXPECT_LE(int64_t{kernel[0]} * kernel[1], int64_t{1} << 24);
        EXPECT_FALSE(HasTag(vector, "average-count")) << vector.name;
        ++exact_counts[true];
      });
  EXPECT_EQ(odd, (std::set<DType>{DType::kFp16, DType::kFp8e4m3}));
  EXPECT_GT(exact_counts[true], 0);
}

TEST(Tags, OfLoopsAndTestSetsSayWhatIsJudged) {
  std::map<bool, int> shaped;
  const GeneratorOptions options = Options(30);
  const Generator& graphs = *GeneratorByKind("graph");
  for (uint64_t index = 0; index < 400; ++index) {
    const auto vector = graphs.make(options, index);
    if (!vector) continue;
    bool has_loop = false;
    bool has_shape = false;
    for (const PlacedOperator& placed : vector->graphs[0].Operators()) {
      if (placed.op.op != Op::kWhileLoop) continue;
      const std::string& name = placed.op.attributes.Text(AttributeId::kCondGraph);
      const Block& condition = *vector->graphs[0].FindBlock(name);
      has_loop = true;
      has_shape |= condition.TypeOf(condition.outputs[0]).shape.rank() > 0;
    }
    EXPECT_EQ(HasTag(*vector, "loop-condition"), has_shape) << vector->name;
    EXPECT_FALSE(HasTag(*vector, "variance-bound")) << vector->name;
    if (has_loop) ++shaped[has_shape];
  }
  EXPECT_GT(shaped[true], 0);
  EXPECT_GT(shaped[false], 0);
  const auto set = GeneratorByKind("dot-product")->make(options, 0);
  ASSERT_TRUE(set);
  for (const char* tag : {"test-set-order", "test-set-results", "variance-bound"}) {
    EXPECT_TRUE(HasTag(*set, tag)) << tag;
  }
}

// The effect of two operators on one variable depends on their order in the list. The exceptions:
// both read, the first declares the variable, or data flow from one to the other.
TEST(Tags, OfTheOrderOfVariables) {
  const auto hangs = [](std::string_view letters) {
    BlockBuilder b;
    TensorIndex read = -1;
    const Attributes v = {{AttributeId::kName, std::string("v")}};
    for (const char letter : letters) {
      if (letter == 'D') {
        b.Append(Op::kVariable, {}, {},
                 {{AttributeId::kName, std::string("v")},
                  {AttributeId::kVarShape, std::vector<int32_t>{1}},
                  {AttributeId::kType, static_cast<int32_t>(DType::kInt8)}});
      } else if (letter == 'R') {
        read = b.Add(Op::kVariableRead, {}, "i8[1]", v);
      } else if (letter == 'W') {  // a value that does not depend on a read
        b.Append(Op::kVariableWrite, {b.Constant("i8[1]{1}")}, {}, v);
      } else {  // a value computed from the last read
        const TensorIndex changed = b.Add(Op::kBitwiseNot, {read}, "i8[1]");
        b.Append(Op::kVariableWrite, {changed}, {}, v);
      }
    }
    TestVector vector;
    vector.graphs = {GraphOf({b.block})};
    const Block& main = *vector.graphs[0].Main();
    return std::any_of(main.operators.begin(), main.operators.end(),
                       [&](const Operator& op) { return HangsOnOrder(vector, main, op); });
  };
  for (const char* plain : {"", "D", "R", "W", "DR", "DW", "RR", "DRw", "RRw", "DRR"}) {
    EXPECT_EQ(hangs(plain), std::string_view(plain) == "RRw") << plain;
  }
  for (const char* listed : {"RW", "WR", "WW", "RD", "WD", "DD", "DWR", "DRW", "DRwR"}) {
    EXPECT_TRUE(hangs(listed)) << listed;
  }
}

// Control flow counts like an operator on each variable that its blocks use.
TEST(Tags, OfTheOrderOfVariablesAndControlFlow) {
  const auto hangs = [](bool nested_writes) {
    const Attributes v = {{AttributeId::kName, std::string("v")}};
    BlockBuilder main, then("then"), otherwise("else");
    main.Add(Op::kVariableRead, {}, "i8[1]", v);
    main.Append(Op::kCondIf, {main.Constant("bool[1]{true}")}, {},
                {{AttributeId::kThenGraph, std::string("then")},
                 {AttributeId::kElseGraph, std::string("else")}});
    if (nested_writes) {
      then.Append(Op::kVariableWrite, {then.Constant("i8[1]{1}")}, {}, v);
    } else {
      then.Add(Op::kVariableRead, {}, "i8[1]", v);
    }
    TestVector vector;
    vector.graphs = {GraphOf({main.block, then.block, otherwise.block})};
    const Block& block = *vector.graphs[0].Main();
    return HangsOnOrder(vector, block, block.operators.back());
  };
  EXPECT_TRUE(hangs(true));
  EXPECT_FALSE(hangs(false));
}

// A declaration in control flow or after it depends on what clears the flag `seen`.
TEST(Tags, OfStateInControlFlow) {
  std::map<bool, int> nested, kept;
  const GeneratorOptions options = Options(31);
  for (uint64_t index = 0; index < 400; ++index) {
    const auto vector = GeneratorByKind("stateful")->make(options, index);
    if (!vector) continue;
    bool declares = false;
    for (const Graph& graph : vector->graphs) {
      for (const Block& block : graph.Blocks()) {
        bool after = &block != graph.Main();
        for (const Operator& op : block.operators) {
          declares |= after && op.op == Op::kVariable && vector->semantics == "1.0";
          after |= IsControlFlow(op.op);
        }
      }
    }
    EXPECT_EQ(HasTag(*vector, "nested-seen"), declares) << vector->name;
    const bool keeps = vector->semantics == "nested-keeps-seen";
    EXPECT_EQ(HasTag(*vector, "nested-keeps-seen"), keeps) << vector->name;
    ++kept[keeps];
    ++nested[declares];
  }
  EXPECT_GT(nested[true], 5);
  EXPECT_GT(nested[false], 5);
  EXPECT_GT(kept[true], 5);
}

}  // namespace
}  // namespace assay::operator_test
