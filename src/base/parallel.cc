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

// The least work of a thread that is awake, as a part of that of one that sleeps.
constexpr double kLessIfAwake = 0.1;

// A thread takes this part of what is left of a range, but not less than that part of all. So a
// thread that is slower, or runs less often, keeps the others waiting for a short piece only.
constexpr int64_t kShareTaken = 3;
constexpr int64_t kPiecesMost = 16;  // about, of each thread

// The turns in which a thread without work waits for some before it sleeps: some 50 us on an idle
// machine. Waking it takes about as long, and operators follow each other sooner than that. Each
// turn yields the processor to whoever wants it.
constexpr int kTurnsAwake = 200;

// Returns true as soon as holds() does, or false after kTurnsAwake.
template <class Holds>
bool AwaitAwake(const Holds& holds) {
  for (int turn = 0; turn < kTurnsAwake; ++turn) {
    if (holds()) return true;
    std::this_thread::yield();
  }
  return false;
}

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

// The parts of a range. Each thread has a share of its own: the same in consecutive computations of
// the same size, so that a core finds in its cache what it has computed before. A thread that has
// ended its share takes from those of others.
class Parts {
 public:
  using Part = std::function<void(int64_t, int64_t)>;
  Parts(int64_t count, int64_t threads, const Part& part)
      : least_((count + threads * kPiecesMost - 1) / (threads * kPiecesMost)),
        shares_(static_cast<size_t>(threads)),
        part_(part) {
    for (int64_t i = 0; i < threads; ++i) {
      Share& share = shares_[static_cast<size_t>(i)];
      share.next = i * count / threads;
      share.end = (i + 1) * count / threads;
    }
  }

  // Computes parts until all are taken or one has thrown. `thread` numbers the threads.
  void Compute(size_t thread) {
    in_part = true;
    try {
      for (size_t i = 0; i < shares_.size(); ++i) {
        Share& share = shares_[(thread + i) % shares_.size()];
        for (int64_t begin = share.next; begin < share.end;) {
          const int64_t end = std::min(begin + PieceOf(share.end - begin), share.end);
          if (!share.next.compare_exchange_weak(begin, end)) continue;
          part_(begin, end);
          begin = share.next;
        }
      }
    } catch (...) {
      for (Share& share : shares_) share.next = share.end;
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
  struct Share {
    std::atomic<int64_t> next;
    int64_t end;
  };

  int64_t PieceOf(int64_t left) const {
    return std::max((left + kShareTaken - 1) / kShareTaken, least_);
  }

  const int64_t least_;
  std::vector<Share> shares_;
  const Part& part_;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

// Threads that wait for work. They live as long as the process, because starting a thread takes as
// long as many operators do, and much longer on a machine with other work. A forked process has
// none of them and starts its own.
class Helpers {
 public:
  // Calls work(0), which must not throw, and meanwhile calls work() on up to `count` other threads,
  // with the number of the thread. If `wakes` is false, these are only threads that are awake.
  // Returns when all calls have returned.
  static void Run(int64_t count, bool wakes, const std::function<void(size_t)>& work) {
    OfProcess().Call(count, wakes, work);
  }
  // Returns the number of threads that wait for work without sleeping.
  static int64_t Awake() { return OfProcess().awake_; }

 private:
  struct Request {
    const std::function<void(size_t)>& work;
    int64_t wanted;                    // helpers
    std::atomic<int64_t> working = 0;  // helpers
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

  void Call(int64_t count, bool wakes, const std::function<void(size_t)>& work) {
    Request request{work, count};
    int64_t asleep = 0;
    {
      const std::lock_guard lock(mutex_);
      if (wakes) {
        StartThreads(count);
        asleep = std::min(std::max(count - awake_, int64_t{0}), threads_);
      }
      requests_.push_back(&request);
      open_ = std::ssize(requests_);
    }
    for (int64_t i = 0; i < asleep; ++i) requested_.notify_one();
    work(0);
    std::unique_lock lock(mutex_);
    Close(request);
    if (request.working == 0) return;
    lock.unlock();
    AwaitAwake([&request] { return request.working == 0; });
    lock.lock();  // a helper that ends uses the request until it unlocks
    returned_.wait(lock, [&request] { return request.working == 0; });
  }

  void Close(const Request& request) {
    std::erase(requests_, &request);
    open_ = std::ssize(requests_);
  }

  // Brings the number of threads to `count`, or to what the system gives.
  void StartThreads(int64_t count) {
    if (threads_ >= count) return;
    const SignalsBlocked blocked;
    try {
      for (; threads_ < count; ++threads_) {
        std::thread([this, number = static_cast<size_t>(threads_ + 1)] { Serve(number); }).detach();
      }
    } catch (const std::exception&) {
      // The threads that there are compute all parts.
    }
  }

  void Serve(size_t number) {
    std::unique_lock lock(mutex_);
    while (true) {
      while (requests_.empty()) {
        ++awake_;
        lock.unlock();
        const bool is_open = AwaitAwake([this] { return open_ != 0; });
        lock.lock();
        --awake_;
        if (!is_open) requested_.wait(lock, [this] { return !requests_.empty(); });
      }
      Request& request = *requests_.front();
      ++request.working;
      if (--request.wanted == 0) Close(request);
      lock.unlock();
      request.work(number);
      lock.lock();
      if (--request.working == 0) returned_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable requested_, returned_;
  std::vector<Request*> requests_;  // that want more helpers
  std::atomic<int64_t> open_ = 0;   // their number
  std::atomic<int64_t> awake_ = 0;  // threads without work that do not sleep
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
  const auto threads_for = [&](double least, int64_t most) {
    const double paid =
        std::min(nanoseconds_each * static_cast<double>(count) / least, static_cast<double>(count));
    return static_cast<int64_t>(std::min(paid, static_cast<double>(most)));
  };
  const int64_t allowed = Threads();
  if (allowed == 1) return part(0, count);
  const int64_t woken = threads_for(least_nanoseconds, allowed);
  const int64_t awake = threads_for(least_nanoseconds * kLessIfAwake,
                                    std::min<int64_t>(allowed, Helpers::Awake() + 1));
  const int64_t threads = std::max(woken, awake);
  if (threads <= 1) return part(0, count);
  Parts parts(count, threads, part);
  TimeLimit* const limit = TimeLimit::InForce();
  Helpers::Run(threads - 1, woken > 1, [&parts, limit](size_t thread) {
    if (thread == 0) return parts.Compute(thread);
    const TimeLimit::Helper helper(limit);
    parts.Compute(thread);
  });
  parts.Rethrow();
}

}  // namespace assay
