// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "time_limit.h"

namespace assay {
namespace {

std::atomic<int> threads_of_process = 1;
std::atomic<double> least_nanoseconds = kNanosecondsOfThread;
thread_local bool in_part = false;

// The parts of each thread. Threads that are faster, or that run more often, take more of them.
constexpr int64_t kPartsOfThread = 4;

// Blocks the signals of this thread that come from outside. Threads that it starts meanwhile
// inherit that, so that signals of the process never go to a helper.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    // A signal that an instruction raises belongs to the thread that runs it. Blocked, it ends the
    // process without a word.
    for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// The parts of a range, which threads take in order.
class Parts {
 public:
  using Part = std::function<void(int64_t, int64_t)>;
  Parts(int64_t count, int64_t size, const Part& part) : count_(count), size_(size), part_(part) {}

  // Computes parts until all are taken or one has thrown.
  void Compute() {
    in_part = true;
    try {
      for (int64_t begin = next_ += size_; (begin -= size_) < count_; begin = next_ += size_) {
        part_(begin, std::min(begin + size_, count_));
      }
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (thrown_ == nullptr) thrown_ = std::current_exception();
    }
    in_part = false;
  }
  // Throws what a part has thrown first. All threads have ended.
  void Rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  const int64_t count_, size_;
  const Part& part_;
  std::atomic<int64_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

// Threads that wait for work. They live as long as the process, because starting a thread takes as
// long as many operators do, and much longer on a machine with other work. A forked process has
// none of them and starts its own.
class Helpers {
 public:
  // Calls work(), which must not throw, and meanwhile calls it on up to `count` other threads.
  // Returns when all calls have returned.
  static void Run(int64_t count, const std::function<void()>& work) {
    OfProcess().Call(count, work);
  }

 private:
  struct Request {
    const std::function<void()>& work;
    int64_t wanted;       // helpers
    int64_t working = 0;  // helpers
  };

  static Helpers& OfProcess() {
    // These are never destroyed, because threads use them until the process ends.
    static Helpers* const helpers = [] {
      static Helpers* const made = new Helpers;
      pthread_atfork([] { made->mutex_.lock(); }, [] { made->mutex_.unlock(); },
                     [] { std::construct_at(made); });
      return made;
    }();
    return *helpers;
  }

  void Call(int64_t count, const std::function<void()>& work) {
    Request request{work, count};
    {
      const std::lock_guard lock(mutex_);
      StartThreads(count);
      requests_.push_back(&request);
    }
    for (int64_t i = 0; i < count; ++i) requested_.notify_one();
    work();
    std::unique_lock lock(mutex_);
    std::erase(requests_, &request);
    returned_.wait(lock, [&request] { return request.working == 0; });
  }

  // Brings the number of threads to `count`, or to what the system gives.
  void StartThreads(int64_t count) {
    if (threads_ >= count) return;
    const SignalsBlocked blocked;
    try {
      for (; threads_ < count; ++threads_) std::thread([this] { Serve(); }).detach();
    } catch (const std::exception&) {
      // The threads that there are compute all parts.
    }
  }

  void Serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      requested_.wait(lock, [this] { return !requests_.empty(); });
      Request& request = *requests_.front();
      ++request.working;
      if (--request.wanted == 0) requests_.erase(requests_.begin());
      lock.unlock();
      request.work();
      lock.lock();
      if (--request.working == 0) returned_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable requested_, returned_;
  std::vector<Request*> requests_;  // that want more helpers
  int64_t threads_ = 0;
};

}  // namespace

void SetThreads(int threads, double nanoseconds_of_thread) {
  threads_of_process = std::max(threads, 1);
  least_nanoseconds = nanoseconds_of_thread;
}

int Threads() { return in_part ? 1 : threads_of_process.load(); }

void ForEachPart(int64_t count, double nanoseconds_each,
                 const std::function<void(int64_t, int64_t)>& part) {
  if (count <= 0) return;
  const double paid = std::min(nanoseconds_each * static_cast<double>(count) / least_nanoseconds,
                               static_cast<double>(count));
  const auto threads = static_cast<int64_t>(std::min<double>(paid, Threads()));
  if (threads <= 1) return part(0, count);
  const int64_t most = threads * kPartsOfThread;
  Parts parts(count, (count + most - 1) / most, part);
  TimeLimit* const limit = TimeLimit::InForce();
  const auto here = std::this_thread::get_id();
  Helpers::Run(threads - 1, [&parts, limit, here] {
    if (std::this_thread::get_id() == here) return parts.Compute();
    const TimeLimit::Helper helper(limit);
    parts.Compute();
  });
  parts.Rethrow();
}

}  // namespace assay
