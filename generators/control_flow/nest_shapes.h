// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "allowed_operators.h"

namespace assay {

// The use that the outermost operator of a nest makes of its values, beyond computing.
enum class Handover : uint8_t {
  kComputes,      // gives back a value computed from each
  kTwice,         // one value is given twice
  kUnread,        // one value is given that no block reads
  kUnused,        // one result is read by nothing
  kTwoCalls,      // a second operator runs the same blocks on other values
  kCrossed,       // COND_IF: one branch gives the values back in reverse order
  kPassed,        // COND_IF: one branch gives them back as they are
  kConstant,      // COND_IF: one branch gives back constants
  kSameBlock,     // COND_IF: both branches are one block
  kMoreResults,   // COND_IF: there are more results than values
  kRotated,       // WHILE_LOOP: values change places in every round
  kInvariant,     // WHILE_LOOP: one is handed on as it is, and read by the rest
  kFromConstant,  // WHILE_LOOP: one begins as a constant
  kCounterOnly,   // WHILE_LOOP: nothing is carried but the counter
  kEndsEarly,     // WHILE_LOOP: goes on as long as a carried value says so, and the counter allows
};

// The origin of an operator's condition or number of rounds.
enum class Source : uint8_t {
  kHidden,    // an input of the graph: no compiler knows it
  kConstant,  // a constant of the main block, handed in
  kInside,    // a constant of the block that needs it
};

// One row of the table of graphs that the kind covers systematically.
struct ControlFlowShape {
  std::string nest;  // 'C' for COND_IF, 'W' for WHILE_LOOP, outermost first
  Handover handover = Handover::kComputes;
  Source source = Source::kHidden;
  int rounds = 2;          // of the innermost loop, if it is the innermost operator
  int values = 1;          // given to the outermost operator, beside what control needs; 1 to 4
  int condition_rank = 0;  // of all conditions of the nest; their shape is 1 everywhere
  bool hangs_on_state = false;  // on a variable that other steps count up
  int steps = 1;                // with other conditions, numbers of rounds and values
};

// The largest number of operators for which the table has every mix.
inline constexpr int kNestMax = 6;

// Returns the table for the options; empty if they allow no control flow.
std::vector<ControlFlowShape> ControlFlowShapes(const GeneratorOptions& options);

}  // namespace assay
