#include "time_limit.h"

#include <time.h>

#include <cmath>

namespace assay {
namespace {

thread_local TimeLimit* in_force = nullptr;

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string Text(double seconds, const char* of) {
  return "takes more than " + std::to_string(static_cast<int64_t>(std::ceil(seconds))) + " s of " +
         of + " time, the limit in force";
}

}  // namespace

TimeLimit::TimeLimit(double cpu_seconds, double wall_seconds)
    : cpu_seconds_(cpu_seconds),
      wall_seconds_(wall_seconds),
      cpu_end_(Now(CLOCK_THREAD_CPUTIME_ID) + cpu_seconds),
      wall_end_(Now(CLOCK_MONOTONIC) + wall_seconds),
      outer_(in_force) {
  in_force = this;
}

TimeLimit::~TimeLimit() { in_force = outer_; }

void TimeLimit::Check() {
  work_to_next_check = kWorkBetweenChecks;
  TimeLimit* const limit = in_force;
  if (limit == nullptr) return;
  if (!limit->reached()) {
    if (limit->cpu_seconds_ > 0 && Now(CLOCK_THREAD_CPUTIME_ID) >= limit->cpu_end_) {
      limit->reached_ = Text(limit->cpu_seconds_, "processor");
    } else if (limit->wall_seconds_ > 0 && Now(CLOCK_MONOTONIC) >= limit->wall_end_) {
      limit->reached_ = Text(limit->wall_seconds_, "wall");
    } else {
      return;
    }
  }
  work_to_next_check = 0;  // nothing more is computed under this limit
  throw OutOfTime(limit->reached_);
}

}  // namespace assay
