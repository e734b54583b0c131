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
  // CUSTOM operators of these domains always give the same for the same operands, and do nothing
  // else; all others vary.
  std::set<std::string> pure_domains;
  FoldFault fault = FoldFault::kNone;
  int64_t first_global_index = 0;  // of the cached tensors, which get this one and those after it
  // What the graph is judged by, and literal operands are evaluated with; `dynamic` lets
  // compile-time-constant operands be computed.
  ExecutionOptions execution;
};

// Folds a graph whose inputs are as constant as `arguments` says. The folding has all graphs of its
// record, the original first.
//
// What is folded is demanded: a value that depends on constants alone and is used by an operator
// that does not, or is an output. It is cached if the policy allows it; otherwise the operator that
// makes it stays in the entry, and what that one uses is demanded instead. CONSTs go with whoever
// reads them and are never cached; nor are shapes, values that compile-time-constant operands read,
// and arguments. Operators with effects, and those whose REQUIRE fails on CONSTs, stay in the
// entry, as do those that nothing needs but vary. What is constant and not needed is gone.
//
// An Error, kBadInput: the graph has no main block or breaks an ERROR_IF, there is not one
// constness for each input, or a compile-time-constant operand reads a run-time constant.
Result<Folding> FoldGraph(const Graph& graph, std::span<const Constness> arguments,
                          const FoldOptions& options);

}  // namespace assay
