// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "result.h"
#include "vulkan_api.h"

namespace assay::vulkan {

// The functions of the Vulkan API that the backend calls. Each has the name of the Vulkan
// specification without "vk". They are null until they are loaded.
struct Functions {
  // Functions of the loader:
  void* (*GetInstanceProcAddr)(VkInstance, const char* name) = nullptr;
  VkResult (*CreateInstance)(const VkInstanceCreateInfo*, const void*, VkInstance*) = nullptr;

  // Functions of an instance:
  void (*DestroyInstance)(VkInstance, const void*) = nullptr;
  VkResult (*EnumeratePhysicalDevices)(VkInstance, uint32_t*, VkPhysicalDevice*) = nullptr;
  VkResult (*EnumerateDeviceExtensionProperties)(VkPhysicalDevice, const char*, uint32_t*,
                                                 VkExtensionProperties*) = nullptr;
  void (*GetPhysicalDeviceProperties2)(VkPhysicalDevice, VkPhysicalDeviceProperties2*) = nullptr;
  void (*GetPhysicalDeviceFeatures2)(VkPhysicalDevice, VkPhysicalDeviceFeatures2*) = nullptr;
  void (*GetPhysicalDeviceMemoryProperties)(VkPhysicalDevice,
                                            VkPhysicalDeviceMemoryProperties*) = nullptr;
  void (*GetPhysicalDeviceFormatProperties2)(VkPhysicalDevice, VkFormat,
                                             VkFormatProperties2*) = nullptr;
  void (*GetPhysicalDeviceQueueFamilyProperties)(VkPhysicalDevice, uint32_t*,
                                                 VkQueueFamilyProperties*) = nullptr;
  VkResult (*GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM)(
      VkPhysicalDevice, uint32_t, uint32_t*, VkQueueFamilyDataGraphPropertiesARM*) = nullptr;
  VkResult (*CreateDevice)(VkPhysicalDevice, const VkDeviceCreateInfo*, const void*,
                           VkDevice*) = nullptr;
  void* (*GetDeviceProcAddr)(VkDevice, const char* name) = nullptr;

  // Functions of a device:
  void (*DestroyDevice)(VkDevice, const void*) = nullptr;
  void (*GetDeviceQueue)(VkDevice, uint32_t, uint32_t, VkQueue*) = nullptr;
  VkResult (*AllocateMemory)(VkDevice, const VkMemoryAllocateInfo*, const void*,
                             VkDeviceMemory*) = nullptr;
  void (*FreeMemory)(VkDevice, VkDeviceMemory, const void*) = nullptr;
  VkResult (*MapMemory)(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, uint32_t,
                        void**) = nullptr;
  VkResult (*CreateTensorARM)(VkDevice, const VkTensorCreateInfoARM*, const void*,
                              VkTensorARM*) = nullptr;
  void (*DestroyTensorARM)(VkDevice, VkTensorARM, const void*) = nullptr;
  void (*GetTensorMemoryRequirementsARM)(VkDevice, const VkTensorMemoryRequirementsInfoARM*,
                                         VkMemoryRequirements2*) = nullptr;
  VkResult (*BindTensorMemoryARM)(VkDevice, uint32_t, const VkBindTensorMemoryInfoARM*) = nullptr;
  VkResult (*CreateTensorViewARM)(VkDevice, const VkTensorViewCreateInfoARM*, const void*,
                                  VkTensorViewARM*) = nullptr;
  void (*DestroyTensorViewARM)(VkDevice, VkTensorViewARM, const void*) = nullptr;
  VkResult (*CreateShaderModule)(VkDevice, const VkShaderModuleCreateInfo*, const void*,
                                 VkShaderModule*) = nullptr;
  void (*DestroyShaderModule)(VkDevice, VkShaderModule, const void*) = nullptr;
  VkResult (*CreateDescriptorSetLayout)(VkDevice, const VkDescriptorSetLayoutCreateInfo*,
                                        const void*, VkDescriptorSetLayout*) = nullptr;
  void (*DestroyDescriptorSetLayout)(VkDevice, VkDescriptorSetLayout, const void*) = nullptr;
  VkResult (*CreateDescriptorPool)(VkDevice, const VkDescriptorPoolCreateInfo*, const void*,
                                   VkDescriptorPool*) = nullptr;
  void (*DestroyDescriptorPool)(VkDevice, VkDescriptorPool, const void*) = nullptr;
  VkResult (*AllocateDescriptorSets)(VkDevice, const VkDescriptorSetAllocateInfo*,
                                     VkDescriptorSet*) = nullptr;
  void (*UpdateDescriptorSets)(VkDevice, uint32_t, const VkWriteDescriptorSet*, uint32_t,
                               const void*) = nullptr;
  VkResult (*CreatePipelineLayout)(VkDevice, const VkPipelineLayoutCreateInfo*, const void*,
                                   VkPipelineLayout*) = nullptr;
  void (*DestroyPipelineLayout)(VkDevice, VkPipelineLayout, const void*) = nullptr;
  VkResult (*CreateDataGraphPipelinesARM)(VkDevice, uint64_t, uint64_t, uint32_t,
                                          const VkDataGraphPipelineCreateInfoARM*, const void*,
                                          VkPipeline*) = nullptr;
  void (*DestroyPipeline)(VkDevice, VkPipeline, const void*) = nullptr;
  VkResult (*CreateDataGraphPipelineSessionARM)(VkDevice,
                                                const VkDataGraphPipelineSessionCreateInfoARM*,
                                                const void*,
                                                VkDataGraphPipelineSessionARM*) = nullptr;
  void (*DestroyDataGraphPipelineSessionARM)(VkDevice, VkDataGraphPipelineSessionARM,
                                             const void*) = nullptr;
  VkResult (*GetDataGraphPipelineSessionBindPointRequirementsARM)(
      VkDevice, const VkDataGraphPipelineSessionBindPointRequirementsInfoARM*, uint32_t*,
      VkDataGraphPipelineSessionBindPointRequirementARM*) = nullptr;
  void (*GetDataGraphPipelineSessionMemoryRequirementsARM)(
      VkDevice, const VkDataGraphPipelineSessionMemoryRequirementsInfoARM*,
      VkMemoryRequirements2*) = nullptr;
  VkResult (*BindDataGraphPipelineSessionMemoryARM)(
      VkDevice, uint32_t, const VkBindDataGraphPipelineSessionMemoryInfoARM*) = nullptr;
  VkResult (*CreateCommandPool)(VkDevice, const VkCommandPoolCreateInfo*, const void*,
                                VkCommandPool*) = nullptr;
  void (*DestroyCommandPool)(VkDevice, VkCommandPool, const void*) = nullptr;
  VkResult (*AllocateCommandBuffers)(VkDevice, const VkCommandBufferAllocateInfo*,
                                     VkCommandBuffer*) = nullptr;
  VkResult (*BeginCommandBuffer)(VkCommandBuffer, const VkCommandBufferBeginInfo*) = nullptr;
  VkResult (*EndCommandBuffer)(VkCommandBuffer) = nullptr;
  void (*CmdBindPipeline)(VkCommandBuffer, int32_t, VkPipeline) = nullptr;
  void (*CmdBindDescriptorSets)(VkCommandBuffer, int32_t, VkPipelineLayout, uint32_t, uint32_t,
                                const VkDescriptorSet*, uint32_t, const uint32_t*) = nullptr;
  void (*CmdDispatchDataGraphARM)(VkCommandBuffer, VkDataGraphPipelineSessionARM,
                                  const void*) = nullptr;
  void (*CmdPipelineBarrier2)(VkCommandBuffer, const VkDependencyInfo*) = nullptr;
  VkResult (*QueueSubmit)(VkQueue, uint32_t, const VkSubmitInfo*, uint64_t) = nullptr;
  VkResult (*QueueWaitIdle)(VkQueue) = nullptr;
};

// Calls `visit(function, name)` for the functions of an instance, and for those of a device. The
// name has its "vk".
template <class Visit>
void VisitInstanceFunctions(Functions& f, const Visit& visit) {
  visit(f.DestroyInstance, "vkDestroyInstance");
  visit(f.EnumeratePhysicalDevices, "vkEnumeratePhysicalDevices");
  visit(f.EnumerateDeviceExtensionProperties, "vkEnumerateDeviceExtensionProperties");
  visit(f.GetPhysicalDeviceProperties2, "vkGetPhysicalDeviceProperties2");
  visit(f.GetPhysicalDeviceFeatures2, "vkGetPhysicalDeviceFeatures2");
  visit(f.GetPhysicalDeviceMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
  visit(f.GetPhysicalDeviceFormatProperties2, "vkGetPhysicalDeviceFormatProperties2");
  visit(f.GetPhysicalDeviceQueueFamilyProperties, "vkGetPhysicalDeviceQueueFamilyProperties");
  visit(f.CreateDevice, "vkCreateDevice");
  visit(f.GetDeviceProcAddr, "vkGetDeviceProcAddr");
}
template <class Visit>
void VisitDeviceFunctions(Functions& f, const Visit& visit) {
  visit(f.DestroyDevice, "vkDestroyDevice");
  visit(f.GetDeviceQueue, "vkGetDeviceQueue");
  visit(f.AllocateMemory, "vkAllocateMemory");
  visit(f.FreeMemory, "vkFreeMemory");
  visit(f.MapMemory, "vkMapMemory");
  visit(f.CreateTensorARM, "vkCreateTensorARM");
  visit(f.DestroyTensorARM, "vkDestroyTensorARM");
  visit(f.GetTensorMemoryRequirementsARM, "vkGetTensorMemoryRequirementsARM");
  visit(f.BindTensorMemoryARM, "vkBindTensorMemoryARM");
  visit(f.CreateTensorViewARM, "vkCreateTensorViewARM");
  visit(f.DestroyTensorViewARM, "vkDestroyTensorViewARM");
  visit(f.CreateShaderModule, "vkCreateShaderModule");
  visit(f.DestroyShaderModule, "vkDestroyShaderModule");
  visit(f.CreateDescriptorSetLayout, "vkCreateDescriptorSetLayout");
  visit(f.DestroyDescriptorSetLayout, "vkDestroyDescriptorSetLayout");
  visit(f.CreateDescriptorPool, "vkCreateDescriptorPool");
  visit(f.DestroyDescriptorPool, "vkDestroyDescriptorPool");
  visit(f.AllocateDescriptorSets, "vkAllocateDescriptorSets");
  visit(f.UpdateDescriptorSets, "vkUpdateDescriptorSets");
  visit(f.CreatePipelineLayout, "vkCreatePipelineLayout");
  visit(f.DestroyPipelineLayout, "vkDestroyPipelineLayout");
  visit(f.CreateDataGraphPipelinesARM, "vkCreateDataGraphPipelinesARM");
  visit(f.DestroyPipeline, "vkDestroyPipeline");
  visit(f.CreateDataGraphPipelineSessionARM, "vkCreateDataGraphPipelineSessionARM");
  visit(f.DestroyDataGraphPipelineSessionARM, "vkDestroyDataGraphPipelineSessionARM");
  visit(f.GetDataGraphPipelineSessionBindPointRequirementsARM,
        "vkGetDataGraphPipelineSessionBindPointRequirementsARM");
  visit(f.GetDataGraphPipelineSessionMemoryRequirementsARM,
        "vkGetDataGraphPipelineSessionMemoryRequirementsARM");
  visit(f.BindDataGraphPipelineSessionMemoryARM, "vkBindDataGraphPipelineSessionMemoryARM");
  visit(f.CreateCommandPool, "vkCreateCommandPool");
  visit(f.DestroyCommandPool, "vkDestroyCommandPool");
  visit(f.AllocateCommandBuffers, "vkAllocateCommandBuffers");
  visit(f.BeginCommandBuffer, "vkBeginCommandBuffer");
  visit(f.EndCommandBuffer, "vkEndCommandBuffer");
  visit(f.CmdBindPipeline, "vkCmdBindPipeline");
  visit(f.CmdBindDescriptorSets, "vkCmdBindDescriptorSets");
  visit(f.CmdDispatchDataGraphARM, "vkCmdDispatchDataGraphARM");
  visit(f.CmdPipelineBarrier2, "vkCmdPipelineBarrier2");
  visit(f.QueueSubmit, "vkQueueSubmit");
  visit(f.QueueWaitIdle, "vkQueueWaitIdle");
}

// Loads the loader library, which stays loaded, and the functions of the loader. The Errors of
// these functions are of kind kUnsupported and name what is missing.
Result<Functions> LoadFunctions(const std::string& library);
// Load the functions of an instance and of a device. The functions of VK_ARM_data_graph that need
// no device are loaded if they are there.
Result<Done> LoadInstanceFunctions(VkInstance instance, Functions& functions);
Result<Done> LoadDeviceFunctions(VkDevice device, Functions& functions);

}  // namespace assay::vulkan
