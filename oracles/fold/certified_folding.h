// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "executor.h"
#include "folding.h"

namespace assay {

// A flaw of a folding: a rule of the list below and the place, in one line.
struct FoldFlaw {
  std::string rule;
  std::string where;
};

// Options for checking the certificate of a folding. FlawsOf() returns an empty list if three
// things hold for all inputs: the stages, one after the other, equal the original graph; what they
// cache is as constant as it must be; and the size policy is kept. FlawsOf() applies the
// postponements to the original, finds out anew how constant each value is, and looks for each
// operator of the postponed graph in the stages. It computes nothing except the padding of a
// postponed PAD and baked values. It knows nothing of how graphs are folded.
//
//   R12/record       the record names graphs, inputs or tensors that do not exist
//   R12/original     CheckGraph() finds something in the original graph
//   R12/graph        CheckGraph() finds something in the postponed graph or in a stage
//   R12/postponement a postponement changes what the graph computes
//   R12/postponed    the postponed graph is not the original after the postponements
//   R12/constness    a stage reads or computes what is not constant enough for it
//   R12/effect       an operator with effects is not in the entry alone, or in another order
//   R12/operator     an operator of the postponed graph is not where the certificate says, or a
//                    stage has an operator that the postponed graph lacks
//   R12/block        a block that control flow runs is not that of the original
//   R12/tensor       a tensor of a stage is of another type than in the postponed graph
//   R12/input        an input of a stage is not the argument or cached tensor that it is said to be
//   R12/output       an output of a stage is not the cached tensor, or the output of the graph
//   R12/cached       a cached tensor is of the wrong size or type, or shares its index
//   R12/shape        a shape crosses from one stage to another
//   R12/baked        the value of a new CONST is not what is computed
//   R12/form         everything has to be folded at run time, and is not
//   R9/unneeded      a stage computes what nothing needs
//   R9/not-folded    a stage computes every time what an earlier one could
//   R13/size         a cached tensor is larger than the policy allows
struct FoldCertificateOptions {
  ExecutionOptions execution;
  std::set<std::string> pure_domains;  // CUSTOM operators of these have no effects
};
std::vector<FoldFlaw> FlawsOf(const Folding& folding, const FoldCertificateOptions& options = {});

// Returns true if the size policy allows to cache a tensor of `bytes` bytes that is computed from
// arguments and CONSTs of `roots` bytes.
bool Allows(const SizePolicy& policy, int64_t bytes, int64_t roots);

}  // namespace assay
