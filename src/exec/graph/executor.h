// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "custom.h"
#include "declarations.h"
#include "graph.h"
#include "in_flight.h"
#include "levels.h"
#include "run_operator.h"
#include "state_rules.h"
#include "test_vector.h"

namespace assay {

class Trace;  // trace.h

struct ExecutionOptions {
  Level level = kLevel8K;
  Kernels kernels = Kernels::kFast;
  const Mutant* mutant = nullptr;  // computes its operators in place of their kernels; null: none
  bool* mutant_reached = nullptr;  // if not null, set if RunMutant() says that it changes something
  // Computes every operator that has floats, in place of the reference executor; null: none.
  const Member* member = nullptr;
  uint64_t member_seed = 0;  // of the member that moves results
  // Caps that end in kUnsupported with a message. They prevent hangs and running out of memory.
  // The elements of all results alive; 32 bytes each at most. A result is alive until its last
  // reader has run.
  // The results of CONST do not count: they share the bytes of the graph.
  int64_t elements_max = int64_t{1} << 26;
  int64_t loop_iterations_max = 1'000'000;  // of one WHILE_LOOP
  // Counts the operators of all blocks, each time that they run. A loop iteration counts as one
  // more.
  int64_t operators_max = 10'000'000;
  bool dynamic = false;               // EXT-DYNAMIC: compile-time-constant operands may be computed
  CustomDomains custom_domains = {};  // CUSTOM operators that are executable
  // The number of the test set of Appendix A that the inputs are, for the graph's one operator.
  // Tensors with enough dot products are then expected to keep the bounds of DotStatistics.
  std::optional<int32_t> dot_product_set = std::nullopt;
  const StateRules* state_rules = &AllStateRules()[0];  // of variables
  Trace* trace = nullptr;          // if not null, receives what runs in the value domain
  Declarations declarations = {};  // of the backend that the expectation is for
  // By input of the main block: true if a backend has shown the value and passed it on, maybe in
  // higher precision (ShownTensor()). Other inputs are exact. Only expectations differ by this.
  std::vector<bool> inputs_shown = {};
};

// A variable of a context (specification, "Variable operators").
template <class D>
struct Variable {
  InFlightOf<D> value;  // of the declared type and shape; elements only if is_written
  bool is_written = false;
  bool seen = false;  // declared in the present execution
};

// Process-scoped state. Many graphs may run in one context; contexts do not see each other.
// Variables of VARIABLE operators and tensors with `variable=true` share one name space.
template <class D>
class ContextOf {
 public:
  std::map<std::string, Variable<D>> variables;
};
using Context = ContextOf<ValueDomain>;
using BoundContext = ContextOf<BoundDomain>;

// Sets variables of a context, as if an execution had written them. Instantiated for both domains.
template <class D>
void SetVariables(ContextOf<D>& context, const std::map<std::string, Tensor>& values);

// Runs the main block of `graph`. `inputs` are in the order of the block's inputs, with their
// declared types and shapes (else the outcome is error `graph/ERROR_IF/input-list`).
Outcome Execute(Context& context, const Graph& graph, std::span<const Tensor> inputs,
                const ExecutionOptions& options);

// The result of an execution in the bound domain: the expectation of a vector. `outcome.kind` is
// never an internal error.
struct BoundedOutcome {
  OutcomeKind kind = OutcomeKind::kUnsupported;
  std::string rule, message;
  std::vector<Expectation> outputs;
  std::map<std::string, Expectation> state;
  // Reasons for which no generator may emit the graph: see DomainBase.
  bool order_dependent = false;
  bool uncertain_requirement = false;
};
BoundedOutcome ExecuteWithBounds(BoundContext& context, const Graph& graph,
                                 std::span<const Tensor> inputs, const ExecutionOptions& options);

// Returns the options with the level, the rules of variables and the extensions of a vector.
ExecutionOptions OptionsFor(const TestVector& vector, ExecutionOptions options);

// Runs all steps of a vector in fresh contexts. Returns one outcome per step.
std::vector<Outcome> ExecuteVector(const TestVector& vector, const ExecutionOptions& options);

// Fills in the expectation of every step of the vector: expected, rule, outputs, state_after. The
// steps' inputs must be set. Returns false, and why in `reason`, if the vector must not be emitted
// because it is order-dependent or a REQUIRE depends on an undetermined element.
bool Expect(TestVector& vector, const ExecutionOptions& options, std::string* reason = nullptr);

// Returns the numeric rule of each output of a block: the operator that produces it, found through
// data movement.
std::vector<std::string> RulesOfOutputs(const Block& block);

}  // namespace assay
