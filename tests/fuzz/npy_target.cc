// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of `.npy` files: as arrays, as tensors of their own type, of a given type, and
// as numbers.
#include <vector>

#include "fuzz_target.h"
#include "npy_file.h"

namespace assay::fuzz {
namespace {

void ReadAsTensor(std::span<const uint8_t> bytes) {
  const Result<Tensor> tensor = ReadNpyTensor(bytes, "input");
  if (!tensor) return;
  const Result<Tensor> again = ReadNpyTensor(WriteNpy(*tensor), "written");
  Demand(again && *again == *tensor, "a tensor survives being written");
}

// Reads the head of a file from its beginning, as that of an array that is not unpacked yet.
void ReadHead(std::span<const uint8_t> bytes, DType type) {
  const std::span<const uint8_t> start = bytes.first(bytes.size() - bytes.size() / 4);
  const Result<NpyArray> head = ReadNpyHead(start, bytes.size(), "input");
  if (!head) return;
  Demand(static_cast<bool>(ReadNpy(bytes, "input")), "a file with a good head can be read");
  (void)CheckNpyElements(*head, "input", type);
  (void)CheckNpySamples(*head, "input", {type, {2}});
  (void)ShapeOfNpy(*head, "input");
}

}  // namespace
}  // namespace assay::fuzz

// The first byte chooses the expected type.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> bytes(data + 1, size - 1);
  const assay::Result<assay::NpyArray> array = assay::ReadNpy(bytes, "input");
  const assay::DType type = assay::kAllTypes[data[0] % std::size(assay::kAllTypes)];
  assay::fuzz::ReadAsTensor(bytes);
  assay::fuzz::ReadHead(bytes, type);
  if (!array) return 0;
  if (array->elements < INT32_MAX) {
    const assay::Shape shape = {static_cast<int32_t>(array->elements)};
    (void)assay::ReadNpyTensor(bytes, "input", {type, shape});
  }
  (void)assay::ReadNpyDoubles(bytes, "input", array->elements);
  return 0;
}
