// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of graphs as text.
#include <string>

#include "fuzz_target.h"
#include "graph_parser.h"
#include "graph_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  constexpr auto kFull = assay::TextForm::kFull;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::Graph> graph = assay::ParseGraph(text, "input");
  if (!graph) return 0;
  const std::string written = assay::GraphText(*graph, kFull);
  const assay::Result<assay::Graph> again = assay::ParseGraph(written, "written");
  Demand(static_cast<bool>(again), "what was written can be read");
  Demand(assay::GraphText(*again, kFull) == written,
         "reading what was written gives the same text");
  assay::fuzz::Explore(*graph);
  return 0;
}
