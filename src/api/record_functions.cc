// SPDX-License-Identifier: Apache-2.0
#include "guarded.h"
#include "handles.h"

namespace assay::api {
namespace {

Result<assay_fold_pair> FoldPairAt(const assay_vector* vector, size_t index) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<FoldPair>& pairs = vector->vector.fold_pairs;
  if (index >= pairs.size()) return BeyondList("pair", index, "the vector", pairs.size());
  const FoldPair& pair = pairs[index];
  return assay_fold_pair{static_cast<size_t>(pair.before),
                         static_cast<size_t>(pair.after),
                         pair.equal ? 1 : 0,
                         0,
                         pair.law.c_str(),
                         pair.reason.c_str()};
}

Result<const PlanRecord*> RecordAt(const assay_vector* vector, size_t index) {
  if (vector == nullptr) return NullPointer("vector");
  const std::vector<PlanRecord>& plans = vector->vector.plans;
  if (index >= plans.size()) return BeyondList("plan", index, "the vector", plans.size());
  return &plans[index];
}

Result<assay_plan> PlanAt(const assay_vector* vector, size_t index) {
  const auto record = RecordAt(vector, index);
  if (!record) return record.error();
  const PlanRecord& plan = **record;
  return assay_plan{plan.planned.problem.buffers.size(),
                    plan.planned.problem.pools.size(),
                    plan.graph.value_or(-1),
                    plan.planned.plan ? 1 : 0,
                    plan.optimum.value_or(-1),
                    plan.broken.c_str(),
                    plan.fault.c_str()};
}

Result<assay_memory_pool> PoolAt(const assay_vector* vector, size_t plan, size_t index) {
  const auto record = RecordAt(vector, plan);
  if (!record) return record.error();
  const std::vector<PoolInfo>& pools = (*record)->planned.problem.pools;
  if (index >= pools.size()) return BeyondList("pool", index, "the problem", pools.size());
  const PoolInfo& pool = pools[index];
  return assay_memory_pool{pool.name.c_str(), pool.size_bytes.value_or(-1), pool.alignment,
                           pool.offset};
}

Result<assay_memory_buffer> BufferAt(const assay_vector* vector, size_t plan, size_t index) {
  const auto record = RecordAt(vector, plan);
  if (!record) return record.error();
  const PlannedProblem& planned = (*record)->planned;
  const std::vector<BufferInfo>& buffers = planned.problem.buffers;
  if (index >= buffers.size()) return BeyondList("buffer", index, "the problem", buffers.size());
  const BufferInfo& info = buffers[index];
  const std::vector<assay_live_range>& live = vector->live[plan][index];
  assay_memory_buffer buffer = {};
  buffer.name = info.name_hint.c_str();
  buffer.size = info.size_bytes;
  buffer.alignment = info.alignment;
  buffer.fixed_offset = info.fixed_offset.value_or(-1);
  buffer.live = live.data();
  buffer.live_count = live.size();
  buffer.conflicts = info.conflicts.data();
  buffer.conflict_count = info.conflicts.size();
  buffer.pools = info.pool_candidates.data();
  buffer.pool_count = info.pool_candidates.size();
  buffer.pool = -1;
  if (!planned.plan || index >= planned.plan->allocations.size()) return buffer;
  if (const auto& allocation = planned.plan->allocations[index]) {
    buffer.pool = allocation->pool;
    buffer.offset = allocation->offset;
  }
  return buffer;
}

}  // namespace
}  // namespace assay::api

using assay::api::Giving;

size_t assay_vector_fold_pair_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.fold_pairs.size();
}
assay_status assay_vector_fold_pair(const assay_vector* vector, size_t index, assay_fold_pair* pair,
                                    assay_error* error) {
  return Giving("pair", pair, error, [&] { return assay::api::FoldPairAt(vector, index); });
}

size_t assay_vector_plan_count(const assay_vector* vector) {
  return vector == nullptr ? 0 : vector->vector.plans.size();
}
assay_status assay_vector_plan(const assay_vector* vector, size_t index, assay_plan* plan,
                               assay_error* error) {
  return Giving("plan", plan, error, [&] { return assay::api::PlanAt(vector, index); });
}
assay_status assay_vector_plan_pool(const assay_vector* vector, size_t plan, size_t index,
                                    assay_memory_pool* pool, assay_error* error) {
  return Giving("pool", pool, error, [&] { return assay::api::PoolAt(vector, plan, index); });
}
assay_status assay_vector_plan_buffer(const assay_vector* vector, size_t plan, size_t index,
                                      assay_memory_buffer* buffer, assay_error* error) {
  return Giving("buffer", buffer, error, [&] { return assay::api::BufferAt(vector, plan, index); });
}
