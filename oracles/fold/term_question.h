#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver.h"
#include "term_arena.h"

namespace assay {

// What Z3 says of two terms.
struct FoldAnswer {
  Answer answer = Answer::kUndecided;
  // kSatisfiable: elements of inputs for which the terms differ, by what Z3 knows. Integers are
  // what they are; of floats Z3 sees bits of doubles, and no more.
  std::vector<std::pair<TermId, Scalar>> inputs;
};

// Whether there are inputs for which all `conditions` (0 or 1) hold and the terms differ. Integers
// are words as wide as what is known of them asks for, so that nothing is lost; what is done to
// floats are functions of which nothing is known but that they are functions. So "unsatisfiable" is
// a proof, and "satisfiable" a suggestion.
FoldAnswer AskWhetherTheyDiffer(const TermArena& arena, TermId a, TermId b,
                                std::span<const TermId> conditions, uint32_t effort_max);

}  // namespace assay
