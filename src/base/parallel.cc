#include "parallel.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <exception>
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

// Blocks all signals of this thread. Threads that it starts meanwhile inherit that, so that signals
// of the process go to the thread that they go to without helpers.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
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
  const auto help = [&parts, limit] {
    const TimeLimit::Helper helper(limit);
    parts.Compute();
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<size_t>(threads));
  try {
    const SignalsBlocked blocked;
    for (int64_t i = 1; i < threads; ++i) helpers.emplace_back(help);
  } catch (const std::exception&) {
    // The system gives no more threads or memory. The threads that there are compute all parts.
  }
  parts.Compute();
  for (std::thread& helper : helpers) helper.join();
  parts.Rethrow();
}

}  // namespace assay
