// SPDX-License-Identifier: Apache-2.0
#include "plan_records.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "quoted.h"
#include "tvec_format.h"
#include "wire_reading.h"

namespace assay {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Writes a list. Returns a null offset for an empty list: readers treat an absent field as empty.
template <class T>
Offset<flatbuffers::Vector<T>> PutNumbers(FlatBufferBuilder& builder, const std::vector<T>& list) {
  return list.empty() ? Offset<flatbuffers::Vector<T>>() : builder.CreateVector(list);
}

Offset<wire::PlanPool> PutPool(FlatBufferBuilder& builder, const PoolInfo& pool) {
  std::vector<Offset<wire::PoolTarget>> targets;
  for (const TargetAccess& access : pool.targets) {
    const auto name = builder.CreateString(access.target);
    targets.push_back(
        wire::CreatePoolTarget(builder, name, static_cast<wire::PoolAccess>(access.access)));
  }
  const auto name = builder.CreateString(pool.name);
  return wire::CreatePlanPool(builder, name, pool.size_bytes.value_or(-1), pool.alignment,
                              pool.offset, PutNumbers(builder, targets));
}

Offset<wire::PlanBuffer> PutBuffer(FlatBufferBuilder& builder, const BufferInfo& buffer) {
  std::vector<int64_t> live, windows;
  bool has_windows = false;
  for (const LiveRange& range : buffer.live) {
    live.insert(live.end(), {range.lower, range.upper});
    windows.insert(windows.end(), {range.window_lower, range.window_upper.value_or(-1)});
    has_windows = has_windows || range.window_upper;
  }
  if (!has_windows) windows.clear();
  const auto name = builder.CreateString(buffer.name_hint);
  const auto live_list = PutNumbers(builder, live);
  const auto window_list = PutNumbers(builder, windows);
  const auto conflicts = PutNumbers(builder, buffer.conflicts);
  const auto candidates = PutNumbers(builder, buffer.pool_candidates);
  return wire::CreatePlanBuffer(builder, name, buffer.size_bytes, buffer.alignment,
                                static_cast<wire::BufferKind>(buffer.kind), live_list, window_list,
                                conflicts, candidates, buffer.fixed_offset.value_or(-1));
}

Offset<wire::MemoryPlan> PutPlan(FlatBufferBuilder& builder, const MemoryPlan& plan) {
  std::vector<int32_t> pools;
  std::vector<int64_t> offsets;
  for (const auto& place : plan.allocations) {
    pools.push_back(place ? place->pool : -1);
    offsets.push_back(place ? place->offset : 0);
  }
  std::vector<Offset<wire::StrayAllocation>> strays;
  for (const StrayAllocation& stray : plan.strays) {
    const auto buffer = builder.CreateString(stray.buffer);
    const auto pool = builder.CreateString(stray.pool);
    strays.push_back(wire::CreateStrayAllocation(builder, buffer, pool, stray.offset));
  }
  const auto pool_list = PutNumbers(builder, pools);
  const auto offset_list = PutNumbers(builder, offsets);
  return wire::CreateMemoryPlan(builder, pool_list, offset_list, PutNumbers(builder, strays));
}

// Reads one record. Functions that return false have set the error.
class PlanReader : private WireReading {
 public:
  explicit PlanReader(ReadBudget& budget) : WireReading(kTvecWords, budget) {}

  Result<PlanRecord> Read(const wire::PlanRecord& from, size_t graphs) {
    PlanRecord record;
    if (!ReadRecord(from, graphs, record)) return error();
    const Result<Done> valid = ValidateProblem(record.planned.problem);
    if (!valid) return valid.error();
    return record;
  }

 private:
  bool ReadRecord(const wire::PlanRecord& from, size_t graphs, PlanRecord& to) {
    if (!KnownFields(from, 7, "PlanRecord") || !Charge(sizeof(PlanRecord))) return false;
    if (from.graph() < -1 || (from.graph() >= 0 && static_cast<size_t>(from.graph()) >= graphs)) {
      return Fail("there is no graph " + std::to_string(from.graph()));
    }
    if (from.graph() >= 0) to.graph = from.graph();
    if (from.optimum() < -1) return Fail("an optimum of " + std::to_string(from.optimum()));
    if (from.optimum() >= 0) to.optimum = from.optimum();
    return ReadText(from.broken(), to.broken) && ReadText(from.fault(), to.fault) &&
           ReadPools(from, to.planned.problem) && ReadBuffers(from, to.planned.problem) &&
           ReadPlan(from, to.planned);
  }

  bool ReadPools(const wire::PlanRecord& from, MemoryProblem& problem) {
    for (const wire::PlanPool* wire_pool : ElementsOf(from.pools())) {
      if (!KnownFields(*wire_pool, 5, "PlanPool") || !Charge(sizeof(PoolInfo))) return false;
      PoolInfo& pool = problem.pools.emplace_back();
      if (wire_pool->size_bytes() != -1) pool.size_bytes = wire_pool->size_bytes();
      pool.alignment = wire_pool->alignment();
      pool.offset = wire_pool->offset();
      if (!ReadText(wire_pool->name(), pool.name) || !ReadTargets(*wire_pool, pool)) return false;
    }
    return true;
  }

  bool ReadTargets(const wire::PlanPool& from, PoolInfo& pool) {
    for (const wire::PoolTarget* target : ElementsOf(from.targets())) {
      if (!KnownFields(*target, 2, "PoolTarget") || !Charge(sizeof(TargetAccess))) return false;
      TargetAccess& to = pool.targets.emplace_back();
      if (!ReadEnum(target->access(), PoolAccess::kReadOnly, "access", to.access) ||
          !ReadText(target->target(), to.target)) {
        return false;
      }
    }
    return true;
  }

  bool ReadBuffers(const wire::PlanRecord& from, MemoryProblem& problem) {
    for (const wire::PlanBuffer* wire_buffer : ElementsOf(from.buffers())) {
      if (!KnownFields(*wire_buffer, 9, "PlanBuffer") || !Charge(sizeof(BufferInfo))) return false;
      BufferInfo& buffer = problem.buffers.emplace_back();
      if (!ReadBuffer(*wire_buffer, buffer)) return false;
    }
    return true;
  }

  bool ReadBuffer(const wire::PlanBuffer& from, BufferInfo& to) {
    if (!ReadText(from.name(), to.name_hint)) return false;
    to.size_bytes = from.size_bytes();
    to.alignment = from.alignment();
    if (!ReadEnum(from.kind(), BufferKind::kVariable, "kind of buffer", to.kind)) return false;
    if (from.fixed_offset() < -1) {
      return Fail("buffer " + Quoted(to.name_hint) + ": a fixed offset of " +
                  std::to_string(from.fixed_offset()));
    }
    if (from.fixed_offset() >= 0) to.fixed_offset = from.fixed_offset();
    return ReadNumbers(from.conflicts(), to.conflicts) &&
           ReadNumbers(from.pool_candidates(), to.pool_candidates) && ReadRanges(from, to);
  }

  bool ReadRanges(const wire::PlanBuffer& from, BufferInfo& to) {
    std::vector<int64_t> live, windows;
    if (!ReadNumbers(from.live(), live) || !ReadNumbers(from.windows(), windows)) return false;
    if (live.size() % 2 != 0 || (!windows.empty() && windows.size() != live.size())) {
      return Fail("buffer " + Quoted(to.name_hint) + ": live ranges that are not in pairs");
    }
    if (!Charge(live.size() / 2 * sizeof(LiveRange))) return false;
    for (size_t i = 0; i < live.size(); i += 2) {
      LiveRange& range = to.live.emplace_back(LiveRange{live[i], live[i + 1]});
      if (windows.empty()) continue;
      range.window_lower = windows[i];
      if (windows[i + 1] != -1) range.window_upper = windows[i + 1];
    }
    return true;
  }

  bool ReadPlan(const wire::PlanRecord& from, PlannedProblem& planned) {
    if (from.plan() == nullptr) return true;
    if (!KnownFields(*from.plan(), 3, "MemoryPlan")) return false;
    MemoryPlan& plan = planned.plan.emplace();
    std::vector<int32_t> pools;
    std::vector<int64_t> offsets;
    if (!ReadNumbers(from.plan()->pools(), pools) ||
        !ReadNumbers(from.plan()->offsets(), offsets)) {
      return false;
    }
    const size_t count = planned.problem.buffers.size();
    if (pools.size() != count || offsets.size() != count) {
      return Fail("a plan with not one row for each buffer");
    }
    if (!Charge(count * sizeof(plan.allocations[0]))) return false;
    for (size_t i = 0; i < count; ++i) {
      auto& place = plan.allocations.emplace_back();
      if (pools[i] == -1) continue;
      if (pools[i] < 0 || static_cast<size_t>(pools[i]) >= planned.problem.pools.size()) {
        return Fail("a plan with buffer " + Quoted(planned.problem.buffers[i].name_hint) +
                    " in pool " + std::to_string(pools[i]) + ", which there is none of");
      }
      place = {pools[i], offsets[i]};
    }
    return ReadStrays(*from.plan(), plan);
  }

  bool ReadStrays(const wire::MemoryPlan& from, MemoryPlan& plan) {
    for (const wire::StrayAllocation* stray : ElementsOf(from.strays())) {
      if (!KnownFields(*stray, 3, "StrayAllocation") || !Charge(sizeof(StrayAllocation)))
        return false;
      StrayAllocation& to = plan.strays.emplace_back();
      to.offset = stray->offset();
      if (!ReadText(stray->buffer(), to.buffer) || !ReadText(stray->pool(), to.pool)) return false;
    }
    return true;
  }
};

}  // namespace

Offset<wire::PlanRecord> PutPlanRecord(FlatBufferBuilder& builder, const PlanRecord& record) {
  std::vector<Offset<wire::PlanPool>> pools;
  for (const PoolInfo& pool : record.planned.problem.pools) pools.push_back(PutPool(builder, pool));
  std::vector<Offset<wire::PlanBuffer>> buffers;
  for (const BufferInfo& buffer : record.planned.problem.buffers) {
    buffers.push_back(PutBuffer(builder, buffer));
  }
  Offset<wire::MemoryPlan> plan;
  if (record.planned.plan) plan = PutPlan(builder, *record.planned.plan);
  const auto pool_list = PutNumbers(builder, pools);
  const auto buffer_list = PutNumbers(builder, buffers);
  const auto broken = builder.CreateString(record.broken);
  const auto fault = builder.CreateString(record.fault);
  return wire::CreatePlanRecord(builder, pool_list, buffer_list, plan, record.graph.value_or(-1),
                                broken, fault, record.optimum.value_or(-1));
}

Result<PlanRecord> GetPlanRecord(const wire::PlanRecord& from, size_t graphs, ReadBudget& budget) {
  return PlanReader(budget).Read(from, graphs);
}

}  // namespace assay
