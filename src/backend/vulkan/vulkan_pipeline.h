// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph.h"
#include "vulkan_device.h"

namespace assay::vulkan {

// A graph that is compiled for a device, with memory for its inputs and outputs. It can run any
// number of times.
class Pipeline {
 public:
  // Compiles a graph. Error kUnsupported if the module or the device cannot express it, kResource
  // if memory is short, kBadInput if the driver rejects it.
  static Result<std::unique_ptr<Pipeline>> Make(const Device& device, const Graph& graph);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Runs the graph once. Returns its outputs.
  Result<std::vector<Tensor>> Run(std::span<const Tensor> inputs);

 private:
  // A tensor of the interface, at the binding of its position.
  struct Bound {
    TensorType type;
    std::vector<int64_t> dims;
    VkTensorARM tensor = 0;
    VkTensorViewARM view = 0;
    VkDeviceMemory memory = 0;
    void* host = nullptr;  // the elements, without gaps
  };

  explicit Pipeline(const Device& device) : device_(device), vk_(device.functions()) {}
  Result<Done> AddTensor(const TensorType& type);
  Result<Done> MakeDescriptors();
  Result<Done> Compile(const std::vector<uint32_t>& words, const std::vector<Tensor>& constants);
  Result<Done> OpenSession();
  Result<Done> Record();

  const Device& device_;
  const Functions& vk_;
  size_t inputs_ = 0;
  std::vector<Bound> tensors_;  // the inputs, and then the outputs
  VkDescriptorSetLayout set_layout_ = 0;
  VkPipelineLayout layout_ = 0;
  VkDescriptorPool descriptors_ = 0;
  VkDescriptorSet set_ = 0;
  VkPipeline pipeline_ = 0;
  VkDataGraphPipelineSessionARM session_ = 0;
  std::vector<VkDeviceMemory> session_memory_;
  VkCommandPool commands_ = 0;
  VkCommandBuffer buffer_ = nullptr;
};

}  // namespace assay::vulkan
