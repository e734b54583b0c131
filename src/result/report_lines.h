// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats.h"
#include "power_summary.h"
#include "report.h"
#include "tally.h"

namespace assay {

// The lines of report.jsonl that are neither cases nor findings nor suspects.

// The counts of cases by state. In JSON, states without a case are left out unless `with_zeros`.
struct CountsByState {
  StateCounts counts{};
  bool with_zeros = false;
  friend bool operator==(const CountsByState& a, const CountsByState& b) {
    return a.counts == b.counts;
  }
};

// The first line: the run.
struct RunHead {
  // A suite of a conformance package, with the SHA-256 of its suite.json.
  struct Suite {
    std::string path, sha256;
    friend bool operator==(const Suite&, const Suite&) = default;
  };
  // The earlier report of --since, and the names of its groups that this run has not found.
  struct Since {
    std::string file;
    std::vector<std::string> gone;
    friend bool operator==(const Since&, const Since&) = default;
  };

  std::string title;
  int schema = formats::kReport.version;
  std::string assay;
  std::array<int32_t, 3> spec{};
  std::string backend, command;
  std::vector<Suite> suites;
  std::vector<std::string> gaps;
  CountsByState cases = {.with_zeros = true};
  std::optional<KnownUse> known;
  std::optional<Since> since;
  std::vector<std::pair<std::string, std::string>> facts;
  int64_t judged_elements = 0, undecided_elements = 0;
  CountsByState implied_errors;
  std::map<std::string, int64_t> counts;
  std::optional<PowerSummary> power;

  // Tells whether the last line is the SHA-256 of the others, so that no accident can have changed
  // them. Reports of older versions have none.
  bool HasSum() const { return schema >= 2; }
};

// A group of findings.
struct GroupLine {
  std::string name, title;
  std::vector<std::string> findings;  // signatures
  int64_t seen = 0;
  std::optional<bool> is_new;  // nothing if the run is compared with no earlier report
  std::string known, vector, replay;
};

// The last line: the SHA-256 of all lines before it.
struct SumLine {
  std::string sha256;
};

}  // namespace assay
