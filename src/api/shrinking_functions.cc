// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "assay.h"
#include "checked_plan.h"
#include "counted.h"
#include "folded_pair.h"
#include "graph_text.h"
#include "guarded.h"
#include "handles.h"
#include "memory_vector.h"
#include "planned_json.h"
#include "shrinking_vector.h"

struct assay_shrinkable {
  explicit assay_shrinkable(assay::ShrinkingVector content)
      : vector(content.vector()), shrinking(std::move(content)) {}

  const assay_vector vector;
  mutable std::mutex mutex;  // of what follows
  mutable assay::ShrinkingVector shrinking;
};

namespace assay::api {
namespace {

Result<std::string> TextOf(const TestVector& vector) {
  std::string text;
  for (size_t i = 0; i < vector.graphs.size(); ++i) {
    if (vector.graphs.size() > 1) text += "graph " + std::to_string(i) + ":\n";
    text += GraphText(vector.graphs[i]);
  }
  for (const Step& step : vector.steps) {
    text += "step of graph " + std::to_string(step.graph) + " in context " +
            std::to_string(step.context) + ":";
    for (const Tensor& input : step.inputs) text += " " + TensorText(input, 16);
    text += (step.expected == OutcomeKind::kValid ? "" : " breaks " + step.rule) + "\n";
  }
  for (const FoldPair& pair : vector.fold_pairs) {
    text += "pair: graph " + std::to_string(pair.before) + " and graph " +
            std::to_string(pair.after) + (pair.equal ? ", equal: " : ", not equal: ") + pair.law +
            "\n";
  }
  for (const PlanRecord& record : vector.plans) {
    const Result<std::string> json = PlanJson(record.planned);
    if (!json) return json.error();
    text += *json;
  }
  return text;
}

Result<ShrinkingVector> Shrinking(const TestVector& vector) {
  if (!vector.steps.empty() || IsMemoryVector(vector)) return ShrinkingVector(vector);
  return BadArgument("vector: has neither steps nor a memory problem with a sound plan alone");
}

Result<std::string> Broken(const TestVector& vector, size_t plan,
                           std::span<const assay_place> places) {
  if (plan >= vector.plans.size()) {
    return BeyondList("plan", plan, "the vector", vector.plans.size());
  }
  const MemoryProblem& problem = vector.plans[plan].planned.problem;
  if (places.size() != problem.buffers.size()) {
    return BadArgument("places: the problem has " + Counted(std::ssize(problem.buffers), "buffer") +
                       ", and " + std::to_string(places.size()) + " places are given");
  }
  MemoryPlan checked;
  for (const assay_place& place : places) {
    checked.allocations.push_back(PoolAllocation{place.pool, place.offset});
  }
  std::string text;
  for (const PlanBreach& breach : CheckPlan(problem, checked).breaches) text += breach.text + "\n";
  return text;
}

}  // namespace
}  // namespace assay::api

using assay::Result;
using assay::api::Making;
using assay::api::NullPointer;

assay_status assay_shrinkable_new(const assay_vector* vector, assay_shrinkable** shrinkable,
                                  assay_error* error) {
  return Making("shrinkable", shrinkable, error,
                [&]() -> Result<std::unique_ptr<assay_shrinkable>> {
                  if (vector == nullptr) return NullPointer("vector");
                  Result<assay::ShrinkingVector> made = assay::api::Shrinking(vector->vector);
                  if (!made) return made.error();
                  return std::make_unique<assay_shrinkable>(std::move(*made));
                });
}
void assay_shrinkable_free(assay_shrinkable* shrinkable) { delete shrinkable; }
const assay_vector* assay_shrinkable_vector(const assay_shrinkable* shrinkable) {
  return shrinkable == nullptr ? nullptr : &shrinkable->vector;
}
assay_status assay_shrinkable_smaller(const assay_shrinkable* shrinkable, size_t number,
                                      assay_shrinkable** smaller, assay_error* error) {
  return Making("smaller", smaller, error, [&]() -> Result<std::unique_ptr<assay_shrinkable>> {
    if (shrinkable == nullptr) return NullPointer("shrinkable");
    const std::lock_guard lock(shrinkable->mutex);
    std::optional<assay::ShrinkingVector> made = shrinkable->shrinking.At(number);
    if (!made) return std::unique_ptr<assay_shrinkable>();
    return std::make_unique<assay_shrinkable>(std::move(*made));
  });
}

assay_status assay_vector_show(const assay_vector* vector, assay_lines** lines,
                               assay_error* error) {
  return Making("lines", lines, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (vector == nullptr) return NullPointer("vector");
    const Result<std::string> text = assay::api::TextOf(vector->vector);
    if (!text) return text.error();
    return assay::api::LinesOf(*text);
  });
}

assay_status assay_memory_problem(uint64_t seed, assay_vector** vector, assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    return std::make_unique<assay_vector>(assay::MemoryVector(seed));
  });
}

assay_status assay_check_places(const assay_vector* vector, size_t plan, const assay_place* places,
                                size_t place_count, assay_lines** broken, assay_error* error) {
  return Making("broken", broken, error, [&]() -> Result<std::unique_ptr<assay_lines>> {
    if (vector == nullptr) return NullPointer("vector");
    if (places == nullptr && place_count > 0) return NullPointer("places");
    const Result<std::string> text =
        assay::api::Broken(vector->vector, plan, {places, place_count});
    if (!text) return text.error();
    return assay::api::LinesOf(*text);
  });
}

assay_status assay_freeze_inputs(const assay_vector* vector, uint64_t inputs, assay_vector** frozen,
                                 assay_error* error) {
  return Making("frozen", frozen, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (vector == nullptr) return NullPointer("vector");
    Result<assay::TestVector> made = assay::WithConstantInputs(vector->vector, inputs);
    if (!made) return made.error();
    return std::make_unique<assay_vector>(std::move(*made));
  });
}
