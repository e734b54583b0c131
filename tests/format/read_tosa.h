// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tosa_file.h"

namespace assay {

// Helpers of the tests of `.tosa` files.

// Returns the graph of a valid file.
inline Graph MustRead(std::span<const uint8_t> bytes, std::vector<std::string>* notes = nullptr) {
  Result<Graph> graph = ReadTosa(bytes, "test.tosa", notes);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? *graph : Graph();
}

}  // namespace assay
