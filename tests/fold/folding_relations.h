#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor.h"
#include "folding.h"
#include "folding_fault.h"

namespace assay {

// A graph to fold, and what it takes to execute it.
struct FoldSubject {
  std::string name;
  Graph graph;
  std::vector<Constness> arguments;
  SizePolicy policy = {};
  std::map<size_t, Tensor> fixed = {};  // inputs that have to be these
  std::vector<Tensor> sample = {};      // all inputs, as the graph is valid on; none: any are
  std::set<std::string> pure_domains = {};
  ExecutionOptions execution = {};
};

// Folds a graph with the marks and in the form that it is given, all else as it likes.
using Folder = std::function<Result<Folding>(const Graph& graph, std::span<const Constness> marks,
                                             FoldForm form)>;

struct FoldRelationOptions {
  FoldFault fault = FoldFault::kNone;  // of the cache and of the runtime
  int seed = 0;                        // other inputs
  bool statically = true;              // look at the folding before it is executed, too
  bool all = false;                    // do not stop at the first relation that is broken
  bool refold = true;                  // fold variants of the graph: R8, R18
};

// A relation between executions, foldings, or both, that does not hold.
struct BrokenRelation {
  std::string relation;  // "R3"
  std::string witness;   // one line
};

// The relations that hold for a graph and its folding. Of an execution, "the same" is what the
// graph gives that was not folded, bit by bit (any NaN is any NaN).
//   R0   there are inputs on which the graph is valid
//   R1   the first execution gives the same
//   R2   so does the second, after the caller wrote over the results of the first
//   R3   with other inputs that vary
//   R4   in a new context, which folds for itself, with other run-time constants, which lie where
//        the first ones lay; and in one that was told to forget its constants
//   R4b  after run-time constants that only folding reads were overwritten
//   R5   in the first context again
//   R6   when everything is folded at run time
//   R6b  when other modules use the cache in between: of another graph, and of the same graph with
//        other compile-time constants
//   R7   the stages, put together, are isomorphic to the graph (unless something was postponed)
//   R8   of the entry nothing is left to fold
//   R9   later executions do not fold; every stage computes what it needs, and nothing twice
//   R10  no execution changes a cached buffer or an input
//   R11  after all, or one, of the buffers were evicted; and who uses them keeps them
//   R12  what certified_folding.h finds of rules R12; buffers are aligned, of the right size, and
//   do
//        not overlap
//   R13  the size policy, of rules R13
//   R14  when the first attempt to fold fails
//   R16  variables
//   R17  no execution breaks a rule that the graph does not break
//   R18  the folding hangs neither on the order of operators and arguments, nor on chance
//   R19  what varies has no influence on cached buffers
//   R20  when the capacity of the cache changes; and no more is held than it allows
// Each once, in the order in which they were found. Once variables have led to where the graph is
// not valid, nothing more is said.
std::vector<BrokenRelation> BrokenRelationsOf(const FoldSubject& subject, const Folder& folder,
                                              const FoldRelationOptions& options = {});

}  // namespace assay
