// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"

namespace assay {

// The time of a run and its machine. They are kept apart from the results: timing.json has them,
// JUnit and HTML take them from there, and nothing else in a report depends on them.

// The file in the folder of a report.
inline constexpr char kTimingFile[] = "timing.json";

// The machine on which a run takes place.
struct Machine {
  std::string processor;  // "AMD EPYC 7763 64-Core Processor"; "" if the system does not say
  int64_t cores = 0;      // that the process may use
  int64_t memory_bytes = 0;
  std::string system;  // "Linux 6.1.0 x86_64"
  friend bool operator==(const Machine&, const Machine&) = default;
};
Machine ThisMachine();

// The seconds that one case took.
struct CaseTime {
  std::string vector;
  double seconds = 0;
  friend bool operator==(const CaseTime&, const CaseTime&) = default;
};

// The time of a run. A run that was resumed adds up the times of all its processes.
struct RunTiming {
  std::string start;              // of the first process, in UTC: "2026-11-26T08:00:00Z"
  double seconds = 0;             // wall time, minimization of findings and reports included
  int64_t processes = 1;          // 1 if the run was not resumed
  int64_t cases = 0;              // that ran
  double case_seconds = 0;        // the sum over these
  std::vector<CaseTime> longest;  // the cases that took longest, at most RunClock::kLongestMax
  Machine machine;                // of the last process
  std::string backend;            // its description, with its version
  friend bool operator==(const RunTiming&, const RunTiming&) = default;
};

// Returns the content of timing.json, with the versions of Assay and of the specification.
std::string TimingToJson(const RunTiming& timing);
// Reads it. Error kBadInput if it is damaged.
Result<RunTiming> TimingFromJson(std::string_view text);
// Returns one line for people: "41 s for 280 vectors, started 2026-11-26T08:00:00Z; 2 cores of
// ...".
std::string TimingLine(const RunTiming& timing);

// Measures a run. Its size does not depend on the number of cases.
class RunClock {
 public:
  static constexpr size_t kLongestMax = 1000;

  // Starts now.
  explicit RunClock(std::string backend);
  // Continues the time in the folder of a report, if it has a readable timing.json.
  void GoOn(const std::string& folder);
  void Add(std::string_view vector, double seconds);
  // Returns the time up to now.
  RunTiming Timing() const;
  // Writes timing.json, at most every ten seconds, so that a run that is killed keeps its time.
  // Ignores errors: no result depends on the file.
  void Save(const std::string& folder);

 private:
  using Clock = std::chrono::steady_clock;
  RunTiming before_;
  Clock::time_point started_, saved_;  // saved_: long ago, so that the first case saves
  std::set<std::pair<double, std::string>> longest_;
};

// Add the seconds since `started` to the reply of a worker on a case, which has no newline, and
// take them away again. TakeSeconds() returns nothing if the reply has none.
std::string WithSeconds(std::string reply, std::chrono::steady_clock::time_point started);
std::optional<double> TakeSeconds(std::string& reply);

}  // namespace assay
