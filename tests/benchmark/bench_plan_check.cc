// SPDX-License-Identifier: Apache-2.0
// Measures how many buffers of a plan are checked in a second, and how soon a problem without a
// plan is refused:
//   cmake --build build --target bench_plan_check
#include <benchmark/benchmark.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "algorithm.h"
#include "checked_plan.h"
#include "files.h"
#include "planner.h"
#include "planner_tables.h"
#include "random.h"

namespace assay {
namespace {

// Returns a plan like that of a network. A buffer begins with each tick and lives for a few, one in
// twenty for many. Each is put into the first gap among those that are live.
PlannedProblem Network(int64_t count) {
  Random random(7);
  PlannedProblem all;
  all.problem.pools = {PoolInfo{.name = "memory"}};
  all.plan = MemoryPlan{};
  struct Live {
    int64_t begin, end, upper;
    bool operator<(const Live& other) const { return begin < other.begin; }
  };
  std::multiset<Live> live;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = random.OneIn(20) ? random.Between(5, 104) : random.Between(2, 5);
    const int64_t size = 64 * random.Between(1, 64);
    std::erase_if(live, [&](const Live& one) { return one.upper <= i; });
    int64_t offset = 0;
    for (const Live& one : live) {
      if (offset + size <= one.begin) break;
      offset = std::max(offset, one.end);
    }
    live.insert({offset, offset + size, i + length});
    BufferInfo buffer;
    buffer.name_hint = std::to_string(i);
    buffer.size_bytes = size;
    buffer.live = {{i, i + length}};
    all.problem.buffers.push_back(std::move(buffer));
    all.plan->allocations.push_back(PoolAllocation{0, offset});
  }
  return all;
}

// Returns the same plan with the buffers in random order.
PlannedProblem Shuffled(int64_t count) {
  PlannedProblem all = Network(count);
  Random random(11);
  for (size_t i = all.problem.buffers.size(); i > 1; --i) {
    const auto j = static_cast<size_t>(random.Below(i));
    std::swap(all.problem.buffers[i - 1], all.problem.buffers[j]);
    std::swap(all.plan->allocations[i - 1], all.plan->allocations[j]);
  }
  return all;
}

// Returns the same plan with two buffers that collide, after two thirds of the time.
PlannedProblem Broken(int64_t count) {
  PlannedProblem all = Network(count);
  const auto at = static_cast<size_t>(2 * count / 3);
  all.plan->allocations[at + 1] = all.plan->allocations[at];
  return all;
}

void Count(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void CheckOf(benchmark::State& state, PlannedProblem (*make)(int64_t)) {
  const PlannedProblem all = make(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(CheckPlan(all.problem, *all.plan));
  Count(state);
}

void Certificate(benchmark::State& state) {
  const PlannedProblem all = Network(state.range(0));
  const auto checked = CheckPlan(all.problem, *all.plan);
  for (auto _ : state) {
    benchmark::DoNotOptimize(FlawOf(*checked.certificate, all.problem, *all.plan));
  }
  Count(state);
}

// Measures the refusal of MiniMalloc's E, which needs all of its 1,048,576 bytes, in a pool of one
// KiB less.
void Refusal(benchmark::State& state) {
  const std::string path = ASSAY_SOURCE_DIR "/corpus/planning/minimalloc/E.1048576.csv";
  Result<PlannedProblem> planned = ReadPlan(*ReadTextFile(path), path);
  planned->problem.pools[0].size_bytes = 1'047'552;
  for (auto _ : state) {
    if (PlanMemory(planned->problem, *AlgorithmByName("auto"))) state.SkipWithError("a plan");
  }
}

BENCHMARK_CAPTURE(CheckOf, network, Network)
    ->Arg(1000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckOf, shuffled, Shuffled)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(CheckOf, broken, Broken)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Refusal)->Unit(benchmark::kMillisecond);
BENCHMARK(Certificate)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
