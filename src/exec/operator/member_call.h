// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_operator.h"

namespace assay {

// Returns true if a member of the ensemble may give other results than the reference executor: an
// operand or a result is a float.
bool ComputesOtherwise(const Signature& signature);

// Computes `call` as the member does, into call.outputs. The operands may hold numbers that are no
// values of their type, and so may the results, if the member keeps precision. Broken REQUIREs go
// to `judgement`.
void RunMember(const Member& member, uint64_t seed, const Call<ValueDomain>& call,
               Judgement& judgement);

}  // namespace assay
