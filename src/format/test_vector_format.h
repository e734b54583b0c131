#pragma once

#include <cstdint>

namespace assay {

// TestVector.format of the files that this build writes, and the only one that it reads.
inline constexpr uint32_t kTestVectorFormat = 1;

}  // namespace assay
