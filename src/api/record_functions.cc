// SPDX-License-Identifier: Apache-2.0
#include "guarded.h"
#include "handles.h"

namespace assay::api {
namespace {

Result<const PlanRecord*> RecordAt(const assay_vector* vector, size_t index) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<PlanRecord>& plans = vector->vector.plans;
  if (index >= plans.size()) return BeyondList("plan", index, "the vector", plans.size());
  return &plans[index];
}

}  // namespace
}  // namespace assay::api

using assay::Result;
using assay::api::BeyondList, assay::api::Giving, assay::api::RecordAt;

size_t assay_vector_fold_pair_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.fold_pairs.size();
}
assay_status assay_vector_fold_pair(const assay_vector* vector, size_t index, assay_fold_pair* pair,
                                    assay_error* error) {
  return Giving("pair", pair, error, [&]() -> Result<assay_fold_pair> {
    if (vector == nullptr) return assay::api::NullPointer("vector");
    const std::vector<assay::FoldPair>& pairs = vector->vector.fold_pairs;
    if (index >= pairs.size()) return BeyondList("pair", index, "the vector", pairs.size());
    const assay::FoldPair& found = pairs[index];
    return assay_fold_pair{static_cast<size_t>(found.before),
                           static_cast<size_t>(found.after),
                           found.equal ? 1 : 0,
                           0,
                           found.law.c_str(),
                           found.reason.c_str()};
  });
}

size_t assay_vector_plan_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.plans.size();
}
assay_status assay_vector_plan(const assay_vector* vector, size_t index, assay_plan* plan,
                               assay_error* error) {
  return Giving("plan", plan, error, [&]() -> Result<assay_plan> {
    const auto record = RecordAt(vector, index);
    if (!record) return record.error();
    const assay::PlanRecord& found = **record;
    return assay_plan{found.planned.problem.buffers.size(),
                      found.planned.problem.pools.size(),
                      found.graph.value_or(-1),
                      found.planned.plan ? 1 : 0,
                      found.optimum.value_or(-1),
                      found.broken.c_str(),
                      found.fault.c_str()};
  });
}
assay_status assay_vector_plan_pool(const assay_vector* vector, size_t plan, size_t index,
                                    assay_memory_pool* pool, assay_error* error) {
  return Giving("pool", pool, error, [&]() -> Result<assay_memory_pool> {
    const auto record = RecordAt(vector, plan);
    if (!record) return record.error();
    const std::vector<assay::PoolInfo>& pools = (*record)->planned.problem.pools;
    if (index >= pools.size()) return BeyondList("pool", index, "the problem", pools.size());
    const assay::PoolInfo& info = pools[index];
    return assay_memory_pool{info.name.c_str(), info.size_bytes.value_or(-1), info.alignment,
                             info.offset};
  });
}
assay_status assay_vector_plan_buffer(const assay_vector* vector, size_t plan, size_t index,
                                      assay_memory_buffer* buffer, assay_error* error) {
  return Giving("buffer", buffer, error, [&]() -> Result<assay_memory_buffer> {
    const auto record = RecordAt(vector, plan);
    if (!record) return record.error();
    const assay::PlannedProblem& planned = (*record)->planned;
    const std::vector<assay::BufferInfo>& buffers = planned.problem.buffers;
    if (index >= buffers.size()) return BeyondList("buffer", index, "the problem", buffers.size());
    const assay::BufferInfo& info = buffers[index];
    const std::vector<assay_live_range>& live = vector->live[plan][index];
    assay_memory_buffer found = {};
    found.name = info.name_hint.c_str();
    found.size = info.size_bytes;
    found.alignment = info.alignment;
    found.fixed_offset = info.fixed_offset.value_or(-1);
    found.live = live.data();
    found.live_count = live.size();
    found.conflicts = info.conflicts.data();
    found.conflict_count = info.conflicts.size();
    found.pools = info.pool_candidates.data();
    found.pool_count = info.pool_candidates.size();
    found.pool = -1;
    if (!planned.plan || index >= planned.plan->allocations.size()) return found;
    if (const auto& allocation = planned.plan->allocations[index]) {
      found.pool = allocation->pool;
      found.offset = allocation->offset;
    }
    return found;
  });
}
