// SPDX-License-Identifier: Apache-2.0
// Tests the protocol of the cache of folded tensors: with one thread, with a few threads in every
// order, and the same with faults in the cache. threads_test.cc runs it with threads of the
// machine.

#include "constant_cache.h"

#include <gtest/gtest.h>

#include <optional>

#include "interleavings.h"

namespace assay::constant_cache_test {
namespace {

using ::assay::testing::Interleavings;
using ::assay::testing::Schedule;
using ::assay::testing::ScheduledThreads;
using ScheduledCache = ConstantCacheOf<ScheduledThreads>;

const TensorType kType = {DType::kInt8, {2, 3}};  // six bytes

uint8_t ValueOf(const CacheOwner& owner) {
  return static_cast<uint8_t>(1 + owner.context * 10 + owner.weights[0] - 'a');
}

// Returns a function that fills buffers with one value.
auto Filling(uint8_t value) {
  return [value](std::span<const CachedBuffer> buffers) -> Result<Done> {
    for (const CachedBuffer& buffer : buffers) std::ranges::fill(buffer.bytes(), value);
    return Done{};
  };
}

constexpr auto kFailing = [](std::span<const CachedBuffer>) -> Result<Done> {
  return BadInput("no memory for it");
};

std::vector<CacheSlot> NewSlots(auto& cache, int64_t count) {
  std::vector<CacheSlot> slots;
  const int64_t first = cache.NewIndices(count);
  for (int64_t i = 0; i < count; ++i) slots.push_back({first + i, kType});
  return slots;
}

bool AllAre(const ConstantCache::Buffers& buffers, uint8_t value) {
  return std::ranges::all_of(buffers, [value](const auto& buffer) {
    return std::ranges::all_of(buffer->bytes(), [value](uint8_t byte) { return byte == value; });
  });
}

TEST(CachedBuffer, HasTheShapeAndTheStridesOfItsTensor) {
  const CachedBuffer buffer = NewCachedBuffer({DType::kFp32, {2, 3, 5}});
  EXPECT_EQ(buffer.strides, (std::vector<int64_t>{15, 5, 1}));  // 3 * 5, 5, 1
  EXPECT_EQ(buffer.size_bytes, 120);                            // 2 * 3 * 5 * 4
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.memory.get()) % kCachedBufferAlignment, 0u);
  EXPECT_EQ(TensorIn(buffer), Tensor::Splat(DType::kFp32, {2, 3, 5}, 0));
}

TEST(CachedBuffer, TakesAByteForAnElementOfFourBitsAndEightForFortyEight) {
  EXPECT_EQ(NewCachedBuffer({DType::kInt4, {3}}).size_bytes, 3);
  EXPECT_EQ(NewCachedBuffer({DType::kInt48, {3}}).size_bytes, 24);
  EXPECT_EQ(NewCachedBuffer({DType::kBool, {}}).size_bytes, 1);
}

TEST(ConstantCache, FoldsOnceForEachOwner) {
  ConstantCache cache;
  const std::vector<CacheSlot> slots = NewSlots(cache, 2);
  const CacheOwner owners[] = {{0, "a"}, {1, "a"}, {0, "b"}};
  for (int run = 0; run < 3; ++run) {
    for (const CacheOwner& owner : owners) {
      const auto buffers = cache.Acquire(owner, slots, Filling(ValueOf(owner)));
      EXPECT_TRUE(AllAre(*buffers, ValueOf(owner)));
    }
  }
  EXPECT_EQ(cache.Statistics().folds, 3);
  EXPECT_EQ(cache.Statistics().bytes, 3 * 2 * 6);
}

TEST(ConstantCache, GivesModulesIndicesOfTheirOwn) {
  ConstantCache cache;
  const auto one = NewSlots(cache, 2), other = NewSlots(cache, 2);
  EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, one, Filling(1)), 1));
  EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, other, Filling(2)), 2));
  EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, one, kFailing), 1));
}

TEST(ConstantCache, TriesAgainAfterAFailure) {
  ConstantCache cache;
  const auto slots = NewSlots(cache, 1);
  const auto failed = cache.Acquire({0, "a"}, slots, kFailing);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no memory for it");
  EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, slots, Filling(7)), 7));
  EXPECT_EQ(cache.Statistics().failures, 1);
}

TEST(ConstantCache, FoldsAgainAfterAnExceptionAsWell) {
  ConstantCache cache;
  const auto slots = NewSlots(cache, 1);
  const auto throws = [](std::span<const CachedBuffer>) -> Result<Done> { throw std::bad_alloc(); };
  EXPECT_THROW(static_cast<void>(cache.Acquire({0, "a"}, slots, throws)), std::bad_alloc);
  EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, slots, Filling(7)), 7));
}

TEST(ConstantCache, FoldsAgainWhatWasEvictedAndLeavesItToItsUsers) {
  ConstantCache cache;
  const auto slots = NewSlots(cache, 2);
  const auto first = cache.Acquire({0, "a"}, slots, Filling(1));
  cache.EvictIndex(slots[1].global_index);
  EXPECT_EQ(cache.Statistics().bytes, 6);
  const auto second = cache.Acquire({0, "a"}, slots, Filling(1));
  EXPECT_EQ(cache.Statistics().folds, 2);
  cache.EvictAll();
  EXPECT_EQ(cache.Statistics().bytes, 0);
  EXPECT_TRUE(AllAre(*first, 1) && AllAre(*second, 1));
}

TEST(ConstantCache, TellsWhatBecomesOfEachTensor) {
  std::string events;
  const auto note = [&events](const CacheEvent& event) {
    constexpr const char* kWords[] = {"found", "folded", "evicted"};
    events += std::string(kWords[static_cast<size_t>(event.kind)]) + " " +
              std::to_string(event.global_index) + event.owner.weights +
              (event.is_held ? " held\n" : "\n");
    EXPECT_EQ(event.bytes, 6);
  };
  ConstantCache cache(12, FoldFault::kNone, note);
  const auto slots = NewSlots(cache, 2);
  const auto acquire = [&](const char* weights) {
    EXPECT_TRUE(cache.Acquire({0, weights}, slots, Filling(1)));
    return std::exchange(events, "");
  };
  EXPECT_EQ(acquire("a"), "folded 0a held\nfolded 1a held\n");
  EXPECT_EQ(acquire("a"), "found 0a held\nfound 1a held\n");
  EXPECT_EQ(acquire("b"), "evicted 0a\nfolded 0b held\nevicted 1a\nfolded 1b held\n");
  cache.EvictIndex(slots[0].global_index);
  EXPECT_EQ(std::exchange(events, ""), "evicted 0b\n");
  // It was folded together with the other one, although that one was still cached.
  EXPECT_EQ(acquire("b"), "folded 0b held\nfolded 1b held\n");
  cache.SetCapacity(5);
  EXPECT_EQ(std::exchange(events, ""), "evicted 1b\nevicted 0b\n");
  EXPECT_EQ(acquire("b"), "folded 0b\nfolded 1b\n");
}

TEST(ConstantCache, ForgetsAContextAlone) {
  ConstantCache cache;
  const auto slots = NewSlots(cache, 1);
  for (const int64_t context : {0, 1}) {
    ASSERT_TRUE(cache.Acquire({context, "a"}, slots, Filling(1)));
  }
  cache.EvictContext(0);
  ASSERT_TRUE(cache.Acquire({1, "a"}, slots, kFailing));
  EXPECT_FALSE(cache.Acquire({0, "a"}, slots, kFailing));
}

// Each tensor has six bytes, and the cache has 12. The third tensor replaces the least recently
// used one.
TEST(ConstantCache, MakesRoomByWhatWasNotUsedForLongest) {
  ConstantCache cache(12);
  const auto a = NewSlots(cache, 1), b = NewSlots(cache, 1), c = NewSlots(cache, 1);
  ASSERT_TRUE(cache.Acquire({0, "a"}, a, Filling(1)));
  ASSERT_TRUE(cache.Acquire({0, "a"}, b, Filling(2)));
  ASSERT_TRUE(cache.Acquire({0, "a"}, a, kFailing));
  ASSERT_TRUE(cache.Acquire({0, "a"}, c, Filling(3)));
  EXPECT_EQ(cache.Statistics().bytes, 12);
  EXPECT_TRUE(cache.Acquire({0, "a"}, a, kFailing));
  EXPECT_TRUE(cache.Acquire({0, "a"}, c, kFailing));
  EXPECT_FALSE(cache.Acquire({0, "a"}, b, kFailing));
}

TEST(ConstantCache, FoldsOnEveryRunWhatNeverFits) {
  ConstantCache cache(5);
  const auto slots = NewSlots(cache, 1);
  for (int run = 1; run <= 3; ++run) {
    const auto value = static_cast<uint8_t>(run);
    EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, slots, Filling(value)), value));
    EXPECT_EQ(cache.Statistics().folds, run);
    EXPECT_EQ(cache.Statistics().bytes, 0);
  }
}

TEST(ConstantCache, MayChangeItsCapacityBetweenRuns) {
  ConstantCache cache;
  const auto slots = NewSlots(cache, 1);
  for (const int64_t capacity : {int64_t{0}, int64_t{6}, int64_t{0}, ConstantCache::kUnlimited}) {
    cache.SetCapacity(capacity);
    EXPECT_TRUE(AllAre(*cache.Acquire({0, "a"}, slots, Filling(1)), 1));
    EXPECT_EQ(cache.Statistics().bytes, capacity == 0 ? 0 : 6);
  }
}

// --- Every order of a few threads

// The state that the threads of one run share.
struct Shared {
  explicit Shared(FoldFault fault, int64_t capacity = ScheduledCache::kUnlimited)
      : cache(capacity, fault), slots(NewSlots(cache, 2)) {}
  ScheduledCache cache;
  std::vector<CacheSlot> slots;
  int failures_left = 0;
};

// Executes once, like a runtime. The fold writes its two buffers twice (zeros, then the values),
// and the entry reads them. Each of these is one step.
void Execute(Shared& shared, const CacheOwner& owner) {
  Schedule& schedule = Schedule::Current();
  const uint8_t value = ValueOf(owner);
  const auto fill = [&](std::span<const CachedBuffer> buffers) -> Result<Done> {
    for (const uint8_t written : {uint8_t{0}, value}) {
      schedule.Touch({buffers[0].memory.get(), buffers[1].memory.get()}, true);
      for (const CachedBuffer& buffer : buffers) std::ranges::fill(buffer.bytes(), written);
      if (shared.failures_left > 0 && shared.failures_left-- > 0) return BadInput("failed");
    }
    return Done{};
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto buffers = shared.cache.Acquire(owner, shared.slots, fill);
    if (!buffers) continue;  // an error is told to the caller, who may try again
    schedule.Touch({buffers->at(0)->memory.get(), buffers->at(1)->memory.get()}, false);
    if (!AllAre(*buffers, value)) schedule.Violate("reads what was not folded for it");
    return;
  }
  schedule.Violate("no second attempt");
}

struct Scene {
  std::vector<CacheOwner> executions;
  bool evicts_all = false, evicts_one = false;
  int failures = 0;
  bool folded_before = false;
};

Interleavings Explore(const Scene& scene, FoldFault fault = FoldFault::kNone) {
  const auto threads_of = [scene, fault](Interleavings::Finish& finish) {
    const auto shared = std::make_shared<Shared>(fault);
    shared->failures_left = scene.failures;
    if (scene.folded_before) {
      static_cast<void>(shared->cache.Acquire(scene.executions[0], shared->slots,
                                              Filling(ValueOf(scene.executions[0]))));
    }
    std::vector<std::function<void()>> threads;
    for (const CacheOwner& owner : scene.executions) {
      threads.push_back([shared, owner] { Execute(*shared, owner); });
    }
    if (scene.evicts_all) threads.push_back([shared] { shared->cache.EvictAll(); });
    if (scene.evicts_one) {
      threads.push_back([shared] { shared->cache.EvictIndex(shared->slots[1].global_index); });
    }
    const bool once = scene.failures == 0 && !scene.evicts_all && !scene.evicts_one;
    const std::set<CacheOwner> owners(scene.executions.begin(), scene.executions.end());
    finish = [shared, once, folds = static_cast<int64_t>(owners.size())](Schedule& schedule) {
      const CacheStatistics statistics = shared->cache.Statistics();
      if (once && statistics.folds != folds) schedule.Violate("folded more than once");
      if (statistics.bytes < 0) schedule.Violate("fewer than no bytes");
    };
    return threads;
  };
  return Interleavings(threads_of, fault != FoldFault::kNone);
}

const CacheOwner kOwner = {0, "a"};

const std::map<std::string, Scene> kScenes = {
    {"two threads", {{kOwner, kOwner}}},
    {"three threads", {{kOwner, kOwner, kOwner}}},
    {"two contexts", {{kOwner, {1, "a"}}}},
    {"new weights", {{kOwner, {0, "b"}}}},
    {"two contexts, other weights", {{kOwner, {1, "b"}, kOwner}}},
    {"eviction", {{kOwner, kOwner}, true}},
    {"eviction of one", {{kOwner, kOwner}, false, true, 0, true}},
    {"eviction in use", {{kOwner, kOwner}, true, true, 0, true}},
    {"failure", {{kOwner, kOwner}, false, false, 1}},
    {"failure among three", {{kOwner, kOwner, kOwner}, false, false, 1}},
    {"failure and eviction", {{kOwner, kOwner}, true, false, 1}},
};

TEST(ConstantCacheInEveryOrder, IsRight) {
  for (const auto& [name, scene] : kScenes) {
    const Interleavings all = Explore(scene);
    EXPECT_EQ(all.violations(), 0u) << name << ": " << all.violation();
    EXPECT_GT(all.states(), 20u) << name;
    std::printf("%-28s %6zu states %6zu runs\n", name.c_str(), all.states(), all.runs());
  }
}

// Faults of the protocol, and the scenes in which they show.
const std::map<FoldFault, std::string> kWrongScenes = {
    {FoldFault::kContextNotInKey, "two contexts"},  {FoldFault::kWeightsNotInKey, "new weights"},
    {FoldFault::kFoldedPerModule, "new weights"},   {FoldFault::kFoldedEveryRun, "two threads"},
    {FoldFault::kCountedOnFailure, "failure"},      {FoldFault::kEvictionIgnored, "eviction"},
    {FoldFault::kPartlyEvicted, "eviction of one"}, {FoldFault::kFreedInUse, "eviction"},
    {FoldFault::kPublishedEarly, "two threads"},    {FoldFault::kFilledInPlace, "eviction of one"},
    {FoldFault::kFailureRemembered, "failure"},
};

TEST(ConstantCacheInEveryOrder, IsWrongWithAFault) {
  for (const FoldFaultRow& row : AllFoldFaults()) {
    const auto scene = kWrongScenes.find(row.fault);
    if (scene == kWrongScenes.end()) continue;
    const Interleavings all = Explore(kScenes.at(scene->second), row.fault);
    EXPECT_GT(all.violations(), 0u) << row.name;
    std::printf("%-24s %s\n", std::string(row.name).c_str(), all.violation().c_str());
  }
}

}  // namespace
}  // namespace assay::constant_cache_test
