// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of the Vulkan API that the backend `vulkan` calls, with the names of the Vulkan
// specification. Debian 12 has headers of Vulkan 1.3.239, which lack VK_ARM_tensors and
// VK_ARM_data_graph. The numbers and the order of fields are those of the Vulkan registry
// (github.com/KhronosGroup/Vulkan-Headers, registry/vk.xml of 1.4.359), on machines of 64 bits.
//
// A structure that has `sType` sets it itself.
namespace assay::vulkan {

using VkBool32 = uint32_t;
using VkFlags64 = uint64_t;
using VkDeviceSize = uint64_t;

using VkInstance = struct VkInstance_T*;
using VkPhysicalDevice = struct VkPhysicalDevice_T*;
using VkDevice = struct VkDevice_T*;
using VkQueue = struct VkQueue_T*;
using VkCommandBuffer = struct VkCommandBuffer_T*;
using VkCommandPool = uint64_t;
using VkDataGraphPipelineSessionARM = uint64_t;
using VkDescriptorPool = uint64_t;
using VkDescriptorSet = uint64_t;
using VkDescriptorSetLayout = uint64_t;
using VkDeviceMemory = uint64_t;
using VkPipeline = uint64_t;
using VkPipelineLayout = uint64_t;
using VkShaderModule = uint64_t;
using VkTensorARM = uint64_t;
using VkTensorViewARM = uint64_t;

enum VkResult : int32_t {
  VK_SUCCESS = 0,
  VK_INCOMPLETE = 5,
  VK_ERROR_OUT_OF_HOST_MEMORY = -1,
  VK_ERROR_OUT_OF_DEVICE_MEMORY = -2,
  VK_ERROR_INITIALIZATION_FAILED = -3,
  VK_ERROR_EXTENSION_NOT_PRESENT = -7,
  VK_ERROR_FEATURE_NOT_PRESENT = -8,
};

enum VkFormat : int32_t {
  VK_FORMAT_UNDEFINED = 0,
  VK_FORMAT_R8_SINT = 14,
  VK_FORMAT_R16_SINT = 75,
  VK_FORMAT_R16_SFLOAT = 76,
  VK_FORMAT_R32_SINT = 99,
  VK_FORMAT_R32_SFLOAT = 100,
  VK_FORMAT_R64_SINT = 111,
  VK_FORMAT_R8_BOOL_ARM = 1000460000,
  VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM = 1000460001,
  VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM = 1000460002,
  VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM = 1000460003,
};

inline constexpr uint32_t kVulkan13 = 1 << 22 | 3 << 12;
inline constexpr char kTensorsExtension[] = "VK_ARM_tensors";
inline constexpr char kDataGraphExtension[] = "VK_ARM_data_graph";

inline constexpr uint32_t VK_QUEUE_DATA_GRAPH_BIT_ARM = 0x400;
inline constexpr uint32_t VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT = 2;
inline constexpr uint32_t VK_MEMORY_PROPERTY_HOST_COHERENT_BIT = 4;
inline constexpr VkFlags64 VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM = 0x1000000000000;
inline constexpr VkFlags64 VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM = 0x20;
inline constexpr uint32_t VK_TENSOR_TILING_LINEAR_ARM = 1;
inline constexpr int32_t VK_DESCRIPTOR_TYPE_TENSOR_ARM = 1000460000;
inline constexpr int32_t VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM = 1000507000;
inline constexpr uint32_t VK_SHADER_STAGE_ALL = 0x7fffffff;
inline constexpr VkFlags64 VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM = 0x40000000000;
inline constexpr VkFlags64 VK_PIPELINE_STAGE_2_HOST_BIT = 0x4000;
inline constexpr VkFlags64 VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM = 0x1000000000000;
inline constexpr VkFlags64 VK_ACCESS_2_HOST_READ_BIT = 0x2000;
inline constexpr int32_t VK_DATA_GRAPH_OPERATION_TYPE_EXTENDED_INSTRUCTION_SET = 0;

// The first two fields of every structure that has `sType`.
struct VkBaseStructure {
  int32_t sType;
  const void* pNext;
};

// ---- Instance and device

struct VkApplicationInfo {
  int32_t sType = 0;
  const void* pNext = nullptr;
  const char* pApplicationName = nullptr;
  uint32_t applicationVersion = 0;
  const char* pEngineName = nullptr;
  uint32_t engineVersion = 0;
  uint32_t apiVersion = kVulkan13;
};

struct VkInstanceCreateInfo {
  int32_t sType = 1;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  const VkApplicationInfo* pApplicationInfo = nullptr;
  uint32_t enabledLayerCount = 0;
  const char* const* ppEnabledLayerNames = nullptr;
  uint32_t enabledExtensionCount = 0;
  const char* const* ppEnabledExtensionNames = nullptr;
};

struct VkExtensionProperties {
  char extensionName[256];
  uint32_t specVersion;
};

// Only `deviceName` is read. What follows it is only as large as it has to be.
struct VkPhysicalDeviceProperties2 {
  int32_t sType = 1000059001;
  void* pNext = nullptr;
  uint32_t apiVersion = 0, driverVersion = 0, vendorID = 0, deviceID = 0;
  int32_t deviceType = 0;
  char deviceName[256] = {};
  alignas(8) uint8_t rest[2048] = {};
};

struct VkPhysicalDeviceTensorPropertiesARM {
  int32_t sType = 1000460004;
  void* pNext = nullptr;
  uint32_t maxTensorDimensionCount = 0;
  uint64_t maxTensorElements = 0;
  uint64_t maxPerDimensionTensorElements = 0;
  int64_t maxTensorStride = 0;
  uint64_t maxTensorSize = 0;
  uint32_t maxTensorShaderAccessArrayLength = 0;
  uint32_t maxTensorShaderAccessSize = 0;
  uint32_t maxDescriptorSetStorageTensors = 0;
  uint32_t maxPerStageDescriptorSetStorageTensors = 0;
  uint32_t maxDescriptorSetUpdateAfterBindStorageTensors = 0;
  uint32_t maxPerStageDescriptorUpdateAfterBindStorageTensors = 0;
  VkBool32 shaderStorageTensorArrayNonUniformIndexingNative = 0;
  uint32_t shaderTensorSupportedStages = 0;
};

// The features of a version or an extension: `Count` values of VkBool32.
template <int32_t Type, size_t Count>
struct Features {
  int32_t sType = Type;
  void* pNext = nullptr;
  VkBool32 values[Count] = {};
};
using VkPhysicalDeviceFeatures2 = Features<1000059000, 55>;
using VkPhysicalDeviceVulkan11Features = Features<49, 12>;
using VkPhysicalDeviceVulkan12Features = Features<51, 47>;
using VkPhysicalDeviceVulkan13Features = Features<53, 15>;
using VkPhysicalDeviceTensorFeaturesARM = Features<1000460009, 6>;
using VkPhysicalDeviceDataGraphFeaturesARM = Features<1000507006, 5>;
inline constexpr size_t kRobustBufferAccess = 0;  // of VkPhysicalDeviceFeatures2
inline constexpr size_t kTensors = 5;             // of VkPhysicalDeviceTensorFeaturesARM
inline constexpr size_t kDataGraph = 0;           // of VkPhysicalDeviceDataGraphFeaturesARM

struct VkQueueFamilyProperties {
  uint32_t queueFlags;
  uint32_t queueCount;
  uint32_t timestampValidBits;
  uint32_t minImageTransferGranularity[3];
};

struct VkQueueFamilyDataGraphPropertiesARM {
  int32_t sType = 1000507018;
  void* pNext = nullptr;
  int32_t engineType = 0;
  VkBool32 engineIsForeign = 0;
  int32_t operationType = 0;
  char operationName[128] = {};
  uint32_t operationVersion = 0;
};

struct VkPhysicalDeviceMemoryProperties {
  uint32_t memoryTypeCount;
  struct {
    uint32_t propertyFlags;
    uint32_t heapIndex;
  } memoryTypes[32];
  uint32_t memoryHeapCount;
  struct {
    VkDeviceSize size;
    uint32_t flags;
  } memoryHeaps[16];
};

struct VkTensorFormatPropertiesARM {
  int32_t sType = 1000460005;
  void* pNext = nullptr;
  VkFlags64 optimalTilingTensorFeatures = 0;
  VkFlags64 linearTilingTensorFeatures = 0;
};

struct VkFormatProperties2 {
  int32_t sType = 1000059002;
  void* pNext = nullptr;
  uint32_t linearTilingFeatures = 0, optimalTilingFeatures = 0, bufferFeatures = 0;
};

struct VkDeviceQueueCreateInfo {
  int32_t sType = 2;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t queueFamilyIndex = 0;
  uint32_t queueCount = 1;
  const float* pQueuePriorities = nullptr;
};

struct VkDeviceCreateInfo {
  int32_t sType = 3;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t queueCreateInfoCount = 1;
  const VkDeviceQueueCreateInfo* pQueueCreateInfos = nullptr;
  uint32_t enabledLayerCount = 0;
  const char* const* ppEnabledLayerNames = nullptr;
  uint32_t enabledExtensionCount = 0;
  const char* const* ppEnabledExtensionNames = nullptr;
  const void* pEnabledFeatures = nullptr;
};

// ---- Memory and tensors

struct VkMemoryRequirements2 {
  int32_t sType = 1000146003;
  void* pNext = nullptr;
  VkDeviceSize size = 0, alignment = 0;
  uint32_t memoryTypeBits = 0;
};

struct VkMemoryAllocateInfo {
  int32_t sType = 5;
  const void* pNext = nullptr;
  VkDeviceSize allocationSize = 0;
  uint32_t memoryTypeIndex = 0;
};

struct VkTensorDescriptionARM {
  int32_t sType = 1000460006;
  const void* pNext = nullptr;
  uint32_t tiling = VK_TENSOR_TILING_LINEAR_ARM;
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t dimensionCount = 0;
  const int64_t* pDimensions = nullptr;
  const int64_t* pStrides = nullptr;
  VkFlags64 usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM;
};

struct VkTensorCreateInfoARM {
  int32_t sType = 1000460000;
  const void* pNext = nullptr;
  VkFlags64 flags = 0;
  const VkTensorDescriptionARM* pDescription = nullptr;
  int32_t sharingMode = 0;  // exclusive
  uint32_t queueFamilyIndexCount = 0;
  const uint32_t* pQueueFamilyIndices = nullptr;
};

struct VkTensorViewCreateInfoARM {
  int32_t sType = 1000460001;
  const void* pNext = nullptr;
  VkFlags64 flags = 0;
  VkTensorARM tensor = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;
};

struct VkTensorMemoryRequirementsInfoARM {
  int32_t sType = 1000460007;
  const void* pNext = nullptr;
  VkTensorARM tensor = 0;
};

struct VkBindTensorMemoryInfoARM {
  int32_t sType = 1000460002;
  const void* pNext = nullptr;
  VkTensorARM tensor = 0;
  VkDeviceMemory memory = 0;
  VkDeviceSize memoryOffset = 0;
};

// ---- Descriptors

struct VkDescriptorSetLayoutBinding {
  uint32_t binding = 0;
  int32_t descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM;
  uint32_t descriptorCount = 1;
  uint32_t stageFlags = VK_SHADER_STAGE_ALL;
  const void* pImmutableSamplers = nullptr;
};

struct VkDescriptorSetLayoutCreateInfo {
  int32_t sType = 32;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t bindingCount = 0;
  const VkDescriptorSetLayoutBinding* pBindings = nullptr;
};

struct VkDescriptorPoolSize {
  int32_t type = VK_DESCRIPTOR_TYPE_TENSOR_ARM;
  uint32_t descriptorCount = 0;
};

struct VkDescriptorPoolCreateInfo {
  int32_t sType = 33;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t maxSets = 1;
  uint32_t poolSizeCount = 1;
  const VkDescriptorPoolSize* pPoolSizes = nullptr;
};

struct VkDescriptorSetAllocateInfo {
  int32_t sType = 34;
  const void* pNext = nullptr;
  VkDescriptorPool descriptorPool = 0;
  uint32_t descriptorSetCount = 1;
  const VkDescriptorSetLayout* pSetLayouts = nullptr;
};

struct VkWriteDescriptorSetTensorARM {
  int32_t sType = 1000460003;
  const void* pNext = nullptr;
  uint32_t tensorViewCount = 1;
  const VkTensorViewARM* pTensorViews = nullptr;
};

struct VkWriteDescriptorSet {
  int32_t sType = 35;
  const void* pNext = nullptr;
  VkDescriptorSet dstSet = 0;
  uint32_t dstBinding = 0;
  uint32_t dstArrayElement = 0;
  uint32_t descriptorCount = 1;
  int32_t descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM;
  const void* pImageInfo = nullptr;
  const void* pBufferInfo = nullptr;
  const void* pTexelBufferView = nullptr;
};

// ---- Pipelines and sessions

struct VkShaderModuleCreateInfo {
  int32_t sType = 16;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  size_t codeSize = 0;
  const uint32_t* pCode = nullptr;
};

struct VkPipelineLayoutCreateInfo {
  int32_t sType = 30;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t setLayoutCount = 1;
  const VkDescriptorSetLayout* pSetLayouts = nullptr;
  uint32_t pushConstantRangeCount = 0;
  const void* pPushConstantRanges = nullptr;
};

// `pNext` is the VkTensorDescriptionARM of the constant.
struct VkDataGraphPipelineConstantARM {
  int32_t sType = 1000507003;
  const void* pNext = nullptr;
  uint32_t id = 0;
  const void* pConstantData = nullptr;
};

struct VkDataGraphPipelineShaderModuleCreateInfoARM {
  int32_t sType = 1000507007;
  const void* pNext = nullptr;
  VkShaderModule module = 0;
  const char* pName = nullptr;
  const void* pSpecializationInfo = nullptr;
  uint32_t constantCount = 0;
  const VkDataGraphPipelineConstantARM* pConstants = nullptr;
};

// `pNext` is the VkTensorDescriptionARM of the tensor at the binding.
struct VkDataGraphPipelineResourceInfoARM {
  int32_t sType = 1000507002;
  const void* pNext = nullptr;
  uint32_t descriptorSet = 0;
  uint32_t binding = 0;
  uint32_t arrayElement = 0;
};

// `pNext` is a VkDataGraphPipelineShaderModuleCreateInfoARM.
struct VkDataGraphPipelineCreateInfoARM {
  int32_t sType = 1000507000;
  const void* pNext = nullptr;
  VkFlags64 flags = 0;
  VkPipelineLayout layout = 0;
  uint32_t resourceInfoCount = 0;
  const VkDataGraphPipelineResourceInfoARM* pResourceInfos = nullptr;
};

struct VkDataGraphPipelineSessionCreateInfoARM {
  int32_t sType = 1000507001;
  const void* pNext = nullptr;
  VkFlags64 flags = 0;
  VkPipeline dataGraphPipeline = 0;
};

struct VkDataGraphPipelineSessionBindPointRequirementsInfoARM {
  int32_t sType = 1000507011;
  const void* pNext = nullptr;
  VkDataGraphPipelineSessionARM session = 0;
};

struct VkDataGraphPipelineSessionBindPointRequirementARM {
  int32_t sType = 1000507012;
  void* pNext = nullptr;
  int32_t bindPoint = 0;
  int32_t bindPointType = 0;  // memory
  uint32_t numObjects = 0;
};

struct VkDataGraphPipelineSessionMemoryRequirementsInfoARM {
  int32_t sType = 1000507004;
  const void* pNext = nullptr;
  VkDataGraphPipelineSessionARM session = 0;
  int32_t bindPoint = 0;
  uint32_t objectIndex = 0;
};

struct VkBindDataGraphPipelineSessionMemoryInfoARM {
  int32_t sType = 1000507005;
  const void* pNext = nullptr;
  VkDataGraphPipelineSessionARM session = 0;
  int32_t bindPoint = 0;
  uint32_t objectIndex = 0;
  VkDeviceMemory memory = 0;
  VkDeviceSize memoryOffset = 0;
};

// ---- Commands

struct VkCommandPoolCreateInfo {
  int32_t sType = 39;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  uint32_t queueFamilyIndex = 0;
};

struct VkCommandBufferAllocateInfo {
  int32_t sType = 40;
  const void* pNext = nullptr;
  VkCommandPool commandPool = 0;
  int32_t level = 0;  // primary
  uint32_t commandBufferCount = 1;
};

struct VkCommandBufferBeginInfo {
  int32_t sType = 42;
  const void* pNext = nullptr;
  uint32_t flags = 0;
  const void* pInheritanceInfo = nullptr;
};

struct VkMemoryBarrier2 {
  int32_t sType = 1000314000;
  const void* pNext = nullptr;
  VkFlags64 srcStageMask = 0, srcAccessMask = 0, dstStageMask = 0, dstAccessMask = 0;
};

struct VkDependencyInfo {
  int32_t sType = 1000314003;
  const void* pNext = nullptr;
  uint32_t dependencyFlags = 0;
  uint32_t memoryBarrierCount = 0;
  const VkMemoryBarrier2* pMemoryBarriers = nullptr;
  uint32_t bufferMemoryBarrierCount = 0;
  const void* pBufferMemoryBarriers = nullptr;
  uint32_t imageMemoryBarrierCount = 0;
  const void* pImageMemoryBarriers = nullptr;
};

struct VkSubmitInfo {
  int32_t sType = 4;
  const void* pNext = nullptr;
  uint32_t waitSemaphoreCount = 0;
  const void* pWaitSemaphores = nullptr;
  const uint32_t* pWaitDstStageMask = nullptr;
  uint32_t commandBufferCount = 0;
  const VkCommandBuffer* pCommandBuffers = nullptr;
  uint32_t signalSemaphoreCount = 0;
  const void* pSignalSemaphores = nullptr;
};

}  // namespace assay::vulkan
