// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cached_buffer.h"
#include "folding_fault.h"
#include "result.h"

namespace assay {

// The owner of a folded tensor. A tensor that is folded for one owner is never given to another.
struct CacheOwner {
  int64_t context = 0;  // the runtime context
  std::string weights;  // what was folded: a digest of its bytes, never an address
  friend auto operator<=>(const CacheOwner&, const CacheOwner&) = default;
};

// A tensor that a fold makes.
struct CacheSlot {
  int64_t global_index = 0;
  TensorType type;
};

// Counts of what happened so far.
struct CacheStatistics {
  int64_t folds = 0;      // begun
  int64_t failures = 0;   // of these
  int64_t evictions = 0;  // of buffers
  int64_t bytes = 0;      // of the buffers that are held
};

// Something that happened to one folded tensor.
struct CacheEvent {
  enum class Kind : uint8_t {
    kFound,    // an execution took it from the cache, or from the thread that was folding it
    kFolded,   // a fold made it
    kEvicted,  // it left the cache
  };
  Kind kind = Kind::kFound;
  int64_t global_index = 0;
  CacheOwner owner;
  int64_t bytes = 0;
  bool is_held = false;  // by the cache, afterwards
};

// The types of the standard library that ConstantCacheOf needs. A test replaces them by a scheduler
// of its own.
struct StandardThreads {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
};

// The buffers of folded tensors, by global index and owner. Modules may share one cache or have one
// each. A module asks the cache for the indices of its tensors, so that two modules never have the
// same. An observer sees what happens to each tensor.
//
// Others see a buffer only when it is complete; from then on, nobody writes to it. Every user of a
// buffer holds it: eviction removes it from the cache, but does not free it. Any number of threads
// may use the cache.
template <class Threads>
class ConstantCacheOf {
 public:
  using Buffers = std::vector<std::shared_ptr<const CachedBuffer>>;
  // Receives every event, in order. It runs with the cache's lock, so it must not call the cache.
  using Observer = std::function<void(const CacheEvent&)>;
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // Makes a cache. A cache of 0 bytes keeps nothing: every run folds.
  explicit ConstantCacheOf(int64_t capacity_bytes = kUnlimited, FoldFault fault = FoldFault::kNone,
                           Observer observer = {})
      : capacity_(capacity_bytes), fault_(fault), observer_(std::move(observer)) {}

  // Reserves `count` indices that nobody else has, and returns the first.
  int64_t NewIndices(int64_t count) {
    const Guard guard(mutex_);
    if (Has(FoldFault::kIndicesRestart)) return 0;
    return std::exchange(next_index_, next_index_ + count);
  }

  // Returns the buffers of the tensors that one fold makes. They come from the cache, if it holds
  // them all; or from the thread that is folding them for the same owner, if there is one; or from
  // `fill(std::span<const CachedBuffer>) -> Result<Done>`. `fill` gets buffers of zeros and runs
  // without the cache's lock. A buffer that does not fit into the cache belongs to the caller
  // alone. If `fill` fails, its caller gets the error; threads that waited for it, and later ones,
  // try themselves.
  template <class Fill>
  Result<Buffers> Acquire(const CacheOwner& owner, std::span<const CacheSlot> slots, Fill fill) {
    if (slots.empty()) return Buffers();
    const Key name = KeyOf(owner, slots.front());
    std::unique_lock lock(mutex_);
    for (;;) {
      if (Buffers held = Find(owner, slots); !held.empty()) return Found(owner, slots, held);
      const auto flight = flights_.find(name);
      if (flight == flights_.end()) break;
      const std::shared_ptr<Flight> leader = flight->second;
      while (!leader->landed) landed_.wait(lock);
      if (!leader->buffers.empty()) return Found(owner, slots, leader->buffers);
      if (Has(FoldFault::kFailureRemembered)) return BadInput("another thread could not fold it");
    }
    return Lead(lock, name, owner, slots, fill);
  }

  // Remove buffers from the cache: all, those of one tensor, or those of a context at its end.
  void EvictAll() {
    EvictIf([](const Key&) { return true; });
  }
  void EvictIndex(int64_t global_index) {
    EvictIf([global_index](const Key& key) { return key.global_index == global_index; });
  }
  void EvictContext(int64_t context) {
    EvictIf([context](const Key& key) { return key.owner.context == context; });
  }

  // Changes the capacity. Evicts the buffers that do not fit, the longest unused first.
  void SetCapacity(int64_t bytes) {
    const Guard guard(mutex_);
    capacity_ = bytes;
    MakeRoom(0);
  }

  CacheStatistics Statistics() const {
    const Guard guard(mutex_);
    return statistics_;
  }

 private:
  using Guard = std::lock_guard<typename Threads::Mutex>;
  using Lock = std::unique_lock<typename Threads::Mutex>;

  struct Key {
    int64_t global_index;
    CacheOwner owner;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Held {
    std::shared_ptr<const CachedBuffer> buffer;
    int64_t last_use;
  };
  // A fold in progress. One thread folds; threads that want the same tensors wait until it has
  // landed.
  struct Flight {
    bool landed = false;
    Buffers buffers;  // none if it failed
  };
  // Ends a flight, even if an exception leaves it.
  struct Landing {
    ConstantCacheOf& cache;
    Lock& lock;
    const Key& name;
    std::shared_ptr<Flight> flight;
    ~Landing() {
      if (!lock.owns_lock()) lock.lock();
      flight->landed = true;
      if (!cache.Has(FoldFault::kFailureRemembered) || !flight->buffers.empty()) {
        cache.flights_.erase(name);
      }
      cache.landed_.notify_all();
    }
  };

  bool Has(FoldFault fault) const { return fault_ == fault; }

  Key KeyOf(const CacheOwner& owner, const CacheSlot& slot) const {
    Key key = {slot.global_index, owner};
    if (Has(FoldFault::kContextNotInKey) || Has(FoldFault::kFoldedPerModule)) key.owner.context = 0;
    if (Has(FoldFault::kWeightsNotInKey) || Has(FoldFault::kFoldedPerModule)) {
      key.owner.weights.clear();
    }
    return key;
  }

  template <class Fill>
  Result<Buffers> Lead(Lock& lock, const Key& name, const CacheOwner& owner,
                       std::span<const CacheSlot> slots, Fill fill) {
    const Landing landing = {*this, lock, name, std::make_shared<Flight>()};
    flights_.emplace(name, landing.flight);
    ++statistics_.folds;
    const std::vector<CachedBuffer> buffers = Allocate(owner, slots);
    if (Has(FoldFault::kPublishedEarly)) Publish(owner, slots, buffers);
    lock.unlock();
    const Result<Done> filled = fill(std::span<const CachedBuffer>(buffers));
    lock.lock();
    if (!filled) {
      ++statistics_.failures;
      if (Has(FoldFault::kCountedOnFailure)) Publish(owner, slots, buffers);
      return filled.error();
    }
    return landing.flight->buffers = Publish(owner, slots, buffers);
  }

  // Allocates new memory for each tensor, even if the cache holds it: that memory may be in use.
  std::vector<CachedBuffer> Allocate(const CacheOwner& owner, std::span<const CacheSlot> slots) {
    std::vector<CachedBuffer> buffers;
    for (const CacheSlot& slot : slots) {
      const auto held = held_.find(KeyOf(owner, slot));
      const bool reuse = Has(FoldFault::kFilledInPlace) && held != held_.end();
      buffers.push_back(reuse ? *held->second.buffer : NewCachedBuffer(slot.type));
      if (Has(FoldFault::kMisaligned)) buffers.back() = Misaligned(slot.type);
    }
    return buffers;
  }

  // Returns all of the buffers, or none.
  Buffers Find(const CacheOwner& owner, std::span<const CacheSlot> slots) {
    if (Has(FoldFault::kFoldedEveryRun)) return {};
    Buffers found;
    for (const CacheSlot& slot : slots) {
      const auto held = held_.find(KeyOf(owner, slot));
      if (held != held_.end()) {
        held->second.last_use = ++clock_;
        found.push_back(held->second.buffer);
      } else if (Has(FoldFault::kPartlyEvicted) && !found.empty()) {
        found.push_back(std::make_shared<const CachedBuffer>(NewCachedBuffer(slot.type)));
      } else {
        return {};
      }
    }
    return found;
  }

  Buffers Found(const CacheOwner& owner, std::span<const CacheSlot> slots, Buffers buffers) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      Tell(CacheEvent::Kind::kFound, slots[i].global_index, owner, *buffers[i]);
    }
    return buffers;
  }

  void Tell(CacheEvent::Kind kind, int64_t global_index, const CacheOwner& owner,
            const CachedBuffer& buffer) const {
    if (!observer_) return;
    const bool is_held = held_.contains(KeyOf(owner, {global_index, buffer.type}));
    observer_({kind, global_index, owner, buffer.size_bytes, is_held});
  }

  // Keeps the buffers that fit. A buffer that is there already stays, because it has the same
  // content: only other buffers of its fold were evicted.
  Buffers Publish(const CacheOwner& owner, std::span<const CacheSlot> slots,
                  const std::vector<CachedBuffer>& filled) {
    Buffers buffers;
    for (size_t i = 0; i < slots.size(); ++i) {
      buffers.push_back(std::make_shared<const CachedBuffer>(filled[i]));
      const Key key = KeyOf(owner, slots[i]);
      if (!held_.contains(key)) {
        const bool fits = MakeRoom(filled[i].size_bytes);
        if (fits || Has(FoldFault::kCapacityLeaks)) statistics_.bytes += filled[i].size_bytes;
        if (fits) held_.emplace(key, Held{buffers.back(), ++clock_});
        if (!fits && Has(FoldFault::kFullGivesNothing)) {
          buffers.back() = std::make_shared<const CachedBuffer>(NewCachedBuffer(slots[i].type));
        }
      }
      Tell(CacheEvent::Kind::kFolded, slots[i].global_index, owner, filled[i]);
    }
    return buffers;
  }

  // Evicts buffers until `bytes` more fit. Returns false, and evicts nothing, if they will never
  // fit.
  bool MakeRoom(int64_t bytes) {
    if (bytes > capacity_) return false;
    if (Has(FoldFault::kEvictionIgnored)) return true;
    while (!held_.empty() && statistics_.bytes > capacity_ - bytes) {
      Drop(std::min_element(held_.begin(), held_.end(), [](const auto& a, const auto& b) {
        return a.second.last_use < b.second.last_use;
      }));
    }
    return true;
  }

  auto Drop(typename std::map<Key, Held>::iterator held) {
    const auto [key, evicted] = *held;
    const CachedBuffer& buffer = *evicted.buffer;
    ++statistics_.evictions;
    if (Has(FoldFault::kFreedInUse) || Has(FoldFault::kEvictionIgnored)) {
      std::ranges::fill(buffer.bytes(), kFreedByte);
    }
    if (!Has(FoldFault::kEvictionIgnored)) statistics_.bytes -= buffer.size_bytes;
    const auto next = Has(FoldFault::kEvictionIgnored) ? std::next(held) : held_.erase(held);
    Tell(CacheEvent::Kind::kEvicted, key.global_index, key.owner, buffer);
    return next;
  }

  template <class Condition>
  void EvictIf(Condition condition) {
    const Guard guard(mutex_);
    for (auto held = held_.begin(); held != held_.end();) {
      held = condition(held->first) ? Drop(held) : std::next(held);
    }
  }

  mutable typename Threads::Mutex mutex_;
  typename Threads::Condition landed_;
  std::map<Key, Held> held_;
  std::map<Key, std::shared_ptr<Flight>> flights_;  // by the first of their tensors
  int64_t capacity_;
  FoldFault fault_;
  Observer observer_;
  int64_t next_index_ = 0;
  int64_t clock_ = 0;  // counts uses
  CacheStatistics statistics_;
};

using ConstantCache = ConstantCacheOf<StandardThreads>;

}  // namespace assay
