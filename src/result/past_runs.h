// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "tally.h"

namespace assay {

// A group of findings of an earlier report.
struct PastGroup {
  std::string name, title;
  int64_t seen = 1;                   // vectors that show it
  std::vector<std::string> findings;  // their signatures
};

// A report that a run is compared with.
struct EarlierReport {
  std::string file;  // its report.jsonl
  std::string title, backend, command;
  std::vector<PastGroup> groups;
  int64_t schema = 0;  // 0 if it does not say
};

// A run in a history: a line of its file.
struct PastRun {
  std::string date, assay, title;
  int64_t cases = 0;
  StateCounts states{};
  std::vector<std::string> groups;  // the names, without groups that are known failures
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

// The earlier runs that a run is compared with.
struct PastRuns {
  std::optional<EarlierReport> since;
  std::string history_file;  // "" if there is no history
  // The runs before, the oldest first, and this one. A run that is the same as the last one, on the
  // same day, is there once.
  std::vector<PastRun> history;
};

// Reads the groups of a report.jsonl. Error kBadInput, with the line, if `text` is none; also if it
// does not end with the SHA-256 of its lines, though its schema is 2.
Result<EarlierReport> EarlierReportFrom(std::string_view text, const std::string& file);

// Returns a run as a line of a history, with its newline:
//   {"format": "assay history", "version": 1, "date": "2026-11-26", ...}
std::string HistoryLine(const PastRun& run);

// Reads a history. A last line without its end was left from a kill and is ignored. Error
// kBadInput, with the line, if `text` is no history.
Result<std::vector<PastRun>> HistoryFrom(std::string_view text, const std::string& file);

// Adds a run to a history, unless its last run is the same. Returns true if it was added.
bool AddToHistory(PastRun run, std::vector<PastRun>& history);

}  // namespace assay
