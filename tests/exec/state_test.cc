// SPDX-License-Identifier: Apache-2.0
// Variables, sequences of executions and contexts (specification, "Variable Operators" and
// tosa_execute_graph).

#include "block_builder.h"

namespace assay::state_test {
namespace {

Attributes Declaration(std::string name, std::string_view type, std::string_view initial = {}) {
  const TensorType declared = ParseTensorType(type).value();
  const auto dims = declared.shape.dims();
  Attributes attributes = {{AttributeId::kName, std::move(name)},
                           {AttributeId::kVarShape, std::vector<int32_t>(dims.begin(), dims.end())},
                           {AttributeId::kType, static_cast<int32_t>(declared.type)}};
  if (!initial.empty()) attributes.Set(AttributeId::kInitialValue, TensorOf(initial));
  return attributes;
}

Attributes Named(std::string name) { return {{AttributeId::kName, std::move(name)}}; }

// Append operators on one variable, by default "v" of type i8[2].
void Declare(BlockBuilder& b, std::string_view initial = {}, std::string name = "v",
             std::string_view type = "i8[2]") {
  b.Append(Op::kVariable, {}, {}, Declaration(std::move(name), type, initial));
}
void Write(BlockBuilder& b, std::string_view type = "i8[2]", std::string name = "v") {
  b.Append(Op::kVariableWrite, {b.Input(type)}, {}, Named(std::move(name)));
}
void Read(BlockBuilder& b, std::string_view type = "i8[2]", std::string name = "v") {
  b.block.outputs.push_back(b.Add(Op::kVariableRead, {}, type, Named(std::move(name))));
}

// One letter per operator: D declares, I declares with {1,2}, W writes input i8[2], R reads.
Graph Do(std::string_view letters) {
  BlockBuilder b;
  for (const char letter : letters) {
    if (letter == 'D') Declare(b);
    if (letter == 'I') Declare(b, "i8[2]{1,2}");
    if (letter == 'W') Write(b);
    if (letter == 'R') Read(b);
  }
  return GraphOf({b.block});
}

TEST(Variable, KeepsItsInitialValueUntilItIsWritten) {
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("I"))), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("R"))), "valid i8[2]{1,2}");
  EXPECT_EQ(TextOf(session.Run(Do("IW"), {"i8[2]{3,4}"})), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("R"))), "valid i8[2]{3,4}");
}

TEST(Variable, IsReadInListOrder) {
  EXPECT_EQ(ResultOf(Do("IRWR"), {"i8[2]{3,4}"}), "valid i8[2]{1,2} i8[2]{3,4}");
  EXPECT_EQ(ResultOf(Do("DWR"), {"i8[2]{3,4}"}), "valid i8[2]{3,4}");
  EXPECT_EQ(ResultOf(Do("DWRWR"), {"i8[2]{3,4}", "i8[2]{5,6}"}), "valid i8[2]{3,4} i8[2]{5,6}");
}

// REQUIRE 3 of VARIABLE: once in an execution, again in the next one.
TEST(Variable, IsDeclaredOnceInAnExecution) {
  EXPECT_EQ(ResultOf(Do("DD")), "unpredictable VARIABLE/REQUIRE/3");
  EXPECT_EQ(ResultOf(Do("II")), "unpredictable VARIABLE/REQUIRE/3");
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("I"))), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("I"))), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("DD"))), "unpredictable VARIABLE/REQUIRE/3");
}

TEST(Variable, IsNotInitialisedAgain) {
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("IW"), {"i8[2]{3,4}"})), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("IR"))), "valid i8[2]{3,4}");
  // A variable that was declared without a value still has none after a declaration with a value.
  Session bare;
  EXPECT_EQ(TextOf(bare.Run(Do("D"))), "valid");
  EXPECT_EQ(TextOf(bare.Run(Do("IR"))), "unpredictable VARIABLE_READ/REQUIRE/2");
}

// Shape, type and value of a second declaration are ignored (reading variable-redeclaration).
TEST(Variable, KeepsTheTypeOfTheFirstDeclaration) {
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("I"))), "valid");
  BlockBuilder other;
  Declare(other, "fp32[3]{1,2,3}", "v", "fp32[3]");
  EXPECT_EQ(TextOf(session.Run(GraphOf({other.block}))), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("R"))), "valid i8[2]{1,2}");
  BlockBuilder inconsistent;
  Declare(inconsistent, "fp32[3]{1,2,3}");
  EXPECT_EQ(TextOf(session.Run(GraphOf({inconsistent.block}))), "valid");
}

// REQUIRE 1 and 2 of VARIABLE.
TEST(Variable, HasAnInitialValueOfItsTypeAndShape) {
  BlockBuilder type;
  Declare(type, "fp32[2]{1,2}");
  EXPECT_EQ(ResultOf(GraphOf({type.block})), "unpredictable VARIABLE/REQUIRE/1");
  BlockBuilder shape;
  Declare(shape, "i8[3]{1,2,3}");
  EXPECT_EQ(ResultOf(GraphOf({shape.block})), "unpredictable VARIABLE/REQUIRE/2");
  BlockBuilder rank;
  Declare(rank, "i8[1,2]{1,2}");
  EXPECT_EQ(ResultOf(GraphOf({rank.block})), "unpredictable VARIABLE/REQUIRE/2");
}

TEST(Variable, MayBeAScalar) {
  BlockBuilder b;
  Declare(b, "fp16[]{0.5}", "s", "fp16[]");
  Read(b, "fp16[]", "s");
  Write(b, "fp16[]", "s");
  Read(b, "fp16[]", "s");
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"fp16[]{-2}"}), "valid fp16[]{0.5} fp16[]{-2}");
}

// The table has three types, var_t seven (reading variable-types).
TEST(Variable, HasATypeOfTheTable) {
  for (const std::string_view type : {"i8", "fp16", "fp32"}) {
    BlockBuilder b;
    Declare(b, {}, "v", std::string(type) + "[2]");
    EXPECT_EQ(ResultOf(GraphOf({b.block})), "valid") << type;
  }
  for (const std::string_view type : {"bool", "i16", "i32", "bf16"}) {
    BlockBuilder b;
    Declare(b, {}, "v", std::string(type) + "[2]");
    EXPECT_EQ(ResultOf(GraphOf({b.block})), "error VARIABLE/ERROR_IF/declared-type") << type;
    BlockBuilder initialised;
    const std::string one = std::string(type) + (type == "bool" ? "[1]{true}" : "[1]{1}");
    Declare(initialised, one, "v", std::string(type) + "[1]");
    EXPECT_EQ(ResultOf(GraphOf({initialised.block})), "error VARIABLE/ERROR_IF/types") << type;
  }
  // These types are no enumerators of var_t.
  for (const std::string_view type : {"i4", "i48", "fp8e4m3", "fp8e5m2"}) {
    BlockBuilder b;
    Declare(b, {}, "v", std::string(type) + "[2]");
    EXPECT_EQ(ResultOf(GraphOf({b.block})), "error VARIABLE/ERROR_IF/attributes") << type;
  }
}

// REQUIRE 1 to 4 of VARIABLE_READ, one by one.
TEST(VariableRead, NeedsAWrittenVariableOfItsType) {
  EXPECT_EQ(ResultOf(Do("R")), "unpredictable VARIABLE_READ/REQUIRE/1");
  EXPECT_EQ(ResultOf(Do("DR")), "unpredictable VARIABLE_READ/REQUIRE/2");
  for (const auto& [type, rule] : {std::pair("i8[3]", "unpredictable VARIABLE_READ/REQUIRE/3"),
                                   std::pair("i8[1,2]", "unpredictable VARIABLE_READ/REQUIRE/3"),
                                   std::pair("fp32[2]", "unpredictable VARIABLE_READ/REQUIRE/4")}) {
    BlockBuilder b;
    Declare(b, "i8[2]{1,2}");
    Read(b, type);
    EXPECT_EQ(ResultOf(GraphOf({b.block})), rule);
  }
}

// A read does not check `seen`: the declaration may be that of an earlier execution.
TEST(VariableRead, NeedsNoDeclarationInItsExecution) {
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("DW"), {"i8[2]{3,4}"})), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("RR"))), "valid i8[2]{3,4} i8[2]{3,4}");
}

// REQUIRE 1 to 4 of VARIABLE_WRITE, one by one.
TEST(VariableWrite, NeedsAVariableOfItsTypeDeclaredInItsExecution) {
  EXPECT_EQ(ResultOf(Do("W"), {"i8[2]{3,4}"}), "unpredictable VARIABLE_WRITE/REQUIRE/1");
  Session session;
  EXPECT_EQ(TextOf(session.Run(Do("I"))), "valid");
  EXPECT_EQ(TextOf(session.Run(Do("W"), {"i8[2]{3,4}"})), "unpredictable VARIABLE_WRITE/REQUIRE/2");
  EXPECT_EQ(ResultOf(Do("WD"), {"i8[2]{3,4}"}), "unpredictable VARIABLE_WRITE/REQUIRE/1");
  BlockBuilder shape;
  Declare(shape);
  Write(shape, "i8[3]");
  EXPECT_EQ(ResultOf(GraphOf({shape.block}), {"i8[3]{1,2,3}"}),
            "unpredictable VARIABLE_WRITE/REQUIRE/3");
  BlockBuilder type;
  Declare(type);
  Write(type, "fp32[2]");
  EXPECT_EQ(ResultOf(GraphOf({type.block}), {"fp32[2]{1,2}"}),
            "unpredictable VARIABLE_WRITE/REQUIRE/4");
}

TEST(Variables, AreKnownByTheirNames) {
  BlockBuilder b;
  Declare(b, "i8[2]{1,2}", "a");
  Declare(b, "i8[2]{3,4}", "b");
  Write(b, "i8[2]", "b");
  Read(b, "i8[2]", "a");
  Read(b, "i8[2]", "b");
  EXPECT_EQ(ResultOf(GraphOf({b.block}), {"i8[2]{5,6}"}), "valid i8[2]{1,2} i8[2]{5,6}");
}

TEST(Contexts, SeeNothingOfEachOther) {
  Session first;
  Session second;
  EXPECT_EQ(TextOf(first.Run(Do("DW"), {"i8[2]{3,4}"})), "valid");
  EXPECT_EQ(TextOf(second.Run(Do("R"))), "unpredictable VARIABLE_READ/REQUIRE/1");
  EXPECT_EQ(TextOf(second.Run(Do("I"))), "valid");
  EXPECT_EQ(TextOf(first.Run(Do("R"))), "valid i8[2]{3,4}");
  EXPECT_EQ(TextOf(second.Run(Do("R"))), "valid i8[2]{1,2}");
}

TEST(Contexts, ReportTheirStateAfterEachStep) {
  Session session;
  const Outcome declared = session.Run(Do("D"));
  EXPECT_TRUE(declared.state.empty());
  const Outcome written = session.Run(Do("DW"), {"i8[2]{3,4}"});
  ASSERT_EQ(written.state.size(), 1u);
  EXPECT_EQ(written.state.at("v"), TensorOf("i8[2]{3,4}"));
}

// The steps of a vector name their context.
TEST(Vectors, RunTheirStepsInTheContextsThatTheyName) {
  TestVector vector;
  vector.graphs = {Do("DW"), Do("R")};
  vector.steps.resize(5);
  const int contexts[] = {0, 7, 7, 0, 7};
  const int graphs[] = {0, 1, 0, 1, 1};
  for (size_t i = 0; i < 5; ++i) {
    vector.steps[i].context = contexts[i];
    vector.steps[i].graph = graphs[i];
  }
  vector.steps[0].inputs = {TensorOf("i8[2]{3,4}")};
  vector.steps[2].inputs = {TensorOf("i8[2]{5,6}")};
  std::vector<std::string> results;
  for (const Outcome& outcome : ExecuteVector(vector, {})) results.push_back(TextOf(outcome));
  EXPECT_EQ(results, (std::vector<std::string>{"valid", "unpredictable VARIABLE_READ/REQUIRE/1",
                                               "valid", "valid i8[2]{3,4}", "valid i8[2]{5,6}"}));
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  EXPECT_EQ(vector.steps[1].expected, OutcomeKind::kUnpredictable);
  EXPECT_EQ(vector.steps[4].outputs[0].value, TensorOf("i8[2]{5,6}"));
  EXPECT_EQ(vector.steps[3].state_after.at("v").value, TensorOf("i8[2]{3,4}"));
}

TEST(Vectors, LoadStateBeforeAStep) {
  TestVector vector;
  vector.graphs = {Do("R")};
  vector.steps.resize(1);
  vector.steps[0].state_before["v"] = TensorOf("i8[2]{9,8}");
  EXPECT_EQ(TextOf(ExecuteVector(vector, {})[0]), "valid i8[2]{9,8}");
}

// Returns a graph whose main has the operators of `before`, a COND_IF of an inner graph with those
// of `inside`, and those of `after`. The letters mean the same as in Do().
Graph Around(std::string_view before, std::string_view inside, std::string_view after) {
  const auto append = [](BlockBuilder& b, std::string_view letters) {
    for (const char letter : letters) {
      if (letter == 'D') Declare(b);
      if (letter == 'I') Declare(b, "i8[2]{1,2}");
      if (letter == 'W') {
        b.Append(Op::kVariableWrite, {b.Constant("i8[2]{3,4}")}, {}, Named("v"));
      }
      if (letter == 'R') Read(b);
    }
  };
  BlockBuilder b;
  append(b, before);
  const TensorIndex yes = b.Constant("bool[]{true}");
  const TensorIndex out = b.Declare("i8[1]");
  b.Append(Op::kCondIf, {yes}, {out},
           {{AttributeId::kThenGraph, std::string("inner")},
            {AttributeId::kElseGraph, std::string("inner")}});
  append(b, after);
  BlockBuilder inner("inner");
  append(inner, inside);
  // The inner graph need not return what it reads; tests read it again outside.
  inner.Outputs({inner.Constant("i8[1]{0}")});
  return GraphOf({b.block, inner.block});
}

// Every execution of a graph clears `seen` of all variables. This includes an execution that
// control flow starts (reading nested-seen).
TEST(NestedExecution, ClearsWhatHasBeenSeen) {
  EXPECT_EQ(ResultOf(Around("I", "", "W")), "unpredictable VARIABLE_WRITE/REQUIRE/2");
  EXPECT_EQ(ResultOf(Around("I", "W", "")), "unpredictable VARIABLE_WRITE/REQUIRE/2");
  // A declaration inside also counts after the inner graph.
  EXPECT_EQ(ResultOf(Around("I", "IW", "R")), "valid i8[2]{3,4}");
  EXPECT_EQ(ResultOf(Around("I", "I", "WR")), "valid i8[2]{3,4}");
  // A second declaration is not noticed.
  EXPECT_EQ(ResultOf(Around("I", "", "IWR")), "valid i8[2]{3,4}");
  // Reads need no declaration.
  EXPECT_EQ(ResultOf(Around("IW", "R", "R")), "valid i8[2]{3,4}");
}

TEST(NestedExecution, RunsInTheContextOfItsGraph) {
  EXPECT_EQ(ResultOf(Around("", "IW", "R")), "valid i8[2]{3,4}");
  // Each round of a loop is an execution: the body may declare in all of them.
  const Graph graph = GraphOf(R"(
    block main () -> (%count)
      %end:i8[1] = WHILE_LOOP(i8[1]{3}) cond_graph=cond body_graph=body
      %count:i8[1] = VARIABLE_READ() name=count
    block cond (%left:i8[1]) -> (%more)
      %more:bool[1] = CAST(%left)
    block body (%left:i8[1]) -> (%next)
      VARIABLE() name=count type=i8 var_shape=[1] initial_value=i8[1]{0}
      %count:i8[1] = VARIABLE_READ() name=count
      %wide_count:i32[1] = CAST(%count)
      %more_count:i32[1] = ADD(%wide_count,10)
      %new_count:i8[1] = CAST(%more_count)
      VARIABLE_WRITE(%new_count) name=count
      %wide:i32[1] = CAST(%left)
      %less:i32[1] = ADD(%wide,-1)
      %next:i8[1] = CAST(%less))");
  EXPECT_EQ(ResultOf(graph), "valid i8[1]{30}");
}

// Tests the older form of variables: a tensor with variable=true, of the same name in every block,
// read and written by IDENTITY.
TEST(VariableTensors, LiveInTheContext) {
  const Graph graph = GraphOf(R"(
    block main (%x:i32[2]) -> (%old,%sum)
      variable %state:i32[2] = i32[2]{1,2}
      %old:i32[2] = IDENTITY(%state)
      %sum:i32[2] = ADD(%old,%x)
      %state = IDENTITY(%sum))");
  Session session;
  EXPECT_EQ(TextOf(session.Run(graph, {"i32[2]{10,10}"})), "valid i32[2]{1,2} i32[2]{11,12}");
  const Outcome second = session.Run(graph, {"i32[2]{10,10}"});
  EXPECT_EQ(TextOf(second), "valid i32[2]{11,12} i32[2]{21,22}");
  EXPECT_EQ(second.state.at("state"), TensorOf("i32[2]{21,22}"));
  Session other;
  EXPECT_EQ(TextOf(other.Run(graph, {"i32[2]{0,0}"})), "valid i32[2]{1,2} i32[2]{1,2}");
}

TEST(VariableTensors, HaveAValueBeforeTheyAreRead) {
  EXPECT_EQ(ResultOf(GraphOf(R"(
    block main () -> (%y)
      variable %state:i32[2]
      %y:i32[2] = IDENTITY(%state))")),
            "unpredictable VARIABLE_READ/REQUIRE/2");
}

TEST(VariableTensors, AreSharedBetweenBlocks) {
  EXPECT_EQ(ResultOf(GraphOf(R"(
    block main () -> (%inside,%after)
      variable %state:i32[2] = i32[2]{1,2}
      %inside:i32[2] = COND_IF(bool[]{true}) then_graph=inner else_graph=inner
      %after:i32[2] = IDENTITY(%state)
    block inner () -> (%old)
      variable %state:i32[2] = i32[2]{1,2}
      %old:i32[2] = IDENTITY(%state)
      %sum:i32[2] = ADD(%old,%old)
      %state = IDENTITY(%sum))")),
            "valid i32[2]{1,2} i32[2]{2,4}");
}

// --- other rules of variables (state_rules.h)

// Executes the graphs one after the other in one context and returns their outcomes.
std::string ResultsOf(std::string_view rules, const std::vector<Graph>& graphs) {
  Context context;
  ExecutionOptions options;
  options.state_rules = StateRulesByName(rules);
  std::string results;
  for (const Graph& graph : graphs) {
    const std::vector<Tensor> inputs(graph.Main()->inputs.size(), TensorOf("i8[2]{3,4}"));
    results += (results.empty() ? "" : "; ") + TextOf(Execute(context, graph, inputs, options));
  }
  return results;
}

// The proposal's VARIABLE returns before it sets `seen` of a variable that exists already. A later
// write or declaration then sees an undeclared variable.
TEST(Rfc, RedeclarationLeavesTheVariableUnseen) {
  const std::vector<Graph> written = {Do("I"), Do("IW")}, twice = {Do("I"), Do("II"), Do("R")};
  EXPECT_EQ(ResultsOf("1.0", written), "valid; valid");
  EXPECT_EQ(ResultsOf("rfc", written), "valid; unpredictable VARIABLE_WRITE/REQUIRE/2");
  EXPECT_EQ(ResultsOf("1.0", {twice[0], twice[1]}), "valid; unpredictable VARIABLE/REQUIRE/3");
  EXPECT_EQ(ResultsOf("rfc", twice), "valid; valid; valid i8[2]{1,2}");
  // The first declaration does set it.
  EXPECT_EQ(ResultsOf("rfc", {Do("IW"), Do("R")}), "valid; valid i8[2]{3,4}");
  EXPECT_EQ(ResultsOf("rfc", {Do("II")}), "unpredictable VARIABLE/REQUIRE/3");
}

TEST(Rfc, HasSevenTypesOfVariables) {
  for (const char* type :
       {"bool[1]", "i8[1]", "i16[1]", "i32[1]", "fp16[1]", "bf16[1]", "fp32[1]"}) {
    BlockBuilder b;
    const std::string value =
        std::string(type) + (type[0] == 'b' && type[1] == 'o' ? "{true}" : "{1}");
    Declare(b, value, "v", type);
    Read(b, type);
    EXPECT_EQ(ResultsOf("rfc", {GraphOf({b.block})}), "valid " + value);
    const bool is_row = type == std::string("i8[1]") || std::string_view(type).starts_with("fp");
    EXPECT_EQ(ResultsOf("1.0", {GraphOf({b.block})}),
              is_row ? "valid " + value : "error VARIABLE/ERROR_IF/types");
  }
  BlockBuilder b;
  Declare(b, "i48[1]{1}", "v", "i48[1]");
  EXPECT_EQ(ResultsOf("rfc", {GraphOf({b.block})}).substr(0, 5), "error");
}

// uid 7 is written as 7, +7 or 007. A name that is no number stands for itself.
TEST(Rfc, KnowsVariablesByNumber) {
  const auto outcome = [](std::string_view rules, std::string name) {
    BlockBuilder declare, read;
    Declare(declare, "i8[2]{1,2}", "7");
    Read(read, "i8[2]", std::move(name));
    return ResultsOf(rules, {GraphOf({declare.block}), GraphOf({read.block})});
  };
  for (const char* name : {"7", "+7", "007"})
    EXPECT_EQ(outcome("rfc", name), "valid; valid i8[2]{1,2}");
  for (const char* name : {"+7", "007"}) {
    EXPECT_EQ(outcome("1.0", name), "valid; unpredictable VARIABLE_READ/REQUIRE/1");
  }
  for (const char* name : {"-7", "7x", "+-7", " 7", "4294967303"}) {
    EXPECT_EQ(outcome("rfc", name), "valid; unpredictable VARIABLE_READ/REQUIRE/1");
  }
}

// A variable that is declared around control flow may be written inside and after it, but not
// declared again.
TEST(NestedKeepsSeen, LetsControlFlowBelongToItsExecution) {
  const auto result = [](std::string_view before, std::string_view inside, std::string_view after) {
    return ResultsOf("nested-keeps-seen", {Around(before, inside, after)});
  };
  EXPECT_EQ(result("I", "", "W"), "valid");
  EXPECT_EQ(result("I", "W", "R"), "valid i8[2]{3,4}");
  EXPECT_EQ(result("I", "I", ""), "unpredictable VARIABLE/REQUIRE/3");
  EXPECT_EQ(result("I", "", "I"), "unpredictable VARIABLE/REQUIRE/3");
  EXPECT_EQ(result("", "I", "WR"), "valid i8[2]{3,4}");
}

}  // namespace
}  // namespace assay::state_test
