// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "files.h"
#include "known_failures.h"
#include "report.h"
#include "result.h"

namespace assay {

// The options that name a file of known failures.
struct KnownOptions {
  std::string file;
  std::string today;  // "": the date of the system
  bool update = false;
  bool is_dated = false;  // something else needs `today` as well
  OnceReadText text;      // of the file
};
// Returns the options as words of a command line that repeats the run, with the date: " --known
// known.json --today 2026-11-26"; "" if none is given.
std::string KnownWords(const KnownOptions& options);

// Loads the file, if one is given, and sets `options.today`. With `--update-known` it need not
// exist. Error kUsage for options that do not fit, and errors of KnownFailures::Parse().
Result<KnownFailures> LoadKnown(KnownOptions& options, const std::string& backend);

// With `--update-known`, adds the groups of a run that are not known to the file.
Result<Done> UpdateKnown(const KnownOptions& options, const KnownFailures& known,
                         const std::string& backend, const std::vector<ReportedFinding>& findings);

}  // namespace assay
