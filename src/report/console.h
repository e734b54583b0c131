#pragma once

#include <cstdint>
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

// A progress bar on standard error. It shows nothing if standard error is no terminal.
class Progress {
 public:
  // `total` is 0 if it is not known in advance.
  Progress(std::string what, int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  void Show(int64_t done, int64_t findings);
  void Clear();

 private:
  std::string what_;
  int64_t total_;
  int64_t shown_ = -1;
  bool terminal_;
};

}  // namespace assay
