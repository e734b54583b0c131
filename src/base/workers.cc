#include "workers.h"

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
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "child.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kNoIndex = -1;

// Over the reply pipe: a kind, a length, and that many bytes.
enum class Reply : uint8_t { kBytes, kError };

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

bool ReadAll(int descriptor, void* data, size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = read(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
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
  int64_t index = kNoIndex;  // at work on
  Clock::time_point deadline;
  std::string received;

  // Ends the worker; how it died.
  std::string Stop() {
    if (pid < 0) return "";
    close(requests);  // an idle worker ends by itself, and closes its backend in good order
    if (index != kNoIndex) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    close(replies);
    pid = requests = replies = -1;
    ChildReport report;
    report.end = WIFSIGNALED(status) ? ChildReport::End::kSignaled : ChildReport::End::kExited;
    report.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return report.Describe();
  }
};

class Pool {
 public:
  explicit Pool(const WorkPlan& plan) : plan_(plan), next_(plan.first), merged_(plan.first) {}

  Result<int64_t> Run();

 private:
  Result<Done> Start(Worker& worker);
  [[noreturn]] void Serve(int requests, int replies);
  bool HandOut(Worker& worker);
  Result<Done> Collect(Worker& worker, bool overdue);
  Result<Done> Finish(Worker& worker, std::string bytes, std::string lost);
  Result<Done> Wait();

  const WorkPlan& plan_;
  int64_t next_;    // to hand out
  int64_t merged_;  // all before it are merged
  bool stopped_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<int64_t, std::pair<std::string, std::string>> waiting_;  // results that came early
};

void Pool::Serve(int requests, int replies) {
  int status = 0;
  try {
    Result<Work> work = plan_.start();
    int64_t index = 0;
    while (ReadAll(requests, &index, sizeof(index))) {
      const Result<std::string> done = work ? (*work)(index) : work.error();
      const bool sent =
          done ? SendReply(replies, Reply::kBytes, 0, *done)
               : SendReply(replies, Reply::kError, static_cast<uint8_t>(done.error().kind),
                           done.error().message);
      if (!sent) break;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: defect in Assay itself: %s\n", error.what());
    status = 4;
  }
  _exit(status);  // what stands unwritten in the streams is the parent's
}

Result<Done> Pool::Start(Worker& worker) {
  int request[2], reply[2];
  if (pipe2(request, O_CLOEXEC) != 0) {
    return Error{Error::Kind::kResource, "cannot make a pipe for a worker process"};
  }
  if (pipe2(reply, O_CLOEXEC) != 0) {
    close(request[0]);
    close(request[1]);
    return Error{Error::Kind::kResource, "cannot make a pipe for a worker process"};
  }
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
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
    Serve(request[0], reply[1]);
  }
  close(request[0]);
  close(reply[1]);
  if (pid < 0) {
    close(request[1]);
    close(reply[0]);
    return Error{Error::Kind::kResource, "cannot make a worker process"};
  }
  worker.pid = pid;
  worker.requests = request[1];
  worker.replies = reply[0];
  return Done{};
}

// False if there is nothing left to hand out. A worker that died in the meantime is noticed by
// Collect().
bool Pool::HandOut(Worker& worker) {
  if (!stopped_ && next_ < plan_.last && plan_.stop && plan_.stop()) stopped_ = true;
  if (stopped_ || next_ >= plan_.last) return false;
  worker.index = next_++;
  worker.received.clear();
  worker.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(plan_.index_seconds_max));
  WriteAll(worker.requests, &worker.index, sizeof(worker.index));
  return true;
}

Result<Done> Pool::Finish(Worker& worker, std::string bytes, std::string lost) {
  waiting_[worker.index] = {std::move(bytes), std::move(lost)};
  worker.index = kNoIndex;
  for (auto ready = waiting_.find(merged_); ready != waiting_.end();
       ready = waiting_.find(merged_)) {
    auto [result, how] = std::move(ready->second);
    waiting_.erase(ready);
    const Result<Done> merged = plan_.merge(merged_, std::move(result), std::move(how));
    if (!merged) return merged.error();
    ++merged_;
  }
  return Done{};
}

// Takes what a worker has said, or that it has died.
Result<Done> Pool::Collect(Worker& worker, bool overdue) {
  char block[1 << 16];
  const ssize_t count = overdue ? 0 : read(worker.replies, block, sizeof(block));
  if (count < 0) return Done{};  // EINTR
  if (count == 0) {
    const int64_t lost_index = worker.index;
    std::string how = worker.Stop();
    if (overdue) how = "no answer";
    worker.index = lost_index;
    return Finish(worker, "", std::move(how));
  }
  worker.received.append(block, static_cast<size_t>(count));
  if (worker.received.size() < kReplyHead) return Done{};
  uint64_t size = 0;
  std::memcpy(&size, worker.received.data() + 2, sizeof(size));
  if (worker.received.size() < kReplyHead + size) return Done{};
  std::string bytes = worker.received.substr(kReplyHead);
  if (static_cast<Reply>(worker.received[0]) == Reply::kError) {
    return Error{static_cast<Error::Kind>(worker.received[1]), std::move(bytes)};
  }
  return Finish(worker, std::move(bytes), "");
}

Result<Done> Pool::Wait() {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  Clock::time_point deadline = Clock::time_point::max();
  for (const auto& worker : workers_) {
    if (worker->index == kNoIndex) continue;
    polled.push_back({worker->replies, POLLIN, 0});
    busy.push_back(worker.get());
    deadline = std::min(deadline, worker->deadline);
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  poll(polled.data(), polled.size(), static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
  for (size_t i = 0; i < busy.size(); ++i) {
    const bool overdue = polled[i].revents == 0 && Clock::now() >= busy[i]->deadline;
    if (polled[i].revents == 0 && !overdue) continue;
    const Result<Done> collected = Collect(*busy[i], overdue);
    if (!collected) return collected.error();
  }
  return Done{};
}

Result<int64_t> Pool::Run() {
  const auto jobs = std::clamp<int64_t>(plan_.jobs, 1, std::max<int64_t>(plan_.last - next_, 1));
  for (int64_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<Worker>());
  while (true) {
    bool any_busy = false;
    for (const auto& worker : workers_) {
      if (worker->index == kNoIndex && !stopped_ && next_ < plan_.last) {
        if (worker->pid < 0) {
          const Result<Done> started = Start(*worker);
          if (!started) return started.error();
        }
        HandOut(*worker);
      }
      any_busy = any_busy || worker->index != kNoIndex;
    }
    if (!any_busy) return merged_;
    const Result<Done> waited = Wait();
    if (!waited) return waited.error();
  }
}

}  // namespace

Result<int64_t> RunWork(const WorkPlan& plan) {
  signal(SIGPIPE, SIG_IGN);
  return Pool(plan).Run();
}

}  // namespace assay
