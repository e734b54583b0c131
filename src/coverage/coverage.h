// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coverage_table.h"
#include "levels.h"
#include "target.h"
#include "test_vector.h"
#include "trace.h"
#include "variable_history.h"

namespace assay {

class TargetItems;

// The items that were reached, by group.
using ReachedItems = std::map<std::string, std::set<std::string>>;

// Counts which parts of the specification have been reached. The groups:
//
//   operators          the 75 operators, executed without a broken rule
//   type_rows          the rows of their Supported Data Types tables, the same
//   rules_broken       rules that decided an outcome
//   rules_held         rules of operators that ran and broke none; with rules_broken: both sides
//   attribute_classes  classes of attributes and compile-time-constant operands, bounds included
//   shape_classes      ranks, dimensions of 1, what is broadcast
//   numeric_classes    bounds, zeros, signs, subnormals, infinities and NaN, by operand and type
//   nests              mixes of COND_IF and WHILE_LOOP in each other, as deep as level 8K allows
//   state_transitions  what can happen to a variable in each of its states (variable_table.h)
//   state_pairs        the same, two in a row
//
// One suite can reach all items of each group.
class Coverage : public Trace {
 public:
  // Items outside one of the targets count as unreachable.
  explicit Coverage(std::span<const Target> targets = {});

  // Runs the vector on the reference executor and counts what happened. A vector of another level
  // than 8K counts towards its level's bounds.
  void Add(const TestVector& vector);

  // Returns what was reached so far, so that parts of a suite can be counted apart.
  ReachedItems Reached();
  // Adds what an object for the same targets has reached.
  void Add(const ReachedItems& reached);

  // The items that were reached, but that no list has, or that a list has as unreachable. Such an
  // item is a defect of the lists.
  const std::set<std::string>& unlisted() const { return unlisted_; }

  // Returns all items of the groups but implied errors, which no suite has to reach. The order is
  // the same for equal targets.
  std::vector<std::string> Items();
  // Returns the positions in Items() of those that were reached since the last call, and forgets
  // that they were.
  std::vector<int32_t> TakeReached();

  // Returns the groups in the order of the list above.
  std::vector<CoverageGroup> Table();

 private:
  struct Group {
    std::string_view name;
    std::map<std::string, bool> reached = {};  // by item
    std::vector<UnreachableItem> unreachable = {};
  };

  void Ran(const ExecutedOperator& executed) override;
  void Invokes(int32_t context) override { history_->Invokes(context); }
  void Begins(const StatusLookup& status_of) override { history_->Begins(status_of); }
  void Touches(const VariableTouch& touch) override { history_->Touches(touch); }
  void Reach(Group& group, const std::string& item);
  static void Expect(Group& group, const std::string& item, std::string_view why, bool inside);
  void ExpectOperators(const TargetItems& inside);
  void ExpectState(const TargetItems& inside);
  void CountRules();
  void CountState(const TestVector& vector);
  std::vector<Group*> Groups();

  Group operators_ = {"operators"}, type_rows_ = {"type_rows"}, rules_broken_ = {"rules_broken"},
        implied_errors_ = {"implied_errors"}, rules_held_ = {"rules_held"},
        attributes_ = {"attribute_classes"}, shapes_ = {"shape_classes"},
        numbers_ = {"numeric_classes"}, nests_ = {"nests"}, transitions_ = {"state_transitions"},
        pairs_ = {"state_pairs"};
  std::map<const Operator*, std::vector<std::string>> nests_of_;  // in the vector that runs
  std::set<std::string> unlisted_;
  Level level_ = kLevel8K;
  std::optional<VariableHistory> history_;  // of the vector that runs
};

}  // namespace assay
