// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graph.h"

// Runs the target on one input. libFuzzer calls it; in builds without libFuzzer, replay.cc does.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace assay::fuzz {

// Ends the program unless `holds`. The end of the program is a finding.
inline void Demand(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// Checks a graph that a reader gave. If the graph is small, also runs it, with caps on elements,
// windows and iterations. Returns true if it ran to a valid outcome.
bool Explore(const Graph& graph);

}  // namespace assay::fuzz
