// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP (specification, "Control Flow Operators").

#include "block_builder.h"

namespace assay::control_flow_test {
namespace {

// Returns a block of one operator on one or two inputs of the same type.
Block OneOperator(std::string name, Op op, std::string_view type, Attributes attributes = {}) {
  BlockBuilder b(std::move(name));
  const TensorIndex x = b.Input(type);
  std::vector<TensorIndex> operands = {x};
  if (op != Op::kIdentity) operands.push_back(b.Input(type));
  return b.Outputs({b.Add(op, operands, type, std::move(attributes))}).block;
}

Attributes Branches(std::string then_graph, std::string else_graph) {
  return {{AttributeId::kThenGraph, std::move(then_graph)},
          {AttributeId::kElseGraph, std::move(else_graph)}};
}

Attributes Loop(std::string cond_graph = "cond", std::string body_graph = "body") {
  return {{AttributeId::kCondGraph, std::move(cond_graph)},
          {AttributeId::kBodyGraph, std::move(body_graph)}};
}

// main: COND_IF of `condition` between "then" and "else" on two operands.
Block ChoosingMain(std::string_view condition, std::string_view type,
                   std::string_view output_type) {
  BlockBuilder b;
  const TensorIndex c = b.Input(condition);
  const TensorIndex x = b.Input(type);
  const TensorIndex y = b.Input(type);
  const TensorIndex out = b.Add(Op::kCondIf, {c, x, y}, output_type, Branches("then", "else"));
  return b.Outputs({out}).block;
}

Graph AddOrSubtract(std::string_view condition = "bool[]") {
  return GraphOf({ChoosingMain(condition, "i32[2]", "i32[2]"),
                  OneOperator("then", Op::kAdd, "i32[2]"),
                  OneOperator("else", Op::kSub, "i32[2]")});
}

TEST(CondIf, RunsTheBranchThatTheConditionNames) {
  EXPECT_EQ(ResultOf(AddOrSubtract(), {"bool[]{true}", "i32[2]{5,6}", "i32[2]{1,2}"}),
            "valid i32[2]{6,8}");
  EXPECT_EQ(ResultOf(AddOrSubtract(), {"bool[]{false}", "i32[2]{5,6}", "i32[2]{1,2}"}),
            "valid i32[2]{4,4}");
}

TEST(CondIf, TakesAConditionOfAnyRankWithOneElement) {
  for (const std::string type : {"bool[]", "bool[1]", "bool[1,1]", "bool[1,1,1,1,1,1]"}) {
    EXPECT_EQ(ResultOf(AddOrSubtract(type), {type + "{true}", "i32[2]{5,6}", "i32[2]{1,2}"}),
              "valid i32[2]{6,8}");
  }
  // Rank 7 is more than MAX_RANK of level 8K, and less than that of level none.
  const std::string seven = "bool[1,1,1,1,1,1,1]";
  const std::string value = seven + "{true}";
  EXPECT_EQ(ResultOf(AddOrSubtract(seven), {value, "i32[2]{5,6}", "i32[2]{1,2}"}),
            "unpredictable COND_IF/LEVEL_CHECK/1");
  ExecutionOptions options;
  options.level = kLevelNone;
  EXPECT_EQ(ResultOf(AddOrSubtract(seven), {value, "i32[2]{5,6}", "i32[2]{1,2}"}, options),
            "valid i32[2]{6,8}");
}

TEST(CondIf, RefusesAConditionThatIsNoSingleBool) {
  EXPECT_EQ(
      ResultOf(AddOrSubtract("bool[2]"), {"bool[2]{true,true}", "i32[2]{5,6}", "i32[2]{1,2}"}),
      "error COND_IF/ERROR_IF/6");
  const std::string i8 = ResultOf(AddOrSubtract("i8[]"), {"i8[]{1}", "i32[2]{5,6}", "i32[2]{1,2}"});
  EXPECT_TRUE(i8 == "error COND_IF/ERROR_IF/types" || i8 == "error COND_IF/ERROR_IF/arguments")
      << i8;
}

// Both branches exist, but only one runs. A mistake inside the other branch has no effect.
TEST(CondIf, DoesNotCountErrorsInTheUntakenBranch) {
  const Graph others = GraphOf(R"(
    block else (%x:i32[2],%y:i32[2]) -> (%z)
      %z:i32[2] = ADD(%x,i32[3]{1,2,3})
    block else (%x:i32[2],%y:i32[2]) -> (%nowhere:i32[2]))");
  for (const auto& [block, rule] :
       {std::pair<Block, std::string>(others.regions[0].blocks[0],
                                      "error ADD/ERROR_IF/broadcast_shape"),
        std::pair<Block, std::string>(others.regions[0].blocks[1],
                                      "error graph/ERROR_IF/unproduced-tensor"),
        std::pair<Block, std::string>(OneOperator("else", Op::kIntdiv, "i32[2]"),
                                      "unpredictable INTDIV/REQUIRE/1")}) {
    const Graph graph = GraphOf({ChoosingMain("bool[1]", "i32[2]", "i32[2]"),
                                 OneOperator("then", Op::kAdd, "i32[2]"), block});
    EXPECT_EQ(ResultOf(graph, {"bool[1]{true}", "i32[2]{5,6}", "i32[2]{0,0}"}),
              "valid i32[2]{5,6}");
    EXPECT_EQ(ResultOf(graph, {"bool[1]{false}", "i32[2]{5,6}", "i32[2]{0,0}"}), rule);
  }
}

// ERROR_IF 2 to 5: the lists are compared with both branches, whichever is taken.
TEST(CondIf, ComparesItsListsWithBothBranches) {
  const Block main = ChoosingMain("bool[]", "i32[2]", "i32[2]");
  const auto result = [&](Block then_block, Block else_block, std::string_view condition) {
    return ResultOf(GraphOf({main, std::move(then_block), std::move(else_block)}),
                    {condition, "i32[2]{5,6}", "i32[2]{1,2}"});
  };
  const auto good = [](const char* name) { return OneOperator(name, Op::kAdd, "i32[2]"); };
  const auto with_output = [](const char* name, std::string_view type) {
    BlockBuilder b(name);
    b.Input("i32[2]");
    b.Input("i32[2]");
    std::string value(type);
    value += "{1}";
    return b.Outputs({b.Constant(value)}).block;
  };
  for (const std::string_view condition : {"bool[]{true}", "bool[]{false}"}) {
    // An ERROR_IF compares the number and shape of the operands, but not their types (reading
    // control-flow-types).
    EXPECT_EQ(result(OneOperator("then", Op::kIdentity, "i32[2]"), good("else"), condition),
              "error COND_IF/ERROR_IF/2");
    EXPECT_EQ(result(OneOperator("then", Op::kAdd, "i32[3]"), good("else"), condition),
              "error COND_IF/ERROR_IF/2");
    EXPECT_EQ(result(OneOperator("then", Op::kAdd, "fp32[2]"), good("else"), condition),
              "error graph/ERROR_IF/list-types");
    EXPECT_EQ(result(good("then"), OneOperator("else", Op::kAdd, "i32[1]"), condition),
              "error COND_IF/ERROR_IF/3");
    EXPECT_EQ(result(with_output("then", "i32[3]"), good("else"), condition),
              "error COND_IF/ERROR_IF/4");
    EXPECT_EQ(result(good("then"), with_output("else", "i8[2]"), condition),
              "error graph/ERROR_IF/list-types");
    EXPECT_EQ(result(good("then"), with_output("else", "i32[1]"), condition),
              "error COND_IF/ERROR_IF/5");
    // The first ERROR_IF that holds is named, and ERROR_IFs that the text states come first.
    EXPECT_EQ(result(OneOperator("then", Op::kAdd, "fp32[2]"),
                     OneOperator("else", Op::kAdd, "i32[3]"), condition),
              "error COND_IF/ERROR_IF/3");
    EXPECT_EQ(result(OneOperator("then", Op::kAdd, "i32[3]"),
                     OneOperator("else", Op::kAdd, "i32[3]"), condition),
              "error COND_IF/ERROR_IF/2");
  }
}

TEST(CondIf, HandsOnAnyNumberOfTensors) {
  const Graph graph = GraphOf(R"(
    block main (%c:bool[],%x:i32[2],%y:fp32[],%z:i32[2]) -> (%a,%b,%d)
      %a:i32[2],%b:fp32[],%d:i32[2] = COND_IF(%c,%x,%y,%z) then_graph=same else_graph=swapped
    block same (%x:i32[2],%y:fp32[],%z:i32[2]) -> (%x,%y,%z)
    block swapped (%x:i32[2],%y:fp32[],%z:i32[2]) -> (%z,%y,%x))");
  EXPECT_EQ(ResultOf(graph, {"bool[]{true}", "i32[2]{1,2}", "fp32[]{0.5}", "i32[2]{3,4}"}),
            "valid i32[2]{1,2} fp32[]{0.5} i32[2]{3,4}");
  EXPECT_EQ(ResultOf(graph, {"bool[]{false}", "i32[2]{1,2}", "fp32[]{0.5}", "i32[2]{3,4}"}),
            "valid i32[2]{3,4} fp32[]{0.5} i32[2]{1,2}");
}

TEST(CondIf, NamesABlockOfTheMainRegionOrARegion) {
  Graph graph = AddOrSubtract();
  Block branch = OneOperator("main", Op::kSub, "i32[2]");
  graph.regions[0].blocks.pop_back();
  EXPECT_EQ(ResultOf(graph, {"bool[]{false}", "i32[2]{5,6}", "i32[2]{1,2}"}),
            "error graph/ERROR_IF/unknown-region");
  graph.regions.push_back({"else", {branch}});
  EXPECT_EQ(ResultOf(graph, {"bool[]{false}", "i32[2]{5,6}", "i32[2]{1,2}"}), "valid i32[2]{4,4}");
}

// A chain of `depth` COND_IFs, each inside the taken branch of the one before.
Graph Nest(int depth, bool outermost_taken = true) {
  std::vector<Block> blocks;
  for (int level = 0; level < depth; ++level) {
    BlockBuilder b(level == 0 ? "main" : "level" + std::to_string(level));
    const TensorIndex c = b.Input("bool[1]");
    const TensorIndex x = b.Input("i32[1]");
    const std::string next = level + 1 == depth ? "leaf" : "level" + std::to_string(level + 1);
    const bool taken = level > 0 || outermost_taken;
    const TensorIndex out = b.Add(Op::kCondIf, {c, c, x}, "i32[1]",
                                  taken ? Branches(next, "leaf") : Branches("leaf", next));
    blocks.push_back(b.Outputs({out}).block);
  }
  BlockBuilder leaf("leaf");
  leaf.Input("bool[1]");
  const TensorIndex x = leaf.Input("i32[1]");
  blocks.push_back(leaf.Outputs({leaf.Add(Op::kAdd, {x, x}, "i32[1]")}).block);
  return GraphOf(std::move(blocks));
}

// tosa_nesting_depth starts at 0 and is compared before it is raised: exactly MAX_NESTING are
// legal.
TEST(Nesting, IsLegalUpToTheLevelAndAnErrorBeyond) {
  const std::vector<std::string_view> inputs = {"bool[1]{true}", "i32[1]{21}"};
  EXPECT_EQ(ResultOf(Nest(6), inputs), "valid i32[1]{42}");
  EXPECT_EQ(ResultOf(Nest(7), inputs), "error COND_IF/ERROR_IF/1");
  // Seven levels of which none but the first is entered.
  EXPECT_EQ(ResultOf(Nest(7, false), inputs), "valid i32[1]{42}");
  ExecutionOptions none;
  none.level = kLevelNone;
  EXPECT_EQ(ResultOf(Nest(256), inputs, none), "valid i32[1]{42}");
  EXPECT_EQ(ResultOf(Nest(257), inputs, none), "error COND_IF/ERROR_IF/1");
}

// One loop inside `depth` COND_IFs.
TEST(Nesting, CountsLoopsAndBranchesAlike) {
  for (const int depth : {5, 6}) {
    Graph graph = Nest(depth);
    std::vector<Block>& blocks = graph.regions[0].blocks;
    blocks.pop_back();
    const Graph loop = GraphOf(R"(
    block leaf (%c:bool[1],%x:i32[1]) -> (%b)
      %a:bool[1],%b:i32[1] = WHILE_LOOP(%c,%x) cond_graph=cond body_graph=body
    block cond (%more:bool[1],%x:i32[1]) -> (%more)
    block body (%more:bool[1],%x:i32[1]) -> (%no,%y)
      %no = bool[1]{false}
      %y:i32[1] = ADD(%x,%x))");
    std::ranges::copy(loop.regions[0].blocks, std::back_inserter(blocks));
    EXPECT_EQ(ResultOf(graph, {"bool[1]{true}", "i32[1]{4}"}),
              depth == 5 ? "valid i32[1]{8}" : "error WHILE_LOOP/ERROR_IF/1");
  }
}

// while (i < limit) { sum += i; i += 1; } on (i, sum, limit).
Graph SumLoop() {
  return GraphOf(R"(
    block main (%i:i32[1],%sum:i32[1],%limit:i32[1]) -> (%a,%b,%c)
      %a:i32[1],%b:i32[1],%c:i32[1] = WHILE_LOOP(%i,%sum,%limit) cond_graph=cond body_graph=body
    block cond (%i:i32[1],%sum:i32[1],%limit:i32[1]) -> (%more)
      %more:bool[1] = GREATER(%limit,%i)
    block body (%i:i32[1],%sum:i32[1],%limit:i32[1]) -> (%next,%more,%limit)
      %next:i32[1] = ADD(%i,1)
      %more:i32[1] = ADD(%sum,%i))");
}

TEST(WhileLoop, ReturnsItsInputsIfItRunsZeroTimes) {
  EXPECT_EQ(ResultOf(SumLoop(), {"i32[1]{3}", "i32[1]{77}", "i32[1]{3}"}),
            "valid i32[1]{3} i32[1]{77} i32[1]{3}");
}

TEST(WhileLoop, CarriesItsValues) {
  EXPECT_EQ(ResultOf(SumLoop(), {"i32[1]{0}", "i32[1]{0}", "i32[1]{1}"}),
            "valid i32[1]{1} i32[1]{0} i32[1]{1}");
  // 0 + 1 + ... + 99 = 4950.
  EXPECT_EQ(ResultOf(SumLoop(), {"i32[1]{0}", "i32[1]{0}", "i32[1]{100}"}),
            "valid i32[1]{100} i32[1]{4950} i32[1]{100}");
}

TEST(WhileLoop, IsUnpredictableWithItsBody) {
  EXPECT_EQ(ResultOf(SumLoop(), {"i32[1]{1}", "i32[1]{2147483645}", "i32[1]{3}"}),
            "unpredictable ADD/REQUIRE/apply_add_s");
  EXPECT_EQ(ResultOf(SumLoop(), {"i32[1]{1}", "i32[1]{2147483645}", "i32[1]{2}"}),
            "valid i32[1]{2} i32[1]{2147483646} i32[1]{2}");
}

// while (n < 100) { x = (x * 0) >> n; n += 40; }: the shift of MUL is computed, so its static rules
// are checked in every iteration.
TEST(WhileLoop, AsksOfComputedConstantsInEveryIteration) {
  const Graph graph = GraphOf(R"(
    block main (%n:i32[1],%x:i32[1]) -> (%a,%b)
      %a:i32[1],%b:i32[1] = WHILE_LOOP(%n,%x) cond_graph=cond body_graph=body
    block cond (%n:i32[1],%x:i32[1]) -> (%more)
      %more:bool[1] = GREATER(100,%n)
    block body (%n:i32[1],%x:i32[1]) -> (%next,%product)
      %shift:i8[1] = CAST(%n)
      %product:i32[1] = MUL(%x,0,%shift)
      %next:i32[1] = ADD(%n,40))");
  ExecutionOptions options;
  options.dynamic = true;
  EXPECT_EQ(ResultOf(graph, {"i32[1]{23}", "i32[1]{7}"}, options), "valid i32[1]{103} i32[1]{0}");
  // 0 and 40 are shifts, 80 is none.
  EXPECT_EQ(ResultOf(graph, {"i32[1]{0}", "i32[1]{7}"}, options), "unpredictable MUL/REQUIRE/1");
}

// A body that swaps its operands: the values of one iteration are read before any is replaced.
TEST(WhileLoop, ReplacesAllValuesAtOnce) {
  const Graph graph = GraphOf(R"(
    block main (%p:bool[],%q:bool[],%x:i8[2],%y:i8[2]) -> (%a,%b,%c,%d)
      %a:bool[],%b:bool[],%c:i8[2],%d:i8[2] = WHILE_LOOP(%p,%q,%x,%y) cond_graph=p body_graph=body
    block p (%p:bool[],%q:bool[],%x:i8[2],%y:i8[2]) -> (%p)
    block body (%p:bool[],%q:bool[],%x:i8[2],%y:i8[2]) -> (%q,%no,%y,%x)
      %no = bool[]{false})");
  EXPECT_EQ(ResultOf(graph, {"bool[]{true}", "bool[]{false}", "i8[2]{1,2}", "i8[2]{3,4}"}),
            "valid bool[]{false} bool[]{false} i8[2]{3,4} i8[2]{1,2}");
  EXPECT_EQ(ResultOf(graph, {"bool[]{true}", "bool[]{true}", "i8[2]{1,2}", "i8[2]{3,4}"}),
            "valid bool[]{false} bool[]{false} i8[2]{1,2} i8[2]{3,4}");
}

TEST(WhileLoop, ComparesAllSignatures) {
  const std::vector<std::string_view> inputs = {"i32[1]{0}", "i32[1]{0}", "i32[1]{2}"};
  const auto changed = [&](size_t block, auto change) {
    Graph graph = SumLoop();
    change(graph.regions[0].blocks[block]);
    return ResultOf(graph, inputs);
  };
  const auto retype = [](TensorIndex tensor, std::string_view type) {
    return [=](Block& block) {
      block.tensors[static_cast<size_t>(tensor)].type = ParseTensorType(type).value();
    };
  };
  EXPECT_EQ(changed(0, retype(3, "i32[2]")), "error WHILE_LOOP/ERROR_IF/2");
  EXPECT_EQ(changed(0, retype(3, "i8[1]")), "error graph/ERROR_IF/list-types");
  EXPECT_EQ(changed(0,
                    [](Block& block) {
                      block.operators[0].outputs.pop_back();
                      block.outputs.pop_back();
                    }),
            "error WHILE_LOOP/ERROR_IF/2");
  EXPECT_EQ(changed(1, retype(1, "i32[1,1]")), "error WHILE_LOOP/ERROR_IF/3");
  EXPECT_EQ(changed(1, retype(1, "i8[1]")), "error graph/ERROR_IF/list-types");
  EXPECT_EQ(changed(2, retype(2, "i32[2]")), "error WHILE_LOOP/ERROR_IF/4");
  EXPECT_EQ(changed(2, [](Block& block) { block.outputs.pop_back(); }),
            "error WHILE_LOOP/ERROR_IF/5");
  EXPECT_EQ(changed(1, retype(3, "bool[2]")), "error WHILE_LOOP/ERROR_IF/6");
  EXPECT_EQ(changed(1, [](Block& block) { block.outputs.push_back(block.outputs[0]); }),
            "error graph/ERROR_IF/condition-outputs");
  EXPECT_EQ(changed(1, [](Block& block) { block.outputs = {}; }),
            "error graph/ERROR_IF/condition-outputs");
  EXPECT_EQ(changed(1, [](Block& block) { block.outputs = {block.inputs[0]}; }),
            "error WHILE_LOOP/ERROR_IF/7");
  EXPECT_EQ(changed(0,
                    [](Block& block) {
                      block.operators[0].attributes.Set(AttributeId::kBodyGraph,
                                                        std::string("nobody"));
                    }),
            "error graph/ERROR_IF/unknown-region");
}

TEST(WhileLoop, TakesAConditionOfAnyRank) {
  Graph graph = SumLoop();
  Block& cond = graph.regions[0].blocks[1];
  BlockBuilder b("cond");
  b.block = cond;
  const TensorIndex shape = b.Constant("shape[0]{}");
  b.Outputs({b.Add(Op::kReshape, {cond.outputs[0], shape}, "bool[]")});
  cond = b.block;
  EXPECT_EQ(ResultOf(graph, {"i32[1]{0}", "i32[1]{0}", "i32[1]{4}"}),
            "valid i32[1]{4} i32[1]{6} i32[1]{4}");
}

TEST(WhileLoop, StopsAtTheCapWithAMessage) {
  ExecutionOptions options;
  options.loop_iterations_max = 10;
  const Outcome at = Session(options).Run(SumLoop(), {"i32[1]{0}", "i32[1]{0}", "i32[1]{10}"});
  EXPECT_EQ(TextOf(at), "valid i32[1]{10} i32[1]{45} i32[1]{10}");
  const Outcome beyond = Session(options).Run(SumLoop(), {"i32[1]{0}", "i32[1]{0}", "i32[1]{11}"});
  EXPECT_EQ(beyond.kind, OutcomeKind::kUnsupported);
  EXPECT_NE(beyond.message.find("more than 10 times"), std::string::npos) << beyond.message;
}

// The lists are limited by the level: 64 tensors at 8K.
TEST(ControlFlow, LimitsItsListsByTheLevel) {
  for (const int length : {64, 65}) {
    BlockBuilder b;
    BlockBuilder body("body");
    BlockBuilder cond("cond");
    std::vector<TensorIndex> in, out, carried;
    std::vector<std::string_view> inputs;
    for (int i = 0; i < length; ++i) {
      in.push_back(b.Input("i8[]"));
      out.push_back(b.Declare("i8[]"));
      carried.push_back(body.Input("i8[]"));
      cond.Input("i8[]");
      inputs.push_back("i8[]{1}");
    }
    b.Append(Op::kWhileLoop, in, out, Loop());
    body.Outputs(carried);
    cond.Outputs({cond.Constant("bool[1]{false}")});
    const Graph loop = GraphOf({b.Outputs({out[0]}).block, cond.block, body.block});
    EXPECT_EQ(ResultOf(loop, inputs),
              length == 64 ? "valid i8[]{1}" : "unpredictable WHILE_LOOP/LEVEL_CHECK/1");
    BlockBuilder c;
    in = {c.Constant("bool[]{true}")};
    out.clear();
    for (int i = 0; i < length; ++i) {
      in.push_back(c.Input("i8[]"));
      out.push_back(c.Declare("i8[]"));
    }
    c.Append(Op::kCondIf, in, out, Branches("body", "body"));
    const Graph choice = GraphOf({c.Outputs({out[0]}).block, body.block});
    EXPECT_EQ(ResultOf(choice, inputs),
              length == 64 ? "valid i8[]{1}" : "unpredictable COND_IF/LEVEL_CHECK/2");
  }
}

// Blocks are nested deeper than any stack, and only the first is reached.
TEST(ControlFlow, MayBeNestedDeeply) {
  EXPECT_EQ(ResultOf(Nest(100'000, false), {"bool[1]{true}", "i32[1]{21}"}), "valid i32[1]{42}");
}

// A graph is an attribute of the operator that runs it, so none can contain itself.
TEST(ControlFlow, DoesNotRecur) {
  Graph graph = AddOrSubtract();
  graph.regions[0].blocks[1] = GraphOf(R"(
    block then (%x:i32[2],%y:i32[2]) -> (%z)
      %no = bool[]{false}
      %z:i32[2] = COND_IF(%no,%x,%y) then_graph=then else_graph=else)")
                                   .regions[0]
                                   .blocks[0];
  EXPECT_EQ(ResultOf(graph, {"bool[]{true}", "i32[2]{5,6}", "i32[2]{1,2}"}),
            "error graph/ERROR_IF/recursion");
}

}  // namespace
}  // namespace assay::control_flow_test
