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
      declared = main->TypesOf(main->outputs);
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

GivenTensor Given(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {tensor.tensor_type(), {bytes.begin(), bytes.end()}};
}

Result<GivenTensor> Copy(const assay_tensor_view* value, const std::string& what) {
  if (value == nullptr) return NullPointer("value");
  const Result<Tensor> tensor = TensorOf(*value, what);
  if (!tensor) return tensor.error();
  return Given(*tensor);
}

// Returns a view of a tensor of outcomes.
assay_tensor_view ViewOfGiven(const char* name, const GivenTensor& given) {
  return ViewOf(name, given.type, given.bytes.data(), given.bytes.size());
}

// Returns a step of outcomes; null if there is none.
const assay_outcomes::Step* Find(const assay_outcomes* outcomes, size_t step) {
  if (outcomes == nullptr || step >= outcomes->steps.size()) return nullptr;
  return &outcomes->steps[step];
}

}  // namespace
}  // namespace assay::api

using assay::Result;
using assay::api::AnsweredStep, assay::api::BadArgument, assay::api::BeyondList, assay::api::Copy;
using assay::api::Find, assay::api::Given, assay::api::GivenStep, assay::api::Giving;
using assay::api::Guarded, assay::api::Making, assay::api::NullPointer, assay::api::PlaceInStep;
using assay::api::ViewOfGiven;

assay_status assay_outcomes_new(const assay_vector* vector, assay_outcomes** outcomes,
                                assay_error* error) {
  return Making("outcomes", outcomes, error, [&] { return assay::api::NewOutcomes(vector); });
}
void assay_outcomes_free(assay_outcomes* outcomes) { delete outcomes; }
assay_status assay_outcomes_buffer(assay_outcomes* outcomes, size_t step, size_t output,
                                   void** data, size_t* size, assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    if (data == nullptr) return NullPointer("data");
    *data = nullptr;
    if (size != nullptr) *size = 0;
    const auto found = AnsweredStep(outcomes, step, output);
    if (!found) return found.error();
    const assay::TensorType& type = outcomes->declared[step][output];
    const size_t bytes = assay::api::BytesOf(type);
    constexpr size_t kBytesMax = size_t{1} << 40;
    if (bytes > kBytesMax) {
      return assay::Error{assay::Error::Kind::kResource,
                          PlaceInStep(step, "output " + std::to_string(output) + ": " +
                                                type.ToString() + " is too large")};
    }
    GivenTensor& given = (*found)->outputs[output].emplace(GivenTensor{type, {}});
    given.bytes.resize(bytes);
    *data = given.bytes.data();
    if (size != nullptr) *size = bytes;
    return ASSAY_OK;
  });
}
assay_status assay_outcomes_set_output(assay_outcomes* outcomes, size_t step, size_t output,
                                       const assay_tensor_view* value, assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    Result<GivenTensor> given = Copy(value, PlaceInStep(step, "output " + std::to_string(output)));
    if (!given) return given.error();
    const auto found = AnsweredStep(outcomes, step, output);
    if (!found) return found.error();
    (*found)->outputs[output] = std::move(*given);
    return ASSAY_OK;
  });
}
assay_status assay_outcomes_set_variable(assay_outcomes* outcomes, size_t step,
                                         const assay_tensor_view* value, assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    const auto found = GivenStep(outcomes, step);
    if (!found) return found.error();
    if (value == nullptr || value->name == nullptr) return NullPointer("value or its name");
    const std::string name = value->name;
    Result<GivenTensor> given = Copy(value, PlaceInStep(step, "variable " + name));
    if (!given) return given.error();
    (*found)->state.insert_or_assign(name, std::move(*given));
    return ASSAY_OK;
  });
}
assay_status assay_outcomes_set(assay_outcomes* outcomes, size_t step, assay_outcome outcome,
                                const char* message, assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    const auto found = GivenStep(outcomes, step);
    if (!found) return found.error();
    if (outcome < ASSAY_OUTCOME_ANSWERED || outcome > ASSAY_OUTCOME_TIMED_OUT ||
        outcome == ASSAY_OUTCOME_UNPREDICTABLE) {
      return BadArgument("outcome: " + std::to_string(outcome) + " is none of a backend");
    }
    (*found)->kind = static_cast<assay::OutcomeKind>(outcome);
    (*found)->message = message == nullptr ? "" : message;
    return ASSAY_OK;
  });
}
assay_status assay_outcomes_declare(assay_outcomes* outcomes, const char* declaration,
                                    assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    if (outcomes == nullptr) return NullPointer("outcomes");
    if (declaration == nullptr) return NullPointer("declaration");
    std::vector<std::string> names = outcomes->declarations;
    names.emplace_back(declaration);
    const Result<assay::BackendDeclarations> known = assay::DeclarationsNamed(names);
    if (!known) return known.error();
    outcomes->declarations = std::move(names);
    return ASSAY_OK;
  });
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
  return Giving("value", value, error, [&]() -> Result<assay_tensor_view> {
    if (outcomes == nullptr) return NullPointer("outcomes");
    const size_t count = assay_outcomes_output_count(outcomes, step);
    if (output >= count) return BeyondList("output", output, "the step", count);
    const auto& given = outcomes->steps[step].outputs[output];
    if (given) return ViewOfGiven("", *given);
    return BadArgument(PlaceInStep(step, "output " + std::to_string(output) + ": is not set"));
  });
}
size_t assay_outcomes_variable_count(const assay_outcomes* outcomes, size_t step) {
  const assay_outcomes::Step* found = Find(outcomes, step);
  return found == nullptr ? 0 : found->state.size();
}
assay_status assay_outcomes_variable(const assay_outcomes* outcomes, size_t step, size_t index,
                                     assay_tensor_view* value, assay_error* error) {
  return Giving("value", value, error, [&]() -> Result<assay_tensor_view> {
    if (outcomes == nullptr) return NullPointer("outcomes");
    const size_t count = assay_outcomes_variable_count(outcomes, step);
    if (index >= count) return BeyondList("variable", index, "the step", count);
    const auto item = std::next(outcomes->steps[step].state.begin(), static_cast<ptrdiff_t>(index));
    return ViewOfGiven(item->first.c_str(), item->second);
  });
}

assay_status assay_execute(const assay_vector* vector, assay_outcomes** outcomes,
                           assay_error* error) {
  return Making("outcomes", outcomes, error, [&]() -> Result<std::unique_ptr<assay_outcomes>> {
    Result<std::unique_ptr<assay_outcomes>> made = assay::api::NewOutcomes(vector);
    if (!made) return made;
    const std::vector<assay::Outcome> computed =
        ExecuteVector(vector->vector, OptionsFor(vector->vector, {}));
    for (size_t i = 0; i < computed.size(); ++i) {
      assay_outcomes::Step& step = (*made)->steps[i];
      step.kind = computed[i].kind;
      step.rule = computed[i].rule;
      step.message = computed[i].message;
      for (size_t k = 0; k < computed[i].outputs.size(); ++k) {
        step.outputs[k] = Given(computed[i].outputs[k]);
      }
      for (const auto& [name, value] : computed[i].state) step.state.emplace(name, Given(value));
    }
    return made;
  });
}
