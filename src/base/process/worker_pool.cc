#include "worker_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "child_process.h"
#include "interrupt.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Indices are handed out ahead of the work, as many as a worker needs so long for, so that it does
// not wait for the parent, nor the parent wake up for every one of them.
constexpr double kAheadSeconds = 0.005;
constexpr size_t kAheadMax = 64;
// The parent looks at what is done at times as short as this, where there is enough left to do.
constexpr double kNapSecondsMin = 0.0002, kNapSecondsMax = 0.002;

// For a signal that came just before the parent waits.
constexpr int64_t kPollMillisecondsMax = 500;

double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// How a worker ends that ran out of memory: with a status that nobody else uses.
constexpr int kNoMemoryStatus = 112;

// Signals that a process brings upon itself; the others come from outside.
bool IsOwnFault(int signal) {
  constexpr int kOwn[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  return std::ranges::find(kOwn, signal) != std::end(kOwn);
}

// How a worker ended, from the status that waitpid() gives.
Loss LossOf(int wait_status) {
  ChildReport report;
  if (WIFSIGNALED(wait_status)) {
    report.end = ChildReport::End::kSignaled;
    report.status = WTERMSIG(wait_status);
    return {report.Describe(), IsOwnFault(report.status)};
  }
  report.status = WEXITSTATUS(wait_status);
  if (report.status == kNoMemoryStatus) return {"not enough memory", false};
  return {report.Describe(), true};
}

// Over the reply pipe: a kind, a length, and that many bytes.
enum class Reply : uint8_t { kBytes, kError };

std::string Reason(int code) { return std::generic_category().message(code); }

bool WriteAll(int descriptor, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

// The indices that come over the request pipe, as many at a time as are there.
class Requests {
 public:
  explicit Requests(int descriptor) : descriptor_(descriptor) {}
  // False if there are no more.
  bool Next(int64_t& index) {
    while (end_ - begin_ < sizeof(index)) {
      std::memmove(bytes_, bytes_ + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
      const ssize_t count = read(descriptor_, bytes_ + end_, sizeof(bytes_) - end_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      end_ += static_cast<size_t>(count);
    }
    std::memcpy(&index, bytes_ + begin_, sizeof(index));
    begin_ += sizeof(index);
    return true;
  }

 private:
  int descriptor_;
  char bytes_[kAheadMax * sizeof(int64_t)];
  size_t begin_ = 0, end_ = 0;
};

// A terminal sends interrupts to all processes, and some tools to one after the other. The parent
// decides what comes of one; a worker that died of it first would look like a defect. Handlers, in
// contrast to SIG_IGN, end where the worker starts a program.
void LeaveInterruptsToTheParent() {
  for (const int number : {SIGINT, SIGTERM}) signal(number, [](int) {});
}

constexpr size_t kReplyHead = 2 + sizeof(uint64_t);

// In one piece, so that the parent wakes up once.
bool SendReply(int descriptor, Reply kind, uint8_t detail, const std::string& bytes) {
  const uint64_t size = bytes.size();
  std::string reply(kReplyHead, '\0');
  reply[0] = static_cast<char>(kind);
  reply[1] = static_cast<char>(detail);
  std::memcpy(&reply[2], &size, sizeof(size));
  reply += bytes;
  return WriteAll(descriptor, reply.data(), reply.size());
}

// One worker process, seen from the parent. Dies with its owner.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { Stop(); }

  pid_t pid = -1;
  int requests = -1, replies = -1;
  std::deque<int64_t> indices;  // handed out; the first one is at work on
  int tries = 1;                // of the first one
  Clock::time_point since;      // when that was
  std::string received;
  double pace = kAheadSeconds;  // seconds that an index takes, of late

  // How many indices to have, the one at work on included.
  size_t Depth() const {
    return static_cast<size_t>(
        std::clamp(kAheadSeconds / pace, 1.0, static_cast<double>(kAheadMax)));
  }
  // The first `count` indices are done.
  void Advance(size_t count) {
    if (count == 0) return;
    const Clock::time_point now = Clock::now();
    const double weight = std::min(static_cast<double>(count), 8.0) / 8;
    pace += weight * (SecondsBetween(since, now) / static_cast<double>(count) - pace);
    pace = std::max(pace, 1e-6);
    since = now;
    tries = 1;
    indices.erase(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(count));
  }

  // Ends the worker; how it died.
  Loss Stop() {
    if (pid < 0) return {};
    close(requests);  // an idle worker ends by itself, and closes its backend in good order
    if (!indices.empty()) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    close(replies);
    pid = requests = replies = -1;
    return LossOf(status);
  }
};

class Pool {
 public:
  explicit Pool(const WorkPlan& plan) : plan_(plan), next_(plan.first), merged_(plan.first) {}

  Result<int64_t> Run();

 private:
  Result<Done> Start(Worker& worker);
  [[noreturn]] void Serve(int requests, int replies);
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
  std::deque<int64_t> again_;  // before that: what workers that died had not come to
  int64_t merged_;             // all before it are merged
  bool stopped_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<int64_t, std::pair<std::string, Loss>> waiting_;  // results that came early
};

void Pool::Serve(int requests, int replies) {
  int status = 0;
  try {
    Result<Work> work = plan_.start();
    Requests given(requests);
    int64_t index = 0;
    while (given.Next(index)) {
      const Result<std::string> done = work ? (*work)(index) : work.error();
      const bool sent =
          done ? SendReply(replies, Reply::kBytes, 0, *done)
               : SendReply(replies, Reply::kError, static_cast<uint8_t>(done.error().kind),
                           done.error().message);
      if (!sent) break;
    }
  } catch (const std::bad_alloc&) {
    status = kNoMemoryStatus;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: defect in Assay itself: %s\n", error.what());
    status = 4;
  }
  _exit(status);  // what stands unwritten in the streams is the parent's
}

Result<Done> Pool::Start(Worker& worker) {
  int request[2], reply[2];
  if (pipe2(request, O_CLOEXEC) != 0) {
    return Error{Error::Kind::kResource,
                 "cannot make a pipe for a worker process: " + Reason(errno)};
  }
  if (pipe2(reply, O_CLOEXEC) != 0) {
    const int reason = errno;
    close(request[0]);
    close(request[1]);
    return Error{Error::Kind::kResource,
                 "cannot make a pipe for a worker process: " + Reason(reason)};
  }
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  const int reason = errno;
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(4);
    // The other workers' pipes: they would not see the parent's end closed.
    for (const auto& other : workers_) {
      if (other->pid >= 0) {
        close(other->requests);
        close(other->replies);
      }
    }
    close(request[1]);
    close(reply[0]);
    ForgetInterrupts();
    LeaveInterruptsToTheParent();
    Serve(request[0], reply[1]);
  }
  close(request[0]);
  close(reply[1]);
  if (pid < 0) {
    close(request[1]);
    close(reply[0]);
    return Error{Error::Kind::kResource, "cannot make a worker process: " + Reason(reason)};
  }
  worker.pid = pid;
  worker.requests = request[1];
  worker.replies = reply[0];
  return Done{};
}

bool Pool::AnyLeft() {
  if (!again_.empty()) return true;
  if (!stopped_ && next_ < plan_.last && plan_.stop && plan_.stop()) stopped_ = true;
  return !stopped_ && next_ < plan_.last;
}

// Starts the worker if there is something to do. One that died in the meantime is noticed by
// Collect().
Result<Done> Pool::HandOut(Worker& worker) {
  std::vector<int64_t> more;
  while (worker.indices.size() < worker.Depth() && AnyLeft()) {
    if (worker.pid < 0) {
      const Result<Done> started = Start(worker);
      if (!started) return started;
    }
    if (worker.indices.empty()) worker.since = Clock::now();
    more.push_back(again_.empty() ? next_++ : again_.front());
    if (!again_.empty()) again_.pop_front();
    worker.indices.push_back(more.back());
  }
  if (!more.empty()) WriteAll(worker.requests, more.data(), more.size() * sizeof(int64_t));
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

// The worker died, or hangs, at the first of its indices. A new one gets that index alone, unless
// it was tried `tries_max` times; the others go to somebody else.
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
  worker.since = Clock::now();
  worker.indices.push_back(index);
  WriteAll(worker.requests, &index, sizeof(index));
  return Done{};
}

// The replies that have come as a whole.
Result<Done> Pool::Parse(Worker& worker) {
  size_t at = 0, count = 0;
  while (count < worker.indices.size() && worker.received.size() - at >= kReplyHead) {
    uint64_t size = 0;
    std::memcpy(&size, worker.received.data() + at + 2, sizeof(size));
    if (worker.received.size() - at - kReplyHead < size) break;
    std::string bytes = worker.received.substr(at + kReplyHead, size);
    if (static_cast<Reply>(worker.received[at]) == Reply::kError) {
      return Error{static_cast<Error::Kind>(worker.received[at + 1]), std::move(bytes)};
    }
    at += kReplyHead + size;
    const Result<Done> finished = Finish(worker.indices[count++], std::move(bytes), {});
    if (!finished) return finished;
  }
  worker.received.erase(0, at);
  worker.Advance(count);
  return Done{};
}

// Takes what a worker has said, or that it has died.
Result<Done> Pool::Collect(Worker& worker, bool overdue) {
  char block[1 << 16];
  const ssize_t count = overdue ? 0 : read(worker.replies, block, sizeof(block));
  if (count < 0) return Done{};  // EINTR
  if (count == 0) {
    Loss loss = worker.Stop();
    return overdue ? Lose(worker, {"no answer", true}, 1)
                   : Lose(worker, std::move(loss), plan_.tries);
  }
  worker.received.append(block, static_cast<size_t>(count));
  return Parse(worker);
}

Result<Done> Pool::Wait() {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  Clock::time_point deadline = Clock::time_point::max();
  double nap = kNapSecondsMax;
  for (const auto& worker : workers_) {
    if (worker->indices.empty()) continue;
    polled.push_back({worker->replies, POLLIN, 0});
    busy.push_back(worker.get());
    deadline = std::min(deadline, worker->since + Seconds(plan_.index_seconds_max));
    nap = std::min(nap, worker->pace * static_cast<double>(worker->indices.size() - 1) / 2);
  }
  if (nap >= kNapSecondsMin) std::this_thread::sleep_for(Seconds(nap));
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  poll(polled.data(), polled.size(),
       static_cast<int>(std::clamp<int64_t>(left, 0, kPollMillisecondsMax)));
  for (size_t i = 0; i < busy.size(); ++i) {
    const bool overdue =
        polled[i].revents == 0 && Clock::now() >= busy[i]->since + Seconds(plan_.index_seconds_max);
    if (polled[i].revents == 0 && !overdue) continue;
    const Result<Done> collected = Collect(*busy[i], overdue);
    if (!collected) return collected.error();
  }
  return Done{};
}

// Takes what workers have said before a signal came: an answer that was given is not lost.
Result<Done> Pool::CollectRest() {
  for (const auto& worker : workers_) {
    pollfd polled{worker->replies, POLLIN, 0};
    char block[1 << 16];
    while (!worker->indices.empty() && poll(&polled, 1, 0) == 1) {
      const ssize_t count = read(worker->replies, block, sizeof(block));
      if (count <= 0) break;
      worker->received.append(block, static_cast<size_t>(count));
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

Result<int64_t> RunWork(const WorkPlan& plan) {
  signal(SIGPIPE, SIG_IGN);
  return Pool(plan).Run();
}

}  // namespace assay
