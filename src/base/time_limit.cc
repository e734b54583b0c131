// SPDX-License-Identifier: Apache-2.0
#include "time_limit.h"

#include <pthread.h>

#include <cmath>

namespace assay {
namespace {

thread_local TimeLimit* in_force = nullptr;
thread_local TimeLimit::Helper* helper = nullptr;  // this thread, if it helps another one

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string Text(double seconds, const char* of) {
  return "takes more than " + std::to_string(static_cast<int64_t>(std::ceil(seconds))) + " s of " +
         of + " time, the limit in force";
}

// Returns the clock of this thread, in a form that other threads can read.
clockid_t ThreadClock() {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  pthread_getcpuclockid(pthread_self(), &clock);
  return clock;
}

}  // namespace

TimeLimit::TimeLimit(double cpu_seconds, double wall_seconds)
    : cpu_seconds_(cpu_seconds),
      wall_seconds_(wall_seconds),
      cpu_start_(Now(CLOCK_THREAD_CPUTIME_ID)),
      wall_end_(Now(CLOCK_MONOTONIC) + wall_seconds),
      cpu_clock_(ThreadClock()),
      outer_(in_force) {
  in_force = this;
}

TimeLimit::~TimeLimit() { in_force = outer_; }

TimeLimit* TimeLimit::InForce() { return in_force; }

std::string TimeLimit::Reached() {
  const std::lock_guard lock(mutex_);
  if (reached()) return reached_;
  const double helped = static_cast<double>(helped_nanoseconds_.load()) * 1e-9;
  if (cpu_seconds_ > 0 && Now(cpu_clock_) - cpu_start_ + helped >= cpu_seconds_) {
    reached_ = Text(cpu_seconds_, "processor");
  } else if (wall_seconds_ > 0 && Now(CLOCK_MONOTONIC) >= wall_end_) {
    reached_ = Text(wall_seconds_, "wall");
  }
  return reached_;
}

void TimeLimit::Check() {
  work_to_next_check = kWorkBetweenChecks;
  if (in_force == nullptr) return;
  if (helper != nullptr) helper->Count();
  const std::string reached = in_force->Reached();
  if (reached.empty()) return;
  work_to_next_check = 0;  // nothing more is computed under this limit
  throw OutOfTime(reached);
}

TimeLimit::Helper::Helper(TimeLimit* limit)
    : limit_(limit), counted_(Now(CLOCK_THREAD_CPUTIME_ID)) {
  in_force = limit;
  helper = this;
}

TimeLimit::Helper::~Helper() {
  Count();
  helper = nullptr;
  in_force = nullptr;
}

void TimeLimit::Helper::Count() {
  const double now = Now(CLOCK_THREAD_CPUTIME_ID);
  const auto nanoseconds = static_cast<int64_t>((now - counted_) * 1e9);
  counted_ = now;
  for (TimeLimit* limit = limit_; limit != nullptr; limit = limit->outer_) {
    limit->helped_nanoseconds_ += nanoseconds;
  }
}

}  // namespace assay
