// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver.h"
#include "term_arena.h"

namespace assay {

// Z3's answer about two terms.
struct FoldAnswer {
  SolverAnswer answer = SolverAnswer::kUndecided;
  // kSatisfiable: elements of inputs for which the terms differ, as far as Z3 knows. Integers are
  // exact. Of floats Z3 sees only the bits of doubles.
  std::vector<std::pair<TermId, Scalar>> inputs;
};

// Asks whether there are inputs for which all `conditions` (0 or 1) hold and the terms differ.
// Integers are bit vectors that are wide enough for their known ranges, so nothing is lost.
// Operations on floats are uninterpreted functions. So "unsatisfiable" is a proof, and
// "satisfiable" a suggestion.
FoldAnswer AskWhetherTheyDiffer(const TermArena& arena, TermId a, TermId b,
                                std::span<const TermId> conditions, uint32_t effort_max);

}  // namespace assay
