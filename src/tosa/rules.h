// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "operator_table.h"

namespace assay {

// Every rule that can decide an outcome has an id. It is the same in the validator, the executor,
// the generators, coverage and reports:
//
//   CONV2D/ERROR_IF/3           the operator's third ERROR_IF, counted as in its pseudocode
//   INTDIV/REQUIRE/1            its first REQUIRE
//   ADD/LEVEL_CHECK/1           its first level check, counted as in its Arguments table
//   ADD/REQUIRE/apply_add_s     a condition of a library helper that the operator calls
//   CONV2D/ERROR_IF/arguments   number, rank or shape of operands does not fit the Arguments table
//   CONV2D/ERROR_IF/attributes  an attribute is missing, of the wrong type or no enumerator
//   CONV2D/ERROR_IF/types       no row of the Supported Data Types table fits
//   graph/ERROR_IF/input-list   a rule of the graph as a whole

struct Rule {
  std::string id;
  RuleKind kind;                 // kErrorIf: error; kRequire, kLevelCheck: unpredictable
  Op op;                         // kUnknown for rules of the graph
  std::string_view text;         // the condition as in the specification, or in our words
  std::string_view unreachable;  // why no graph can break it alone; empty if one can
  // True for an error that no ERROR_IF of the text states: a malformed graph, or a condition that
  // only a table or the prose states. Nobody is blamed for accepting one, unless they ask for that.
  bool implied;
};

// A rule that is broken, and the place: "operator 3 (ADD) of block main".
struct Breach {
  std::string rule;
  std::string where;
};

// Returns all rules in a fixed order: those of the graph, those of operators, then implied errors.
// Ids are unique.
std::span<const Rule> AllRules();

// Returns null if there is no rule of that id.
const Rule* FindRule(std::string_view id);
bool IsKnownRule(std::string_view id);
// The tag of vectors that demand an implied error.
inline constexpr char kImpliedErrorTag[] = "implied-error";
// Tells whether the rule of that id is an implied error. Returns false if there is no such rule.
bool IsImpliedError(std::string_view id);
// Returns the text of a rule; "" if there is no rule of that id.
std::string_view RuleText(std::string_view id);

// Returns "ERROR_IF", "REQUIRE" or "LEVEL_CHECK".
std::string_view RuleKindName(RuleKind kind);

// Returns the id of a numbered rule, or of one with a name. It checks nothing: RuleId(Op::kAdd,
// RuleKind::kErrorIf, 9) is the id of a rule that does not exist. Op::kUnknown stands for the
// graph.
std::string RuleId(Op op, RuleKind kind, int number);
std::string RuleId(Op op, RuleKind kind, std::string_view name);

}  // namespace assay
