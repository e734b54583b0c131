// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "result.h"
#include "test_vector.h"
#include "tosa_file.h"

namespace assay {

// `.tvec` files: test vectors as FlatBuffers. Every field is described in test_vector.fbs.

// Reads the vector in `bytes`, which come from a file called `name`. Steps refer to existing
// graphs, and every tensor and expectation is complete. The executor says whether they fit the
// graphs. An Error is one line, `NAME: step 3: what is wrong`. It is kUnsupported for newer formats
// and for content that ReadTosa() does not support, else kBadInput. Reading takes no more memory
// than ReadLimits allows.
Result<TestVector> ReadTestVector(std::span<const uint8_t> bytes, std::string_view name,
                                  const ReadLimits& limits = {});
// Does the same. Large constants of the graphs share the bytes.
Result<TestVector> ReadTestVector(const SharedBytes& bytes, std::string_view name,
                                  const ReadLimits& limits = {});

// Returns the bytes of a vector, the same for equal vectors.
std::vector<uint8_t> WriteTestVector(const TestVector& vector);

}  // namespace assay
