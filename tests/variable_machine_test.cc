// The executor's variables against a machine that knows nothing but the table of their rules
// (variable_machine.h). ASSAY_PROGRAMS: how many random programs, 20,000 unless it is set.
#include "variable_machine.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
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

namespace assay {
namespace {

constexpr int kNestingMax = 2;

// --- programs

class ProgramDrawer {
 public:
  explicit ProgramDrawer(Choices& choices) : choices_(choices) {}

  // Most actions break no rule, so that programs go on for a while.
  VariableProgram Draw() {
    VariableProgram program;
    VariableMachine machine(table_);
    bool runs = true;
    for (uint64_t left = 1 + choices_.Below(8); runs && left > 0; --left) {
      VariableProgram::Execution execution;
      execution.context = static_cast<int>(choices_.Below(VariableMachine::kContexts));
      runs = DrawGraph(machine, execution.context, 0, execution.actions);
      program.executions.push_back(std::move(execution));
    }
    return program;
  }

 private:
  // Whether the graph runs to its end by the machine, which runs it as it is drawn.
  bool DrawGraph(VariableMachine& machine, int context, int depth,
                 std::vector<VariableAction>& actions) {
    bool runs = machine.Execute(context, {});
    for (uint64_t left = choices_.Below(6); runs && left > 0; --left) {
      actions.push_back(DrawAction(machine, context, depth));
      runs = machine.Act(context, actions.back());
    }
    return runs;
  }

  VariableAction DrawAction(const VariableMachine& machine, int context, int depth) {
    VariableAction action;
    action.variable = static_cast<int>(choices_.Below(VariableMachine::kVariables));
    if (depth < kNestingMax && choices_.OneIn(6)) {
      action.kind = choices_.OneIn(2) ? VariableAction::kLoop : VariableAction::kCondIf;
      action.rounds =
          static_cast<int>(choices_.Below(action.kind == VariableAction::kLoop ? 3 : 2));
      VariableMachine inside = machine;
      DrawGraph(inside, context, depth + 1, action.inside);
      return action;
    }
    const auto state = static_cast<size_t>(machine.StateOf(context, action.variable));
    for (int tries = 0; tries < 16; ++tries) {
      const uint64_t event = 1 + choices_.Below(kVariableEvents - 1);
      const auto& entry = table_[state][event];
      if (!entry) continue;
      action.event = static_cast<VariableEvent>(event);
      if (entry->rule == nullptr || choices_.OneIn(100)) break;
    }
    return action;
  }

  Choices& choices_;
  const VariableTable table_ = TableOfTheText();
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

  // A new block with one input of type i32[1], its output what `finish` makes of that.
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

// What the executor says of a program: the first rule that is broken, "" if none is.
std::string RuleOfTheExecutor(const VariableProgram& program) {
  std::vector<Context> contexts(VariableMachine::kContexts);
  for (const auto& execution : program.executions) {
    const Outcome outcome = Execute(contexts[static_cast<size_t>(execution.context)],
                                    GraphMaker().Make(execution.actions), {}, {});
    if (outcome.kind == OutcomeKind::kValid) continue;
    if (outcome.kind == OutcomeKind::kUnpredictable) return outcome.rule;
    return std::string(OutcomeName(outcome.kind)) + " " + outcome.rule + " " + outcome.message;
  }
  return "";
}

// --- the tests

uint64_t Programs() {
  const char* wished = std::getenv("ASSAY_PROGRAMS");
  return wished != nullptr ? std::strtoull(wished, nullptr, 10) : 20'000;
}

VariableProgram ProgramOf(uint64_t index) {
  Choices choices(Random::For(1, index, "variables", 1));
  return ProgramDrawer(choices).Draw();
}

using Transition = std::pair<VariableState, VariableEvent>;

// Every transition that the table has, and every one that can follow it.
std::pair<std::set<Transition>, std::set<std::pair<Transition, Transition>>> ThereAre(
    const VariableTable& table) {
  std::pair<std::set<Transition>, std::set<std::pair<Transition, Transition>>> all;
  const auto for_each_of = [&](size_t state, auto visit) {
    for (size_t event = 0; event < kVariableEvents; ++event) {
      if (!table[state][event]) continue;
      visit(Transition(static_cast<VariableState>(state), static_cast<VariableEvent>(event)),
            *table[state][event]);
    }
  };
  for (size_t state = 0; state < kVariableStates; ++state) {
    for_each_of(state, [&](const Transition& first, const VariableTransition& entry) {
      all.first.insert(first);
      if (entry.rule != nullptr) return;
      for_each_of(static_cast<size_t>(entry.next),
                  [&](const Transition& second, const VariableTransition&) {
                    all.second.insert({first, second});
                  });
    });
  }
  return all;
}

TEST(VariableMachine, AgreesWithTheExecutorOnRandomProgramsThatReachEveryPairOfTransitions) {
  const VariableTable table = TableOfTheText();
  auto [transitions, pairs] = ThereAre(table);
  EXPECT_EQ(transitions.size(), 59u);
  uint64_t executions = 0, broken = 0;
  for (uint64_t index = 0; index < Programs(); ++index) {
    const VariableProgram program = ProgramOf(index);
    VariableMachine machine(table);
    const std::string rule = machine.Run(program);
    ASSERT_EQ(RuleOfTheExecutor(program), rule) << "program " << index;
    executions += program.executions.size();
    broken += rule.empty() ? 0 : 1;
    for (int context = 0; context < VariableMachine::kContexts; ++context) {
      for (int variable = 0; variable < VariableMachine::kVariables; ++variable) {
        const auto& steps = machine.StepsOf(context, variable);
        for (size_t i = 0; i < steps.size(); ++i) {
          const Transition now(steps[i].state, steps[i].event);
          transitions.erase(now);
          if (i > 0) pairs.erase({{steps[i - 1].state, steps[i - 1].event}, now});
        }
      }
    }
  }
  std::printf("%llu programs, %llu executions, %llu broken rules\n",
              static_cast<unsigned long long>(Programs()),
              static_cast<unsigned long long>(executions), static_cast<unsigned long long>(broken));
  EXPECT_TRUE(transitions.empty()) << transitions.size() << " transitions not reached";
  EXPECT_TRUE(pairs.empty()) << pairs.size() << " pairs of transitions not reached";
}

// The same from bytes, which RapidCheck makes small where there is a difference.
TEST(VariableMachine, AgreesWithTheExecutorOnAnyBytes) {
  const VariableTable table = TableOfTheText();
  EXPECT_TRUE(rc::check("machine and executor break the same rule", [&] {
    const auto bytes = *rc::gen::container<std::vector<uint8_t>>(64, rc::gen::arbitrary<uint8_t>());
    Choices choices(bytes);
    const VariableProgram program = ProgramDrawer(choices).Draw();
    RC_ASSERT(RuleOfTheExecutor(program) == VariableMachine(table).Run(program));
  }));
}

// A table with any one entry changed, be it the state that follows or the rule that is broken, is
// found to be wrong.
TEST(VariableMachine, IsToldFromEveryTableThatDiffersInOneTransition) {
  constexpr uint64_t kPrograms = 5'000;
  std::vector<std::pair<VariableProgram, std::string>> runs;
  for (uint64_t index = 0; index < kPrograms; ++index) {
    VariableProgram program = ProgramOf(index);
    std::string rule = RuleOfTheExecutor(program);
    runs.emplace_back(std::move(program), std::move(rule));
  }
  const VariableTable right = TableOfTheText();
  std::vector<VariableTransition> others = {{VariableState::kAbsent, "VARIABLE/REQUIRE/3"},
                                            {VariableState::kAbsent, "VARIABLE_READ/REQUIRE/1"}};
  for (size_t state = 0; state < kVariableStates; ++state) {
    others.push_back({static_cast<VariableState>(state), nullptr});
  }
  int changed = 0;
  for (const auto& [state, event] : ThereAre(right).first) {
    VariableTable table = right;
    auto& entry = table[static_cast<size_t>(state)][static_cast<size_t>(event)];
    const VariableTransition was = *entry;
    for (const VariableTransition& other : others) {
      const bool same = was.rule == nullptr
                            ? other.rule == nullptr && other.next == was.next
                            : other.rule != nullptr && std::string_view(was.rule) == other.rule;
      if (same) continue;
      entry = other;
      ++changed;
      EXPECT_TRUE(std::any_of(
          runs.begin(), runs.end(),
          [&](const auto& run) { return VariableMachine(table).Run(run.first) != run.second; }))
          << "state " << static_cast<int>(state) << ", event " << static_cast<int>(event) << ", "
          << (other.rule != nullptr ? other.rule : "state ") << static_cast<int>(other.next);
    }
  }
  EXPECT_GT(changed, 6 * 50);
}

}  // namespace
}  // namespace assay
