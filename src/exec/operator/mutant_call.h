// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mutants.h"
#include "run_operator.h"

namespace assay {

// Returns true if a mutant changes the calculation of this operator. (Control flow and state belong
// to the interpreter.)
bool ChangesKernel(const Mutant& mutant, Op op);
// Returns true if the mutant lets the static part accept an operator that breaks the rule.
bool Overlooks(const Mutant& mutant, std::string_view rule);

// Computes `call` as the mutant does, into call.outputs. The mutant changes copies only. If an
// operator with the change cannot exist (an axis beyond the shape, a window outside the image), the
// right result is computed. Results of another shape than the output's are cut, or their last
// elements are repeated. REQUIREs that a canary breaks go to `judgement`; those of other mutants
// are ignored. Returns false if the mutant changes nothing here, whatever the elements of the
// operands are: then no operands of this configuration show the fault. Operands in
// `constant_operands`, a set of bits, are part of the configuration.
bool RunMutant(const Mutant& mutant, const Level& level, const Call<ValueDomain>& call,
               uint32_t constant_operands, Judgement& judgement);

}  // namespace assay
