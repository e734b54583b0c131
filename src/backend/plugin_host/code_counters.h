// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

// Counts how often parts of a backend's code run, one byte each.
using CodeCounters = std::span<uint8_t>;

// Returns the counters of all libraries that this process has loaded and that were compiled with
// -fsanitize-coverage=inline-8bit-counters, in the order in which they were loaded.
std::vector<CodeCounters> LoadedCodeCounters();

}  // namespace assay
