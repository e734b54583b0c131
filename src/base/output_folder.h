// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "result.h"

namespace assay {

// Creates the output folder of a command, takes its lock, and removes stale temporary files. These
// are temporary files of `names` that killed processes have left. `names` are paths below the
// folder; the last part may begin with '*', as in "findings/*.tvec". Errors are those of
// FolderLock::Take().
Result<FolderLock> OpenOutputFolder(const std::string& folder,
                                    std::span<const std::string_view> names);

// Removes those of `files`, paths below `folder`, that are temporary files of
// WriteFileAtomically(). The caller has just taken `lock`, which every process that writes such
// files holds until it has ended. So nobody writes them any more, whatever process has their number
// today. Without locks, the files of processes that run are kept.
Result<Done> RemoveStaleFiles(const FolderLock& lock, const std::string& folder,
                              const std::vector<std::string>& files);

}  // namespace assay
