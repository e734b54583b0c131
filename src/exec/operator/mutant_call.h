#pragma once

#include "mutants.h"
#include "run_operator.h"

namespace assay {

// Whether a mutant changes how this operator computes (control flow and state belong to the
// interpreter).
bool ChangesKernel(const Mutant& mutant, Op op);
// Returns whether the mutant lets the static part accept what breaks the rule.
bool Overlooks(const Mutant& mutant, std::string_view rule);

// Computes `call` as the mutant does, into call.outputs. What the mutant changes is a copy; an
// operator that could not exist with the change (an axis beyond the shape, a window outside the
// image) computes what it should. Results of another shape than that of the output are cut, and
// repeat their last elements. REQUIREs that a canary breaks go to `judgement`; those of other
// mutants are not looked at.
void RunMutant(const Mutant& mutant, const Level& level, const Call<ValueDomain>& call,
               Judgement& judgement);

}  // namespace assay
