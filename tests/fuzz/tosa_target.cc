// SPDX-License-Identifier: Apache-2.0
// Fuzzes `.tosa` files: the handler, the reader of graphs, and what happens to a graph afterwards.
#include <cstdio>
#include <vector>

#include "fuzz_target.h"
#include "tosa_file.h"
#include "tosa_serialization_handler.h"

namespace assay::fuzz {
namespace {

// The number of inputs that reached each stage, printed at the end.
struct Count {
  int64_t inputs = 0, verified = 0, graphs = 0, valid = 0;
  ~Count() {
    std::fprintf(stderr, "%lld inputs: %lld past the verifier, %lld graphs, %lld ran\n",
                 static_cast<long long>(inputs), static_cast<long long>(verified),
                 static_cast<long long>(graphs), static_cast<long long>(valid));
  }
} count;

// Checks that the content of a file survives saving.
void LoadAndSave(std::span<const uint8_t> bytes) {
  TosaSerializationHandler handler;
  if (!handler.LoadTosaFlatbuffer(bytes, "input")) return;
  ++count.verified;
  const Result<std::vector<uint8_t>> saved = handler.SaveTosaFlatbuffer();
  Demand(static_cast<bool>(saved), "what was loaded can be saved");
  TosaSerializationHandler again;
  const Result<Done> loaded = again.LoadTosaFlatbuffer(*saved, "saved");
  Demand(static_cast<bool>(loaded), "what was saved can be loaded");
  Demand(handler == again, "saving keeps the content");
}

void ReadAndWrite(std::span<const uint8_t> bytes) {
  std::vector<std::string> notes;
  const Result<Graph> graph = ReadTosa(bytes, "input", &notes);
  if (!graph) return;
  ++count.graphs;
  const std::vector<uint8_t> written = WriteTosa(*graph);
  const Result<Graph> again = ReadTosa(written, "written", nullptr);
  Demand(static_cast<bool>(again), "what was written can be read");
  Demand(WriteTosa(*again) == written, "writing what was written gives the same bytes");
  if (Explore(*graph)) ++count.valid;
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ++assay::fuzz::count.inputs;
  assay::fuzz::LoadAndSave({data, size});
  assay::fuzz::ReadAndWrite({data, size});
  return 0;
}
