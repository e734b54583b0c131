// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "comparison.h"
#include "executor.h"
#include "graph_text.h"
#include "guarded.h"
#include "handles.h"
#include "quoted.h"
#include "tosa_file.h"
#include "tvec_file.h"
#include "vector_facts.h"

namespace assay::api {
namespace {

Result<std::unique_ptr<assay_vector>> Read(const void* bytes, size_t size, const char* name) {
  if (bytes == nullptr && size > 0) return NullPointer("bytes");
  Result<TestVector> read = ReadTestVector(std::span(static_cast<const uint8_t*>(bytes), size),
                                           name == nullptr ? "" : name);
  if (!read) return read.error();
  return std::make_unique<assay_vector>(std::move(*read));
}

// Returns the inputs of one step, which must be those of the graph.
Result<std::vector<Tensor>> InputsOf(const Block& main, const assay_tensor_view* inputs,
                                     size_t step) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
    const std::string what = "step " + std::to_string(step) + ": input " + Quoted(info.name);
    Result<Tensor> tensor = TensorOf(inputs[i], what);
    if (!tensor) return tensor.error();
    if (tensor->tensor_type() != info.type) {
      return BadArgument(what + ": is " + tensor->tensor_type().ToString() + "; the graph has " +
                         info.type.ToString());
    }
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

struct GivenGraph {
  const void* tosa;
  size_t size;
  const char* name;
  const assay_tensor_view* inputs;
  size_t input_count, steps;
};

Result<std::unique_ptr<assay_vector>> FromGraph(const GivenGraph& given) {
  if (given.tosa == nullptr) return NullPointer("tosa");
  if (given.inputs == nullptr && given.input_count > 0) return NullPointer("inputs");
  TestVector vector;
  vector.name = given.name == nullptr ? "graph" : given.name;
  Result<Graph> graph = ReadTosa(std::span(static_cast<const uint8_t*>(given.tosa), given.size),
                                 vector.name, nullptr);
  if (!graph) return graph.error();
  const Block* main = graph->Main();
  if (main == nullptr) return BadInput(vector.name + ": has no main block");
  if (given.input_count / std::max<size_t>(given.steps, 1) != main->inputs.size() ||
      given.input_count != main->inputs.size() * given.steps) {
    return BadArgument("input_count: is " + std::to_string(given.input_count) +
                       "; the graph has inputs: " + std::to_string(main->inputs.size()) +
                       ", in each of " + std::to_string(given.steps) + " steps");
  }
  for (size_t i = 0; i < given.steps; ++i) {
    auto inputs = InputsOf(*main, given.inputs + i * main->inputs.size(), i);
    if (!inputs) return inputs.error();
    vector.steps.emplace_back().inputs = std::move(*inputs);
  }
  vector.spec = graph->version;
  vector.graphs.push_back(std::move(*graph));
  vector.requirements = NamesOf(RequirementsOf(vector, {}));
  std::string reason;
  if (!Expect(vector, OptionsFor(vector, {}), &reason)) {
    return Error{Error::Kind::kUnsupported, vector.name + ": no sound expectation: " + reason};
  }
  for (const Step& step : vector.steps) {
    if (step.expected == OutcomeKind::kUnsupported) {
      return Error{Error::Kind::kResource, vector.name + ": " + step.rule};
    }
  }
  vector.tags = TagsOf(vector);
  return std::make_unique<assay_vector>(std::move(vector));
}

Result<Done> CheckStep(const assay_vector* vector, size_t step) {
  if (vector == nullptr) return NullPointer("vector");
  const size_t steps = vector->vector.steps.size();
  if (step >= steps) return BeyondList("step", step, "the vector", steps);
  return Done{};
}

// Returns the tensor that a list of the main block of a step names; null if there is none, because
// the content of a vector need not fit its graphs.
const TensorInfo* InfoOf(const assay_vector* vector, size_t step,
                         std::vector<TensorIndex> Block::*list, size_t index) {
  const Block* main = MainOf(vector->vector, step);
  if (main == nullptr || index >= (main->*list).size()) return nullptr;
  return &main->tensors[static_cast<size_t>((main->*list)[index])];
}
const char* NameOf(const TensorInfo* info) { return info == nullptr ? "" : info->name.c_str(); }

Result<assay_tensor_view> InputOf(const assay_vector* vector, size_t step, size_t index) {
  const Result<Done> checked = CheckStep(vector, step);
  if (!checked) return checked.error();
  const std::vector<Tensor>& inputs = vector->vector.steps[step].inputs;
  if (index >= inputs.size()) return BeyondList("input", index, "the step", inputs.size());
  return ViewOf(NameOf(InfoOf(vector, step, &Block::inputs, index)), inputs[index]);
}

Result<assay_tensor_view> OutputOf(const assay_vector* vector, size_t step, size_t index) {
  const Result<Done> checked = CheckStep(vector, step);
  if (!checked) return checked.error();
  const TensorInfo* info = InfoOf(vector, step, &Block::outputs, index);
  if (info == nullptr) {
    return BeyondList("output", index, "the graph", assay_vector_output_count(vector, step));
  }
  return ViewOf(info->name.c_str(), info->type, nullptr, BytesOf(info->type));
}

// Returns item `index` of a map by name.
template <class Map>
Result<typename Map::const_iterator> ItemOf(const Map& map, size_t index) {
  if (index >= map.size()) return BeyondList("variable", index, "the step", map.size());
  return std::next(map.begin(), static_cast<ptrdiff_t>(index));
}

Result<assay_tensor_view> StateBefore(const assay_vector* vector, size_t step, size_t index) {
  const Result<Done> checked = CheckStep(vector, step);
  if (!checked) return checked.error();
  const auto item = ItemOf(vector->vector.steps[step].state_before, index);
  if (!item) return item.error();
  return ViewOf((*item)->first.c_str(), (*item)->second);
}

assay_expectation Expected(const char* name, const Expectation& expectation) {
  const bool is_exact = expectation.reference.empty();
  return {ViewOf(name, expectation.value), is_exact ? nullptr : expectation.reference.data(),
          is_exact ? nullptr : expectation.error.data(), expectation.rule.c_str()};
}

Result<const Expectation*> ExpectationOf(const assay_vector* vector, size_t step, size_t output) {
  const Result<Done> checked = CheckStep(vector, step);
  if (!checked) return checked.error();
  const std::vector<Expectation>& outputs = vector->vector.steps[step].outputs;
  if (output >= outputs.size()) {
    return BeyondList("output", output, "the expectation of the step", outputs.size());
  }
  return &outputs[output];
}

Result<assay_expectation> ExpectedOutput(const assay_vector* vector, size_t step, size_t output) {
  const auto expectation = ExpectationOf(vector, step, output);
  if (!expectation) return expectation.error();
  return Expected(NameOf(InfoOf(vector, step, &Block::outputs, output)), **expectation);
}

Result<assay_expectation> ExpectedState(const assay_vector* vector, size_t step, size_t index) {
  const Result<Done> checked = CheckStep(vector, step);
  if (!checked) return checked.error();
  const auto item = ItemOf(vector->vector.steps[step].state_after, index);
  if (!item) return item.error();
  return Expected((*item)->first.c_str(), (*item)->second);
}

Result<assay_status> Demand(const assay_vector* vector, size_t step, size_t output, size_t element,
                            assay_demand& demand, std::span<char> text) {
  const auto found = ExpectationOf(vector, step, output);
  if (!found) return found.error();
  const Expectation& expectation = **found;
  const auto elements = static_cast<size_t>(expectation.value.elements());
  if (element >= elements) return BeyondList("element", element, "the output", elements);
  const double error = expectation.error.empty() ? 0 : expectation.error[element];
  demand = error == 0             ? ASSAY_DEMAND_EXACT
           : std::isfinite(error) ? ASSAY_DEMAND_BOUNDED
                                  : ASSAY_DEMAND_UNDETERMINED;
  if (text.empty()) return ASSAY_OK;
  const std::string words = demand == ASSAY_DEMAND_UNDETERMINED
                                ? "undetermined"
                                : AllowedText(expectation, static_cast<int64_t>(element));
  const size_t length = std::min(words.size(), text.size() - 1);
  std::copy_n(words.data(), length, text.data());
  text[length] = '\0';
  return ASSAY_OK;
}

// Returns what `make` makes of a key, which is kept in the vector.
template <class Value, class Make>
const Value& Kept(const assay_vector* vector, std::map<size_t, Value>& kept, size_t key,
                  const Make& make) {
  const std::lock_guard lock(vector->mutex);
  const auto found = kept.find(key);
  return found != kept.end() ? found->second : kept.emplace(key, make()).first->second;
}

Result<const Graph*> GraphOf(const assay_vector* vector, size_t graph) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<Graph>& graphs = vector->vector.graphs;
  if (graph >= graphs.size()) return BeyondList("graph", graph, "the vector", graphs.size());
  return &graphs[graph];
}

// Gives bytes that the vector keeps.
Result<assay_status> Give(const std::vector<uint8_t>& kept, const void** bytes, size_t* size) {
  *bytes = kept.data();
  *size = kept.size();
  return ASSAY_OK;
}

// Returns step `step` of a vector; null if there is none.
const Step* StepOf(const assay_vector* vector, size_t step) {
  if (vector == nullptr || step >= vector->vector.steps.size()) return nullptr;
  return &vector->vector.steps[step];
}

}  // namespace
}  // namespace assay::api

using assay::api::Giving;
using assay::api::Guarded;
using assay::api::Making;
using assay::api::NullPointer;
using assay::api::StepOf;
using assay::api::TextAt;

assay_status assay_vector_read(const void* bytes, size_t size, const char* name,
                               assay_vector** vector, assay_error* error) {
  return Making("vector", vector, error, [&] { return assay::api::Read(bytes, size, name); });
}
assay_status assay_vector_from_graph(const void* tosa, size_t size, const char* name,
                                     const assay_tensor_view* inputs, size_t input_count,
                                     size_t steps, assay_vector** vector, assay_error* error) {
  return Making("vector", vector, error, [&] {
    return assay::api::FromGraph({tosa, size, name, inputs, input_count, steps});
  });
}
void assay_vector_free(assay_vector* vector) { delete vector; }

assay_status assay_vector_bytes(const assay_vector* vector, const void** bytes, size_t* size,
                                assay_error* error) {
  return Guarded(error, [&]() -> assay::Result<assay_status> {
    if (bytes == nullptr || size == nullptr) return NullPointer("bytes or size");
    *bytes = nullptr, *size = 0;
    if (vector == nullptr) return NullPointer("vector");
    constexpr size_t kOnly = 0;
    return assay::api::Give(
        assay::api::Kept(vector, vector->bytes, kOnly,
                         [&] { return assay::WriteTestVector(vector->vector); }),
        bytes, size);
  });
}

const char* assay_vector_name(const assay_vector* vector) {
  return vector == nullptr ? "" : vector->vector.name.c_str();
}
const char* assay_vector_kind(const assay_vector* vector) {
  return vector == nullptr ? "" : vector->vector.provenance.kind.c_str();
}
const char* assay_vector_level(const assay_vector* vector) {
  return vector == nullptr ? "" : vector->vector.level.c_str();
}
size_t assay_vector_requirement_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.requirements.size();
}
const char* assay_vector_requirement(const assay_vector* vector, size_t index) {
  return vector == nullptr ? "" : TextAt(vector->vector.requirements, index);
}
size_t assay_vector_tag_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.tags.size();
}
const char* assay_vector_tag(const assay_vector* vector, size_t index) {
  return vector == nullptr ? "" : TextAt(vector->vector.tags, index);
}
size_t assay_vector_operator_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->operators.size();
}
const char* assay_vector_operator(const assay_vector* vector, size_t index) {
  if (index >= assay_vector_operator_count(vector)) return "";
  return assay::OperatorName(vector->operators[index].op).data();  // of a literal
}
assay_dtype assay_vector_operator_dtype(const assay_vector* vector, size_t index) {
  if (index >= assay_vector_operator_count(vector)) return 0;
  return static_cast<assay_dtype>(vector->operators[index].type);
}

size_t assay_vector_graph_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.graphs.size();
}
assay_status assay_vector_graph_bytes(const assay_vector* vector, size_t graph, const void** bytes,
                                      size_t* size, assay_error* error) {
  return Guarded(error, [&]() -> assay::Result<assay_status> {
    if (bytes == nullptr || size == nullptr) return NullPointer("bytes or size");
    *bytes = nullptr, *size = 0;
    const auto found = assay::api::GraphOf(vector, graph);
    if (!found) return found.error();
    return assay::api::Give(assay::api::Kept(vector, vector->graph_bytes, graph,
                                             [&] { return assay::WriteTosa(**found); }),
                            bytes, size);
  });
}
assay_status assay_vector_graph_text(const assay_vector* vector, size_t graph, const char** text,
                                     assay_error* error) {
  return Giving("text", text, error, [&]() -> assay::Result<const char*> {
    const auto found = assay::api::GraphOf(vector, graph);
    if (!found) return found.error();
    return assay::api::Kept(vector, vector->graph_texts, graph,
                            [&] { return assay::GraphText(**found); })
        .c_str();
  });
}

size_t assay_vector_step_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.steps.size();
}
int32_t assay_vector_step_graph(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? -1 : found->graph;
}
int32_t assay_vector_step_context(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? -1 : found->context;
}
size_t assay_vector_input_count(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? 0 : found->inputs.size();
}
assay_status assay_vector_input(const assay_vector* vector, size_t step, size_t index,
                                assay_tensor_view* input, assay_error* error) {
  return Giving("input", input, error, [&] { return assay::api::InputOf(vector, step, index); });
}
size_t assay_vector_output_count(const assay_vector* vector, size_t step) {
  if (StepOf(vector, step) == nullptr) return 0;
  const assay::Block* main = assay::api::MainOf(vector->vector, step);
  return main == nullptr ? 0 : main->outputs.size();
}
assay_status assay_vector_output(const assay_vector* vector, size_t step, size_t index,
                                 assay_tensor_view* output, assay_error* error) {
  return Giving("output", output, error, [&] { return assay::api::OutputOf(vector, step, index); });
}
size_t assay_vector_state_before_count(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? 0 : found->state_before.size();
}
assay_status assay_vector_state_before(const assay_vector* vector, size_t step, size_t index,
                                       assay_tensor_view* variable, assay_error* error) {
  return Giving("variable", variable, error,
                [&] { return assay::api::StateBefore(vector, step, index); });
}

assay_outcome assay_vector_expected_outcome(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? -1 : static_cast<assay_outcome>(found->expected);
}
const char* assay_vector_expected_rule(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? "" : found->rule.c_str();
}
assay_status assay_vector_expected(const assay_vector* vector, size_t step, size_t output,
                                   assay_expectation* expectation, assay_error* error) {
  return Giving("expectation", expectation, error,
                [&] { return assay::api::ExpectedOutput(vector, step, output); });
}
size_t assay_vector_state_count(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? 0 : found->state_after.size();
}
assay_status assay_vector_state(const assay_vector* vector, size_t step, size_t index,
                                assay_expectation* expectation, assay_error* error) {
  return Giving("expectation", expectation, error,
                [&] { return assay::api::ExpectedState(vector, step, index); });
}
assay_status assay_vector_demand(const assay_vector* vector, size_t step, size_t output,
                                 size_t element, assay_demand* demand, char* text, size_t size,
                                 assay_error* error) {
  return Guarded(error, [&]() -> assay::Result<assay_status> {
    if (demand == nullptr) return NullPointer("demand");
    *demand = 0;
    const std::span<char> room(text, text == nullptr ? 0 : size);
    return assay::api::Demand(vector, step, output, element, *demand, room);
  });
}
