#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "result.h"

namespace assay {

// Makes the folder that a command is going to write to, takes its lock, and removes the temporary
// files that killed processes have left of `names`: paths below the folder, whose last part may
// begin with '*', as in "findings/*.tvec". Errors as FolderLock::Take() has them.
Result<FolderLock> OpenOutputFolder(const std::string& folder,
                                    std::span<const std::string_view> names);

// Removes those of `files`, paths below `folder`, whose name WriteFileAtomically() has given them
// in a process that does not run any more. The caller has the lock of the folder.
Result<Done> RemoveStaleFiles(const std::string& folder, const std::vector<std::string>& files);

}  // namespace assay
