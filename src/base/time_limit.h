// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>

namespace assay {

// Thrown by Spend() when the time is up; what() names the limit.
class OutOfTime : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The time that one computation of this thread may take, from the constructor to the destructor.
// Code with long loops calls Spend(). Limits nest: an inner limit replaces the outer one. The clock
// only ends a computation; it never changes a result.
//
// A thread that helps with the computation (parallel.h) is under the same limit, and its processor
// time counts for it and for the outer limits.
class TimeLimit {
 public:
  // The seconds of processor time of this thread and its helpers, and of wall time; 0 is no limit.
  TimeLimit(double cpu_seconds, double wall_seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // Returns true after a Spend() has found that the time is up. Not while helpers work.
  bool reached() const { return !reached_.empty(); }
  // Returns "takes more than 10 s of processor time, the limit in force"; "" unless reached().
  const std::string& what() const { return reached_; }

  // Reads the clocks. Throws OutOfTime if the time is up.
  static void Check();

  // Returns the limit of this thread, or null.
  static TimeLimit* InForce();

  // Puts this thread, from the constructor to the destructor, under the limit of the thread that it
  // helps, which may be null. The other thread waits for it.
  class Helper {
   public:
    explicit Helper(TimeLimit* limit);
    ~Helper();
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

   private:
    friend class TimeLimit;
    // Adds the processor time since the last call to the limits.
    void Count();

    TimeLimit* limit_;
    double counted_;  // of the clock of this thread
  };

 private:
  // Sets reached_ if the time is up. Returns reached_.
  std::string Reached();

  double cpu_seconds_, wall_seconds_;
  double cpu_start_, wall_end_;
  clockid_t cpu_clock_;  // of the thread of this limit
  std::atomic<int64_t> helped_nanoseconds_ = 0;
  std::mutex mutex_;  // of reached_, while helpers work
  std::string reached_;
  TimeLimit* outer_;
};

// The units of work (for example multiplications) between two reads of the clocks. They take far
// less than a second.
inline constexpr int64_t kWorkBetweenChecks = int64_t{1} << 20;

// The work that is left until the clocks are read again. (A plain number, so that reading it costs
// nothing.)
inline thread_local int64_t work_to_next_check = kWorkBetweenChecks;

// Reports that this much work is about to be done. Throws OutOfTime if a TimeLimit is reached.
inline void Spend(int64_t work) {
  if ((work_to_next_check -= work) < 0) TimeLimit::Check();
}

}  // namespace assay
