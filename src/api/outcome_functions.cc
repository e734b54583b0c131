// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "declaration_names.h"
#include "executor.h"
#include "guarded.h"
#include "handles.h"

namespace assay::api {
namespace {

Result<std::unique_ptr<assay_outcomes>> NewOutcomes(const assay_vector* vector) {
  if (vector == nullptr) return NullPointer("vector");
  auto outcomes = std::make_unique<assay_outcomes>();
  for (size_t i = 0; i < vector->vector.steps.size(); ++i) {
    std::vector<TensorType>& declared = outcomes->declared.emplace_back();
    if (const Block* main = MainOf(vector->vector, i)) {
      for (const TensorIndex output : main->outputs) declared.push_back(main->TypeOf(output));
    }
    outcomes->steps.emplace_back().outputs.resize(declared.size());
  }
  return outcomes;
}

Result<assay_outcomes::Step*> GivenStep(assay_outcomes* outcomes, size_t step) {
  if (outcomes == nullptr) return NullPointer("outcomes");
  const size_t steps = outcomes->steps.size();
  if (step >= steps) return BeyondList("step", step, "the vector", steps);
  return &outcomes->steps[step];
}

// Returns the step, for an output of it that is to be set.
Result<assay_outcomes::Step*> AnsweredStep(assay_outcomes* outcomes, size_t step, size_t output) {
  const Result<assay_outcomes::Step*> found = GivenStep(outcomes, step);
  if (!found) return found;
  const size_t count = (*found)->outputs.size();
  if (output >= count) return BeyondList("output", output, "the graph", count);
  (*found)->kind = OutcomeKind::kValid;
  return found;
}

Result<GivenTensor> Copy(const assay_tensor_view* value, const std::string& what) {
  if (value == nullptr) return NullPointer("value");
  const Result<Tensor> tensor = TensorOf(*value, what);
  if (!tensor) return tensor.error();
  const auto bytes = tensor->bytes();
  return GivenTensor{tensor->tensor_type(), {bytes.begin(), bytes.end()}};
}

Result<assay_status> GiveBuffer(assay_outcomes* outcomes, size_t step, size_t output, void** data,
                                size_t* size) {
  const auto found = AnsweredStep(outcomes, step, output);
  if (!found) return found.error();
  const TensorType& type = outcomes->declared[step][output];
  const size_t bytes = BytesOf(type);
  constexpr size_t kBytesMax = size_t{1} << 40;
  if (bytes > kBytesMax) {
    return Error{Error::Kind::kResource,
                 PlaceInStep(step, "output " + std::to_string(output) + ": " + type.ToString() +
                                       " is too large")};
  }
  GivenTensor& given = (*found)->outputs[output].emplace(GivenTensor{type, {}});
  given.bytes.resize(bytes);
  *data = given.bytes.data();
  *size = bytes;
  return ASSAY_OK;
}

Result<assay_status> SetOutput(assay_outcomes* outcomes, size_t step, size_t output,
                               const assay_tensor_view* value) {
  Result<GivenTensor> given = Copy(value, PlaceInStep(step, "output " + std::to_string(output)));
  if (!given) return given.error();
  const auto found = AnsweredStep(outcomes, step, output);
  if (!found) return found.error();
  (*found)->outputs[output] = std::move(*given);
  return ASSAY_OK;
}

Result<assay_status> SetVariable(assay_outcomes* outcomes, size_t step,
                                 const assay_tensor_view* value) {
  const auto found = GivenStep(outcomes, step);
  if (!found) return found.error();
  if (value == nullptr || value->name == nullptr) return NullPointer("value or its name");
  const std::string name = value->name;
  Result<GivenTensor> given = Copy(value, PlaceInStep(step, "variable " + name));
  if (!given) return given.error();
  (*found)->state.insert_or_assign(name, std::move(*given));
  return ASSAY_OK;
}

Result<assay_status> SetOutcome(assay_outcomes* outcomes, size_t step, assay_outcome outcome,
                                const char* message) {
  const auto found = GivenStep(outcomes, step);
  if (!found) return found.error();
  if (outcome < ASSAY_OUTCOME_ANSWERED || outcome > ASSAY_OUTCOME_TIMED_OUT ||
      outcome == ASSAY_OUTCOME_UNPREDICTABLE) {
    return BadArgument("outcome: " + std::to_string(outcome) + " is none of a backend");
  }
  (*found)->kind = static_cast<OutcomeKind>(outcome);
  (*found)->message = message == nullptr ? "" : message;
  return ASSAY_OK;
}

Result<assay_status> Declare(assay_outcomes* outcomes, const char* declaration) {
  if (outcomes == nullptr) return NullPointer("outcomes");
  if (declaration == nullptr) return NullPointer("declaration");
  std::vector<std::string> names = outcomes->declarations;
  names.emplace_back(declaration);
  const Result<BackendDeclarations> known = DeclarationsNamed(names);
  if (!known) return known.error();
  outcomes->declarations = std::move(names);
  return ASSAY_OK;
}

GivenTensor Given(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {tensor.tensor_type(), {bytes.begin(), bytes.end()}};
}

Result<std::unique_ptr<assay_outcomes>> Executed(const assay_vector* vector) {
  Result<std::unique_ptr<assay_outcomes>> made = NewOutcomes(vector);
  if (!made) return made;
  const std::vector<Outcome> outcomes =
      ExecuteVector(vector->vector, OptionsFor(vector->vector, {}));
  for (size_t i = 0; i < outcomes.size(); ++i) {
    assay_outcomes::Step& step = (*made)->steps[i];
    step.kind = outcomes[i].kind;
    step.rule = outcomes[i].rule;
    step.message = outcomes[i].message;
    for (size_t k = 0; k < outcomes[i].outputs.size(); ++k) {
      step.outputs[k] = Given(outcomes[i].outputs[k]);
    }
    for (const auto& [name, value] : outcomes[i].state) step.state.emplace(name, Given(value));
  }
  return made;
}

// Return views of an output and of a variable of outcomes.
assay_tensor_view ViewOfGiven(const char* name, const GivenTensor& given) {
  return ViewOf(name, given.type, given.bytes.data(), given.bytes.size());
}

Result<assay_tensor_view> GivenOutput(const assay_outcomes* outcomes, size_t step, size_t output) {
  if (outcomes == nullptr) return NullPointer("outcomes");
  const size_t count = assay_outcomes_output_count(outcomes, step);
  if (output >= count) return BeyondList("output", output, "the step", count);
  const auto& given = outcomes->steps[step].outputs[output];
  if (given) return ViewOfGiven("", *given);
  return BadArgument(PlaceInStep(step, "output " + std::to_string(output) + ": is not set"));
}

Result<assay_tensor_view> VariableOf(const assay_outcomes* outcomes, size_t step, size_t index) {
  if (outcomes == nullptr) return NullPointer("outcomes");
  const size_t count = assay_outcomes_variable_count(outcomes, step);
  if (index >= count) return BeyondList("variable", index, "the step", count);
  const auto item = std::next(outcomes->steps[step].state.begin(), static_cast<ptrdiff_t>(index));
  return ViewOfGiven(item->first.c_str(), item->second);
}

// Returns a step of outcomes; null if there is none.
const assay_outcomes::Step* Find(const assay_outcomes* outcomes, size_t step) {
  if (outcomes == nullptr || step >= outcomes->steps.size()) return nullptr;
  return &outcomes->steps[step];
}

}  // namespace
}  // namespace assay::api

using assay::api::Find;
using assay::api::Giving;
using assay::api::Guarded;
using assay::api::Making;
using assay::api::NullPointer;

assay_status assay_outcomes_new(const assay_vector* vector, assay_outcomes** outcomes,
                                assay_error* error) {
  return Making("outcomes", outcomes, error, [&] { return assay::api::NewOutcomes(vector); });
}
void assay_outcomes_free(assay_outcomes* outcomes) { delete outcomes; }
assay_status assay_outcomes_buffer(assay_outcomes* outcomes, size_t step, size_t output,
                                   void** data, size_t* size, assay_error* error) {
  return Guarded(error, [&]() -> assay::Result<assay_status> {
    if (data == nullptr) return NullPointer("data");
    *data = nullptr;
    size_t unused = 0;
    size_t& bytes = size == nullptr ? unused : *size;
    bytes = 0;
    return assay::api::GiveBuffer(outcomes, step, output, data, &bytes);
  });
}
assay_status assay_outcomes_set_output(assay_outcomes* outcomes, size_t step, size_t output,
                                       const assay_tensor_view* value, assay_error* error) {
  return Guarded(error, [&] { return assay::api::SetOutput(outcomes, step, output, value); });
}
assay_status assay_outcomes_set_variable(assay_outcomes* outcomes, size_t step,
                                         const assay_tensor_view* value, assay_error* error) {
  return Guarded(error, [&] { return assay::api::SetVariable(outcomes, step, value); });
}
assay_status assay_outcomes_set(assay_outcomes* outcomes, size_t step, assay_outcome outcome,
                                const char* message, assay_error* error) {
  return Guarded(error, [&] { return assay::api::SetOutcome(outcomes, step, outcome, message); });
}
assay_status assay_outcomes_declare(assay_outcomes* outcomes, const char* declaration,
                                    assay_error* error) {
  return Guarded(error, [&] { return assay::api::Declare(outcomes, declaration); });
}

assay_outcome assay_outcomes_outcome(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? -1 : static_cast<assay_outcome>(found->kind);
}
const char* assay_outcomes_message(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? "" : found->message.c_str();
}
const char* assay_outcomes_rule(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? "" : found->rule.c_str();
}
size_t assay_outcomes_output_count(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? 0 : found->outputs.size();
}
assay_status assay_outcomes_output(const assay_outcomes* outcomes, size_t step, size_t output,
                                   assay_tensor_view* value, assay_error* error) {
  return Giving("value", value, error,
                [&] { return assay::api::GivenOutput(outcomes, step, output); });
}
size_t assay_outcomes_variable_count(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? 0 : found->state.size();
}
assay_status assay_outcomes_variable(const assay_outcomes* outcomes, size_t step, size_t index,
                                     assay_tensor_view* value, assay_error* error) {
  return Giving("value", value, error,
                [&] { return assay::api::VariableOf(outcomes, step, index); });
}

assay_status assay_execute(const assay_vector* vector, assay_outcomes** outcomes,
                           assay_error* error) {
  return Making("outcomes", outcomes, error, [&] { return assay::api::Executed(vector); });
}
