// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>

#include "executor.h"
#include "folding.h"
#include "folding_fault.h"

namespace assay {

struct FoldOptions {
  FoldForm form = FoldForm::kSplit;
  SizePolicy policy;
  bool postpone = true;  // expanding operators
  // CUSTOM operators of these domains always give the same results for the same operands and have
  // no effects. All other CUSTOM operators vary.
  std::set<std::string> pure_domains;
  FoldFault fault = FoldFault::kNone;
  int64_t first_global_index = 0;  // the index of the first cached tensor; the others follow
  // The options for checking the graph and for evaluating literal operands. `dynamic` lets
  // compile-time-constant operands be computed.
  ExecutionOptions execution;
};

// Folds a graph. `arguments` has the constness of each input. The folding has all graphs of its
// record, the original first.
//
// Folding goes by demand. A value is demanded if it depends on constants alone, and if an operator
// that does not uses it or it is an output. It is cached if the policy allows it. Otherwise, the
// operator that makes it stays in the entry, and the operands of that operator are demanded
// instead.
//
// CONSTs go with the operators that read them and are never cached. Shapes, values that
// compile-time-constant operands read, and arguments are not cached, either. Operators with
// effects, and operators whose REQUIRE fails on CONSTs, stay in the entry. Varying operators stay
// in the entry even if nothing needs them. Constant operators that nothing needs are removed.
//
// Error kBadInput: the graph has no main block or breaks an ERROR_IF, `arguments` has not one
// constness for each input, or a compile-time-constant operand reads a run-time constant.
Result<Folding> FoldGraph(const Graph& graph, std::span<const Constness> arguments,
                          const FoldOptions& options);

}  // namespace assay
