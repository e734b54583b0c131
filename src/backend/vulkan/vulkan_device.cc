// SPDX-License-Identifier: Apache-2.0
#include "vulkan_device.h"

#include <algorithm>
#include <string_view>

#include "enum_names.h"
#include "tosa_instructions.h"

namespace assay::vulkan {
namespace {

// Calls an enumerating function of Vulkan: first for the count, then for the values.
template <class T, class Function>
std::vector<T> Enumerated(const Function& function) {
  uint32_t count = 0;
  function(&count, static_cast<T*>(nullptr));
  std::vector<T> values(count);
  if (count > 0) function(&count, values.data());
  values.resize(std::min<size_t>(count, values.size()));
  return values;
}

}  // namespace

VkFormat VulkanFormat(DType type) {
  // In the order of DType. There is none for i4 and shapes.
  constexpr VkFormat kFormats[] = {VK_FORMAT_UNDEFINED,
                                   VK_FORMAT_R8_BOOL_ARM,
                                   VK_FORMAT_UNDEFINED,
                                   VK_FORMAT_R8_SINT,
                                   VK_FORMAT_R16_SINT,
                                   VK_FORMAT_R32_SINT,
                                   VK_FORMAT_R64_SINT,
                                   VK_FORMAT_R32_SFLOAT,
                                   VK_FORMAT_R16_SFLOAT,
                                   VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM,
                                   VK_FORMAT_UNDEFINED,
                                   VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM,
                                   VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM};
  return EntryOf(kFormats, type);
}

Error FailedCall(const char* function, VkResult result) {
  const bool memory =
      result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return {memory ? Error::Kind::kResource : Error::Kind::kBadInput,
          std::string(function) + ": VkResult " + std::to_string(result)};
}

Result<std::unique_ptr<Device>> Device::Open(const std::string& library) {
  Result<Functions> functions = LoadFunctions(library);
  if (!functions) return functions.error();
  std::unique_ptr<Device> device(new Device);
  device->functions_ = *functions;
  Functions& vk = device->functions_;
  const VkApplicationInfo application{.pApplicationName = "assay"};
  const VkInstanceCreateInfo info{.pApplicationInfo = &application};
  const VkResult created = vk.CreateInstance(&info, nullptr, &device->instance_);
  if (created != VK_SUCCESS) {
    const Error error = FailedCall("vkCreateInstance", created);
    return Unsupported("not installed: " + error.message);
  }
  const Result<Done> loaded = LoadInstanceFunctions(device->instance_, vk);
  if (!loaded) return loaded.error();
  const auto physical = Enumerated<VkPhysicalDevice>([&](auto* count, auto* values) {
    return vk.EnumeratePhysicalDevices(device->instance_, count, values);
  });
  const auto fits =
      std::ranges::find_if(physical, [&](VkPhysicalDevice one) { return device->Fits(one); });
  if (fits == physical.end()) {
    return Unsupported("not installed: none of " + std::to_string(physical.size()) +
                       " devices has " + kTensorsExtension + ", " + kDataGraphExtension +
                       " and a queue for " + std::string(spirv::kTosaInstructionSet));
  }
  const Result<Done> opened = device->Create(*fits);
  if (!opened) return opened.error();
  return device;
}

bool Device::Fits(VkPhysicalDevice physical) {
  const auto extensions = Enumerated<VkExtensionProperties>([&](auto* count, auto* values) {
    return functions_.EnumerateDeviceExtensionProperties(physical, nullptr, count, values);
  });
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(
        extensions, [&](const VkExtensionProperties& one) { return name == one.extensionName; });
  };
  if (!has(kTensorsExtension) || !has(kDataGraphExtension)) return false;
  const auto properties = functions_.GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM;
  if (properties == nullptr) return false;
  const auto families = Enumerated<VkQueueFamilyProperties>([&](auto* count, auto* values) {
    functions_.GetPhysicalDeviceQueueFamilyProperties(physical, count, values);
  });
  for (uint32_t family = 0; family < families.size(); ++family) {
    if ((families[family].queueFlags & VK_QUEUE_DATA_GRAPH_BIT_ARM) == 0) continue;
    const auto operations = Enumerated<VkQueueFamilyDataGraphPropertiesARM>(
        [&](auto* count, auto* values) { return properties(physical, family, count, values); });
    for (const VkQueueFamilyDataGraphPropertiesARM& one : operations) {
      if (one.operationType == VK_DATA_GRAPH_OPERATION_TYPE_EXTENDED_INSTRUCTION_SET &&
          spirv::kTosaInstructionSet == one.operationName) {
        queue_family_ = family;
        return true;
      }
    }
  }
  return false;
}

Result<Done> Device::Create(VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties2 properties;
  properties.pNext = &limits_;
  functions_.GetPhysicalDeviceProperties2(physical, &properties);
  name_ = properties.deviceName;
  functions_.GetPhysicalDeviceMemoryProperties(physical, &memory_);
  for (const DType type : kAllTypes) {
    if (VulkanFormat(type) == VK_FORMAT_UNDEFINED) continue;
    VkTensorFormatPropertiesARM tensors;
    VkFormatProperties2 format;
    format.pNext = &tensors;
    functions_.GetPhysicalDeviceFormatProperties2(physical, VulkanFormat(type), &format);
    if (tensors.linearTilingTensorFeatures & VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM) {
      types_.push_back(type);
    }
  }
  // All features are enabled that the device has, because graphs may use small and large types.
  VkPhysicalDeviceDataGraphFeaturesARM data_graph;
  VkPhysicalDeviceTensorFeaturesARM tensors{.pNext = &data_graph};
  VkPhysicalDeviceVulkan13Features vulkan13{.pNext = &tensors};
  VkPhysicalDeviceVulkan12Features vulkan12{.pNext = &vulkan13};
  VkPhysicalDeviceVulkan11Features vulkan11{.pNext = &vulkan12};
  VkPhysicalDeviceFeatures2 features{.pNext = &vulkan11};
  functions_.GetPhysicalDeviceFeatures2(physical, &features);
  features.values[kRobustBufferAccess] = 0;
  if (tensors.values[kTensors] == 0 || data_graph.values[kDataGraph] == 0) {
    return Unsupported("not installed: " + name_ + " lacks the features tensors and dataGraph");
  }
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{.queueFamilyIndex = queue_family_,
                                      .pQueuePriorities = &priority};
  const char* extensions[] = {kTensorsExtension, kDataGraphExtension};
  const VkDeviceCreateInfo info{.pNext = &features,
                                .pQueueCreateInfos = &queue,
                                .enabledExtensionCount = 2,
                                .ppEnabledExtensionNames = extensions};
  const VkResult created = functions_.CreateDevice(physical, &info, nullptr, &device_);
  if (created != VK_SUCCESS) {
    std::string why = FailedCall("vkCreateDevice", created).message;
    if (created == VK_ERROR_EXTENSION_NOT_PRESENT || created == VK_ERROR_FEATURE_NOT_PRESENT) {
      why += std::string(": ") + name_ +
             " lacks what it has announced; if layers implement the extensions, the layer of " +
             kDataGraphExtension + " must come before the layer of " + kTensorsExtension +
             " in VK_LAYER_PATH";
    }
    return Unsupported("not installed: " + why);
  }
  const Result<Done> loaded = LoadDeviceFunctions(device_, functions_);
  if (!loaded) return loaded.error();
  functions_.GetDeviceQueue(device_, queue_family_, 0, &queue_);
  return Done{};
}

Device::~Device() {
  if (device_ != nullptr && functions_.DestroyDevice != nullptr) {
    functions_.DestroyDevice(device_, nullptr);
  }
  if (instance_ != nullptr && functions_.DestroyInstance != nullptr) {
    functions_.DestroyInstance(instance_, nullptr);
  }
}

Result<VkDeviceMemory> Device::Allocate(const VkMemoryRequirements2& requirements,
                                        void** host) const {
  constexpr uint32_t kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < memory_.memoryTypeCount &&
         ((requirements.memoryTypeBits >> type & 1) == 0 ||
          (memory_.memoryTypes[type].propertyFlags & kWanted) != kWanted)) {
    ++type;
  }
  if (type == memory_.memoryTypeCount) return Unsupported("no memory that host and device can use");
  const VkMemoryAllocateInfo info{.allocationSize = requirements.size, .memoryTypeIndex = type};
  VkDeviceMemory memory = 0;
  const VkResult allocated = functions_.AllocateMemory(device_, &info, nullptr, &memory);
  if (allocated != VK_SUCCESS) return FailedCall("vkAllocateMemory", allocated);
  if (host == nullptr) return memory;
  const VkResult mapped = functions_.MapMemory(device_, memory, 0, ~VkDeviceSize{0}, 0, host);
  if (mapped == VK_SUCCESS) return memory;
  functions_.FreeMemory(device_, memory, nullptr);
  return FailedCall("vkMapMemory", mapped);
}

}  // namespace assay::vulkan
