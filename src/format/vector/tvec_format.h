// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats.h"
#include "wire_reading.h"

namespace assay {

// The TestVector.format of the files that this build writes, and the oldest that it reads. Format 2
// adds Expectation.statistics, format 3 TestVector.semantics, format 4 constness, folds and
// fold_pairs, format 5 plans.
inline constexpr uint32_t kTestVectorFormat = formats::kTestVector.version;
inline constexpr uint32_t kOldestTestVectorFormat = formats::kTestVector.oldest;

inline constexpr WireWords kTvecWords = {"", "", ", which this build does not know"};

}  // namespace assay
