// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choices.h"
#include "declarations.h"
#include "generator_options.h"
#include "graph.h"
#include "nasty_values.h"
#include "run_operator.h"
#include "test_vector.h"

namespace assay {

// The position of a value in the pool of a GraphBuilder.
using ValueIndex = int32_t;
// A value, or none: the pool has no such value, or the operator that gives it was refused.
using MaybeValue = std::optional<ValueIndex>;

enum class Origin : uint8_t { kInput, kConstant, kShapeConstant, kResult };

// A tensor of the block under construction, with the value that it holds when the block runs.
struct PoolValue {
  BoundTensor value;
  Origin origin = Origin::kResult;
  // The specification determines every element to one value (of either sign, if it is a zero).
  bool exact = true;
  bool vague = false;        // what most elements are is nearly open
  bool has_special = false;  // a NaN or an infinity
  double low = 0, high = 0;  // least and greatest element, NaN aside
  int32_t uses = 0;
  const TensorType& type() const { return value.type(); }
  int64_t elements() const { return value.size(); }
};

// Returns a VARIABLE operator, without an initial value if `initial` has no value.
Operator DeclarationOf(std::string name, const TensorType& type, const Tensor& initial);

// Builds one block forward, valid by construction. Each operator is evaluated in the bound domain
// as it is added. It is refused if it would make the block an error, unpredictable for any order of
// summation, or dependent on what the specification leaves open. The pool of values is in
// topological order; the block has the operators in that order.
class GraphBuilder {
 public:
  // Values are exact or bounded for backends that declare `declarations`.
  GraphBuilder(Choices& choices, const GeneratorOptions& options, ValueMode mode,
               const Declarations& declarations = {});
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  Choices& choices() { return choices_; }
  const GeneratorOptions& options() const { return options_; }
  ValueMode mode() const { return mode_; }
  const Level& level() const { return options_.level; }

  std::span<const PoolValue> pool() const { return pool_; }
  const PoolValue& operator[](ValueIndex i) const { return pool_[static_cast<size_t>(i)]; }
  const TensorType& TypeOf(ValueIndex i) const { return (*this)[i].type(); }
  std::vector<TensorType> TypesOf(std::span<const ValueIndex> values) const;
  // Returns the number of operators so far, without CONST and CONST_SHAPE.
  int64_t operators() const { return working_; }
  const Operator& LastOperator() const { return operators_.back(); }  // operands are pool positions

  // Adds leaves. CONST makes a constant, CONST_SHAPE a shape.
  ValueIndex AddInput(Tensor value);
  ValueIndex AddInputOf(const BoundTensor& value);  // of a block that another one runs
  ValueIndex AddConstant(Tensor value);
  ValueIndex AddShape(std::span<const int64_t> values);
  // Adds a constant of one element, of shape [1]. If `shared`, returns the same constant that
  // another operator reads, if there is one.
  ValueIndex AddNumber(DType type, int64_t integer, bool shared);

  // Adds an operator on values of the pool (op.inputs; op.outputs is filled in). `wished` gives the
  // output types where the inputs leave them open; the shapes are inferred. Returns the first
  // result, or none, with nothing changed, if the operator is refused.
  MaybeValue Add(Operator op, std::span<const DType> wished = {});
  // Does the same for an operator of one result, of type `result` if the inputs leave it open.
  MaybeValue Add(Op op, std::vector<ValueIndex> inputs, Attributes attributes = {},
                 DType result = DType::kUnknown);
  // Adds an operator whose results are known: control flow and state.
  MaybeValue AddEvaluated(Operator op, std::span<const BoundTensor> results);

  // Adds or returns the blocks that control flow runs, each in a region of its own.
  void AddRegion(Region region) { regions_.push_back(std::move(region)); }
  std::vector<Region>& regions() { return regions_; }
  const std::vector<Region>& regions() const { return regions_; }
  // Returns true if control flow runs the block. Then the block cannot get new inputs, so fresh
  // leaves are constants.
  bool closed() const { return closed_; }
  void Close() { closed_ = true; }

  // A transaction: Rollback() removes everything that was added since the mark.
  struct Mark {
    size_t values, operators, regions;
  };
  Mark mark() const { return {pool_.size(), operators_.size(), regions_.size()}; }
  void Rollback(const Mark& mark);

  // Returns a pool value that `fits(const PoolValue&)`, if there is one. Mostly a result that
  // nothing reads yet, so that operators follow each other. Recent values are preferred.
  template <class Fits>
  MaybeValue Pick(Fits fits) {
    std::array<ValueIndex, 16> found, others;
    size_t count = 0, other_count = 0;
    for (size_t i = pool_.size(); i-- > 0 && count < found.size();) {
      const PoolValue& value = pool_[i];
      if (value.origin == Origin::kShapeConstant || !fits(value)) continue;
      if (value.uses == 0 && value.origin == Origin::kResult) {
        found[count++] = static_cast<ValueIndex>(i);
      } else if (other_count < others.size()) {
        others[other_count++] = static_cast<ValueIndex>(i);
      }
    }
    if (count == 0 || choices_.OneIn(4)) {
      for (size_t i = 0; i < other_count && count < found.size(); ++i) found[count++] = others[i];
    }
    if (count == 0) return std::nullopt;
    return found[std::min(choices_.Below(count), choices_.Below(count))];
  }

  // Returns the results that nothing reads, in order. They are the block's outputs if the caller
  // has no others.
  std::vector<ValueIndex> Unread() const;

  // Returns the block with these outputs. Leaves out values that are neither read nor outputs, and
  // their operators. `inputs` receives the values of the inputs that remain.
  Block Finish(std::span<const ValueIndex> outputs, std::vector<Tensor>* inputs);
  // Does the same, but keeps all inputs in the order in which they were added.
  Block FinishWithAllInputs(std::span<const ValueIndex> outputs);
  // Returns the graph with that block as `main`, and the regions. Sets the expectations of the
  // outputs in `step`.
  Graph FinishGraph(std::span<const ValueIndex> outputs, Step& step);
  // Returns a vector of that graph and one step.
  TestVector FinishVector(std::span<const ValueIndex> outputs);

 private:
  void SwapRoom();
  ValueIndex AddLeaf(BoundTensor value, Origin origin);
  ValueIndex AddConstantBy(Op op, Tensor value, Origin origin);
  MaybeValue AddEvaluated(Operator op);  // the results are those of run_, which loses them
  // Sets run_ to the run of the operator, with the types of its outputs. Returns false if there are
  // no such types within the limits.
  bool Infer(const Operator& op, std::span<const DType> wished);
  bool Summarise(PoolValue& value) const;
  Block Assemble(std::span<const ValueIndex> outputs, std::vector<char> keep,
                 std::vector<Tensor>* inputs);

  Choices& choices_;
  const GeneratorOptions& options_;
  ValueMode mode_;
  Declarations declarations_;
  std::vector<PoolValue> pool_;
  std::vector<Operator> operators_;  // inputs and outputs are pool positions
  int64_t working_ = 0;
  struct Number {
    DType type;
    int64_t integer;
    ValueIndex value;
  };
  std::vector<Number> numbers_;  // the constants that AddNumber() added, in order
  std::vector<Region> regions_;
  bool closed_ = false;
  OperatorRun<BoundDomain> run_;  // of Add(), kept to avoid allocation
};

}  // namespace assay
