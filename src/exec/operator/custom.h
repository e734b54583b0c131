#pragma once

#include <map>
#include <string>

#include "bound_domain.h"
#include "graph.h"

namespace assay {

// What the operators of one CUSTOM domain do: reads operator_name and implementation_attrs among
// the call's attributes, and writes every element of every output. "Implementation defined
// behavior": Assay knows no domain of its own, and an operator of an unknown one ends in
// kUnsupported.
using CustomMeaning = void (*)(ValueDomain& d, const Call<ValueDomain>& call);

// By domain_name.
using CustomDomains = std::map<std::string, CustomMeaning>;

// CUSTOM "operator_name" of domain "domain_name", quoted for a line of text.
std::string CustomName(const Operator& op);

// Runs it. In the bound domain every result is undecided: nothing says how accurate it has to be.
void RunCustom(ValueDomain& d, CustomMeaning meaning, const Call<ValueDomain>& call);
void RunCustom(BoundDomain& d, CustomMeaning meaning, const Call<BoundDomain>& call);

}  // namespace assay
