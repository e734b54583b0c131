#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tosa_file.h"

namespace assay {

// What the tests about `.tosa` files share.

// The graph of a file that has one.
inline Graph MustRead(std::span<const uint8_t> bytes, std::vector<std::string>* notes = nullptr) {
  Result<Graph> graph = ReadTosa(bytes, "test.tosa", notes);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? *graph : Graph();
}

}  // namespace assay
