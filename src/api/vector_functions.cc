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
#include "spirv_file.h"
#include "tosa_file.h"
#include "tvec_file.h"
#include "vector_facts.h"

namespace assay::api {
namespace {

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

// Returns item `index` of a map by name.
template <class Map>
Result<typename Map::const_iterator> ItemOf(const Map& map, size_t index) {
  if (index >= map.size()) return BeyondList("variable", index, "the step", map.size());
  return std::next(map.begin(), static_cast<ptrdiff_t>(index));
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

using assay::Block, assay::Graph, assay::Result, assay::TestVector;
using assay::api::BadArgument, assay::api::BeyondList, assay::api::CheckStep, assay::api::Expected;
using assay::api::ExpectationOf, assay::api::Giving, assay::api::Guarded, assay::api::InfoOf;
using assay::api::ItemOf, assay::api::Making, assay::api::NameOf, assay::api::NullPointer;
using assay::api::StepOf, assay::api::TextAt, assay::api::ViewOf;

assay_status assay_vector_read(const void* bytes, size_t size, const char* name,
                               assay_vector** vector, assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (bytes == nullptr && size > 0) return NullPointer("bytes");
    Result<TestVector> read = assay::ReadTestVector(
        std::span(static_cast<const uint8_t*>(bytes), size), name == nullptr ? "" : name);
    if (!read) return read.error();
    return std::make_unique<assay_vector>(std::move(*read));
  });
}
assay_status assay_vector_from_graph(const void* tosa, size_t size, const char* name,
                                     const assay_tensor_view* inputs, size_t input_count,
                                     size_t steps, assay_vector** vector, assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (tosa == nullptr) return NullPointer("tosa");
    if (inputs == nullptr && input_count > 0) return NullPointer("inputs");
    TestVector made;
    made.name = name == nullptr ? "graph" : name;
    Result<Graph> graph = assay::ReadGraphBytes(std::span(static_cast<const uint8_t*>(tosa), size),
                                                made.name, nullptr);
    if (!graph) return graph.error();
    const Block* main = graph->Main();
    if (main == nullptr) return assay::BadInput(made.name + ": has no main block");
    if (input_count / std::max<size_t>(steps, 1) != main->inputs.size() ||
        input_count != main->inputs.size() * steps) {
      return BadArgument("input_count: is " + std::to_string(input_count) +
                         "; the graph has inputs: " + std::to_string(main->inputs.size()) +
                         ", in each of " + std::to_string(steps) + " steps");
    }
    for (size_t i = 0; i < steps; ++i) {
      auto given = assay::api::InputsOf(*main, inputs + i * main->inputs.size(), i);
      if (!given) return given.error();
      made.steps.emplace_back().inputs = std::move(*given);
    }
    made.spec = graph->version;
    made.graphs.push_back(std::move(*graph));
    made.requirements = NamesOf(RequirementsOf(made, {}));
    std::string reason;
    if (!Expect(made, OptionsFor(made, {}), &reason)) {
      return assay::Unsupported(made.name + ": no sound expectation: " + reason);
    }
    for (const assay::Step& step : made.steps) {
      if (step.expected == assay::OutcomeKind::kUnsupported) {
        return assay::Error{assay::Error::Kind::kResource, made.name + ": " + step.rule};
      }
    }
    made.tags = TagsOf(made);
    return std::make_unique<assay_vector>(std::move(made));
  });
}
void assay_vector_free(assay_vector* vector) { delete vector; }

assay_status assay_vector_bytes(const assay_vector* vector, const void** bytes, size_t* size,
                                assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
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
  return Guarded(error, [&]() -> Result<assay_status> {
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
  return Giving("text", text, error, [&]() -> Result<const char*> {
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
  return Giving("input", input, error, [&]() -> Result<assay_tensor_view> {
    const Result<assay::Done> checked = CheckStep(vector, step);
    if (!checked) return checked.error();
    const std::vector<assay::Tensor>& inputs = vector->vector.steps[step].inputs;
    if (index >= inputs.size()) return BeyondList("input", index, "the step", inputs.size());
    return ViewOf(NameOf(InfoOf(vector, step, &Block::inputs, index)), inputs[index]);
  });
}
size_t assay_vector_output_count(const assay_vector* vector, size_t step) {
  if (StepOf(vector, step) == nullptr) return 0;
  const Block* main = assay::api::MainOf(vector->vector, step);
  return main == nullptr ? 0 : main->outputs.size();
}
assay_status assay_vector_output(const assay_vector* vector, size_t step, size_t index,
                                 assay_tensor_view* output, assay_error* error) {
  return Giving("output", output, error, [&]() -> Result<assay_tensor_view> {
    const Result<assay::Done> checked = CheckStep(vector, step);
    if (!checked) return checked.error();
    const assay::TensorInfo* info = InfoOf(vector, step, &Block::outputs, index);
    if (info == nullptr) {
      return BeyondList("output", index, "the graph", assay_vector_output_count(vector, step));
    }
    return ViewOf(info->name.c_str(), info->type, nullptr, assay::api::BytesOf(info->type));
  });
}
size_t assay_vector_state_before_count(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? 0 : found->state_before.size();
}
assay_status assay_vector_state_before(const assay_vector* vector, size_t step, size_t index,
                                       assay_tensor_view* variable, assay_error* error) {
  return Giving("variable", variable, error, [&]() -> Result<assay_tensor_view> {
    const Result<assay::Done> checked = CheckStep(vector, step);
    if (!checked) return checked.error();
    const auto item = ItemOf(vector->vector.steps[step].state_before, index);
    if (!item) return item.error();
    return ViewOf((*item)->first.c_str(), (*item)->second);
  });
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
  return Giving("expectation", expectation, error, [&]() -> Result<assay_expectation> {
    const auto found = ExpectationOf(vector, step, output);
    if (!found) return found.error();
    return Expected(NameOf(InfoOf(vector, step, &Block::outputs, output)), **found);
  });
}
size_t assay_vector_state_count(const assay_vector* vector, size_t step) {
  const assay::Step* found = StepOf(vector, step);
  return found == nullptr ? 0 : found->state_after.size();
}
assay_status assay_vector_state(const assay_vector* vector, size_t step, size_t index,
                                assay_expectation* expectation, assay_error* error) {
  return Giving("expectation", expectation, error, [&]() -> Result<assay_expectation> {
    const Result<assay::Done> checked = CheckStep(vector, step);
    if (!checked) return checked.error();
    const auto item = ItemOf(vector->vector.steps[step].state_after, index);
    if (!item) return item.error();
    return Expected((*item)->first.c_str(), (*item)->second);
  });
}
assay_status assay_vector_demand(const assay_vector* vector, size_t step, size_t output,
                                 size_t element, assay_demand* demand, char* text, size_t size,
                                 assay_error* error) {
  return Guarded(error, [&]() -> Result<assay_status> {
    if (demand == nullptr) return NullPointer("demand");
    *demand = 0;
    const auto found = ExpectationOf(vector, step, output);
    if (!found) return found.error();
    const assay::Expectation& expectation = **found;
    const auto elements = static_cast<size_t>(expectation.value.elements());
    if (element >= elements) return BeyondList("element", element, "the output", elements);
    const double bound = expectation.error.empty() ? 0 : expectation.error[element];
    *demand = bound == 0             ? ASSAY_DEMAND_EXACT
              : std::isfinite(bound) ? ASSAY_DEMAND_BOUNDED
                                     : ASSAY_DEMAND_UNDETERMINED;
    if (text == nullptr || size == 0) return ASSAY_OK;
    const std::string words = *demand == ASSAY_DEMAND_UNDETERMINED
                                  ? "undetermined"
                                  : AllowedText(expectation, static_cast<int64_t>(element));
    const size_t length = std::min(words.size(), size - 1);
    std::copy_n(words.data(), length, text);
    text[length] = '\0';
    return ASSAY_OK;
  });
}
