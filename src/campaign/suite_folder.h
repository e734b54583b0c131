// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "files.h"
#include "result.h"
#include "suite.h"

namespace assay {

// A folder in which a suite is made, and what an earlier run has left of the suite there.
struct LockedSuiteFolder {
  FolderLock lock;
  std::optional<Suite> complete = std::nullopt;  // its files are those that it lists
};

// Makes and locks the folder for `fresh`, a suite before its first vector. The folder is then
// empty. With `resume`, it may also have a part of that suite, or a complete suite of the same
// seed, versions and Suite::options. `force` first removes the files of any suite. Error kUsage if
// the folder has anything else. Errors of FolderLock::Take(), ReadSuite() and VerifySuite().
Result<LockedSuiteFolder> OpenSuiteFolder(const std::string& folder, const Suite& fresh, bool force,
                                          bool resume);

// Returns the error of a folder with a complete suite that the options do not make.
Error HoldsAnotherSuite(const std::string& folder);

}  // namespace assay
