// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph.h"
#include "vulkan_device.h"

// The objects of the Vulkan stand-in (vulkan_stand_in.cc), and the checks that its functions share.
namespace assay::vulkan {
inline constexpr uint32_t kDimensionsMax = 6;
inline constexpr VkDeviceSize kAlignment = 64;
inline constexpr uint32_t kGraphFamily = 1, kHostMemory = 1;
inline constexpr VkDeviceSize kSessionBytes = 256;
inline constexpr VkResult kUnknownError = static_cast<VkResult>(-13);
inline constexpr VkResult kDeviceLost = static_cast<VkResult>(-4);

inline void Must(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "wrong call: %s\n", what.c_str());
  std::abort();
}

inline bool HasFault(const char* name) {
  const char* fault = std::getenv("ASSAY_VULKAN_FAULT");
  return fault != nullptr && std::strcmp(fault, name) == 0;
}

inline void Log(const std::string& line) {
  const char* path = std::getenv("ASSAY_VULKAN_LOG");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "a");
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

// Checks the type of a structure, and that nothing follows it if nothing may.
template <class Structure>
const Structure& Checked(const Structure* structure, bool may_be_followed = false) {
  Must(structure != nullptr, "a null structure");
  const Structure right{};
  Must(structure->sType == right.sType,
       "sType " + std::to_string(structure->sType) + " in place of " + std::to_string(right.sType));
  Must(may_be_followed || structure->pNext == nullptr, "an unexpected pNext");
  return *structure;
}

// Returns the structure of a type in a chain; null if there is none.
template <class Structure>
Structure* InChain(const void* chain) {
  const Structure right{};
  for (auto* one = static_cast<const VkBaseStructure*>(chain); one != nullptr;
       one = static_cast<const VkBaseStructure*>(one->pNext)) {
    if (one->sType == right.sType) {
      return const_cast<Structure*>(reinterpret_cast<const Structure*>(one));
    }
  }
  return nullptr;
}

template <class Structure>
const Structure& Next(const void* chain) {
  return Checked(static_cast<const Structure*>(chain));
}

// ---- Objects

struct Memory {
  std::vector<uint8_t> bytes;
};
struct TensorObject {
  VkFormat format{};
  std::vector<int64_t> dims;
  VkDeviceMemory memory = 0;
};
struct View {
  VkTensorARM tensor = 0;
};
struct Words {
  std::vector<uint32_t> words;
};
struct SetLayout {
  uint32_t bindings = 0;
};
struct Layout {
  VkDescriptorSetLayout set = 0;
};
struct Pool {
  uint32_t descriptors = 0;
};
struct PipelineObject {
  Graph graph;
};
struct Session {
  VkPipeline pipeline = 0;
  bool has_memory = false;
};
struct CommandPool {};

// The objects of one kind, by their handles. Handles of different kinds differ.
inline uint64_t next_handle = 1000;
inline size_t alive = 0;
template <class Object>
class Objects {
 public:
  explicit Objects(const char* kind) : kind_(kind) {}
  uint64_t Add(Object object) {
    ++alive;
    objects_.emplace(++next_handle, std::move(object));
    return next_handle;
  }
  Object& Get(uint64_t handle) {
    const auto found = objects_.find(handle);
    Must(found != objects_.end(), std::string("no ") + kind_ + " " + std::to_string(handle));
    return found->second;
  }
  void Remove(uint64_t handle) {
    Get(handle);
    objects_.erase(handle);
    --alive;
  }

 private:
  const char* kind_;
  std::map<uint64_t, Object> objects_;
};

inline Objects<Memory> memories("memory");
inline Objects<TensorObject> tensors("tensor");
inline Objects<View> views("tensor view");
inline Objects<Words> modules("shader module");
inline Objects<SetLayout> set_layouts("descriptor set layout");
inline Objects<Layout> layouts("pipeline layout");
inline Objects<Pool> pools("descriptor pool");
inline Objects<PipelineObject> pipelines("pipeline");
inline Objects<Session> sessions("session");
inline Objects<CommandPool> command_pools("command pool");

// Descriptor sets and command buffers end with their pools.
inline std::map<VkDescriptorSet, std::vector<VkTensorViewARM>> sets;

struct Handle {
  int kind;
};
inline Handle instance{1}, plain_device{2}, graph_device{3}, device{4}, queue{5};
inline bool has_device = false;

template <class T>
T As(Handle& handle) {
  return reinterpret_cast<T>(&handle);
}
inline void CheckDevice(VkDevice one) {
  Must(one == As<VkDevice>(device) && has_device, "no device");
}

struct Commands {
  enum class State { kNew, kRecording, kEnded } state = State::kNew;
  VkPipeline pipeline = 0;
  VkDescriptorSet set = 0;
  VkDataGraphPipelineSessionARM session = 0;
  bool visible = false;  // to the host, by a barrier
};

inline DType TypeOf(VkFormat format) {
  for (const DType type : kAllTypes) {
    if (format != VK_FORMAT_UNDEFINED && VulkanFormat(type) == format) return type;
  }
  Must(false, "format " + std::to_string(format));
  return DType::kUnknown;
}

inline TensorType TypeOf(const VkTensorDescriptionARM& description) {
  Checked(&description);
  Must(description.tiling == VK_TENSOR_TILING_LINEAR_ARM && description.pStrides == nullptr,
       "a tensor that is not linear and packed");
  Must((description.usage & VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM) != 0, "a tensor for no graph");
  Must(description.dimensionCount >= 1 && description.dimensionCount <= kDimensionsMax,
       "dimensionCount " + std::to_string(description.dimensionCount));
  TensorType type{TypeOf(description.format), {}};
  for (uint32_t i = 0; i < description.dimensionCount; ++i) {
    type.shape.PushBack(static_cast<int32_t>(description.pDimensions[i]));
  }
  return type;
}

inline size_t BytesOf(const TensorType& type) {
  return static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type));
}

inline TensorType TypeOf(const TensorObject& tensor) {
  TensorType type{TypeOf(tensor.format), {}};
  for (const int64_t dim : tensor.dims) type.shape.PushBack(static_cast<int32_t>(dim));
  return type;
}

}  // namespace assay::vulkan
