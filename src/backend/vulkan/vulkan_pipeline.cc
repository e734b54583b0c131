// SPDX-License-Identifier: Apache-2.0
#include "vulkan_pipeline.h"

#include <cstring>

#include "spirv_writer.h"

namespace assay::vulkan {
namespace {

std::vector<int64_t> DimsOf(const TensorType& type) {
  return {type.shape.begin(), type.shape.end()};
}

VkTensorDescriptionARM DescriptionOf(const TensorType& type, const std::vector<int64_t>& dims) {
  return {.format = VulkanFormat(type.type),
          .dimensionCount = static_cast<uint32_t>(dims.size()),
          .pDimensions = dims.data()};
}

// Checks the bytes of a tensor against the limit of the device. What else it supports is declared.
Result<Done> CheckTensor(const Device& device, const TensorType& type) {
  const uint64_t bytes =
      static_cast<uint64_t>(type.shape.Elements()) * static_cast<uint64_t>(ElementBytes(type.type));
  if (type.type == DType::kShape || bytes <= device.limits().maxTensorSize) return Done{};
  return Unsupported("a tensor of " + std::to_string(bytes) + " bytes");
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::Make(const Device& device, const Graph& graph) {
  const Result<spirv::Module> module = spirv::WriteModule(graph);
  if (!module) return module.error();
  const Block& main = *graph.Main();
  for (const TensorInfo& tensor : main.tensors) {
    const Result<Done> checked = CheckTensor(device, tensor.type);
    if (!checked) return checked.error();
  }
  std::unique_ptr<Pipeline> pipeline(new Pipeline(device));
  pipeline->inputs_ = main.inputs.size();
  for (const auto* list : {&main.inputs, &main.outputs}) {
    for (const TensorIndex tensor : *list) {
      const Result<Done> added = pipeline->AddTensor(main.TypeOf(tensor));
      if (!added) return added.error();
    }
  }
  const Result<Done> described = pipeline->MakeDescriptors();
  if (!described) return described.error();
  const Result<Done> compiled = pipeline->Compile(module->words, module->constants);
  if (!compiled) return compiled.error();
  const Result<Done> opened = pipeline->OpenSession();
  if (!opened) return opened.error();
  const Result<Done> recorded = pipeline->Record();
  if (!recorded) return recorded.error();
  return pipeline;
}

Result<Done> Pipeline::AddTensor(const TensorType& type) {
  const VkDevice device = device_.handle();
  Bound& bound = tensors_.emplace_back();
  bound.type = type;
  bound.dims = DimsOf(type);
  const VkTensorDescriptionARM description = DescriptionOf(type, bound.dims);
  const VkTensorCreateInfoARM info{.pDescription = &description};
  VkResult result = vk_.CreateTensorARM(device, &info, nullptr, &bound.tensor);
  if (result != VK_SUCCESS) return FailedCall("vkCreateTensorARM", result);
  const VkTensorMemoryRequirementsInfoARM asked{.tensor = bound.tensor};
  VkMemoryRequirements2 requirements;
  vk_.GetTensorMemoryRequirementsARM(device, &asked, &requirements);
  const Result<VkDeviceMemory> memory = device_.Allocate(requirements, &bound.host);
  if (!memory) return memory.error();
  bound.memory = *memory;
  const VkBindTensorMemoryInfoARM bind{.tensor = bound.tensor, .memory = bound.memory};
  result = vk_.BindTensorMemoryARM(device, 1, &bind);
  if (result != VK_SUCCESS) return FailedCall("vkBindTensorMemoryARM", result);
  const VkTensorViewCreateInfoARM view{.tensor = bound.tensor, .format = description.format};
  result = vk_.CreateTensorViewARM(device, &view, nullptr, &bound.view);
  if (result != VK_SUCCESS) return FailedCall("vkCreateTensorViewARM", result);
  return Done{};
}

Result<Done> Pipeline::MakeDescriptors() {
  const VkDevice device = device_.handle();
  const auto count = static_cast<uint32_t>(tensors_.size());
  std::vector<VkDescriptorSetLayoutBinding> bindings(count);
  for (uint32_t i = 0; i < count; ++i) bindings[i].binding = i;
  const VkDescriptorSetLayoutCreateInfo set_info{.bindingCount = count,
                                                 .pBindings = bindings.data()};
  VkResult result = vk_.CreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout_);
  if (result != VK_SUCCESS) return FailedCall("vkCreateDescriptorSetLayout", result);
  const VkPipelineLayoutCreateInfo layout_info{.pSetLayouts = &set_layout_};
  result = vk_.CreatePipelineLayout(device, &layout_info, nullptr, &layout_);
  if (result != VK_SUCCESS) return FailedCall("vkCreatePipelineLayout", result);
  const VkDescriptorPoolSize size{.descriptorCount = count};
  const VkDescriptorPoolCreateInfo pool_info{.pPoolSizes = &size};
  result = vk_.CreateDescriptorPool(device, &pool_info, nullptr, &descriptors_);
  if (result != VK_SUCCESS) return FailedCall("vkCreateDescriptorPool", result);
  const VkDescriptorSetAllocateInfo set{.descriptorPool = descriptors_,
                                        .pSetLayouts = &set_layout_};
  result = vk_.AllocateDescriptorSets(device, &set, &set_);
  if (result != VK_SUCCESS) return FailedCall("vkAllocateDescriptorSets", result);
  std::vector<VkWriteDescriptorSetTensorARM> views(count);
  std::vector<VkWriteDescriptorSet> writes(count);
  for (uint32_t i = 0; i < count; ++i) {
    views[i].pTensorViews = &tensors_[i].view;
    writes[i].pNext = &views[i];
    writes[i].dstSet = set_;
    writes[i].dstBinding = i;
  }
  vk_.UpdateDescriptorSets(device, count, writes.data(), 0, nullptr);
  return Done{};
}

Result<Done> Pipeline::Compile(const std::vector<uint32_t>& words,
                               const std::vector<Tensor>& constants) {
  const VkDevice device = device_.handle();
  std::vector<std::vector<int64_t>> dims;
  for (const Tensor& constant : constants) dims.push_back(DimsOf(constant.tensor_type()));
  for (const Bound& bound : tensors_) dims.push_back(bound.dims);
  std::vector<VkTensorDescriptionARM> descriptions;
  for (const Tensor& constant : constants) {
    descriptions.push_back(DescriptionOf(constant.tensor_type(), dims[descriptions.size()]));
  }
  for (const Bound& bound : tensors_) {
    descriptions.push_back(DescriptionOf(bound.type, dims[descriptions.size()]));
  }
  std::vector<VkDataGraphPipelineConstantARM> values(constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    values[i].pNext = &descriptions[i];
    values[i].id = static_cast<uint32_t>(i);
    values[i].pConstantData = constants[i].bytes().data();
  }
  std::vector<VkDataGraphPipelineResourceInfoARM> resources(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    resources[i].pNext = &descriptions[constants.size() + i];
    resources[i].binding = static_cast<uint32_t>(i);
  }
  const VkShaderModuleCreateInfo module_info{.codeSize = words.size() * sizeof(uint32_t),
                                             .pCode = words.data()};
  VkShaderModule module = 0;
  VkResult result = vk_.CreateShaderModule(device, &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return FailedCall("vkCreateShaderModule", result);
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .module = module,
      .pName = "main",
      .constantCount = static_cast<uint32_t>(values.size()),
      .pConstants = values.data()};
  const VkDataGraphPipelineCreateInfoARM info{
      .pNext = &shader,
      .layout = layout_,
      .resourceInfoCount = static_cast<uint32_t>(resources.size()),
      .pResourceInfos = resources.data()};
  result = vk_.CreateDataGraphPipelinesARM(device, 0, 0, 1, &info, nullptr, &pipeline_);
  vk_.DestroyShaderModule(device, module, nullptr);
  if (result != VK_SUCCESS) return FailedCall("vkCreateDataGraphPipelinesARM", result);
  return Done{};
}

Result<Done> Pipeline::OpenSession() {
  const VkDevice device = device_.handle();
  const VkDataGraphPipelineSessionCreateInfoARM info{.dataGraphPipeline = pipeline_};
  VkResult result = vk_.CreateDataGraphPipelineSessionARM(device, &info, nullptr, &session_);
  if (result != VK_SUCCESS) return FailedCall("vkCreateDataGraphPipelineSessionARM", result);
  const VkDataGraphPipelineSessionBindPointRequirementsInfoARM asked{.session = session_};
  const auto ask = vk_.GetDataGraphPipelineSessionBindPointRequirementsARM;
  uint32_t count = 0;
  result = ask(device, &asked, &count, nullptr);
  std::vector<VkDataGraphPipelineSessionBindPointRequirementARM> points(count);
  if (result == VK_SUCCESS && count > 0) result = ask(device, &asked, &count, points.data());
  if (result != VK_SUCCESS) {
    return FailedCall("vkGetDataGraphPipelineSessionBindPointRequirementsARM", result);
  }
  std::vector<VkBindDataGraphPipelineSessionMemoryInfoARM> binds;
  for (const auto& point : points) {
    for (uint32_t object = 0; object < point.numObjects; ++object) {
      const VkDataGraphPipelineSessionMemoryRequirementsInfoARM what{
          .session = session_, .bindPoint = point.bindPoint, .objectIndex = object};
      VkMemoryRequirements2 requirements;
      vk_.GetDataGraphPipelineSessionMemoryRequirementsARM(device, &what, &requirements);
      if (requirements.size == 0) continue;
      const Result<VkDeviceMemory> memory = device_.Allocate(requirements, nullptr);
      if (!memory) return memory.error();
      session_memory_.push_back(*memory);
      binds.push_back({.session = session_,
                       .bindPoint = point.bindPoint,
                       .objectIndex = object,
                       .memory = *memory});
    }
  }
  if (binds.empty()) return Done{};
  result = vk_.BindDataGraphPipelineSessionMemoryARM(device, static_cast<uint32_t>(binds.size()),
                                                     binds.data());
  if (result != VK_SUCCESS) return FailedCall("vkBindDataGraphPipelineSessionMemoryARM", result);
  return Done{};
}

Result<Done> Pipeline::Record() {
  const VkDevice device = device_.handle();
  const VkCommandPoolCreateInfo pool_info{.queueFamilyIndex = device_.queue_family()};
  VkResult result = vk_.CreateCommandPool(device, &pool_info, nullptr, &commands_);
  if (result != VK_SUCCESS) return FailedCall("vkCreateCommandPool", result);
  const VkCommandBufferAllocateInfo buffer_info{.commandPool = commands_};
  result = vk_.AllocateCommandBuffers(device, &buffer_info, &buffer_);
  if (result != VK_SUCCESS) return FailedCall("vkAllocateCommandBuffers", result);
  const VkCommandBufferBeginInfo begin;
  result = vk_.BeginCommandBuffer(buffer_, &begin);
  if (result != VK_SUCCESS) return FailedCall("vkBeginCommandBuffer", result);
  vk_.CmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, pipeline_);
  vk_.CmdBindDescriptorSets(buffer_, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout_, 0, 1, &set_, 0,
                            nullptr);
  vk_.CmdDispatchDataGraphARM(buffer_, session_, nullptr);
  const VkMemoryBarrier2 barrier{.srcStageMask = VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM,
                                 .srcAccessMask = VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM,
                                 .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                                 .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
  const VkDependencyInfo dependency{.memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
  vk_.CmdPipelineBarrier2(buffer_, &dependency);
  result = vk_.EndCommandBuffer(buffer_);
  if (result != VK_SUCCESS) return FailedCall("vkEndCommandBuffer", result);
  return Done{};
}

Result<std::vector<Tensor>> Pipeline::Run(std::span<const Tensor> inputs) {
  if (inputs.size() != inputs_) {
    return BadInput(std::to_string(inputs.size()) + " inputs in place of " +
                    std::to_string(inputs_));
  }
  for (size_t i = 0; i < inputs_; ++i) {
    if (inputs[i].tensor_type() != tensors_[i].type) {
      return BadInput("input " + std::to_string(i) + " is of " +
                      inputs[i].tensor_type().ToString());
    }
    std::memcpy(tensors_[i].host, inputs[i].bytes().data(), inputs[i].bytes().size());
  }
  // A pattern, so that an output that is not written is seen.
  for (size_t i = inputs_; i < tensors_.size(); ++i) {
    const auto elements = static_cast<size_t>(tensors_[i].type.shape.Elements());
    const auto width = static_cast<size_t>(ElementBytes(tensors_[i].type.type));
    std::memset(tensors_[i].host, 0xa5, elements * width);
  }
  const VkSubmitInfo submit{.commandBufferCount = 1, .pCommandBuffers = &buffer_};
  VkResult result = vk_.QueueSubmit(device_.queue(), 1, &submit, 0);
  if (result != VK_SUCCESS) return FailedCall("vkQueueSubmit", result);
  result = vk_.QueueWaitIdle(device_.queue());
  if (result != VK_SUCCESS) return FailedCall("vkQueueWaitIdle", result);
  std::vector<Tensor> outputs;
  for (size_t i = inputs_; i < tensors_.size(); ++i) {
    const TensorType& type = tensors_[i].type;
    const auto* bytes = static_cast<const uint8_t*>(tensors_[i].host);
    const auto size =
        static_cast<size_t>(type.shape.Elements()) * static_cast<size_t>(ElementBytes(type.type));
    outputs.push_back(Tensor::FromBytes(type.type, type.shape, {bytes, bytes + size}));
    if (type.type != DType::kInt48) continue;
    for (int64_t k = 0; k < outputs.back().elements(); ++k) {  // which have 64 bits here
      const int64_t value = outputs.back().Integer(k);
      if (value < MinimumInteger(type.type) || value > MaximumInteger(type.type)) {
        return BadInput("output " + std::to_string(i - inputs_) + " has an element of i48 with " +
                        std::to_string(value));
      }
    }
  }
  return outputs;
}

Pipeline::~Pipeline() {
  const VkDevice device = device_.handle();
  if (commands_ != 0) vk_.DestroyCommandPool(device, commands_, nullptr);
  if (session_ != 0) vk_.DestroyDataGraphPipelineSessionARM(device, session_, nullptr);
  for (const VkDeviceMemory memory : session_memory_) vk_.FreeMemory(device, memory, nullptr);
  if (pipeline_ != 0) vk_.DestroyPipeline(device, pipeline_, nullptr);
  if (descriptors_ != 0) vk_.DestroyDescriptorPool(device, descriptors_, nullptr);
  if (layout_ != 0) vk_.DestroyPipelineLayout(device, layout_, nullptr);
  if (set_layout_ != 0) vk_.DestroyDescriptorSetLayout(device, set_layout_, nullptr);
  for (const Bound& bound : tensors_) {
    if (bound.view != 0) vk_.DestroyTensorViewARM(device, bound.view, nullptr);
    if (bound.tensor != 0) vk_.DestroyTensorARM(device, bound.tensor, nullptr);
    if (bound.memory != 0) vk_.FreeMemory(device, bound.memory, nullptr);
  }
}

}  // namespace assay::vulkan
