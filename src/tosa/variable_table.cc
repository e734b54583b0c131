// SPDX-License-Identifier: Apache-2.0
#include "variable_table.h"

namespace assay {
namespace {

using enum VariableState;
using Entry = VariableTable::Entry;

constexpr VariableState kStates[] = {kAbsent, kEmpty, kEmptySeen, kFull, kFullSeen};

constexpr std::string_view kStateNames[] = {"unknown", "empty", "empty and seen", "written",
                                            "written and seen"};
constexpr std::string_view kEventNames[] = {
    "execution",
    "VARIABLE",
    "VARIABLE with a value",
    "VARIABLE with a value of another type",
    "VARIABLE with a value of another shape",
    "VARIABLE of another type and shape",
    "VARIABLE_READ",
    "VARIABLE_READ of another shape",
    "VARIABLE_READ of another type",
    "VARIABLE_WRITE",
    "VARIABLE_WRITE of another shape",
    "VARIABLE_WRITE of another type",
};

constexpr Entry To(VariableState next) { return VariableTransition{next, nullptr}; }
constexpr Entry Breaks(const char* rule) { return VariableTransition{kAbsent, rule}; }

}  // namespace

VariableTable TableOf(const StateRules& rules) {
  // `seen` is cleared at the start of every execution. VARIABLE sets it, and breaks a rule if it is
  // set already. A variable that is known is not initialised again, and its type and shape are not
  // checked.
  const Entry twice = Breaks("VARIABLE/REQUIRE/3");
  const Entry empty_again = To(rules.redeclaration_sets_seen ? kEmptySeen : kEmpty);
  const Entry full_again = To(rules.redeclaration_sets_seen ? kFullSeen : kFull);
  // VARIABLE_READ requires, in this order: known, written, of this shape, of this type.
  // VARIABLE_WRITE requires: known, seen, of this shape, of this type.
  const Entry unknown_read = Breaks("VARIABLE_READ/REQUIRE/1");
  const Entry unwritten = Breaks("VARIABLE_READ/REQUIRE/2");
  const Entry read_shape = Breaks("VARIABLE_READ/REQUIRE/3");
  const Entry read_type = Breaks("VARIABLE_READ/REQUIRE/4");
  const Entry unknown_write = Breaks("VARIABLE_WRITE/REQUIRE/1");
  const Entry unseen = Breaks("VARIABLE_WRITE/REQUIRE/2");
  const Entry write_shape = Breaks("VARIABLE_WRITE/REQUIRE/3");
  const Entry write_type = Breaks("VARIABLE_WRITE/REQUIRE/4");
  VariableTable table;
  table.Set(kAbsent, {To(kAbsent), To(kEmptySeen), To(kFullSeen), Breaks("VARIABLE/REQUIRE/1"),
                      Breaks("VARIABLE/REQUIRE/2"), std::nullopt, unknown_read, unknown_read,
                      unknown_read, unknown_write, unknown_write, unknown_write});
  table.Set(kEmpty, {To(kEmpty), empty_again, empty_again, empty_again, empty_again, empty_again,
                     unwritten, unwritten, unwritten, unseen, unseen, unseen});
  table.Set(kEmptySeen, {To(kEmpty), twice, twice, twice, twice, twice, unwritten, unwritten,
                         unwritten, To(kFullSeen), write_shape, write_type});
  table.Set(kFull, {To(kFull), full_again, full_again, full_again, full_again, full_again,
                    To(kFull), read_shape, read_type, unseen, unseen, unseen});
  table.Set(kFullSeen, {To(kFull), twice, twice, twice, twice, twice, To(kFullSeen), read_shape,
                        read_type, To(kFullSeen), write_shape, write_type});
  return table;
}

std::vector<VariableStep> StepsIn(const VariableTable& table) {
  std::vector<VariableStep> steps;
  for (const VariableState state : kStates) {
    for (size_t event = 0; event < kVariableEvents; ++event) {
      const VariableStep step = {state, static_cast<VariableEvent>(event)};
      if (table.At(step.state, step.event)) steps.push_back(step);
    }
  }
  return steps;
}

std::vector<std::pair<VariableStep, VariableStep>> PairsIn(const VariableTable& table) {
  const std::vector<VariableStep> steps = StepsIn(table);
  std::vector<std::pair<VariableStep, VariableStep>> pairs;
  for (const VariableStep& first : steps) {
    const VariableTransition& entry = *table.At(first.state, first.event);
    if (entry.rule != nullptr) continue;
    for (const VariableStep& second : steps) {
      if (second.state == entry.next) pairs.emplace_back(first, second);
    }
  }
  return pairs;
}

std::string_view WhyNotInFiles(VariableEvent event) {
  return event == VariableEvent::kDeclareBadType || event == VariableEvent::kDeclareBadShape
             ? "a file keeps the initial value in the type and shape of the variable"
             : "";
}

std::string NameOf(const VariableStep& step) {
  return std::string(kEventNames[static_cast<size_t>(step.event)]) + " when " +
         std::string(kStateNames[static_cast<size_t>(step.state)]);
}

}  // namespace assay
