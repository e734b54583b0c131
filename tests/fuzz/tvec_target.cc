// SPDX-License-Identifier: Apache-2.0
// Fuzzes `.tvec` files: test vectors, and the graphs in them.
#include <vector>

#include "check_graph.h"
#include "fuzz_target.h"
#include "tvec_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  const assay::Result<assay::TestVector> vector = assay::ReadTestVector({data, size}, "input");
  if (!vector) return 0;
  const std::vector<uint8_t> written = assay::WriteTestVector(*vector);
  const assay::Result<assay::TestVector> again = assay::ReadTestVector(written, "written");
  Demand(static_cast<bool>(again), "what was written can be read");
  Demand(assay::WriteTestVector(*again) == written,
         "writing what was written gives the same bytes");
  assay::CheckVector(*vector);
  for (const assay::Graph& graph : vector->graphs) assay::fuzz::Explore(graph);
  return 0;
}
