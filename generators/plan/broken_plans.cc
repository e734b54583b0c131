// SPDX-License-Identifier: Apache-2.0
// The ways in which planners have gone wrong, each as a few buffers at the top of a pool. The
// planted buffers do not touch any others.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "planned_case.h"

namespace assay {

// Puts buffers on top of everything in the first pool.
class Planter {
 public:
  Planter(Random& random, PlannedProblem& planned) : random_(random), planned_(planned) {
    PoolInfo& pool = planned.problem.pools[0];
    pool.size_bytes.reset();
    int64_t top = pool.offset;
    for (size_t i = 0; i < planned.problem.buffers.size(); ++i) {
      const auto& at = planned.plan->allocations[i];
      if (at->pool == 0) top = std::max(top, at->offset + planned.problem.buffers[i].size_bytes);
    }
    constexpr int64_t kAlignment = 4096;
    ground_ = (top + kAlignment - 1) / kAlignment * kAlignment;
  }

  // Returns a size of at least a few bytes, so that some are left if a fault takes one away.
  int64_t Size() { return random_.Between(4, 200); }
  int64_t Tick() { return random_.Between(0, 30); }

  // Adds a buffer; `offset` counts from ground().
  int32_t Add(std::string_view role, int64_t size, std::vector<LiveRange> live, int64_t offset,
              BufferKind kind = BufferKind::kIntermediate) {
    auto& buffers = planned_.problem.buffers;
    const auto index = static_cast<int32_t>(buffers.size());
    buffers.push_back({.name_hint = "planted-" + std::string(role),
                       .size_bytes = size,
                       .live = std::move(live),
                       .kind = kind});
    planned_.plan->allocations.push_back(PoolAllocation{0, ground_ + offset});
    return index;
  }

  BufferInfo& Buffer(int32_t index) { return planned_.problem.buffers[static_cast<size_t>(index)]; }
  std::optional<PoolAllocation>& Place(int32_t index) {
    return planned_.plan->allocations[static_cast<size_t>(index)];
  }
  PoolInfo& Pool() { return planned_.problem.pools[0]; }
  PlannedProblem& planned() { return planned_; }
  int64_t ground() const { return ground_; }
  Random& random() { return random_; }

 private:
  Random& random_;
  PlannedProblem& planned_;
  int64_t ground_ = 0;
};

namespace {

// Plants two buffers at one offset, with the live ranges of the fault.
void Pair(Planter& at, std::vector<LiveRange> first, std::vector<LiveRange> second,
          BufferKind first_kind = BufferKind::kIntermediate,
          BufferKind second_kind = BufferKind::kIntermediate) {
  at.Add("first", at.Size(), std::move(first), 0, first_kind);
  at.Add("second", at.Size(), std::move(second), 0, second_kind);
}

// --- lifetimes -----------------------------------------------------------------------------

void EndsATickEarly(Planter& at) {
  const int64_t tick = at.Tick();
  Pair(at, {{tick, tick + 5}}, {{tick + 4, tick + 9}});
}

void BeginsATickLate(Planter& at) {
  const int64_t tick = at.Tick();
  Pair(at, {{tick + 4, tick + 9}}, {{tick, tick + 5}});
}

// Both buffers belong to one statement: one is read, the other is written.
void OneStatement(Planter& at) {
  const int64_t tick = at.Tick();
  Pair(at, {{tick, tick + 1}}, {{tick, tick + 1}});
}

void InputFromFirstRead(Planter& at) {
  const int64_t first_read = at.Tick() + 5;
  Pair(at, {{0, first_read + 1}}, {{1, first_read}}, BufferKind::kInput, BufferKind::kScratch);
}

void OutputToLastWrite(Planter& at) {
  const int64_t last_write = at.Tick();
  Pair(at, {{last_write, 100}}, {{last_write + 1, 50}}, BufferKind::kOutput, BufferKind::kScratch);
}

// Nothing reads the second buffer, but it is written.
void UnusedResult(Planter& at) {
  const int64_t tick = at.Tick();
  Pair(at, {{tick - 3, tick + 4}}, {{tick, tick + 1}});
}

void ScratchOmitted(Planter& at) {
  const int64_t tick = at.Tick();
  Pair(at, {{tick - 1, tick + 1}}, {{tick, tick + 1}}, BufferKind::kIntermediate,
       BufferKind::kScratch);
}

void VariableForgotten(Planter& at) {
  const int64_t tick = at.Tick() + 1;
  Pair(at, {{0, 100}}, {{tick, tick + 2}}, BufferKind::kVariable);
}

// A view of the first buffer is read after the last read of the buffer itself.
void ViewReadLater(Planter& at) {
  const int64_t last_read = at.Tick() + 1, last_of_view = last_read + at.random().Between(2, 20);
  Pair(at, {{last_read - 1, last_of_view + 1}}, {{last_read + 1, last_of_view}});
}

// The first buffer is read in every iteration, although it is written before the loop.
void LoopInvariant(Planter& at) {
  const int64_t begin = at.Tick() + 1, read = begin + 1, end = begin + at.random().Between(5, 20);
  Pair(at, {{begin - 1, end}}, {{read + 1, end - 1}});
}

// The first buffer is written at the end of an iteration and read at the beginning of the next.
void LoopCarried(Planter& at) {
  const int64_t begin = at.Tick(), end = begin + at.random().Between(8, 20);
  Pair(at, {{begin, begin + 2}, {end - 2, end}}, {{end - 3, end - 1}});
}

void SecondCallForgotten(Planter& at) {
  const int64_t tick = at.Tick(), later = tick + at.random().Between(6, 20);
  Pair(at, {{tick, tick + 3}, {later, later + 3}}, {{later + 1, later + 2}});
}

// The result of a branch stays live after the branch.
void BranchResultEscapes(Planter& at) {
  const int64_t tick = at.Tick();
  const int64_t size = at.Size();
  at.Add("then", size, {{tick, tick + 3}}, 0);
  at.Add("result", size, {{tick + 3, tick + 9}}, 0);
  at.Add("nested-arena", size, {{tick + 5, tick + 8}}, 0, BufferKind::kScratch);
}

void WindowIgnored(Planter& at) {
  const int64_t tick = at.Tick();
  at.Add("windowed", 16, {{tick, tick + 2}, {tick + 2, tick + 4, 6, 10}, {tick + 4, tick + 6}}, 0);
  at.Add("in-the-gap", 7, {{tick + 2, tick + 4}}, 0);
}

// --- conflicts ---------------------------------------------------------------------------------

// Streams and parallel loops: the buffers conflict by the list, not by their live ranges.
void ListedConflictDropped(Planter& at) {
  const int64_t tick = at.Tick();
  const int32_t first = at.Add("first", at.Size(), {{tick, tick + 2}}, 0);
  const int32_t second = at.Add("second", at.Size(), {{tick + 2, tick + 4}}, 0);
  at.Buffer(first).conflicts = {second};
  at.Buffer(second).conflicts = {first};
}

void ConflictOfOneSide(Planter& at) {
  const int32_t first = at.Add("first", at.Size(), {}, 0);
  const int32_t second = at.Add("second", at.Size(), {}, 1);
  if (at.random().OneIn(2)) {
    at.Buffer(first).conflicts = {second};
  } else {
    at.Buffer(second).conflicts = {first};
  }
}

void NotTransitive(Planter& at) {
  const int64_t size = at.Size();
  const int32_t a = at.Add("a", size, {}, 0);
  const int32_t b = at.Add("b", size, {}, size);
  const int32_t c = at.Add("c", size, {}, size);  // b conflicts with a and c, a not with c
  at.Buffer(b).conflicts = {a, c};
}

// --- in place ----------------------------------------------------------------------------------

void InPlaceWithSecondReader(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("base", size, {{tick, tick + 6}}, 0);
  at.Add("in-place", size, {{tick + 3, tick + 9}}, 0);
}

void InPlaceShifted(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("base", size, {{tick, tick + 4}}, 0);
  at.Add("in-place", size, {{tick + 3, tick + 9}}, at.random().Between(1, size - 1));
}

void InPlaceLarger(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("base", size, {{tick, tick + 3}}, 0);
  at.Add("above", size, {{tick, tick + 9}}, size);
  at.Add("in-place", size + 1, {{tick + 3, tick + 9}}, 0);
}

void InPlaceChain(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("a", size, {{tick, tick + 2}}, 0);
  at.Add("b", size, {{tick + 2, tick + 4}}, 0);
  at.Add("c", size, {{tick + 4, tick + 8}}, 0);
  at.Add("later-tenant", size, {{tick + 6, tick + 9}}, 0);
}

// --- sizes and offsets -------------------------------------------------------------------------

void AByteTooFar(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("low", size, {{tick, tick + 3}}, 0);
  at.Add("high", at.Size(), {{tick, tick + 3}}, size - 1);
}

void Contained(Planter& at) {
  const int64_t tick = at.Tick();
  at.Add("outer", 300, {{tick, tick + 3}}, 0);
  const int64_t size = at.Size();
  at.Add("inner", size, {{tick - 1, tick + 3}}, at.random().Between(1, 99));
}

void BehindAnEmptyBuffer(Planter& at) {
  const int64_t tick = at.Tick();
  at.Add("low", 20, {{tick, tick + 9}}, 0);
  at.Add("empty", 0, {{tick, tick + 9}}, 10);
  at.Add("high", 20, {{tick, tick + 9}}, 10);
}

// 2^32 - 8 + 16 is 8 in 32 bits, and below what lies at 16.
void WrapsAroundIn32Bits(Planter& at) {
  const int64_t tick = at.Tick(), edge = (int64_t{1} << 32) * (1 + (at.ground() >> 32));
  at.Add("behind-4-GiB", 16, {{tick, tick + 3}}, edge - at.ground());
  at.Add("across-4-GiB", 16, {{tick, tick + 3}}, edge - 8 - at.ground());
}

void BeyondThePool(Planter& at) {
  const int64_t tick = at.Tick(), size = at.Size();
  at.Add("last", size, {{tick, tick + 3}}, 0);
  at.Pool().size_bytes = at.ground() + size - 1 - at.Pool().offset;
}

void BelowThePool(Planter& at) {
  const int32_t low = at.Add("low", 1, {{at.Tick(), 50}}, 0);
  at.Place(low)->offset = at.Pool().offset - 1;
}

void WrapsAroundIn64Bits(Planter& at) {
  const int64_t size = at.Size();
  const int32_t high = at.Add("high", size, {{at.Tick(), 50}}, 0);
  at.Place(high)->offset = std::numeric_limits<int64_t>::max() - 1;
}

void EmptyBeyondThePool(Planter& at) {
  at.Add("last", 8, {{0, 3}}, 0);
  at.Add("empty", 0, {{0, 3}}, 9);
  at.Pool().size_bytes = at.ground() + 8 - at.Pool().offset;
}

// --- alignment ---------------------------------------------------------------------------------

// The offset is rounded up to the alignment of the buffer below, not to its own.
void AlignmentOfTheNeighbour(Planter& at) {
  const int32_t low = at.Add("low", 100, {{0, 3}}, 0);
  const int32_t high = at.Add("high", 50, {{0, 3}}, 104);
  at.Buffer(low).alignment = 8;
  at.Buffer(high).alignment = 64;
}

void AlignmentNoPowerOfTwo(Planter& at) {
  const int32_t one = at.Add("one", 50, {{0, 3}}, 0);
  at.Buffer(one).alignment = 48;
  at.Place(one)->offset = (at.ground() / 48 + 1) * 48 + 16;  // a multiple of 16
}

// The offset is aligned, but the pool is not.
void AlignmentOfTheBase(Planter& at) {
  auto& pools = at.planned().problem.pools;
  pools.push_back({.name = "unaligned", .alignment = 8});
  const int32_t one = at.Add("one", 50, {{0, 3}}, 0);
  at.Buffer(one).alignment = 16;
  at.Place(one) = PoolAllocation{static_cast<int32_t>(pools.size() - 1), 32};
}

// --- pools, missing buffers and unknown buffers ------------------------------------------------

void NoCandidate(Planter& at) {
  auto& pools = at.planned().problem.pools;
  pools.push_back({.name = "other"});
  const int32_t one = at.Add("one", at.Size(), {{0, 3}}, 0);
  at.Buffer(one).pool_candidates = {static_cast<int32_t>(pools.size() - 1)};
}

void WrittenInReadOnly(Planter& at) {
  auto& pools = at.planned().problem.pools;
  pools.push_back({.name = "rom", .targets = {{"cpu", PoolAccess::kReadOnly}}});
  const int32_t one = at.Add("one", at.Size(), {{0, 3}}, 0);
  at.Place(one) = PoolAllocation{static_cast<int32_t>(pools.size() - 1), 0};
}

void FixedMoved(Planter& at) {
  const int64_t size = at.Size();
  const int32_t one =
      at.Add("weights", size, {{0, 100}}, at.random().Between(1, 64), BufferKind::kConstant);
  at.Buffer(one).fixed_offset = at.ground();
}

void LeftOut(Planter& at) { at.Place(at.Add("left-out", at.Size(), {{0, 3}}, 0)).reset(); }

void PlacedTwice(Planter& at) {
  const int32_t one = at.Add("one", at.Size(), {{0, 3}}, 0);
  at.planned().plan->strays.push_back(
      {at.Buffer(one).name_hint, at.Pool().name, at.ground() + at.Buffer(one).size_bytes});
}

void PlacedUnknown(Planter& at) {
  at.planned().plan->strays.push_back({"planted-unknown", at.Pool().name, at.ground()});
}

constexpr PlanFault kFaults[] = {
    {"ends-a-tick-early", "overlap", "a live range ends one tick too early", EndsATickEarly},
    {"begins-a-tick-late", "overlap", "a live range begins one tick too late", BeginsATickLate},
    {"one-statement", "overlap", "an input and an output of one operator", OneStatement},
    {"input-from-first-read", "overlap", "an input becomes live at first read", InputFromFirstRead},
    {"output-to-last-write", "overlap", "an output dies after its last write", OutputToLastWrite},
    {"unused-result", "overlap", "a result that nothing reads has no live range", UnusedResult},
    {"scratch-omitted", "overlap", "an operator's scratch overlaps its input", ScratchOmitted},
    {"variable-forgotten", "overlap", "a variable is dead between invocations", VariableForgotten},
    {"view-read-later", "overlap", "a base buffer dies before its view is read", ViewReadLater},
    {"loop-invariant", "overlap", "a buffer dies, but the next iteration reads it", LoopInvariant},
    {"loop-carried", "overlap", "a value for the next iteration is not kept", LoopCarried},
    {"second-call", "overlap", "a buffer's second live range is missing", SecondCallForgotten},
    {"branch-result", "overlap", "a result of a branch dies with the branch", BranchResultEscapes},
    {"window", "overlap", "a part of a buffer is live while the rest is dead", WindowIgnored},
    {"conflict-dropped", "overlap", "a listed conflict (streams) is lost", ListedConflictDropped},
    {"conflict-of-one-side", "overlap", "only one buffer lists the conflict", ConflictOfOneSide},
    {"not-transitive", "overlap", "a-b and b-c conflict, but a-c does not", NotTransitive},
    {"in-place-second-reader", "overlap", "the base has another reader", InPlaceWithSecondReader},
    {"in-place-shifted", "overlap", "in place, but at another offset", InPlaceShifted},
    {"in-place-larger", "overlap", "in place, but larger than the base", InPlaceLarger},
    {"in-place-chain", "overlap", "a later buffer overlaps the end of a chain", InPlaceChain},
    {"a-byte-too-far", "overlap", "a size is one byte too small", AByteTooFar},
    {"contained", "overlap", "one buffer lies inside another", Contained},
    {"behind-empty", "overlap", "an empty buffer lies between the two", BehindAnEmptyBuffer},
    {"wraps-in-32-bits", "overlap", "a buffer ends beyond 2^32", WrapsAroundIn32Bits},
    {"beyond-pool", "bounds", "a buffer ends one byte beyond its pool", BeyondThePool},
    {"below-pool", "bounds", "a buffer starts one byte below its pool", BelowThePool},
    {"wraps-in-64-bits", "bounds", "a buffer ends beyond 2^63", WrapsAroundIn64Bits},
    {"empty-beyond-pool", "bounds", "an empty buffer lies outside its pool", EmptyBeyondThePool},
    {"neighbours-alignment", "alignment", "an offset is rounded to another buffer's alignment",
     AlignmentOfTheNeighbour},
    {"no-power-of-two", "alignment", "an alignment of 48 is treated as 16", AlignmentNoPowerOfTwo},
    {"alignment-of-base", "alignment", "an offset is aligned, but the pool's base is not",
     AlignmentOfTheBase},
    {"no-candidate", "pool", "a buffer is in a pool that it may not use", NoCandidate},
    {"read-only", "access", "written data is in a read-only pool", WrittenInReadOnly},
    {"fixed-moved", "fixed-offset", "a constant is not at its fixed offset", FixedMoved},
    {"left-out", "missing", "a buffer has no offset", LeftOut},
    {"placed-twice", "twice", "a buffer has two offsets", PlacedTwice},
    {"placed-unknown", "unknown", "an offset for a buffer that does not exist", PlacedUnknown},
};

}  // namespace

std::span<const PlanFault> AllPlanFaults() { return kFaults; }

void Plant(const PlanFault& fault, Random& random, PlannedProblem& planned) {
  Planter at(random, planned);
  fault.plant(at);
}

}  // namespace assay
