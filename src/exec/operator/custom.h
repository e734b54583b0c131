// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "bound_domain.h"
#include "graph.h"

namespace assay {

// The meaning of the operators of one CUSTOM domain. It reads operator_name and
// implementation_attrs among the call's attributes, and writes every element of every output. Their
// behavior is "implementation defined": Assay knows no domain of its own, and an operator of an
// unknown domain ends in kUnsupported.
using CustomMeaning = void (*)(ValueDomain& d, const Call<ValueDomain>& call);

// The meanings of CUSTOM operators by domain_name.
using CustomDomains = std::map<std::string, CustomMeaning>;

// Returns CUSTOM "operator_name" of domain "domain_name", quoted for a line of text.
std::string CustomName(const Operator& op);

// Run a CUSTOM operator. In the bound domain every result is undecided, because the accuracy is not
// specified.
void RunCustom(ValueDomain& d, CustomMeaning meaning, const Call<ValueDomain>& call);
void RunCustom(BoundDomain& d, CustomMeaning meaning, const Call<BoundDomain>& call);

}  // namespace assay
