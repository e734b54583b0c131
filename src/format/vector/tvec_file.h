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

// The vector in `bytes`, which come from a file called `name`. Steps refer to graphs that are there
// and every tensor and expectation is complete; whether they fit the graphs is for the executor to
// say. An Error is one line, `NAME: step 3: what is wrong`: kUnsupported for newer formats and for
// what ReadTosa does not support, else kBadInput. It takes no more memory than ReadLimits says.
Result<TestVector> ReadTestVector(std::span<const uint8_t> bytes, std::string_view name,
                                  const ReadLimits& limits = {});

// The bytes of a vector, the same for equal vectors.
std::vector<uint8_t> WriteTestVector(const TestVector& vector);

}  // namespace assay
