// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "case_result.h"
#include "past_runs.h"
#include "result.h"
#include "tally.h"

namespace assay {

// One of several runs on the same vectors.
struct ComparedRun {
  EarlierReport report;
  Tally tally;
};

// Vectors with the same states in all runs.
struct VectorsByStates {
  std::vector<std::optional<CaseState>> states;  // one per run; nothing: the run lacks the vector
  int64_t count = 0;
  std::string first;  // the first of them
};

// A group of findings that has the same name in all runs that have it.
struct SharedGroup {
  std::string name, title;
  std::vector<int64_t> seen;  // vectors that show it, one number per run
};

// The results of several backends on the same vectors.
struct RunComparison {
  std::vector<ComparedRun> runs;
  int64_t same = 0;  // vectors with the same state in all runs
  // The vectors on which the runs part: they agree with the specification in one run and disagree
  // (or are known failures) in another. The most frequent states come first.
  std::vector<VectorsByStates> parted;
  std::vector<VectorsByStates> others;  // that have not the same state in all runs
  std::vector<SharedGroup> groups;      // first those of most runs, then those of most vectors
};

// Reads reports, and compares them.
class RunComparer {
 public:
  // Adds a report.jsonl. Error kBadInput, with the line, if `text` is none or has a vector twice,
  // or shares no vector with the reports before it.
  Result<Done> Add(std::string_view text, const std::string& file);
  RunComparison Finish() &&;

 private:
  struct Vector {
    size_t place = 0;  // the first come first
    std::vector<std::optional<CaseState>> states;
  };
  RunComparison comparison_;
  std::map<std::string, Vector> vectors_;  // by path
};

// Does this with the report.jsonl of each folder. Errors of RunComparer::Add() and of reading.
Result<RunComparison> CompareReports(const std::vector<std::string>& folders);

// Return the comparison as text for a terminal, as one JSON object, and as one HTML page that needs
// no other file. All name the runs by letters, in their order.
std::string ComparisonToText(const RunComparison& comparison);
std::string ComparisonToJson(const RunComparison& comparison);
std::string ComparisonToHtml(const RunComparison& comparison);

// Returns the schema of the JSON object, comparison.schema.json.
std::string ComparisonSchema();

// Writes them to a folder, which must exist: comparison.txt, comparison.json, comparison.html.
Result<Done> WriteComparison(const RunComparison& comparison, const std::string& folder);

}  // namespace assay
