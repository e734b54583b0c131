// SPDX-License-Identifier: Apache-2.0
#include "coverage.h"

#include <algorithm>
#include <utility>

#include "argument_classes.h"
#include "control_flow_nests.h"
#include "executor.h"
#include "rules.h"
#include "target_items.h"
#include "tensor_classes.h"

namespace assay {
namespace {

std::string WithBlank(std::string_view a, std::string_view b) {
  return std::string(a) + " " + std::string(b);
}

// Returns "CONV2D type row 3: signed 8x8 with int32 accumulate".
std::string TypeRowItem(const OperatorRow& row, size_t index) {
  return WithBlank(row.name, "type row ") + std::to_string(index) + ": " +
         std::string(row.type_rows[index].mode);
}

// Returns "ADD input1 fp16 NaN".
std::string NumberItem(const OperatorRow& row, const ArgumentRow& argument, DType type,
                       std::string_view name) {
  return WithBlank(row.name, argument.name) + " " + WithBlank(TypeName(type), name);
}

std::string ArgumentItem(const OperatorRow& row, const ArgumentRow& argument,
                         std::string_view name) {
  return WithBlank(WithBlank(row.name, argument.name), name);
}

// Returns "VARIABLE when unknown, then VARIABLE_WRITE when empty and seen".
std::string PairItem(const std::pair<VariableStep, VariableStep>& pair) {
  return NameOf(pair.first) + ", then " + NameOf(pair.second);
}

// Returns true if the specification gives the types of an operand. The lists of control flow may
// have any types.
bool HasTypes(const ArgumentRow& argument) {
  return argument.type_variable || argument.fixed != DType::kUnknown;
}

// Returns the element types that an operand can have, each once.
std::vector<DType> TypesOf(const OperatorRow& row, const ArgumentRow& argument) {
  if (!argument.type_variable) {
    return HasTypes(argument) ? std::vector{argument.fixed} : std::vector<DType>{};
  }
  std::vector<DType> types;
  for (const TypeRow& type_row : row.type_rows) {
    const DType type = TypeIn(type_row, argument);
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return types;
}

// Items that no operator without a broken rule can meet, with the reason. `begin` and `end` are the
// begin and the end of such items. (Rules have reasons of their own.)
struct Unreachable {
  std::string_view begin, end, why;
};

constexpr std::string_view kShiftRange = "a REQUIRE admits shifts from 0 to the width less one";
constexpr Unreachable kUnreachable[] = {
    {"CUSTOM", "",
     "the specification leaves its meaning to the implementation and out of conformance"},
    {"ABS input1 i32", "lowest",
     "a REQUIRE (apply_sub_s) excludes the minimum: it has no negative"},
    {"NEGATE input1 i32", "lowest",
     "a REQUIRE (apply_sub_s) excludes the minimum: it has no negative"},
    {"INTDIV input2", "zero", "a REQUIRE excludes division by zero"},
    {"POW input1", " negative", "a REQUIRE excludes negative bases"},
    {"POW input1", "-greatest", "a REQUIRE excludes negative bases"},
    {"POW", "NaN", "a REQUIRE excludes NaN"},
    {"POW", "infinity", "a REQUIRE excludes infinities"},
    {"ARITHMETIC_RIGHT_SHIFT input2", "negative", kShiftRange},
    {"ARITHMETIC_RIGHT_SHIFT input2", "lowest", kShiftRange},
    {"ARITHMETIC_RIGHT_SHIFT input2", "highest", kShiftRange},
    {"LOGICAL_LEFT_SHIFT input2", "negative", kShiftRange},
    {"LOGICAL_LEFT_SHIFT input2", "lowest", kShiftRange},
    {"LOGICAL_LEFT_SHIFT input2", "highest", kShiftRange},
    {"LOGICAL_RIGHT_SHIFT input2", "negative", kShiftRange},
    {"LOGICAL_RIGHT_SHIFT input2", "lowest", kShiftRange},
    {"LOGICAL_RIGHT_SHIFT input2", "highest", kShiftRange},
};

std::string_view WhyUnreachable(std::string_view item) {
  for (const Unreachable& known : kUnreachable) {
    if (item.starts_with(known.begin) && item.ends_with(known.end)) return known.why;
  }
  return {};
}

}  // namespace

Coverage::Coverage(std::span<const Target> targets) {
  const TargetItems inside(targets);
  ExpectOperators(inside);
  ExpectState(inside);
}

void Coverage::Expect(Group& group, const std::string& item, std::string_view why, bool inside) {
  if (why.empty() && !inside) why = "outside the target";
  if (why.empty()) {
    group.reached.emplace(item, false);
  } else {
    group.unreachable.push_back({item, std::string(why)});
  }
}

void Coverage::ExpectOperators(const TargetItems& inside) {
  for (const OperatorRow& row : AllOperators()) {
    const std::string_view why = WhyUnreachable(row.name);
    const bool has = inside.Has(row.op);
    Expect(operators_, std::string(row.name), why, has);
    for (size_t i = 0; i < row.type_rows.size(); ++i) {
      Expect(type_rows_, TypeRowItem(row, i), why, inside.HasRow(row.op, i));
    }
    for (const std::string& name : ShapeClassesOf(row)) {
      Expect(shapes_, WithBlank(row.name, name), why, inside.HasShapeClass(row.op, name));
    }
    for (const ArgumentRow& argument : row.arguments) {
      for (const std::string_view name : ClassesOf(row.op, argument)) {
        Expect(attributes_, ArgumentItem(row, argument, name), why,
               inside.HasClass(row.op, argument, name));
      }
      if (!IsData(argument)) continue;
      for (const DType type : TypesOf(row, argument)) {
        const bool has_type = inside.HasType(row.op, argument, type);
        for (const std::string_view name : NumericClassesOf(type)) {
          const std::string item = NumberItem(row, argument, type, name);
          Expect(numbers_, item, WhyUnreachable(item), has_type);
        }
      }
    }
  }
  for (const Rule& rule : AllRules()) {
    const bool has = rule.op == Op::kUnknown || inside.HasRule(rule);
    Expect(rule.implied ? implied_errors_ : rules_broken_, rule.id, rule.unreachable, has);
    if (rule.op != Op::kUnknown) {
      Expect(rules_held_, rule.id, WhyUnreachable(OperatorName(rule.op)), inside.Has(rule.op));
    }
  }
}

void Coverage::ExpectState(const TargetItems& inside) {
  for (const std::string& nest : AllNests()) Expect(nests_, nest, {}, inside.HasNest(nest));
  const VariableTable variables = TableOf(AllStateRules()[0]);
  const bool has_state = inside.Has(Op::kVariable);
  for (const VariableStep& step : StepsIn(variables)) {
    Expect(transitions_, NameOf(step), WhyNotInFiles(step.event), has_state);
  }
  for (const auto& pair : PairsIn(variables)) {
    const std::string_view why = WhyNotInFiles(pair.first.event);
    Expect(pairs_, PairItem(pair), why.empty() ? WhyNotInFiles(pair.second.event) : why, has_state);
  }
}

void Coverage::Reach(Group& group, const std::string& item) {
  const auto known = group.reached.find(item);
  if (known != group.reached.end()) {
    known->second = true;
  } else {
    unlisted_.insert(item);
  }
}

void Coverage::Ran(const ExecutedOperator& executed) {
  const OperatorRow& row = RowOf(executed.op.op);
  Reach(operators_, std::string(row.name));
  const auto nests = nests_of_.find(&executed.op);
  if (nests != nests_of_.end()) {
    for (const std::string& nest : nests->second) Reach(nests_, nest);
  }
  std::vector<DType> in, out;
  for (const auto* input : executed.inputs) in.push_back(input->type.type);
  for (const TensorType& output : executed.outputs) out.push_back(output.type);
  const auto type_row = FindTypeRow(row.op, in, out, executed.op.attributes.named_type());
  if (type_row && !row.type_rows.empty()) {
    Reach(type_rows_, TypeRowItem(row, static_cast<size_t>(*type_row)));
  }
  for (const std::string& name : ShapeClassesMet(executed, row)) {
    Reach(shapes_, WithBlank(row.name, name));
  }
  size_t position = 0;
  for (const ArgumentRow& argument : row.arguments) {
    for (const std::string_view name : ClassesMet(executed, row, argument, level_)) {
      Reach(attributes_, ArgumentItem(row, argument, name));
    }
    if (argument.direction != Direction::kInput) continue;
    if (IsData(argument) && HasTypes(argument) && position < executed.inputs.size()) {
      const DomainTensor<Scalar>& tensor = *executed.inputs[position];
      for (const std::string_view name : NumericClassesMet(tensor)) {
        Reach(numbers_, NumberItem(row, argument, tensor.type.type, name));
      }
    }
    ++position;
  }
}

void Coverage::Add(const TestVector& vector) {
  level_ = LevelByName(vector.level).value_or(kLevel8K);
  nests_of_.clear();
  for (const Graph& graph : vector.graphs) nests_of_.merge(NestsOf(graph));
  history_.emplace(vector);
  for (const Outcome& outcome : ExecuteVector(vector, {.trace = this})) {
    // A rule that nothing breaks alone may decide together with others. That is no coverage of the
    // rule.
    const Rule* rule = FindRule(outcome.rule);
    if (rule == nullptr || !rule->unreachable.empty()) continue;
    Reach(rule->implied ? implied_errors_ : rules_broken_, outcome.rule);
  }
  CountState(vector);
}

// Counts the states of variables, for the specification's own rules and for rules that share its
// table.
void Coverage::CountState(const TestVector& vector) {
  const StateRules* rules = StateRulesByName(vector.semantics);
  if (rules == nullptr || !rules->redeclaration_sets_seen) return;
  for (const VariableStep& step : history_->steps()) Reach(transitions_, NameOf(step));
  for (const auto& pair : history_->pairs()) Reach(pairs_, PairItem(pair));
}

// Counts all rules of the operators that ran, because an operator that runs checks all of its
// rules.
void Coverage::CountRules() {
  for (const Rule& rule : AllRules()) {
    if (rule.op == Op::kUnknown) continue;
    const auto ran = operators_.reached.find(std::string(OperatorName(rule.op)));
    if (ran != operators_.reached.end() && ran->second) Reach(rules_held_, rule.id);
  }
}

std::vector<Coverage::Group*> Coverage::Groups() {
  return {&operators_, &type_rows_, &rules_broken_, &implied_errors_, &rules_held_, &attributes_,
          &shapes_,    &numbers_,   &nests_,        &transitions_,    &pairs_};
}

ReachedItems Coverage::Reached() {
  ReachedItems all;
  for (const Group* group : Groups()) {
    for (const auto& [item, reached] : group->reached) {
      if (reached) all[std::string(group->name)].insert(item);
    }
  }
  return all;
}

void Coverage::Add(const ReachedItems& reached) {
  for (Group* group : Groups()) {
    const auto items = reached.find(std::string(group->name));
    if (items == reached.end()) continue;
    for (const std::string& item : items->second) Reach(*group, item);
  }
}

std::vector<std::string> Coverage::Items() {
  std::vector<std::string> items;
  for (const Group* group : Groups()) {
    if (group == &implied_errors_) continue;
    for (const auto& [item, reached] : group->reached) {
      items.push_back(std::string(group->name) + ": " + item);
    }
  }
  return items;
}

std::vector<int32_t> Coverage::TakeReached() {
  CountRules();
  std::vector<int32_t> positions;
  int32_t position = 0;
  for (Group* group : Groups()) {
    if (group == &implied_errors_) continue;
    for (auto& [item, reached] : group->reached) {
      if (std::exchange(reached, false)) positions.push_back(position);
      ++position;
    }
  }
  return positions;
}

std::vector<CoverageGroup> Coverage::Table() {
  CountRules();
  std::vector<CoverageGroup> table;
  for (const Group* group : Groups()) {
    // No suite has to reach implied errors. They are counted if vectors demand some.
    const auto is_reached = [](const auto& item) { return item.second; };
    if (group == &implied_errors_ && std::ranges::none_of(group->reached, is_reached)) continue;
    CoverageGroup row;
    row.name = group->name;
    row.total = std::ssize(group->reached);
    for (const auto& [item, reached] : group->reached) {
      if (reached) {
        ++row.reached;
      } else {
        row.missed.push_back(item);
      }
    }
    row.unreachable = group->unreachable;
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace assay
