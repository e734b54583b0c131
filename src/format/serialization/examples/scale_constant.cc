// SPDX-License-Identifier: Apache-2.0
// Multiplies a constant of type fp32 by a factor: scale_constant IN.tosa TENSOR FACTOR OUT.tosa
#include <assay/tosa_serialization_handler.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

int Fail(const std::string& message) {
  std::cerr << message << '\n';
  return 1;
}

void Scale(std::vector<uint8_t>& data, float factor) {
  for (size_t at = 0; at + sizeof(float) <= data.size(); at += sizeof(float)) {
    float element;
    std::memcpy(&element, &data[at], sizeof(element));
    element *= factor;
    std::memcpy(&data[at], &element, sizeof(element));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return Fail("usage: scale_constant IN.tosa TENSOR FACTOR OUT.tosa");
  assay::TosaSerializationHandler handler;
  if (const auto loaded = handler.LoadFileTosaFlatbuffer(argv[1]); !loaded) {
    return Fail(loaded.error().message);
  }
  assay::TosaSerializationRegion* region = handler.GetMainRegion();
  assay::TosaSerializationBasicBlock* block =
      region == nullptr ? nullptr : region->GetBlockByName("main");
  assay::TosaSerializationTensor* tensor =
      block == nullptr ? nullptr : block->GetTensorByName(argv[2]);
  if (tensor == nullptr || tensor->GetDtype() != assay::DType::kFp32 || tensor->GetData().empty()) {
    return Fail(std::string(argv[2]) + " is no constant of type fp32 in block main");
  }
  std::vector<uint8_t> data(tensor->GetData().begin(), tensor->GetData().end());
  Scale(data, std::strtof(argv[3], nullptr));
  tensor->SetData(std::move(data));
  if (const auto saved = handler.SaveFileTosaFlatbuffer(argv[4]); !saved) {
    return Fail(saved.error().message);
  }
  return 0;
}
