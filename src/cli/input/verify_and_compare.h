// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace assay {

// Runs the same vectors on several backends, one after the other, and prints where they part. `run`
// runs them on one backend, writes its report to a folder, and returns the exit status. The folders
// are below `report`, or temporary if that is "". Returns the exit status of all.
int VerifyAndCompare(
    const std::vector<std::string>& backends, const std::string& report, bool json,
    const std::function<int(const std::string& backend, const std::string& report)>& run);

}  // namespace assay
