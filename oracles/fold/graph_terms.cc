// SPDX-License-Identifier: Apache-2.0
#include "graph_terms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "convert_tensor.h"
#include "execution_order.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "run_operator.h"

namespace assay {
namespace {

using Elements = FoldTerms::Elements;

constexpr int64_t kElementsMax = int64_t{1} << 22;   // of all tensors
constexpr int64_t kOperatorsMax = int64_t{1} << 22;  // read, in all blocks together
constexpr int kIterationsMax = 1024;

// The reading of one graph. The first obstacle ends it.
class Reading {
 public:
  Reading(const Graph& graph, TermDomain& domain, const ExecutionOptions& options,
          std::map<std::string, uint32_t>& variables)
      : graph_(graph), domain_(domain), options_(options), variables_(variables) {}

  FoldTerms Run() {
    const Block& main = *graph_.Main();
    std::vector<Elements> inputs;
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      inputs.push_back(Inputs(static_cast<uint32_t>(i), main.TypeOf(main.inputs[i])));
    }
    FoldTerms terms;
    terms.outputs = RunBlock(main, nullptr, std::move(inputs), 0);
    terms.obstacle = obstacle_;
    for (auto& [name, variable] : state_) terms.state.emplace(name, std::move(variable.state));
    terms.conditions = domain_.conditions();
    return terms;
  }

 private:
  struct Variable {
    FoldTerms::State state;
    bool seen = false;
  };
  using Table = std::map<std::string, Variable>;

  struct Frame {
    const Block& block;
    std::vector<int32_t> producers;
    std::vector<Elements> values;  // by tensor
    int depth;
  };

  bool Stop(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
    return false;
  }
  bool Stop(const Operator& op, const std::string& why) {
    return Stop(std::string(OperatorName(op.op)) + ": " + why);
  }

  Elements Inputs(uint32_t input, const TensorType& type) {
    auto elements = std::make_shared<std::vector<TermId>>();
    const int64_t count = type.shape.Elements();
    if (Reserve(count)) {
      for (int64_t i = 0; i < count; ++i) {
        elements->push_back(domain_.arena().Input(input, i, type.type));
      }
    }
    return {type, std::move(elements)};
  }

  Elements Constants(const Tensor& tensor) {
    auto elements = std::make_shared<std::vector<TermId>>();
    const DomainTensor<Scalar> scalars = ToScalars(tensor);
    for (const Scalar x : *scalars.elements) {
      elements->push_back(domain_.FromScalar(tensor.type(), x));
    }
    return {tensor.tensor_type(), std::move(elements)};
  }

  bool Reserve(int64_t elements) {
    if (elements > kElementsMax - elements_) return Stop("too many elements to read them as terms");
    elements_ += elements;
    return true;
  }

  std::vector<Elements> RunBlock(const Block& block, const Block* runner,
                                 std::vector<Elements> inputs, int depth) {
    if (runner != nullptr && options_.state_rules->nested_clears_seen) {
      for (auto& [name, variable] : state_) variable.seen = false;
    }
    const BlockPlan plan = PlanBlock(block, runner);
    if (!plan.judgement.valid())
      Stop(std::string("block ") + block.name + ": " + plan.judgement.rule());
    if (std::ranges::any_of(block.tensors, &TensorInfo::variable)) {
      Stop("a tensor that is a variable");
    }
    if (!obstacle_.empty()) return {};
    Frame frame{block, plan.producers, std::vector<Elements>(block.tensors.size()), depth};
    for (size_t i = 0; i < inputs.size(); ++i) At(frame, block.inputs[i]) = std::move(inputs[i]);
    for (const int32_t index : plan.order) {
      if (!RunOperator(frame, block.operators[static_cast<size_t>(index)])) return {};
    }
    std::vector<Elements> outputs;
    for (const TensorIndex output : block.outputs) outputs.push_back(At(frame, output));
    return outputs;
  }

  static Elements& At(Frame& frame, TensorIndex tensor) {
    return frame.values[static_cast<size_t>(tensor)];
  }

  bool RunOperator(Frame& frame, const Operator& op) {
    if (++operators_ > kOperatorsMax) return Stop("too many operators to read them as terms");
    switch (op.op) {
      case Op::kCondIf:
        return RunCondIf(frame, op);
      case Op::kWhileLoop:
        return RunWhileLoop(frame, op);
      case Op::kVariable:
        return CheckVariable(frame, op) && Declare(frame, op);
      case Op::kVariableRead:
        return CheckVariable(frame, op) && ReadVariable(frame, op);
      case Op::kVariableWrite:
        return CheckVariable(frame, op) && WriteVariable(frame, op);
      case Op::kCustom:
        return Stop(op, "what it does is up to its implementation");
      default:
        break;
    }
    RunPlain(frame, op);
    if (domain_.arena().exhausted()) return Stop("more terms than there is room for");
    if (!domain_.judgement().valid()) {
      return Stop(op, std::string("never valid, by ") + domain_.judgement().rule());
    }
    return obstacle_.empty();
  }

  // Appends the elements of an operand that rules read. Returns false unless all of them are
  // constants.
  bool KnownElements(const Elements& operand, std::vector<Scalar>& known) const {
    for (const TermId x : *operand.elements) {
      if (!domain_.arena().IsConstant(x)) return false;
      known.push_back(domain_.arena().Value(x));
    }
    return true;
  }

  bool IsConstant(const Frame& frame, TensorIndex tensor) const {
    const int32_t producer = frame.producers[static_cast<size_t>(tensor)];
    if (producer < 0) return false;
    const Op op = frame.block.operators[static_cast<size_t>(producer)].op;
    return assay::IsConstant(op);
  }

  bool RunPlain(Frame& frame, const Operator& op) {
    const std::vector<TensorType> inputs = frame.block.TypesOf(op.inputs);
    const std::vector<TensorType> outputs = frame.block.TypesOf(op.outputs);
    std::vector<std::vector<Scalar>> known(op.inputs.size());
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!FactsOf(op.op).NeedsConstant(i)) continue;
      if (!options_.dynamic && !IsConstant(frame, op.inputs[i])) {
        return Stop(op, "an operand that must be a compile-time constant is none");
      }
      if (!KnownElements(At(frame, op.inputs[i]), known[i])) {
        return Stop(op, "an operand that rules read hangs on the inputs");
      }
    }
    const std::vector<std::span<const Scalar>> constants(known.begin(), known.end());
    const Signature signature = {op.op, &op.attributes, inputs, outputs, constants};
    if (!CheckStatically(op, signature)) return false;
    for (const TensorType& type : outputs) {
      if (!Reserve(type.shape.Elements())) return false;
    }
    Compute(frame, op, ops::DefinitionOf(op.op), signature);
    return true;
  }

  // Checks the rules that need no execution, as the executor does.
  bool CheckStatically(const Operator& op, const Signature& signature) {
    Judgement judgement;
    CheckOperator(signature, options_.level, judgement);
    if (!judgement.valid()) return Stop(op, std::string("breaks ") + judgement.rule());
    std::vector<TensorType> inferred(signature.outputs.begin(), signature.outputs.end());
    for (TensorType& type : inferred) type.shape = {};
    const Signature open = {
        signature.op, signature.attributes, signature.inputs, {}, signature.constants};
    if (!InferOutputs(open, inferred) || !std::ranges::equal(inferred, signature.outputs)) {
      return Stop(op, "declares another output than it has");
    }
    return true;
  }

  void Compute(Frame& frame, const Operator& op, const ops::OperatorDefinition& definition,
               const Signature& signature) {
    if (definition.view) {
      At(frame, op.outputs[0]) = {signature.outputs[0], At(frame, op.inputs[0]).elements};
      return;
    }
    std::vector<const Elements*> operands;
    for (const TensorIndex input : op.inputs) operands.push_back(&At(frame, input));
    std::vector<std::vector<TermId>> results;
    for (const TensorType& type : signature.outputs) {
      results.emplace_back(static_cast<size_t>(type.shape.Elements()));
    }
    const Call<TermDomain> call = {signature, operands, results};
    if (definition.move != nullptr) {
      Move(definition, call);
    } else {
      definition.meaning.term(domain_, call);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      At(frame, op.outputs[i]) = {
          signature.outputs[i], std::make_shared<const std::vector<TermId>>(std::move(results[i]))};
    }
  }

  static void Move(const ops::OperatorDefinition& definition, const Call<TermDomain>& call) {
    std::vector<ops::Run> runs;
    definition.move(call.signature, runs);
    auto to = call.output().begin();
    for (const ops::Run& run : runs) {
      for (int64_t i = 0; i < run.count; ++i) {
        *to++ = call.input(run.operand)[run.first + i * run.step];
      }
    }
  }

  bool SameSignature(const Frame& frame, std::span<const TensorIndex> list, const Block& callee,
                     const std::vector<TensorIndex>& signature) const {
    return std::ranges::equal(list, signature, [&](TensorIndex a, TensorIndex b) {
      return frame.block.TypeOf(a) == callee.TypeOf(b);
    });
  }

  const Block* Callee(const Frame& frame, const Operator& op, AttributeId id) {
    const Block* block = graph_.FindBlock(op.attributes.Text(id));
    if (block == nullptr) Stop(op, "names no block");
    if (frame.depth >= options_.level.max_nesting) Stop(op, "nested too deeply");
    return obstacle_.empty() ? block : nullptr;
  }

  bool RunCondIf(Frame& frame, const Operator& op) {
    const Block* branches[] = {Callee(frame, op, AttributeId::kElseGraph),
                               Callee(frame, op, AttributeId::kThenGraph)};
    if (branches[0] == nullptr || branches[1] == nullptr) return false;
    const std::span<const TensorIndex> arguments(op.inputs.data() + 1, op.inputs.size() - 1);
    for (const Block* branch : branches) {
      if (!SameSignature(frame, arguments, *branch, branch->inputs) ||
          !SameSignature(frame, op.outputs, *branch, branch->outputs)) {
        return Stop(op, "a branch of another signature");
      }
    }
    const Elements& decides = At(frame, op.inputs[0]);
    if (decides.size() != 1) return Stop(op, "a condition of several elements");
    const TermId condition = decides[0];
    std::vector<Elements> inputs;
    for (const TensorIndex argument : arguments) inputs.push_back(At(frame, argument));
    TermArena& arena = domain_.arena();
    std::vector<Elements> results;
    if (arena.IsTrue(condition) || arena.IsFalse(condition)) {
      const Block& taken = *branches[arena.IsTrue(condition) ? 1 : 0];
      results = RunBlock(taken, &frame.block, std::move(inputs), frame.depth + 1);
    } else {
      results = RunBoth(frame, branches, condition, inputs);
    }
    if (!obstacle_.empty()) return false;
    for (size_t i = 0; i < results.size(); ++i) At(frame, op.outputs[i]) = std::move(results[i]);
    return true;
  }

  // Reads each branch under its guard, from the same variables.
  std::vector<Elements> RunBoth(const Frame& frame, const Block* const (&branches)[2],
                                TermId condition, const std::vector<Elements>& inputs) {
    TermArena& arena = domain_.arena();
    const Table before = state_;
    Table after[2];
    std::vector<Elements> results[2];
    for (size_t i = 0; i < 2; ++i) {
      state_ = before;
      const TermId taken = i == 1 ? condition : arena.Complement(condition);
      const std::optional<TermId> outer = domain_.guard();
      domain_.Guard(outer ? arena.And(*outer, taken) : taken);
      results[i] = RunBlock(*branches[i], &frame.block, inputs, frame.depth + 1);
      domain_.Guard(outer);
      if (!obstacle_.empty()) return {};
      after[i] = std::exchange(state_, {});
    }
    for (size_t i = 0; i < results[1].size(); ++i) {
      results[1][i] = Selected(condition, results[1][i], results[0][i]);
    }
    for (auto& [name, variable] : after[1]) {
      const Variable& other = after[0].at(name);
      variable.seen &= other.seen;
      variable.state.value = Selected(condition, variable.state.value, other.state.value);
      variable.state.written = arena.Select(condition, variable.state.written, other.state.written);
    }
    state_ = std::move(after[1]);
    return std::move(results[1]);
  }

  Elements Selected(TermId condition, const Elements& a, const Elements& b) {
    auto elements = std::make_shared<std::vector<TermId>>();
    for (int64_t i = 0; i < a.size(); ++i) {
      elements->push_back(domain_.arena().Select(condition, a[i], b[i]));
    }
    return {a.type, std::move(elements)};
  }

  bool RunWhileLoop(Frame& frame, const Operator& op) {
    const Block* cond = Callee(frame, op, AttributeId::kCondGraph);
    const Block* body = Callee(frame, op, AttributeId::kBodyGraph);
    if (cond == nullptr || body == nullptr) return false;
    if (!SameSignature(frame, op.inputs, *cond, cond->inputs) ||
        !SameSignature(frame, op.inputs, *body, body->inputs) ||
        !SameSignature(frame, op.inputs, *body, body->outputs) ||
        !SameSignature(frame, op.outputs, *body, body->outputs) || cond->outputs.size() != 1) {
      return Stop(op, "a block of another signature");
    }
    std::vector<Elements> carried;
    for (const TensorIndex input : op.inputs) carried.push_back(At(frame, input));
    for (int iteration = 0; iteration < kIterationsMax; ++iteration) {
      const std::vector<Elements> goes_on = RunBlock(*cond, &frame.block, carried, frame.depth + 1);
      if (!obstacle_.empty()) return false;
      if (goes_on[0].size() != 1) return Stop(op, "a condition of several elements");
      const TermId condition = goes_on[0][0];
      if (domain_.arena().IsFalse(condition)) {
        for (size_t i = 0; i < carried.size(); ++i) At(frame, op.outputs[i]) = carried[i];
        return true;
      }
      if (!domain_.arena().IsTrue(condition))
        return Stop(op, "how often it runs hangs on the inputs");
      carried = RunBlock(*body, &frame.block, carried, frame.depth + 1);
      if (!obstacle_.empty()) return false;
    }
    return Stop(op, "runs too often to be unrolled");
  }

  bool CheckVariable(const Frame& frame, const Operator& op) {
    const std::vector<TensorType> inputs = frame.block.TypesOf(op.inputs);
    const std::vector<TensorType> outputs = frame.block.TypesOf(op.outputs);
    const std::vector<std::span<const Scalar>> constants(inputs.size());
    Judgement judgement;
    CheckOperator({op.op, &op.attributes, inputs, outputs, constants}, options_.level, judgement,
                  options_.state_rules->types);
    return judgement.valid() || Stop(op, std::string("breaks ") + judgement.rule());
  }

  // Returns the position among the inputs of terms for what a variable holds, and for whether it
  // holds anything.
  uint32_t PositionOf(const std::string& name) {
    const auto next = FoldTermReader::kVariables + static_cast<uint32_t>(variables_.size());
    return variables_.try_emplace(name, next).first->second;
  }

  bool Declare(const Frame& frame, const Operator& op) {
    const std::string& name = op.attributes.Text(AttributeId::kName);
    if (frame.depth > 0) return Stop(op, "declared in a nested block");
    if (state_.contains(name)) return Stop(op, "declared twice");
    const TensorType type = {op.attributes.type(AttributeId::kType),
                             Shape(op.attributes.Ints(AttributeId::kVarShape))};
    const bool is_initialised = op.attributes.Has(AttributeId::kInitialValue);
    if (is_initialised && op.attributes.Value(AttributeId::kInitialValue).tensor_type() != type) {
      return Stop(op, "an initial value of another type");
    }
    Variable variable;
    variable.state.declaration = op.attributes;
    variable.state.value = Inputs(PositionOf("value of " + name), type);
    variable.state.written =
        is_initialised ? domain_.Integer(1)
                       : domain_.arena().Input(PositionOf("whether " + name), 0, DType::kBool);
    variable.seen = true;
    state_.emplace(name, std::move(variable));
    return obstacle_.empty();
  }

  Variable* Known(const Frame& frame, const Operator& op, TensorIndex tensor) {
    const auto known = state_.find(op.attributes.Text(AttributeId::kName));
    if (known == state_.end() || known->second.state.value.type != frame.block.TypeOf(tensor)) {
      Stop(op, "a variable that is not declared, or not as what it is used");
      return nullptr;
    }
    return &known->second;
  }

  bool ReadVariable(Frame& frame, const Operator& op) {
    const Variable* variable = Known(frame, op, op.outputs[0]);
    if (variable == nullptr) return false;
    domain_.RequireTrue(variable->state.written, "VARIABLE_READ/REQUIRE/2");
    At(frame, op.outputs[0]) = variable->state.value;
    return true;
  }

  bool WriteVariable(Frame& frame, const Operator& op) {
    Variable* variable = Known(frame, op, op.inputs[0]);
    if (variable == nullptr) return false;
    if (!variable->seen) return Stop(op, "a variable that this execution has not declared");
    variable->state.value = At(frame, op.inputs[0]);
    variable->state.written = domain_.Integer(1);
    return true;
  }

  const Graph& graph_;
  TermDomain& domain_;
  const ExecutionOptions& options_;
  std::map<std::string, uint32_t>& variables_;
  std::string obstacle_;
  Table state_;
  int64_t operators_ = 0;
  int64_t elements_ = 0;
};

}  // namespace

FoldTerms FoldTermReader::Read(const Graph& graph, TermDomain::Requirements requirements) {
  TermDomain domain(arena_, requirements);
  return Reading(graph, domain, options_, variables_).Run();
}

}  // namespace assay
