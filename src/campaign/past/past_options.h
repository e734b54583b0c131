// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend.h"
#include "known_options.h"
#include "report.h"
#include "result.h"

namespace assay {

// The options that name earlier runs to compare with.
struct PastOptions {
  std::string since;    // a report folder or its report.jsonl
  std::string history;  // a file with a line for each run
};

// Returns the options as words of a command line that repeats the run; "" if none is given. `known`
// has the date.
std::string PastWords(const PastOptions& options, const KnownOptions& known);

// Loads the earlier runs. `report` is the folder of this run's report, which can be no earlier
// report, and `backend` is as given to --backend. Call it before LoadKnown(), which sets the date.
Result<PastRuns> LoadPast(const PastOptions& options, const std::string& report,
                          const std::string& backend, KnownOptions& known);

// Returns the versions and settings of a run, for its report. `seed` is "" if there is none.
std::vector<std::pair<std::string, std::string>> FactsOf(const BackendOptions& backend,
                                                         const std::string& seed);

// Adds a run to its history, for the report.
void AddThisRun(const KnownOptions& known, RunReport& run);

// Appends the last run of the history to the file, unless it is there.
Result<Done> SaveHistory(const PastOptions& options, const PastRuns& past);

}  // namespace assay
