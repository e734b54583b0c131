// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of MLIR text in the TOSA dialect, generic form.
#include <string>

#include "fuzz_target.h"
#include "mlir_reader.h"
#include "mlir_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using assay::fuzz::Demand;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::Graph> graph = assay::ReadMlir(text, "input");
  if (!graph) return 0;
  if (const assay::Result<std::string> written = assay::WriteMlir(*graph)) {
    const assay::Result<assay::Graph> again = assay::ReadMlir(*written, "written");
    Demand(static_cast<bool>(again), "what was written can be read");
    Demand(*assay::WriteMlir(*again) == *written, "writing what was written gives the same text");
  }
  assay::fuzz::Explore(*graph);
  return 0;
}
