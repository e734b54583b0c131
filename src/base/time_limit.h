#pragma once

#include <cstdint>
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
class TimeLimit {
 public:
  // The seconds of processor time of this thread, and of wall time; 0 is no limit.
  TimeLimit(double cpu_seconds, double wall_seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // Returns true after a Spend() has found that the time is up.
  bool reached() const { return !reached_.empty(); }
  // Returns "takes more than 10 s of processor time, the limit in force"; "" unless reached().
  const std::string& what() const { return reached_; }

  // Reads the clocks. Throws OutOfTime if the time is up.
  static void Check();

 private:
  double cpu_seconds_, wall_seconds_;
  double cpu_end_, wall_end_;
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
