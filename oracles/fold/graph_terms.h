#pragma once

#include <map>
#include <string>
#include <vector>

#include "executor.h"
#include "graph.h"
#include "term_domain.h"

namespace assay {

// What a graph does, as terms over the elements of its inputs and of the variables that it finds.
struct FoldTerms {
  using Elements = DomainTensor<TermId>;
  // A variable that the graph declares.
  struct State {
    Attributes declaration;
    Elements value;
    TermId written;  // whether there is a value, 0 or 1
  };

  std::string obstacle;  // why there are no terms; "" if there are
  std::vector<Elements> outputs;
  std::map<std::string, State> state;  // after the execution
  std::vector<TermDomain::Condition> conditions;
};

// Reads graphs as terms of one arena. Inputs of graphs are inputs of terms of the same position,
// variables get the positions from kVariables on, by name.
//
// Control flow: of a COND_IF whose condition hangs on the inputs both branches are read, and the
// results selected; a WHILE_LOOP is unrolled while its condition does not hang on them. Variables
// may hold anything when the graph begins, so that what holds for one execution does so for all.
class FoldTermReader {
 public:
  static constexpr uint32_t kVariables = 1 << 20;

  FoldTermReader(TermArena& arena, const ExecutionOptions& options)
      : arena_(arena), options_(options) {}

  // The graph has passed CheckStructure(). With Requirements::kFacts the conditions are known to
  // hold in all that is made in the arena from then on.
  FoldTerms Read(const Graph& graph, TermDomain::Requirements requirements);

 private:
  TermArena& arena_;
  const ExecutionOptions& options_;
  std::map<std::string, uint32_t> variables_;
};

}  // namespace assay
