// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::testing {

// Runs a few threads in every order that can make a difference. One thread runs at a time, from one
// step to the next: taking a mutex, waking up, touching shared memory. Two orders that differ only
// in steps on different objects lead to the same state, which is explored once. A state is how far
// each thread is and what it has seen of the others (a hash of the steps that its own steps depend
// on). The threads are contexts of one thread of the machine: on a busy machine, half a million
// switches between threads of its own would wait for minutes.
class Schedule {
 public:
  // Returns the schedule of the running thread.
  static Schedule& Current() { return *current_; }

  // Makes a step that reads or writes objects that other threads may touch.
  void Touch(const std::vector<const void*>& objects, bool writes) {
    Step([] { return true; });
    for (const void* const object : objects) See(object, writes);
  }
  // Records a violation in the explored code; the first one is kept.
  void Violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }

 private:
  friend class Interleavings;
  friend class ScheduledMutex;
  friend class ScheduledCondition;

  static constexpr size_t kStackBytes = size_t{1} << 17;
  struct Thread {
    std::function<void()> body;
    std::function<bool()> ready;  // returns true if its next step is possible
    bool ended = false;
    uint64_t steps = 0, seen = 0;
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  };
  struct Object {
    uint64_t written = 0, read = 0;
  };

  static uint64_t Mix(uint64_t a, uint64_t b) {
    a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
    a = (a ^ (a >> 30)) * 0xBF58476D1CE4E5B9u;
    a = (a ^ (a >> 27)) * 0x94D049BB133111EBu;
    return a ^ (a >> 31);
  }

  void Start(std::vector<std::function<void()>> bodies) {
    for (std::function<void()>& body : bodies) {
      threads_.push_back(std::make_unique<Thread>());
      Thread& thread = *threads_.back();
      thread.body = std::move(body);
      thread.ready = [] { return true; };
      thread.seen = threads_.size();
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = kStackBytes;
      thread.context.uc_link = &scheduler_;
      makecontext(&thread.context, &RunBody, 0);
    }
  }

  static void RunBody() {
    self_->body();
    self_->ended = true;
  }

  // Waits until the scheduler resumes this thread, which it may do when `ready` returns true.
  void Step(std::function<bool()> ready) {
    self_->ready = std::move(ready);
    swapcontext(&self_->context, &scheduler_);
  }

  void See(const void* object, bool writes) {
    Object& seen = objects_[object];
    self_->seen = Mix(self_->seen, Mix(seen.written, writes ? seen.read + 1 : 0));
    if (writes) {
      seen = {self_->seen, 0};
    } else {
      seen.read += self_->seen;
    }
  }

  std::vector<size_t> Ready() const {
    std::vector<size_t> ready;
    for (size_t i = 0; i < threads_.size(); ++i) {
      if (!threads_[i]->ended && threads_[i]->ready()) ready.push_back(i);
    }
    return ready;
  }

  void Run(size_t thread) {
    current_ = this;
    self_ = threads_[thread].get();
    ++self_->steps;
    swapcontext(&scheduler_, &self_->context);
    self_ = nullptr;
  }

  uint64_t State() const {
    uint64_t state = 0;
    for (const auto& thread : threads_) state = Mix(state, Mix(thread->seen, thread->steps));
    return state;
  }

  bool Finished() const {
    for (const auto& thread : threads_) {
      if (!thread->ended) return false;
    }
    return true;
  }

  static inline Schedule* current_ = nullptr;
  static inline Thread* self_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::map<const void*, Object> objects_;
  ucontext_t scheduler_;
  std::string violation_;
};

class ScheduledMutex {
 public:
  // Takes the mutex. Does nothing outside of all threads, before and after a run.
  void lock() {
    if (Schedule::self_ == nullptr) return;
    Schedule& schedule = Schedule::Current();
    schedule.Step([this] { return !taken_; });
    Take(schedule);
  }
  void unlock() { taken_ = false; }

 private:
  friend class ScheduledCondition;
  void Take(Schedule& schedule) {
    taken_ = true;
    schedule.See(this, true);
  }
  bool taken_ = false;
};

class ScheduledCondition {
 public:
  void wait(std::unique_lock<ScheduledMutex>& lock) {
    ScheduledMutex& mutex = *lock.mutex();
    const int64_t calls = calls_;
    mutex.unlock();
    Schedule::Current().Step([this, calls, &mutex] { return calls_ > calls && !mutex.taken_; });
    mutex.Take(Schedule::Current());
  }
  void notify_all() { ++calls_; }

 private:
  int64_t calls_ = 0;
};

struct ScheduledThreads {
  using Mutex = ScheduledMutex;
  using Condition = ScheduledCondition;
};

// Explores all orders, and keeps the result.
class Interleavings {
 public:
  using Finish = std::function<void(Schedule&)>;
  // Makes the bodies of the threads of a run, over new state. May set `finish`, which checks the
  // state after the run, outside of all threads.
  using Setup = std::function<std::vector<std::function<void()>>(Finish& finish)>;

  explicit Interleavings(const Setup& threads, bool until_violation = false) {
    std::vector<std::vector<size_t>> open = {{}};
    while (!open.empty() && !(until_violation && violations_ > 0)) {
      const std::vector<size_t> begin = std::move(open.back());
      open.pop_back();
      Explore(threads, begin, open);
    }
  }

  size_t states() const { return states_.size(); }
  size_t runs() const { return runs_; }
  size_t violations() const { return violations_; }
  // Returns the first violation with the shortest order of steps that leads to it: "read 0: 0 0 1
  // 0".
  const std::string& violation() const { return violation_; }

 private:
  void Explore(const Setup& threads, const std::vector<size_t>& begin,
               std::vector<std::vector<size_t>>& open) {
    auto owned = std::make_unique<Schedule>();
    Schedule& schedule = *owned;
    Finish finish;
    schedule.Start(threads(finish));
    ++runs_;
    std::vector<size_t> order;
    bool known = false;
    for (std::vector<size_t> ready; !(ready = schedule.Ready()).empty();) {
      size_t next = ready.front();
      if (order.size() < begin.size()) {
        next = begin[order.size()];
      } else if (!known && !(known = !states_.insert(schedule.State()).second)) {
        for (size_t i = 1; i < ready.size(); ++i) {
          open.push_back(order);
          open.back().push_back(ready[i]);
        }
      }
      order.push_back(next);
      schedule.Run(next);
    }
    if (!schedule.Finished()) {
      Note("deadlock", order);
      owned.release();  // nothing can destroy the objects on the stacks of threads that wait
      return;
    }
    if (finish) finish(schedule);
    if (!schedule.violation_.empty()) Note(schedule.violation_, order);
  }

  void Note(const std::string& what, const std::vector<size_t>& order) {
    ++violations_;
    if (!violation_.empty() && shortest_ <= order.size()) return;
    shortest_ = order.size();
    violation_ = what + ":";
    for (const size_t thread : order) violation_ += " " + std::to_string(thread);
  }

  std::set<uint64_t> states_;
  size_t runs_ = 0, violations_ = 0, shortest_ = 0;
  std::string violation_;
};

}  // namespace assay::testing
