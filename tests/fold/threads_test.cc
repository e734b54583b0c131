// SPDX-License-Identifier: Apache-2.0
// Runs first executions of folded graphs in eight threads and two contexts, while another thread
// evicts. This test and the code under test are compiled with ThreadSanitizer.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "folded_module.h"
#include "hand_folding.h"

namespace assay {
namespace {

using enum Constness;

constexpr int kThreads = 8;

// Runs `execute(thread)` in eight threads, and `evict(turn)` in another until they are done.
template <class Execute, class Evict>
void RunThreads(Execute execute, Evict evict) {
  std::atomic<bool> done = false;
  std::thread evictor([&] {
    for (int64_t turn = 0; !done; ++turn) {
      evict(turn);
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&execute, i] { execute(i); });
  for (std::thread& thread : threads) thread.join();
  done = true;
  evictor.join();
}

auto Filling(uint8_t value) {
  return [value](std::span<const CachedBuffer> buffers) -> Result<Done> {
    for (const CachedBuffer& buffer : buffers) std::ranges::fill(buffer.bytes(), value);
    return Done{};
  };
}

TEST(ConstantCacheThreads, EightInTwoContextsWithAnotherThatEvicts) {
  ConstantCache cache;
  std::vector<CacheSlot> slots;
  const int64_t first = cache.NewIndices(4);
  for (int64_t i = 0; i < 4; ++i) slots.push_back({first + i, {DType::kInt8, {2, 3}}});
  std::atomic<int> wrong = 0;
  const auto execute = [&](int thread) {
    const CacheOwner owner = {thread % 2, "a"};
    const auto value = static_cast<uint8_t>(1 + owner.context);
    const auto fails = [](std::span<const CachedBuffer>) -> Result<Done> {
      return BadInput("no memory for it");
    };
    for (int run = 0; run < 500; ++run) {
      const auto buffers = run % 50 == 49 ? cache.Acquire(owner, slots, fails)
                                          : cache.Acquire(owner, slots, Filling(value));
      if (!buffers) continue;
      for (const auto& buffer : *buffers) {
        wrong += std::ranges::count(buffer->bytes(), value) != buffer->size_bytes ? 1 : 0;
      }
    }
  };
  RunThreads(execute, [&](int64_t turn) {
    if (turn % 3 == 0) cache.EvictAll();
    cache.EvictIndex(slots[static_cast<size_t>(turn % 4)].global_index);
    cache.SetCapacity(turn % 5 == 0 ? 12 : ConstantCache::kUnlimited);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(cache.Statistics().folds, 2);
}

// y = x - ~w, where the folded ~w belongs to the context's own weights.
Folding Sample() {
  HandFold fold(GraphOf(R"(
    block main (%x:i32[4],%w:i32[4]) -> (%y,%z)
      %s:i32[4] = BITWISE_NOT(%w)
      %t:i32[4] = BITWISE_XOR(%w,%s)
      %y:i32[4] = SUB(%x,%s)
      %z:i32[4] = SUB(%x,%t))"),
                {kVarying, kRuntime});
  fold.Stage(FoldStage::kCompileTime, {}, {}, {})
      .Stage(FoldStage::kRuntime, {"w"}, {"s", "t"}, {"s", "t"})
      .Stage(FoldStage::kEntry, {"x", "s", "t"}, {"y", "z"}, {"y", "z"});
  return fold.folding;
}

TEST(FoldedModuleThreads, EightExecuteInTwoContextsWhileAnotherEvicts) {
  const auto cache = std::make_shared<ConstantCache>();
  const auto module = std::move(FoldedModule::Load(Sample(), {}, cache).value());
  for (int round = 0; round < 20; ++round) {  // each with two first executions
    FoldContext contexts[2];
    std::atomic<int> wrong = 0;
    const auto execute = [&](int thread) {
      const int context = thread % 2;
      const Tensor x = Tensor::Splat(DType::kInt32, {4}, thread);
      const Tensor w = Tensor::Splat(DType::kInt32, {4}, context == 0 ? 5 : 9);
      // x - ~5 = x + 6 and x - ~9 = x + 10; x - (w ^ ~w) = x + 1.
      const Tensor y = Tensor::Splat(DType::kInt32, {4}, thread + (context == 0 ? 6 : 10));
      const Tensor z = Tensor::Splat(DType::kInt32, {4}, thread + 1);
      for (int run = 0; run < 20; ++run) {
        const Tensor inputs[] = {x, w};
        const FoldedRun ran = module->Run(contexts[context], ViewsOf(inputs));
        const bool right = ran.outcome.kind == OutcomeKind::kValid &&
                           TensorIn(ran.outputs[0]) == y && TensorIn(ran.outputs[1]) == z;
        wrong += right ? 0 : 1;
      }
    };
    RunThreads(execute, [&](int64_t turn) {
      if (turn % 3 == 0) cache->EvictAll();
      cache->EvictIndex(turn % 2);
      cache->SetCapacity(turn % 5 == 0 ? 20 : ConstantCache::kUnlimited);
    });
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace assay
