#pragma once

#include <cstdint>

namespace assay {

// TestVector.format of the files that this build writes, and the oldest that it reads. Format 2 adds
// Expectation.statistics, format 3 TestVector.semantics.
inline constexpr uint32_t kTestVectorFormat = 3;
inline constexpr uint32_t kOldestTestVectorFormat = 1;

}  // namespace assay
