// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "block_index.h"
#include "execution_order.h"
#include "executor.h"
#include "mutant_control.h"
#include "trace.h"

namespace assay {

// Executes blocks of one graph in domain D: order of execution, control flow and state. One object
// is for one execution of one graph (specification, tosa_execute_graph).
template <class D>
class Interpreter {
 public:
  using Element = typename D::Element;
  using Value = InFlightOf<D>;

  Interpreter(const Graph& graph, ContextOf<D>& context, const ExecutionOptions& options)
      : graph_(graph),
        context_(context),
        options_(options),
        domain_(DomainFor(options)),
        mutant_(options.mutant, context) {}

  // Runs the main block. The results exist if domain().judgement() is valid and capped() is false.
  // A TimeLimit of the thread that is reached is a cap as well.
  std::vector<Value> Run(std::vector<Value> inputs);

  D& domain() { return domain_; }
  // Returns the place where the deciding rule was broken: "operator 3 (ADD) of block main".
  const std::string& message() const { return message_; }
  // Returns true if a cap of ExecutionOptions stopped the execution. message() names the cap.
  bool capped() const { return capped_; }

 private:
  // A block that has run, and the operators whose static part has been accepted.
  struct PlannedBlock {
    BlockPlan plan;
    std::vector<char> accepted;
  };
  // The execution of one block.
  struct Frame {
    const Block& block;
    PlannedBlock& planned;
    std::vector<Value> values;  // by tensor index; empty until produced, and after the last use
    // By tensor index: the elements that elements_alive_ counts for it. The result of a view shares
    // its operand's memory, so the operand stays counted to the end of the block.
    std::vector<int64_t> counted;
  };

  static D DomainFor(const ExecutionOptions& options) {
    if constexpr (std::is_same_v<D, BoundDomain>) return D(options.declarations);
    return D();
  }
  // Runs a block. `caller` is the control flow that runs it, null for the main block.
  std::vector<Value> RunBlock(const Block& block, const PlacedOperator* caller,
                              std::vector<Value> inputs, int depth);
  // Does what tosa_execute_graph does with the table of variables.
  void BeginExecution();
  PlannedBlock& PlanOf(const Block& block, const Block* runner);
  void RunNode(Frame& frame, int32_t index, int depth);
  void Dispatch(Frame& frame, const Operator& op, int depth);
  void Report(const Frame& frame, const Operator& op, std::span<const Value* const> inputs);
  void ReportEntry(const Block& block, const PlacedOperator* caller,
                   const std::vector<Value>& inputs);
  void RunPlain(Frame& frame, const Operator& op);
  void RunCustom(Frame& frame, const Operator& op);
  void RefuseElements(const Operator& op);
  // Counts an operator or a loop iteration. Returns false if the limit is reached.
  bool Count();
  void RunCondIf(Frame& frame, const Operator& op, int depth);
  void RunWhileLoop(Frame& frame, const Operator& op, int depth);
  std::string KeyOf(const std::string& name) const {
    return VariableKey(*options_.state_rules, name);
  }
  static VariableStatus StatusOf(const Variable<D>& variable);
  void TouchVariable(const Frame& frame, const Operator& op);
  void RunVariable(const Operator& op);
  void RunVariableRead(Frame& frame, const Operator& op);
  void RunVariableWrite(Frame& frame, const Operator& op);
  // For a mutant: changes what the block has read of a variable to what was written to it since.
  void ChangeReads(Frame& frame, const std::pair<const std::string, Variable<D>>& written);

  const Value* Read(Frame& frame, TensorIndex index);
  void Write(Frame& frame, TensorIndex index, Value value);
  // Frees the tensors that no operator behind this position reads.
  void FreeDead(Frame& frame, const Operator& op, int32_t position);
  bool CheckStatically(const Frame& frame, const Operator& op);
  const BlockIndex& Blocks();
  // Returns the only element of a bool tensor that decides a branch.
  bool Decide(const Value& condition);
  bool Stopped() { return capped_ || domain_.judgement().fate() == Fate::kUnpredictable; }

  const Graph& graph_;
  std::optional<BlockIndex> blocks_;  // made when it is first needed
  ContextOf<D>& context_;
  const ExecutionOptions& options_;
  D domain_;
  std::string message_;
  bool capped_ = false;
  std::map<const Block*, std::unique_ptr<PlannedBlock>> plans_;  // the blocks that have run
  int64_t elements_alive_ = 0;  // results of the blocks in execution, without those of CONST
  int64_t operators_run_ = 0;   // and loop iterations
  OperatorRun<D> run_;          // reused between operators
  MutantControl<D> mutant_;
};

extern template class Interpreter<ValueDomain>;
extern template class Interpreter<BoundDomain>;

}  // namespace assay
