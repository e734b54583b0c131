// SPDX-License-Identifier: Apache-2.0
// Compares the executor's variables with a machine that knows only the table of their rules
// (variable_machine.h). ASSAY_PROGRAMS is the number of random programs, 30,000 by default.
#include "variable_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "block_builder.h"
#include "choices.h"
#include "executor.h"
#include "random.h"

namespace assay::variable_machine_test {
namespace {

constexpr int kNestingMax = 2;
constexpr int kVariables = 3;

// --- programs

class ProgramDrawer {
 public:
  explicit ProgramDrawer(Choices& choices, const StateRules& rules)
      : choices_(choices), rules_(rules) {}

  // Draws a program. Most actions break no rule, so that programs go on for a while.
  VariableProgram Draw() {
    VariableProgram program;
    VariableMachine machine(table_, rules_.nested_clears_seen);
    bool runs = true;
    for (uint64_t left = 1 + choices_.Below(8); runs && left > 0; --left) {
      program.executions.push_back(DrawExecution(machine));
      const auto& execution = program.executions.back();
      runs = machine.Execute(execution.context, execution.actions);
    }
    return program;
  }

  // Draws one more execution, for the present state of the machine.
  VariableProgram::Execution DrawExecution(VariableMachine machine) {
    VariableProgram::Execution execution;
    execution.context = static_cast<int>(choices_.Below(VariableMachine::kContexts));
    machine.Execute(execution.context, {});
    DrawGraph(machine, execution.context, 0, execution.actions);
    return execution;
  }

 private:
  // Draws the actions of a graph, and runs them on the machine at the same time. Returns true if
  // the graph runs to its end.
  bool DrawGraph(VariableMachine& machine, int context, int depth,
                 std::vector<VariableAction>& actions) {
    bool runs = true;
    for (uint64_t left = choices_.Below(6); runs && left > 0; --left) {
      actions.push_back(DrawAction(machine, context, depth));
      runs = machine.Act(context, actions.back());
    }
    return runs;
  }

  VariableAction DrawAction(const VariableMachine& machine, int context, int depth) {
    VariableAction action;
    action.variable = static_cast<int>(choices_.Below(kVariables));
    if (depth < kNestingMax && choices_.OneIn(6)) {
      action.kind = choices_.OneIn(2) ? VariableAction::kLoop : VariableAction::kCondIf;
      action.rounds =
          static_cast<int>(choices_.Below(action.kind == VariableAction::kLoop ? 3 : 2));
      VariableMachine inside = machine;
      VariableAction empty = action;
      empty.rounds = 0;
      inside.Act(context, empty);
      DrawGraph(inside, context, depth + 1, action.inside);
      return action;
    }
    const VariableState state = machine.StateOf(context, action.variable);
    for (int tries = 0; tries < 16; ++tries) {
      const uint64_t event = 1 + choices_.Below(kVariableEvents - 1);
      const auto& entry = table_.At(state, static_cast<VariableEvent>(event));
      if (!entry) continue;
      action.event = static_cast<VariableEvent>(event);
      if (entry->rule == nullptr || choices_.OneIn(30)) break;
    }
    return action;
  }

  Choices& choices_;
  const StateRules& rules_;
  const VariableTable table_ = TableOf(rules_);
};

// --- graphs

class GraphMaker {
 public:
  Graph Make(const std::vector<VariableAction>& actions) {
    BlockBuilder main;
    Append(main, actions);
    blocks_.insert(blocks_.begin(), std::move(main.block));
    return GraphOf(std::move(blocks_));
  }

 private:
  static void Declare(BlockBuilder& b, const std::string& name, std::vector<int32_t> shape,
                      DType type, std::string_view value) {
    Attributes attributes = {{AttributeId::kName, name},
                             {AttributeId::kVarShape, std::move(shape)},
                             {AttributeId::kType, static_cast<int32_t>(type)}};
    if (!value.empty()) attributes.Set(AttributeId::kInitialValue, TensorOf(value));
    b.Append(Op::kVariable, {}, {}, std::move(attributes));
  }
  static void Read(BlockBuilder& b, const std::string& name, std::string_view type) {
    b.Add(Op::kVariableRead, {}, type, {{AttributeId::kName, name}});
  }
  static void Write(BlockBuilder& b, const std::string& name, std::string_view value) {
    b.Append(Op::kVariableWrite, {b.Constant(value)}, {}, {{AttributeId::kName, name}});
  }

  // Variables are of type i8[2].
  static void AppendEvent(BlockBuilder& b, const std::string& name, VariableEvent event) {
    switch (event) {
      case VariableEvent::kExecute:
        return;
      case VariableEvent::kDeclare:
        return Declare(b, name, {2}, DType::kInt8, "");
      case VariableEvent::kDeclareWithValue:
        return Declare(b, name, {2}, DType::kInt8, "i8[2]{1,2}");
      case VariableEvent::kDeclareBadType:
        return Declare(b, name, {2}, DType::kInt8, "fp16[2]{1,2}");
      case VariableEvent::kDeclareBadShape:
        return Declare(b, name, {2}, DType::kInt8, "i8[3]{1,2,3}");
      case VariableEvent::kDeclareOther:
        return Declare(b, name, {3}, DType::kFp16, "fp16[3]{1,2,3}");
      case VariableEvent::kRead:
        return Read(b, name, "i8[2]");
      case VariableEvent::kReadBadShape:
        return Read(b, name, "i8[1,2]");
      case VariableEvent::kReadBadType:
        return Read(b, name, "fp16[2]");
      case VariableEvent::kWrite:
        return Write(b, name, "i8[2]{3,4}");
      case VariableEvent::kWriteBadShape:
        return Write(b, name, "i8[2,1]{3,4}");
      case VariableEvent::kWriteBadType:
        return Write(b, name, "fp16[2]{3,4}");
    }
  }

  // Adds a block with one input of type i32[1]. `finish` computes its output from the input.
  // Returns the block's name.
  template <class Finish>
  std::string AddBlock(const std::vector<VariableAction>& actions, Finish finish) {
    BlockBuilder b("block" + std::to_string(count_++));
    const TensorIndex input = b.Input("i32[1]");
    Append(b, actions);
    b.Outputs({finish(b, input)});
    blocks_.push_back(b.block);
    return b.block.name;
  }

  void Append(BlockBuilder& b, const std::vector<VariableAction>& actions) {
    for (const VariableAction& action : actions) {
      if (action.kind == VariableAction::kEvent) {
        AppendEvent(b, "v" + std::to_string(action.variable), action.event);
      } else if (action.kind == VariableAction::kCondIf) {
        AppendCondIf(b, action);
      } else {
        AppendLoop(b, action);
      }
    }
  }

  void AppendCondIf(BlockBuilder& b, const VariableAction& action) {
    const auto same = [](BlockBuilder& block, TensorIndex input) {
      return block.Add(Op::kIdentity, {input}, "i32[1]");
    };
    const std::string branch = AddBlock(action.inside, same);
    const std::string other = AddBlock({}, same);
    const TensorIndex condition =
        b.Constant(action.rounds > 0 ? "bool[1]{true}" : "bool[1]{false}");
    b.Add(Op::kCondIf, {condition, b.Constant("i32[1]{0}")}, "i32[1]",
          {{AttributeId::kThenGraph, branch}, {AttributeId::kElseGraph, other}});
  }

  void AppendLoop(BlockBuilder& b, const VariableAction& action) {
    const std::string rounds = "i32[1]{" + std::to_string(action.rounds) + "}";
    const std::string condition = AddBlock({}, [&](BlockBuilder& block, TensorIndex round) {
      return block.Add(Op::kGreater, {block.Constant(rounds), round}, "bool[1]");
    });
    const std::string body = AddBlock(action.inside, [](BlockBuilder& block, TensorIndex round) {
      return block.Add(Op::kAdd, {round, block.Constant("i32[1]{1}")}, "i32[1]");
    });
    b.Add(Op::kWhileLoop, {b.Constant("i32[1]{0}")}, "i32[1]",
          {{AttributeId::kCondGraph, condition}, {AttributeId::kBodyGraph, body}});
  }

  std::vector<Block> blocks_;
  int count_ = 0;
};

// Returns the first rule that the executor reports as broken in an execution or a program, or "".
std::string RuleOfTheExecutor(std::array<Context, VariableMachine::kContexts>& contexts,
                              const VariableProgram::Execution& execution,
                              const StateRules& rules) {
  ExecutionOptions options;
  options.state_rules = &rules;
  const Outcome outcome = Execute(contexts[static_cast<size_t>(execution.context)],
                                  GraphMaker().Make(execution.actions), {}, options);
  if (outcome.kind == OutcomeKind::kValid) return "";
  if (outcome.kind == OutcomeKind::kUnpredictable) return outcome.rule;
  return std::string(OutcomeName(outcome.kind)) + " " + outcome.rule + " " + outcome.message;
}

std::string RuleOfTheExecutor(const VariableProgram& program, const StateRules& rules) {
  std::array<Context, VariableMachine::kContexts> contexts;
  for (const auto& execution : program.executions) {
    const std::string rule = RuleOfTheExecutor(contexts, execution, rules);
    if (!rule.empty()) return rule;
  }
  return "";
}

// --- the tests

uint64_t Programs() {
  const char* wished = std::getenv("ASSAY_PROGRAMS");
  return wished != nullptr ? std::strtoull(wished, nullptr, 10) : 30'000;
}

VariableProgram ProgramOf(uint64_t index, const StateRules& rules) {
  Choices choices(Random::For(1, index, rules.name, 1));
  return ProgramDrawer(choices, rules).Draw();
}

class VariableRules : public testing::TestWithParam<StateRules> {};

TEST_P(VariableRules, MachineAgreesWithExecutorOnProgramsThatReachEveryPairOfTransitions) {
  const StateRules rules = GetParam();
  const VariableTable table = TableOf(rules);
  const std::vector<VariableStep> all = StepsIn(table);
  EXPECT_EQ(all.size(), 59u);
  std::set<VariableStep> transitions(all.begin(), all.end());
  const auto all_pairs = PairsIn(table);
  std::set<std::pair<VariableStep, VariableStep>> pairs(all_pairs.begin(), all_pairs.end());
  uint64_t executions = 0, broken = 0;
  for (uint64_t index = 0; index < Programs(); ++index) {
    const VariableProgram program = ProgramOf(index, rules);
    VariableMachine machine(table, rules.nested_clears_seen);
    const std::string rule = machine.Run(program);
    ASSERT_EQ(RuleOfTheExecutor(program, rules), rule) << "program " << index;
    executions += program.executions.size();
    broken += rule.empty() ? 0 : 1;
    for (int context = 0; context < VariableMachine::kContexts; ++context) {
      for (int variable = 0; variable < kVariables; ++variable) {
        const auto& steps = machine.StepsOf(context, variable);
        for (size_t i = 0; i < steps.size(); ++i) {
          transitions.erase(steps[i]);
          if (i > 0) pairs.erase({steps[i - 1], steps[i]});
        }
      }
    }
  }
  std::printf("%llu programs, %llu executions, %llu broken rules, %zu pairs\n",
              static_cast<unsigned long long>(Programs()),
              static_cast<unsigned long long>(executions), static_cast<unsigned long long>(broken),
              all_pairs.size());
  EXPECT_TRUE(transitions.empty()) << transitions.size() << " transitions not reached";
  EXPECT_TRUE(pairs.empty()) << pairs.size() << " pairs of transitions not reached";
}

// A table with any one entry changed is found to be wrong. The change is in the next state or in
// the broken rule.
TEST_P(VariableRules, ExecutorIsToldFromEveryTableThatDiffersInOneTransition) {
  constexpr uint64_t kPrograms = 5'000;
  const StateRules rules = GetParam();
  std::vector<std::pair<VariableProgram, std::string>> runs;
  for (uint64_t index = 0; index < kPrograms; ++index) {
    VariableProgram program = ProgramOf(index, rules);
    std::string rule = RuleOfTheExecutor(program, rules);
    runs.emplace_back(std::move(program), std::move(rule));
  }
  const VariableTable right = TableOf(rules);
  std::vector<VariableTransition> others = {{VariableState::kAbsent, "VARIABLE/REQUIRE/3"},
                                            {VariableState::kAbsent, "VARIABLE_READ/REQUIRE/1"}};
  for (size_t state = 0; state < kVariableStates; ++state) {
    others.push_back({static_cast<VariableState>(state), nullptr});
  }
  int changed = 0;
  for (const VariableStep& step : StepsIn(right)) {
    VariableTable table = right;
    auto& entry = table.At(step.state, step.event);
    const VariableTransition was = *entry;
    for (const VariableTransition& other : others) {
      const bool same = was.rule == nullptr
                            ? other.rule == nullptr && other.next == was.next
                            : other.rule != nullptr && std::string_view(was.rule) == other.rule;
      if (same) continue;
      entry = other;
      ++changed;
      EXPECT_TRUE(std::any_of(runs.begin(), runs.end(),
                              [&](const auto& run) {
                                VariableMachine machine(table, rules.nested_clears_seen);
                                return machine.Run(run.first) != run.second;
                              }))
          << NameOf(step) << ", " << (other.rule != nullptr ? other.rule : "state ")
          << static_cast<int>(other.next);
    }
  }
  EXPECT_GT(changed, 6 * 50);
}

// Finds programs on which each pair of rules differs.
TEST_P(VariableRules, AreToldFromEveryOther) {
  const StateRules rules = GetParam();
  for (const StateRules& other : AllStateRules()) {
    if (other.name == rules.name) continue;
    bool differs = false;
    for (uint64_t index = 0; index < 1'000 && !differs; ++index) {
      const VariableProgram program = ProgramOf(index, rules);
      differs = RuleOfTheExecutor(program, rules) != RuleOfTheExecutor(program, other);
    }
    EXPECT_TRUE(differs) << rules.name << " and " << other.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, VariableRules,
                         testing::ValuesIn(AllStateRules().begin(), AllStateRules().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::replace(name.begin(), name.end(), '.', '_');
                           std::replace(name.begin(), name.end(), '-', '_');
                           return "rules_" + name;
                         });

}  // namespace
}  // namespace assay::variable_machine_test
