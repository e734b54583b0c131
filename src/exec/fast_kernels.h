#pragma once

#include "value_domain.h"

namespace assay {

// Faster ways to compute what an operator's template computes in the value domain: the same bits in
// the same order of summation. False, with nothing done, if there is none for the call: another
// operator, a seeded fault in force, or integers that might leave their accumulator, which only the
// template notices.
bool RunFastKernel(const Call<ValueDomain>& call, ValueDomain& d);

}  // namespace assay
