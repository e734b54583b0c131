// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "result.h"
#include "types.h"
#include "vulkan_functions.h"

namespace assay::vulkan {

// Returns the format of the elements of a tensor; VK_FORMAT_UNDEFINED if there is none (i4,
// shapes).
VkFormat VulkanFormat(DType type);

// An Error for a result that is no success: "vkCreateTensorARM: VkResult -2". The kind is
// kResource if memory is short, otherwise kBadInput.
Error FailedCall(const char* function, VkResult result);

// A device that runs TOSA graphs, with one queue. It must be alive as long as what it has made.
class Device {
 public:
  // Opens the first device that has VK_ARM_tensors, VK_ARM_data_graph and a queue for graphs of
  // TOSA.001000.1. `library` is the file of the Vulkan loader. Error kUnsupported, which begins
  // with "not installed: ", if there is none.
  static Result<std::unique_ptr<Device>> Open(const std::string& library);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Functions& functions() const { return functions_; }
  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return queue_family_; }
  const std::string& name() const { return name_; }
  const VkPhysicalDeviceTensorPropertiesARM& limits() const { return limits_; }
  // The types that tensors of graphs may have.
  const std::vector<DType>& types() const { return types_; }

  // Allocates memory that the host can write and read at any time. Returns its address in `host`
  // if that is not null.
  Result<VkDeviceMemory> Allocate(const VkMemoryRequirements2& requirements, void** host) const;

 private:
  Device() = default;
  // Returns true if the physical device can be used, and sets its queue family.
  bool Fits(VkPhysicalDevice physical);
  Result<Done> Create(VkPhysicalDevice physical);

  Functions functions_;
  VkInstance instance_ = nullptr;
  VkDevice device_ = nullptr;
  VkQueue queue_ = nullptr;
  uint32_t queue_family_ = 0;
  std::string name_;
  VkPhysicalDeviceTensorPropertiesARM limits_;
  VkPhysicalDeviceMemoryProperties memory_ = {};
  std::vector<DType> types_;
};

}  // namespace assay::vulkan
