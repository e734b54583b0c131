// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "executor.h"
#include "graph.h"
#include "term_domain.h"

namespace assay {

// The meaning of a graph, as terms over the elements of its inputs and of the variables that it
// finds.
struct FoldTerms {
  using Elements = DomainTensor<TermId>;
  // A variable that the graph declares.
  struct State {
    Attributes declaration;
    Elements value;
    TermId written;  // 1 if there is a value, otherwise 0
  };

  std::string obstacle;  // the reason why there are no terms; "" if there are
  std::vector<Elements> outputs;
  std::map<std::string, State> state;  // after the execution
  std::vector<TermDomain::Condition> conditions;
};

// Reads graphs as terms of one arena. The inputs of graphs become inputs of terms with the same
// positions. Variables get the positions from kVariables on, by name.
//
// Both branches of a COND_IF are read if its condition depends on the inputs, and the results are
// selected. A WHILE_LOOP is unrolled as long as its condition does not depend on the inputs.
// Variables may hold anything when the graph begins. So what is true of one execution is true of
// all.
class FoldTermReader {
 public:
  static constexpr uint32_t kVariables = 1 << 20;

  FoldTermReader(TermArena& arena, const ExecutionOptions& options)
      : arena_(arena), options_(options) {}

  // Reads a graph that has passed CheckStructure(). With Requirements::kFacts, the conditions are
  // known to hold in all terms that are made in the arena from then on.
  FoldTerms Read(const Graph& graph, TermDomain::Requirements requirements);

 private:
  TermArena& arena_;
  const ExecutionOptions& options_;
  std::map<std::string, uint32_t> variables_;
};

}  // namespace assay
