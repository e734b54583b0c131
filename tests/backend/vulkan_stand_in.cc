// SPDX-License-Identifier: Apache-2.0
// A shared library with the entry points of a Vulkan loader that the backend `vulkan` calls. It has
// two devices, of which the second one runs TOSA graphs: it reads their modules and executes them
// with the reference executor. A wrong call ends the process with one line on standard error.
// ASSAY_VULKAN_FAULT plants a fault of the driver; ASSAY_VULKAN_LOG names a file that gets a line
// for each pipeline, and one about what is left at the end.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "executor.h"
#include "spirv_reader.h"
#include "stand_in_objects.h"

namespace assay::vulkan {
namespace {

// ---- The instance

VkResult CreateInstance(const VkInstanceCreateInfo* info, const void*, VkInstance* to) {
  Checked(info);
  Must(Checked(info->pApplicationInfo).apiVersion >= kVulkan13, "Vulkan before 1.3");
  *to = As<VkInstance>(instance);
  return VK_SUCCESS;
}

void DestroyInstance(VkInstance, const void*) {
  Must(!has_device, "vkDestroyInstance before vkDestroyDevice");
  Log("end");
}

template <class T>
VkResult Enumerate(const std::vector<T>& all, uint32_t* count, T* to) {
  if (to != nullptr) {
    Must(*count >= all.size(), "a count that is too small");
    std::copy(all.begin(), all.end(), to);
  }
  *count = static_cast<uint32_t>(all.size());
  return VK_SUCCESS;
}

VkResult EnumeratePhysicalDevices(VkInstance, uint32_t* count, VkPhysicalDevice* to) {
  return Enumerate<VkPhysicalDevice>(
      {As<VkPhysicalDevice>(plain_device), As<VkPhysicalDevice>(graph_device)}, count, to);
}

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char*, uint32_t* count,
                                            VkExtensionProperties* to) {
  std::vector<VkExtensionProperties> all(1);
  std::strcpy(all[0].extensionName, kTensorsExtension);
  if (physical == As<VkPhysicalDevice>(graph_device) && !HasFault("no-extension")) {
    all.emplace_back();
    std::strcpy(all[1].extensionName, kDataGraphExtension);
  }
  return Enumerate(all, count, to);
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* to) {
  Checked(to, true);
  std::strcpy(to->deviceName, "stand-in");
  auto* limits = InChain<VkPhysicalDeviceTensorPropertiesARM>(to->pNext);
  limits->maxTensorDimensionCount = kDimensionsMax;
  limits->maxTensorElements = 1 << 20;
  limits->maxPerDimensionTensorElements = 1 << 16;
  limits->maxTensorSize = 1 << 22;
}

void GetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* to) {
  Checked(to, true);
  to->values[kRobustBufferAccess] = 1;
  InChain<VkPhysicalDeviceTensorFeaturesARM>(to->pNext)->values[kTensors] = 1;
  InChain<VkPhysicalDeviceDataGraphFeaturesARM>(to->pNext)->values[kDataGraph] = 1;
}

void GetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* to) {
  *to = {};
  to->memoryTypeCount = 2;
  to->memoryTypes[kHostMemory].propertyFlags =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

void GetPhysicalDeviceFormatProperties2(VkPhysicalDevice, VkFormat format,
                                        VkFormatProperties2* to) {
  Checked(to, true);
  const bool supported = TypeOf(format) != DType::kFp8e5m2;
  InChain<VkTensorFormatPropertiesARM>(to->pNext)->linearTilingTensorFeatures =
      supported ? VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM : 0;
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* count,
                                            VkQueueFamilyProperties* to) {
  std::vector<VkQueueFamilyProperties> all(2);
  all[kGraphFamily].queueFlags = VK_QUEUE_DATA_GRAPH_BIT_ARM;
  Enumerate(all, count, to);
}

VkResult GetDataGraphProperties(VkPhysicalDevice, uint32_t family, uint32_t* count,
                                VkQueueFamilyDataGraphPropertiesARM* to) {
  Must(family == kGraphFamily, "a queue family without graphs");
  std::vector<VkQueueFamilyDataGraphPropertiesARM> all(2);
  all[0].operationType = 1000631000;
  std::strcpy(all[0].operationName, "OpticalFlow");
  std::strcpy(all[1].operationName, HasFault("old-set") ? "TOSA.000080.1" : "TOSA.001000.1");
  return Enumerate(all, count, to);
}

VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const void*,
                      VkDevice* to) {
  Must(physical == As<VkPhysicalDevice>(graph_device), "another device");
  Checked(info, true);
  Must(info->enabledExtensionCount == 2, "extensions that are not enabled");
  Must(info->queueCreateInfoCount == 1 &&
           Checked(info->pQueueCreateInfos).queueFamilyIndex == kGraphFamily,
       "a queue without graphs");
  const auto* tensor = InChain<VkPhysicalDeviceTensorFeaturesARM>(info->pNext);
  const auto* graph = InChain<VkPhysicalDeviceDataGraphFeaturesARM>(info->pNext);
  Must(tensor != nullptr && tensor->values[kTensors] != 0, "the feature tensors is not enabled");
  Must(graph != nullptr && graph->values[kDataGraph] != 0, "the feature dataGraph is not enabled");
  if (HasFault("no-feature")) return VK_ERROR_FEATURE_NOT_PRESENT;
  has_device = true;
  *to = As<VkDevice>(device);
  return VK_SUCCESS;
}

void DestroyDevice(VkDevice one, const void*) {
  CheckDevice(one);
  has_device = false;
  Log(std::to_string(alive) + " objects left");
}

void GetDeviceQueue(VkDevice one, uint32_t family, uint32_t index, VkQueue* to) {
  CheckDevice(one);
  Must(family == kGraphFamily && index == 0, "another queue");
  *to = As<VkQueue>(queue);
}

// ---- Memory and tensors

VkResult AllocateMemory(VkDevice one, const VkMemoryAllocateInfo* info, const void*,
                        VkDeviceMemory* to) {
  CheckDevice(one);
  Checked(info);
  Must(info->allocationSize > 0 && info->memoryTypeIndex == kHostMemory, "another type of memory");
  if (HasFault("no-memory")) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  *to = memories.Add({std::vector<uint8_t>(info->allocationSize)});
  return VK_SUCCESS;
}
void FreeMemory(VkDevice, VkDeviceMemory memory, const void*) { memories.Remove(memory); }
VkResult MapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                   uint32_t, void** to) {
  Must(offset == 0 && size == ~VkDeviceSize{0}, "a part of the memory");
  *to = memories.Get(memory).bytes.data();
  return VK_SUCCESS;
}

VkResult CreateTensor(VkDevice one, const VkTensorCreateInfoARM* info, const void*,
                      VkTensorARM* to) {
  CheckDevice(one);
  const VkTensorDescriptionARM& description = *Checked(info).pDescription;
  TypeOf(description);
  *to =
      tensors.Add({description.format,
                   {description.pDimensions, description.pDimensions + description.dimensionCount},
                   0});
  return VK_SUCCESS;
}
void DestroyTensor(VkDevice, VkTensorARM tensor, const void*) { tensors.Remove(tensor); }

void GetTensorMemoryRequirements(VkDevice, const VkTensorMemoryRequirementsInfoARM* info,
                                 VkMemoryRequirements2* to) {
  const size_t bytes = BytesOf(TypeOf(tensors.Get(Checked(info).tensor)));
  Checked(to);
  to->size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  to->alignment = kAlignment;
  to->memoryTypeBits = 1 << kHostMemory;
}

VkResult BindTensorMemory(VkDevice, uint32_t count, const VkBindTensorMemoryInfoARM* infos) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkBindTensorMemoryInfoARM& info = Checked(&infos[i]);
    TensorObject& tensor = tensors.Get(info.tensor);
    Must(tensor.memory == 0, "memory is bound twice");
    Must(
        info.memoryOffset == 0 && memories.Get(info.memory).bytes.size() >= BytesOf(TypeOf(tensor)),
        "memory that is too small");
    tensor.memory = info.memory;
  }
  return VK_SUCCESS;
}

VkResult CreateTensorView(VkDevice, const VkTensorViewCreateInfoARM* info, const void*,
                          VkTensorViewARM* to) {
  const TensorObject& tensor = tensors.Get(Checked(info).tensor);
  Must(tensor.memory != 0 && tensor.format == info->format, "a view of a tensor without memory");
  *to = views.Add({info->tensor});
  return VK_SUCCESS;
}
void DestroyTensorView(VkDevice, VkTensorViewARM view, const void*) { views.Remove(view); }

// ---- Descriptors

VkResult CreateDescriptorSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                                   const void*, VkDescriptorSetLayout* to) {
  Checked(info);
  for (uint32_t i = 0; i < info->bindingCount; ++i) {
    Must(info->pBindings[i].binding == i &&
             info->pBindings[i].descriptorType == VK_DESCRIPTOR_TYPE_TENSOR_ARM,
         "another binding");
  }
  *to = set_layouts.Add({info->bindingCount});
  return VK_SUCCESS;
}
void DestroyDescriptorSetLayout(VkDevice, VkDescriptorSetLayout layout, const void*) {
  set_layouts.Remove(layout);
}

VkResult CreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo* info, const void*,
                              VkDescriptorPool* to) {
  Must(Checked(info).poolSizeCount == 1 && info->pPoolSizes->type == VK_DESCRIPTOR_TYPE_TENSOR_ARM,
       "another pool");
  *to = pools.Add({info->pPoolSizes->descriptorCount});
  return VK_SUCCESS;
}
void DestroyDescriptorPool(VkDevice, VkDescriptorPool pool, const void*) { pools.Remove(pool); }

VkResult AllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* info,
                                VkDescriptorSet* to) {
  Must(Checked(info).descriptorSetCount == 1, "several sets");
  const uint32_t bindings = set_layouts.Get(*info->pSetLayouts).bindings;
  Must(pools.Get(info->descriptorPool).descriptors >= bindings, "a pool that is too small");
  *to = ++next_handle;
  sets[*to].resize(bindings);
  return VK_SUCCESS;
}

void UpdateDescriptorSets(VkDevice, uint32_t count, const VkWriteDescriptorSet* writes, uint32_t,
                          const void*) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkWriteDescriptorSet& write = Checked(&writes[i], true);
    const auto& tensor = Next<VkWriteDescriptorSetTensorARM>(write.pNext);
    Must(tensor.tensorViewCount == 1 && write.descriptorCount == 1, "several views");
    Must(sets.at(write.dstSet).size() > write.dstBinding, "no such binding");
    views.Get(*tensor.pTensorViews);
    sets[write.dstSet][write.dstBinding] = *tensor.pTensorViews;
  }
}

// ---- Pipelines and sessions

VkResult CreateShaderModule(VkDevice, const VkShaderModuleCreateInfo* info, const void*,
                            VkShaderModule* to) {
  Must(Checked(info).codeSize % 4 == 0, "half a word");
  *to = modules.Add({{info->pCode, info->pCode + info->codeSize / 4}});
  return VK_SUCCESS;
}
void DestroyShaderModule(VkDevice, VkShaderModule module, const void*) { modules.Remove(module); }

VkResult CreatePipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo* info, const void*,
                              VkPipelineLayout* to) {
  Must(Checked(info).setLayoutCount == 1, "several sets");
  set_layouts.Get(*info->pSetLayouts);
  *to = layouts.Add({*info->pSetLayouts});
  return VK_SUCCESS;
}
void DestroyPipelineLayout(VkDevice, VkPipelineLayout layout, const void*) {
  layouts.Remove(layout);
}

VkResult CreateDataGraphPipelines(VkDevice, uint64_t, uint64_t, uint32_t count,
                                  const VkDataGraphPipelineCreateInfoARM* info, const void*,
                                  VkPipeline* to) {
  Must(count == 1, "several pipelines");
  Checked(info, true);
  const auto& shader = Next<VkDataGraphPipelineShaderModuleCreateInfoARM>(info->pNext);
  Must(std::strcmp(shader.pName, "main") == 0, "another entry point");
  const spirv::GraphConstants constants =
      [&](uint32_t number, const TensorType& type) -> Result<std::optional<Tensor>> {
    for (uint32_t i = 0; i < shader.constantCount; ++i) {
      const auto& constant = Checked(&shader.pConstants[i], true);
      if (constant.id != number) continue;
      Must(TypeOf(Next<VkTensorDescriptionARM>(constant.pNext)) == type,
           "a constant of another type than the module says");
      const auto* data = static_cast<const uint8_t*>(constant.pConstantData);
      return std::optional(Tensor::FromBytes(type.type, type.shape, {data, data + BytesOf(type)}));
    }
    Must(false, "no constant " + std::to_string(number));
    return std::optional<Tensor>();
  };
  const Result<spirv::GraphModule> module =
      spirv::ReadModule(modules.Get(shader.module).words, constants, "main", {});
  Must(static_cast<bool>(module), module ? "" : module.error().message);
  const Graph* graph = &module->graph;
  std::vector<TensorIndex> interface = graph->Main()->inputs;
  interface.insert(interface.end(), graph->Main()->outputs.begin(), graph->Main()->outputs.end());
  Must(info->resourceInfoCount == interface.size() &&
           set_layouts.Get(layouts.Get(info->layout).set).bindings == interface.size(),
       "another number of resources than the module says");
  for (uint32_t i = 0; i < info->resourceInfoCount; ++i) {
    const auto& resource = Checked(&info->pResourceInfos[i], true);
    Must(resource.descriptorSet == 0 && resource.binding == i && resource.arrayElement == 0,
         "another resource");
    Must(
        TypeOf(Next<VkTensorDescriptionARM>(resource.pNext)) == graph->Main()->TypeOf(interface[i]),
        "a resource of another type than the module says");
  }
  if (HasFault("refuse")) return kUnknownError;
  Log("pipeline");
  *to = pipelines.Add({*graph});
  return VK_SUCCESS;
}
void DestroyPipeline(VkDevice, VkPipeline pipeline, const void*) { pipelines.Remove(pipeline); }

VkResult CreateSession(VkDevice, const VkDataGraphPipelineSessionCreateInfoARM* info, const void*,
                       VkDataGraphPipelineSessionARM* to) {
  pipelines.Get(Checked(info).dataGraphPipeline);
  *to = sessions.Add({info->dataGraphPipeline, false});
  return VK_SUCCESS;
}
void DestroySession(VkDevice, VkDataGraphPipelineSessionARM session, const void*) {
  sessions.Remove(session);
}

VkResult GetBindPointRequirements(
    VkDevice, const VkDataGraphPipelineSessionBindPointRequirementsInfoARM* info, uint32_t* count,
    VkDataGraphPipelineSessionBindPointRequirementARM* to) {
  sessions.Get(Checked(info).session);
  std::vector<VkDataGraphPipelineSessionBindPointRequirementARM> all(1);
  all[0].numObjects = 1;
  if (to != nullptr) Checked(to);
  return Enumerate(all, count, to);
}

void GetSessionMemoryRequirements(VkDevice,
                                  const VkDataGraphPipelineSessionMemoryRequirementsInfoARM* info,
                                  VkMemoryRequirements2* to) {
  sessions.Get(Checked(info).session);
  Must(info->bindPoint == 0 && info->objectIndex == 0, "another bind point");
  Checked(to);
  to->size = kSessionBytes;
  to->alignment = kAlignment;
  to->memoryTypeBits = 1 << kHostMemory;
}

VkResult BindSessionMemory(VkDevice, uint32_t count,
                           const VkBindDataGraphPipelineSessionMemoryInfoARM* infos) {
  Must(count == 1, "several bind points");
  Session& session = sessions.Get(Checked(infos).session);
  Must(memories.Get(infos->memory).bytes.size() >= kSessionBytes, "memory that is too small");
  session.has_memory = true;
  return VK_SUCCESS;
}

// ---- Commands

VkResult CreateCommandPool(VkDevice, const VkCommandPoolCreateInfo* info, const void*,
                           VkCommandPool* to) {
  Must(Checked(info).queueFamilyIndex == kGraphFamily, "a pool of another family");
  *to = command_pools.Add({});
  return VK_SUCCESS;
}
void DestroyCommandPool(VkDevice, VkCommandPool pool, const void*) { command_pools.Remove(pool); }

// The buffers stay until the process ends, so that late calls are found.
std::vector<std::unique_ptr<Commands>> buffers;
Commands& Of(VkCommandBuffer buffer) { return *reinterpret_cast<Commands*>(buffer); }
Commands& Recording(VkCommandBuffer buffer) {
  Must(Of(buffer).state == Commands::State::kRecording, "a command outside of Begin and End");
  return Of(buffer);
}

VkResult AllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* to) {
  command_pools.Get(Checked(info).commandPool);
  Must(info->commandBufferCount == 1, "several command buffers");
  buffers.push_back(std::make_unique<Commands>());
  *to = reinterpret_cast<VkCommandBuffer>(buffers.back().get());
  return VK_SUCCESS;
}

VkResult BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo* info) {
  Must(Checked(info).flags == 0, "a buffer for one submit");
  Must(Of(buffer).state == Commands::State::kNew, "vkBeginCommandBuffer twice");
  Of(buffer).state = Commands::State::kRecording;
  return VK_SUCCESS;
}
VkResult EndCommandBuffer(VkCommandBuffer buffer) {
  Recording(buffer).state = Commands::State::kEnded;
  return VK_SUCCESS;
}
void CmdBindPipeline(VkCommandBuffer buffer, int32_t point, VkPipeline pipeline) {
  Must(point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, "another bind point");
  pipelines.Get(pipeline);
  Recording(buffer).pipeline = pipeline;
}
void CmdBindDescriptorSets(VkCommandBuffer buffer, int32_t point, VkPipelineLayout layout,
                           uint32_t first, uint32_t count, const VkDescriptorSet* bound, uint32_t,
                           const uint32_t*) {
  Must(point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM && first == 0 && count == 1, "another set");
  layouts.Get(layout);
  Recording(buffer).set = *bound;
}
void CmdDispatch(VkCommandBuffer buffer, VkDataGraphPipelineSessionARM session, const void*) {
  Commands& recorded = Recording(buffer);
  Must(recorded.pipeline != 0 && sessions.Get(session).pipeline == recorded.pipeline,
       "a session of another pipeline");
  Must(sessions.Get(session).has_memory, "a session without memory");
  Must(sets.contains(recorded.set), "no descriptor set");
  recorded.session = session;
}
void CmdPipelineBarrier(VkCommandBuffer buffer, const VkDependencyInfo* info) {
  Must(Checked(info).memoryBarrierCount == 1, "several barriers");
  const VkMemoryBarrier2& barrier = Checked(info->pMemoryBarriers);
  Must(Recording(buffer).session != 0, "a barrier before the dispatch");
  Of(buffer).visible = barrier.srcStageMask == VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM &&
                       barrier.srcAccessMask == VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM &&
                       barrier.dstStageMask == VK_PIPELINE_STAGE_2_HOST_BIT &&
                       barrier.dstAccessMask == VK_ACCESS_2_HOST_READ_BIT;
}

const Commands* pending = nullptr;

VkResult QueueSubmit(VkQueue one, uint32_t count, const VkSubmitInfo* infos, uint64_t) {
  Must(one == As<VkQueue>(queue) && count == 1, "another queue");
  Must(Checked(infos).commandBufferCount == 1, "several command buffers");
  Must(pending == nullptr, "a submit before the last one has ended");
  pending = &Of(*infos->pCommandBuffers);
  Must(pending->state == Commands::State::kEnded && pending->session != 0 && pending->visible,
       "a command buffer that is not complete");
  return VK_SUCCESS;
}

Memory& MemoryOf(VkTensorViewARM view) {
  return memories.Get(tensors.Get(views.Get(view).tensor).memory);
}

// Runs what was submitted.
VkResult QueueWaitIdle(VkQueue) {
  Must(pending != nullptr, "nothing was submitted");
  if (HasFault("crash")) std::abort();
  if (HasFault("device-lost")) return kDeviceLost;
  for (volatile bool hangs = HasFault("hang"); hangs;) {
  }
  const Graph& graph = pipelines.Get(pending->pipeline).graph;
  const Block& main = *graph.Main();
  const std::vector<VkTensorViewARM>& bound = sets.at(pending->set);
  pending = nullptr;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const TensorType& type = main.TypeOf(main.inputs[i]);
    const uint8_t* bytes = MemoryOf(bound[i]).bytes.data();
    inputs.push_back(Tensor::FromBytes(type.type, type.shape, {bytes, bytes + BytesOf(type)}));
  }
  Context context;
  const Outcome outcome = Execute(context, graph, inputs, {});
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    const auto bytes = outcome.outputs[i].bytes();
    std::vector<uint8_t>& to = MemoryOf(bound[main.inputs.size() + i]).bytes;
    std::copy(bytes.begin(), bytes.end(), to.begin());
    if (HasFault("wrong-sign") && outcome.outputs[i].type() == DType::kFp32) to[3] ^= 0x80;
    if (HasFault("wide-i48")) to.back() = to[7] = 0x7f;
  }
  return VK_SUCCESS;
}

// ---- The loader

void* InstanceFunction(VkInstance, const char* name);
void* DeviceFunction(VkDevice one, const char* name);

Functions Table() {
  return {.GetInstanceProcAddr = InstanceFunction,
          .CreateInstance = CreateInstance,
          .DestroyInstance = DestroyInstance,
          .EnumeratePhysicalDevices = EnumeratePhysicalDevices,
          .EnumerateDeviceExtensionProperties = EnumerateDeviceExtensionProperties,
          .GetPhysicalDeviceProperties2 = GetPhysicalDeviceProperties2,
          .GetPhysicalDeviceFeatures2 = GetPhysicalDeviceFeatures2,
          .GetPhysicalDeviceMemoryProperties = GetPhysicalDeviceMemoryProperties,
          .GetPhysicalDeviceFormatProperties2 = GetPhysicalDeviceFormatProperties2,
          .GetPhysicalDeviceQueueFamilyProperties = GetPhysicalDeviceQueueFamilyProperties,
          .GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM = GetDataGraphProperties,
          .CreateDevice = CreateDevice,
          .GetDeviceProcAddr = DeviceFunction,
          .DestroyDevice = DestroyDevice,
          .GetDeviceQueue = GetDeviceQueue,
          .AllocateMemory = AllocateMemory,
          .FreeMemory = FreeMemory,
          .MapMemory = MapMemory,
          .CreateTensorARM = CreateTensor,
          .DestroyTensorARM = DestroyTensor,
          .GetTensorMemoryRequirementsARM = GetTensorMemoryRequirements,
          .BindTensorMemoryARM = BindTensorMemory,
          .CreateTensorViewARM = CreateTensorView,
          .DestroyTensorViewARM = DestroyTensorView,
          .CreateShaderModule = CreateShaderModule,
          .DestroyShaderModule = DestroyShaderModule,
          .CreateDescriptorSetLayout = CreateDescriptorSetLayout,
          .DestroyDescriptorSetLayout = DestroyDescriptorSetLayout,
          .CreateDescriptorPool = CreateDescriptorPool,
          .DestroyDescriptorPool = DestroyDescriptorPool,
          .AllocateDescriptorSets = AllocateDescriptorSets,
          .UpdateDescriptorSets = UpdateDescriptorSets,
          .CreatePipelineLayout = CreatePipelineLayout,
          .DestroyPipelineLayout = DestroyPipelineLayout,
          .CreateDataGraphPipelinesARM = CreateDataGraphPipelines,
          .DestroyPipeline = DestroyPipeline,
          .CreateDataGraphPipelineSessionARM = CreateSession,
          .DestroyDataGraphPipelineSessionARM = DestroySession,
          .GetDataGraphPipelineSessionBindPointRequirementsARM = GetBindPointRequirements,
          .GetDataGraphPipelineSessionMemoryRequirementsARM = GetSessionMemoryRequirements,
          .BindDataGraphPipelineSessionMemoryARM = BindSessionMemory,
          .CreateCommandPool = CreateCommandPool,
          .DestroyCommandPool = DestroyCommandPool,
          .AllocateCommandBuffers = AllocateCommandBuffers,
          .BeginCommandBuffer = BeginCommandBuffer,
          .EndCommandBuffer = EndCommandBuffer,
          .CmdBindPipeline = CmdBindPipeline,
          .CmdBindDescriptorSets = CmdBindDescriptorSets,
          .CmdDispatchDataGraphARM = CmdDispatch,
          .CmdPipelineBarrier2 = CmdPipelineBarrier,
          .QueueSubmit = QueueSubmit,
          .QueueWaitIdle = QueueWaitIdle};
}

void* InstanceFunction(VkInstance, const char* name) {
  Functions table = Table();
  void* found = nullptr;
  const auto visit = [&](auto* function, const char* its_name) {
    if (std::strcmp(name, its_name) == 0) found = reinterpret_cast<void*>(function);
  };
  visit(table.CreateInstance, "vkCreateInstance");
  visit(table.GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM,
        "vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM");
  VisitInstanceFunctions(table, visit);
  return found;
}

void* DeviceFunction(VkDevice one, const char* name) {
  CheckDevice(one);
  if (HasFault("no-tensors") && std::strcmp(name, "vkCreateTensorARM") == 0) return nullptr;
  Functions table = Table();
  void* found = nullptr;
  VisitDeviceFunctions(table, [&](auto* function, const char* its_name) {
    if (std::strcmp(name, its_name) == 0) found = reinterpret_cast<void*>(function);
  });
  return found;
}

}  // namespace
}  // namespace assay::vulkan

// The function that a program looks up in the loader.
extern "C" void* vkGetInstanceProcAddr(assay::vulkan::VkInstance instance, const char* name) {
  return assay::vulkan::InstanceFunction(instance, name);
}
