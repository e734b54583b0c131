// SPDX-License-Identifier: Apache-2.0
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

// A graph to fold, with everything needed to execute it.
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

// A function that folds a graph with the given marks and form. Everything else is its choice.
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

// Finds the relations that do not hold for a graph and its folding. "The same" means the results of
// the original graph, bit by bit (any NaN is any NaN).
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
//   R8   the entry has nothing left to fold
//   R9   later executions do not fold; every stage computes what it needs, and nothing twice
//   R10  no execution changes a cached buffer or an input
//   R11  after all, or one, of the buffers were evicted; and who uses them keeps them
//   R12  the rules R12 of certified_folding.h; buffers are aligned, of the right size, and do not
//        overlap
//   R13  the size policy, of rules R13
//   R14  when the first attempt to fold fails
//   R16  variables
//   R17  no execution breaks a rule that the graph does not break
//   R18  the folding depends neither on the order of operators and arguments, nor on chance
//   R19  what varies has no influence on cached buffers
//   R20  when the capacity of the cache changes; and no more is held than it allows
// Returns each broken relation once, in the order in which they were found. Checks nothing more
// after variables have made the graph invalid.
std::vector<BrokenRelation> BrokenRelationsOf(const FoldSubject& subject, const Folder& folder,
                                              const FoldRelationOptions& options = {});

}  // namespace assay
