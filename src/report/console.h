// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "report.h"

namespace assay {

// Returns a whole run as text for a terminal: totals, the operators and types that do not simply
// agree, the reasons why vectors were not judged, and each finding on one screen.
std::string RunToText(const RunReport& run);

// The file of a report with all reasons why vectors were not judged, a line each: how many vectors,
// why, and the first of them. RunToText() shows the most frequent reasons.
inline constexpr char kNotJudgedFile[] = "not-judged.txt";
std::string NotJudgedToText(const RunReport& run);

// The numbers of a command that is running.
struct ProgressState {
  int64_t done = 0;          // cases
  int64_t total = 0;         // 0 if it is not known in advance
  int64_t findings = 0;      // of the cases that are done
  int64_t recorded = 0;      // of these, cases that an earlier run did
  double seconds = 0;        // since the first case that this run does
  double seconds_total = 0;  // the budget; 0 if there is none
};

// Returns "35 a second, about 12 s left". Leaves out what cannot be told yet.
std::string PaceText(const ProgressState& state);

// The progress of a command on standard error: a bar if that is a terminal, otherwise a line each
// minute. It shows the clock, and so nothing of it belongs into a report.
class Progress {
 public:
  using Now = std::function<double()>;  // seconds since any moment
  // `total` is 0 if it is not known in advance; `seconds_total` is the budget, 0 if there is none.
  Progress(std::string what, int64_t total, double seconds_total = 0, Now now = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  // Takes cases that an earlier run did: they do not count for the pace.
  void Skip(int64_t done);
  void Show(int64_t done, int64_t findings);
  // Shows which of the vectors of findings is minimized, and the runs that this has taken so far.
  void ShowMinimizing(int64_t number, int64_t of, int64_t runs);
  // Sets the number of cases, if it is known only now.
  void SetTotal(int64_t total) { state_.total = total; }
  void Clear();

 private:
  void Log(const std::string& text);
  void Draw();

  std::string what_;
  ProgressState state_;
  Now now_;
  double began_, said_, drawn_ = 0;
  std::optional<int64_t> shown_;
  bool terminal_;
};

}  // namespace assay
