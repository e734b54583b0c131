#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graph.h"

// What libFuzzer calls, and replay.cc in builds without it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace assay::fuzz {

// Ends the program, which is a finding, unless `holds`.
inline void Demand(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// Checks a graph that a reader gave and, if it is small, runs it, with caps on elements, windows
// and iterations. True if it ran to a valid outcome.
bool Explore(const Graph& graph);

}  // namespace assay::fuzz
