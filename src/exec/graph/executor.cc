// SPDX-License-Identifier: Apache-2.0
#include "executor.h"

#include <algorithm>

#include "convert_tensor.h"
#include "interpreter.h"
#include "mutant_contexts.h"
#include "operator_set.h"

namespace assay {
namespace {

// Fills in the part of an outcome that both domains share.
template <class Outcome, class D>
bool Conclude(Interpreter<D>& interpreter, Outcome& outcome) {
  outcome.message = interpreter.message();
  if (interpreter.capped()) {
    outcome.kind = OutcomeKind::kUnsupported;
    return false;
  }
  const Judgement& judgement = interpreter.domain().judgement();
  outcome.rule = judgement.rule();
  switch (judgement.fate()) {
    case Fate::kValid:
      outcome.kind = OutcomeKind::kValid;
      break;
    case Fate::kError:
      outcome.kind = OutcomeKind::kError;
      break;
    case Fate::kUnpredictable:
      outcome.kind = OutcomeKind::kUnpredictable;
      break;
  }
  return outcome.kind == OutcomeKind::kValid;
}

template <class D>
std::vector<InFlightOf<D>> InFlightTensors(std::span<const Tensor> tensors) {
  std::vector<InFlightOf<D>> values;
  for (const Tensor& tensor : tensors) values.push_back(ToFlight<D>(tensor));
  return values;
}

// Returns the tensor as an execution delivers it: what a member of the ensemble has kept in a
// higher precision is rounded to its type.
Tensor Delivered(const ValueTensor& value, const ExecutionOptions& options) {
  const DType type = value.type().type;
  if (options.member == nullptr || !IsFloat(type)) return value.tensor();
  std::vector<Scalar> rounded = *value.elements().elements;
  for (Scalar& x : rounded) x = Scalar::OfFloat(RoundToType(type, x.real()));
  return ToTensor({value.type(), std::make_shared<const std::vector<Scalar>>(std::move(rounded))});
}

// Returns the requirements of test set `set` on a tensor as a whole. Returns nothing if the tensor
// is too small, or does not contain dot products by `rule`. Only elements that are expected within
// a bound have a unit.
std::optional<DotStatistics> StatisticsOf(const BoundTensor& results, const Expectation& expected,
                                          const std::optional<DotRule>& rule, int32_t set) {
  if (!rule || results.type().type != rule->out_type || results.size() < kMinDotProducts) {
    return std::nullopt;
  }
  DotStatistics statistics;
  statistics.set = set;
  statistics.abs_bound = DotProductAbsBound(rule->acc_type, rule->out_type, rule->kernel_size);
  statistics.variance_bound =
      DotProductVarianceBound(rule->acc_type, rule->out_type, rule->kernel_size);
  statistics.unit.reserve(expected.error.size());
  const std::vector<Bounded>& elements = *results.elements().elements;
  for (size_t i = 0; i < elements.size(); ++i) {
    statistics.unit.push_back(expected.error[i] > 0 ? elements[i].unit : 0);
  }
  return statistics;
}

}  // namespace

std::vector<std::string> RulesOfOutputs(const Block& block) {
  const std::vector<int32_t> producers = block.Producers();
  const auto rule_of = [&](TensorIndex tensor) -> std::string_view {
    for (size_t steps = 0; steps <= block.operators.size(); ++steps) {
      const int32_t producer = producers[static_cast<size_t>(tensor)];
      if (producer < 0) break;
      const Operator& op = block.operators[static_cast<size_t>(producer)];
      if (ops::DefinitionOf(op.op).move == nullptr || op.inputs.empty()) {
        return OperatorName(op.op);
      }
      tensor = op.inputs[0];
    }
    return "exact";
  };
  std::vector<std::string> rules;
  rules.reserve(block.outputs.size());
  for (const TensorIndex output : block.outputs) rules.emplace_back(rule_of(output));
  return rules;
}

Outcome Execute(Context& context, const Graph& graph, std::span<const Tensor> inputs,
                const ExecutionOptions& options) {
  Outcome outcome;
  Interpreter<ValueDomain> interpreter(graph, context, options);
  const auto results = interpreter.Run(InFlightTensors<ValueDomain>(inputs));
  if (!Conclude(interpreter, outcome)) return outcome;
  for (const auto& result : results) outcome.outputs.push_back(Delivered(result, options));
  for (const auto& [name, variable] : context.variables) {
    if (variable.is_written) outcome.state.emplace(name, Delivered(variable.value, options));
  }
  return outcome;
}

BoundedOutcome ExecuteWithBounds(BoundContext& context, const Graph& graph,
                                 std::span<const Tensor> inputs, const ExecutionOptions& options) {
  BoundedOutcome outcome;
  Interpreter<BoundDomain> interpreter(graph, context, options);
  auto values = InFlightTensors<BoundDomain>(inputs);
  for (size_t i = 0; i < std::min(values.size(), options.inputs_shown.size()); ++i) {
    if (options.inputs_shown[i]) values[i] = ShownTensor(inputs[i], options.declarations);
  }
  const auto results = interpreter.Run(std::move(values));
  outcome.order_dependent = interpreter.domain().order_dependent();
  outcome.uncertain_requirement = interpreter.domain().uncertain_requirement();
  if (!Conclude(interpreter, outcome)) return outcome;
  std::vector<std::string> rules = RulesOfOutputs(*graph.Main());
  for (size_t i = 0; i < results.size(); ++i) {
    Expectation output = ToExpectation(results[i], std::move(rules[i]));
    if (options.dot_product_set && !output.error.empty()) {
      const auto& rule = interpreter.domain().last_dot_rule();
      output.statistics = StatisticsOf(results[i], output, rule, *options.dot_product_set);
    }
    outcome.outputs.push_back(std::move(output));
  }
  for (const auto& [name, variable] : context.variables) {
    if (variable.is_written) outcome.state.emplace(name, ToExpectation(variable.value, "state"));
  }
  return outcome;
}

ExecutionOptions OptionsFor(const TestVector& vector, ExecutionOptions options) {
  if (const auto level = LevelByName(vector.level)) options.level = *level;
  if (const StateRules* rules = StateRulesByName(vector.semantics)) options.state_rules = rules;
  const auto& needs = vector.requirements;
  options.dynamic |= std::find(needs.begin(), needs.end(), "EXT-DYNAMIC") != needs.end();
  return options;
}

template <class D>
void SetVariables(ContextOf<D>& context, const std::map<std::string, Tensor>& values) {
  for (const auto& [name, tensor] : values) {
    auto& variable = context.variables[name];
    variable.value = ToFlight<D>(tensor);
    variable.is_written = true;
  }
}
template void SetVariables(Context& context, const std::map<std::string, Tensor>& values);
template void SetVariables(BoundContext& context, const std::map<std::string, Tensor>& values);

std::vector<Outcome> ExecuteVector(const TestVector& vector, const ExecutionOptions& options) {
  const ExecutionOptions effective = OptionsFor(vector, options);
  MutantContexts contexts(options.mutant);
  std::vector<Outcome> outcomes;
  for (const Step& step : vector.steps) {
    Context& context = contexts.Of(step);
    SetVariables(context, step.state_before);
    if (options.trace != nullptr) options.trace->Invokes(step.context);
    outcomes.push_back(Execute(context, vector.GraphOf(step), step.inputs, effective));
    contexts.Ran();
  }
  return outcomes;
}

bool Expect(TestVector& vector, const ExecutionOptions& options, std::string* reason) {
  const ExecutionOptions effective = OptionsFor(vector, options);
  std::map<int32_t, BoundContext> contexts;
  for (Step& step : vector.steps) {
    BoundContext& context = contexts[step.context];
    SetVariables(context, step.state_before);
    BoundedOutcome outcome =
        ExecuteWithBounds(context, vector.GraphOf(step), step.inputs, effective);
    if (outcome.kind == OutcomeKind::kUnsupported) {
      if (reason != nullptr) *reason = outcome.message;
      return false;
    }
    if (outcome.order_dependent || outcome.uncertain_requirement) {
      if (reason == nullptr) return false;
      *reason = outcome.order_dependent ? "the result depends on the order of summation"
                                        : "a REQUIRE hangs on an undetermined element";
      return false;
    }
    step.expected = outcome.kind;
    step.rule = std::move(outcome.rule);
    step.outputs = std::move(outcome.outputs);
    step.state_after = std::move(outcome.state);
  }
  return true;
}

}  // namespace assay
