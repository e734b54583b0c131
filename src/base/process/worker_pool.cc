// SPDX-License-Identifier: Apache-2.0
#include "worker_pool.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "child_process.h"
#include "descriptor.h"
#include "frame.h"
#include "interrupt.h"
#include "mapped_file.h"

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A worker gets as many indices ahead as it processes in this time. So it does not wait for the
// parent, and the parent does not wake up for every index.
constexpr double kAheadSeconds = 0.005;
constexpr size_t kAheadMax = 64;
// The shortest and the longest time that the parent sleeps while its workers still have indices.
constexpr double kNapSecondsMin = 0.0002, kNapSecondsMax = 0.002;

constexpr size_t kReadMax = 1 << 16;  // bytes at a time

// The longest poll. It covers a signal that comes just before the parent waits.
constexpr int64_t kPollMillisecondsMax = 500;

double SecondsBetween(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

SteadyClock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

// The exit status of a worker that ran out of memory. No other exit uses either status.
constexpr int kNoMemoryStatus = 112;
// The exit status of a worker that read behind the end of a mapped file.
constexpr int kCutFileStatus = 113;

// Returns true for signals that a process causes itself. The others come from outside.
bool IsOwnFault(int signal) {
  constexpr int kOwn[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  return std::ranges::find(kOwn, signal) != std::end(kOwn);
}

Loss LossOf(const ChildReport& end) {
  if (end.end == ChildReport::End::kSignaled) return {end.Describe(), IsOwnFault(end.status)};
  if (end.status == kNoMemoryStatus) return {"not enough memory", false};
  if (end.status == kCutFileStatus) return {"a file was cut while it was read", false};
  return {end.Describe(), true};
}

// A request is an index as stored in memory. This value asks the worker to end.
constexpr int64_t kNoMore = -1;

// A reply is a frame: a kind, the kind of an Error, and the bytes or the message of the Error.
// Notes come before the reply to an index.
enum class Reply : uint8_t { kBytes, kError, kNote };
constexpr size_t kReplyHead = 2;

std::string ReplyOf(const Result<std::string>& done) {
  if (done) return std::string{static_cast<char>(Reply::kBytes), '\0'} + *done;
  return std::string{static_cast<char>(Reply::kError), static_cast<char>(done.error().kind)} +
         done.error().message;
}

// Ignores interrupts in a worker. A terminal sends them to all processes, and some tools to one
// process after the other. The parent decides what to do; a worker that died first would look like
// a defect. Unlike SIG_IGN, handlers are not inherited by a program that the worker starts.
void LeaveInterruptsToTheParent() {
  for (const int number : {SIGINT, SIGTERM}) signal(number, [](int) {});
}

// One worker process, as the parent sees it. The process ends with this object.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { Stop(); }

  std::optional<Child> process;
  std::deque<int64_t> indices;    // handed out; the worker processes the first one
  int tries = 1;                  // of the first one
  SteadyClock::time_point since;  // when the worker began with it
  SteadyClock::time_point noted;  // when the last note came
  std::string received;
  double pace = kAheadSeconds;  // recent seconds per index

  // Returns the last sign of work on the first index.
  SteadyClock::time_point LastSign() const { return std::max(since, noted); }

  // Returns the number of indices that the worker should hold, including the current one.
  size_t Depth() const {
    return static_cast<size_t>(
        std::clamp(kAheadSeconds / pace, 1.0, static_cast<double>(kAheadMax)));
  }
  // Records that the first `count` indices are done.
  void Advance(size_t count) {
    if (count == 0) return;
    const SteadyClock::time_point now = SteadyClock::now();
    const double weight = std::min(static_cast<double>(count), 8.0) / 8;
    pace += weight * (SecondsBetween(since, now) / static_cast<double>(count) - pace);
    pace = std::max(pace, 1e-6);
    since = now;
    tries = 1;
    indices.erase(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(count));
  }

  // Sends requests. If the worker has died, that is noticed when its reply is read.
  void Send(std::span<const int64_t> numbers) {
    (void)process->Write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }

  // Ends the worker and returns how it died. An idle worker ends by itself and closes its backend
  // properly.
  Loss Stop() {
    if (!process) return {};
    if (indices.empty()) Send({&kNoMore, 1});
    const Loss loss = LossOf(indices.empty() ? process->WaitForEnd() : process->Kill());
    process.reset();
    return loss;
  }
};

class Pool {
 public:
  explicit Pool(const WorkPlan& plan) : plan_(plan), next_(plan.first), merged_(plan.first) {}

  Result<int64_t> Run();

 private:
  Result<Done> Start(Worker& worker);
  int Serve(int requests, int replies);
  bool AnyLeft();
  Result<Done> HandOut(Worker& worker);
  Result<Done> Collect(Worker& worker, bool overdue);
  Result<Done> Parse(Worker& worker);
  Result<Done> Lose(Worker& worker, Loss loss, int tries_max);
  Result<Done> Finish(int64_t index, std::string bytes, Loss loss);
  Result<Done> Wait();
  Result<Done> CollectRest();

  const WorkPlan& plan_;
  int64_t next_;               // to hand out
  std::deque<int64_t> again_;  // handed out first: indices that dead workers did not reach
  int64_t merged_;             // all before it are merged
  bool stopped_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<int64_t, std::pair<std::string, Loss>> waiting_;  // results that came early
};

// Serves requests in the worker. Returns its exit status.
int Pool::Serve(int requests, int replies) {
  ForgetInterrupts();
  LeaveInterruptsToTheParent();
  EndOfChangedFile(kCutFileStatus);
  if (plan_.notes != nullptr) plan_.notes->SendTo(replies);
  try {
    Result<Work> work = plan_.start();
    int64_t index = 0;
    while (ReadAll(requests, &index, sizeof(index)) && index != kNoMore) {
      if (!WriteFrame(replies, ReplyOf(work ? (*work)(index) : work.error()))) break;
    }
  } catch (const std::bad_alloc&) {
    return kNoMemoryStatus;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: defect in Assay itself: %s\n", error.what());
    return 4;
  }
  return 0;
}

Result<Done> Pool::Start(Worker& worker) {
  std::fflush(nullptr);  // unwritten output in the streams belongs to the parent
  Result<Child> child =
      Child::Fork(false, [this](int requests, int replies) { return Serve(requests, replies); });
  if (!child) return Error{child.error().kind, "a worker process: " + child.error().message};
  worker.process = std::move(*child);
  return Done{};
}

bool Pool::AnyLeft() {
  if (!again_.empty()) return true;
  if (!stopped_ && next_ < plan_.last && plan_.stop && plan_.stop()) stopped_ = true;
  return !stopped_ && next_ < plan_.last;
}

// Gives the worker more indices, and starts its process if there are any.
Result<Done> Pool::HandOut(Worker& worker) {
  std::vector<int64_t> more;
  while (worker.indices.size() < worker.Depth() && AnyLeft()) {
    if (!worker.process) {
      const Result<Done> started = Start(worker);
      if (!started) return started;
    }
    if (worker.indices.empty()) worker.since = SteadyClock::now();
    more.push_back(again_.empty() ? next_++ : again_.front());
    if (!again_.empty()) again_.pop_front();
    worker.indices.push_back(more.back());
  }
  if (!more.empty()) worker.Send(more);
  return Done{};
}

Result<Done> Pool::Finish(int64_t index, std::string bytes, Loss loss) {
  waiting_[index] = {std::move(bytes), std::move(loss)};
  for (auto ready = waiting_.find(merged_); ready != waiting_.end();
       ready = waiting_.find(merged_)) {
    auto [result, how] = std::move(ready->second);
    waiting_.erase(ready);
    const Result<Done> merged = plan_.merge(merged_, std::move(result), how);
    if (!merged) return merged.error();
    ++merged_;
  }
  return Done{};
}

// Handles a worker that died or hangs at the first of its indices. A new worker gets that index
// alone, unless it was tried `tries_max` times. The other indices go to any worker.
Result<Done> Pool::Lose(Worker& worker, Loss loss, int tries_max) {
  const int64_t index = worker.indices.front();
  again_.insert(again_.begin(), worker.indices.begin() + 1, worker.indices.end());
  worker.indices.clear();
  worker.received.clear();
  worker.pace = kAheadSeconds;
  if (worker.tries >= tries_max) {
    worker.tries = 1;
    return Finish(index, "", std::move(loss));
  }
  ++worker.tries;
  const Result<Done> started = Start(worker);
  if (!started) return started;
  worker.since = SteadyClock::now();
  worker.indices.push_back(index);
  worker.Send({&index, 1});
  return Done{};
}

// Parses the replies that have arrived completely.
Result<Done> Pool::Parse(Worker& worker) {
  size_t at = 0, count = 0;
  while (count < worker.indices.size() && worker.received.size() - at >= kFrameHeadBytes) {
    const std::string_view rest = std::string_view(worker.received).substr(at);
    const size_t end = kFrameHeadBytes + FrameLength(rest);
    if (rest.size() < end || end < kFrameHeadBytes + kReplyHead) break;
    const std::string_view reply = rest.substr(kFrameHeadBytes, end - kFrameHeadBytes);
    std::string bytes(reply.substr(kReplyHead));
    if (static_cast<Reply>(reply[0]) == Reply::kError) {
      return Error{static_cast<Error::Kind>(reply[1]), std::move(bytes)};
    }
    at += end;
    if (static_cast<Reply>(reply[0]) == Reply::kNote) {
      worker.noted = SteadyClock::now();
      plan_.notes->take(worker.indices[count], std::move(bytes));
      continue;
    }
    const Result<Done> finished = Finish(worker.indices[count++], std::move(bytes), {});
    if (!finished) return finished;
  }
  worker.received.erase(0, at);
  worker.Advance(count);
  return Done{};
}

// Reads the replies of a worker, or notices that it has died.
Result<Done> Pool::Collect(Worker& worker, bool overdue) {
  if (overdue || !worker.process->ReadSome(worker.received, kReadMax)) {
    Loss loss = worker.Stop();
    return overdue ? Lose(worker, {"no answer", true}, 1)
                   : Lose(worker, std::move(loss), plan_.tries);
  }
  return Parse(worker);
}

Result<Done> Pool::Wait() {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  SteadyClock::time_point deadline = SteadyClock::time_point::max();
  double nap = kNapSecondsMax;
  for (const auto& worker : workers_) {
    if (worker->indices.empty()) continue;
    polled.push_back({worker->process->output(), POLLIN, 0});
    busy.push_back(worker.get());
    deadline = std::min(deadline, worker->LastSign() + Seconds(plan_.index_seconds_max));
    nap = std::min(nap, worker->pace * static_cast<double>(worker->indices.size() - 1) / 2);
  }
  if (nap >= kNapSecondsMin) std::this_thread::sleep_for(Seconds(nap));
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
  poll(polled.data(), polled.size(),
       static_cast<int>(std::clamp<int64_t>(left, 0, kPollMillisecondsMax)));
  for (size_t i = 0; i < busy.size(); ++i) {
    const bool overdue =
        polled[i].revents == 0 &&
        SteadyClock::now() >= busy[i]->LastSign() + Seconds(plan_.index_seconds_max);
    if (polled[i].revents == 0 && !overdue) continue;
    const Result<Done> collected = Collect(*busy[i], overdue);
    if (!collected) return collected.error();
  }
  return Done{};
}

// Reads the replies that workers sent before a signal came, so that no reply is lost.
Result<Done> Pool::CollectRest() {
  for (const auto& worker : workers_) {
    while (!worker->indices.empty() &&
           worker->process->ReadSome(worker->received, kReadMax).value_or(0) > 0) {
      const Result<Done> parsed = Parse(*worker);
      if (!parsed) return parsed;
    }
  }
  return Done{};
}

Result<int64_t> Pool::Run() {
  const auto jobs = std::clamp<int64_t>(plan_.jobs, 1, std::max<int64_t>(plan_.last - next_, 1));
  for (int64_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<Worker>());
  while (!Interrupted()) {
    bool any_busy = false;
    for (const auto& worker : workers_) {
      const Result<Done> handed_out = HandOut(*worker);
      if (!handed_out) return handed_out.error();
      any_busy = any_busy || !worker->indices.empty();
    }
    if (!any_busy) break;
    const Result<Done> waited = Wait();
    if (!waited) return waited.error();
  }
  if (Interrupted()) {
    const Result<Done> rest = CollectRest();
    if (!rest) return rest.error();
  }
  return merged_;
}

}  // namespace

void WorkNotes::Send(std::string_view bytes) const {
  (void)WriteFrame(replies_, std::string{static_cast<char>(Reply::kNote), '\0'}.append(bytes));
}

Result<int64_t> RunWork(const WorkPlan& plan) { return Pool(plan).Run(); }

}  // namespace assay
