// SPDX-License-Identifier: Apache-2.0
// assay-vulkan-host [LOADER]: runs graphs on the first Vulkan device that can, and speaks the
// worker protocol for it. LOADER is the file of the Vulkan loader.
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <vector>

#include "operator_table.h"
#include "request_pipes.h"
#include "tosa_file.h"
#include "tosa_instructions.h"
#include "vulkan_pipeline.h"

namespace assay::vulkan {
namespace {

// The number of pipelines that are kept for graphs that are loaded again.
constexpr size_t kRecentMax = 8;

// Adds the ways to use an operator for which all tensors are of the types of the device.
void AddCapabilities(Op op, const std::vector<DType>& types, worker::Ready& ready) {
  const auto has = [&](DType type) {
    return type == DType::kUnknown || type == DType::kShape ||
           std::ranges::find(types, type) != types.end();
  };
  const OperatorRow& row = RowOf(op);
  for (const TypeRow& type_row : row.type_rows) {
    worker::Capability capability{op};
    bool all = true;
    for (const ArgumentRow& argument : row.arguments) {
      if (argument.direction == Direction::kAttribute) continue;
      const DType type = argument.type == "shape_t" ? DType::kShape : TypeIn(type_row, argument);
      all &= has(type);
      const bool input = argument.direction == Direction::kInput;
      (input ? capability.inputs : capability.outputs).push_back(type);
    }
    if (all) ready.capabilities.push_back(std::move(capability));
  }
}

class Host {
 public:
  // `named`: the user has named the loader.
  Host(std::string library, bool named) : library_(std::move(library)), named_(named) {}

  worker::Body Answer(const worker::Body& request) {
    return std::visit([this](const auto& content) { return Do(content); }, request);
  }

 private:
  using Shared = std::shared_ptr<Pipeline>;

  worker::Body Do(const worker::Hello&) {
    Result<std::unique_ptr<Device>> device = Device::Open(library_);
    if (!device) {
      const Error& error = device.error();
      if (error.kind != Error::Kind::kBadInput) return worker::Unsupported{error.message};
      if (named_) return worker::Failed{error.message};
      return worker::Unsupported{"not installed: " + error.message};
    }
    device_ = std::move(*device);
    worker::Ready ready;
    ready.name = "Vulkan ML";
    ready.release = device_->name();
    ready.contexts_max = 0;
    for (const OperatorRow& instruction : spirv::TosaInstructions()) {
      AddCapabilities(instruction.op, device_->types(), ready);
    }
    AddCapabilities(Op::kIdentity, device_->types(), ready);
    AddCapabilities(Op::kConst, device_->types(), ready);
    ready.operators = {{Op::kConstShape, {}}};
    const VkPhysicalDeviceTensorPropertiesARM& limits = device_->limits();
    ready.limits.rank = limits.maxTensorDimensionCount;
    ready.limits.dimension = limits.maxPerDimensionTensorElements;
    ready.limits.elements = limits.maxTensorElements;
    return ready;
  }

  worker::Body Do(const worker::LoadGraph& load) {
    for (const auto& [tosa, pipeline] : recent_) {
      if (tosa != load.tosa) continue;
      graphs_[load.graph] = pipeline;
      return worker::Done{};
    }
    const Result<Graph> graph = ReadTosa(load.tosa, "graph", nullptr);
    if (!graph) return worker::Unsupported{graph.error().message};
    Result<std::unique_ptr<Pipeline>> made = Pipeline::Make(*device_, *graph);
    if (!made) {
      if (made.error().kind == Error::Kind::kBadInput)
        return worker::Rejected{made.error().message};
      return worker::Unsupported{made.error().message};
    }
    graphs_[load.graph] = Shared(std::move(*made));
    recent_.emplace_front(load.tosa, graphs_[load.graph]);
    if (recent_.size() > kRecentMax) recent_.pop_back();
    return worker::Done{};
  }

  worker::Body Do(const worker::UnloadGraph& unload) {
    if (graphs_.erase(unload.graph) == 0) return Unknown();
    return worker::Done{};
  }

  // Graphs have no variables, so a context holds nothing.
  worker::Body Do(const worker::OpenContext&) { return worker::Done{}; }
  worker::Body Do(const worker::ResetContext&) { return worker::Done{}; }
  worker::Body Do(const worker::CloseContext&) { return worker::Done{}; }

  worker::Body Do(const worker::Invoke& invoke) {
    const auto graph = graphs_.find(invoke.graph);
    if (graph == graphs_.end()) return Unknown();
    Result<std::vector<Tensor>> outputs = graph->second->Run(invoke.inputs);
    if (!outputs) return worker::Failed{outputs.error().message};
    worker::Answer answer;
    answer.outputs = std::move(*outputs);
    return answer;
  }

  // All other messages are not requests.
  template <class Other>
  worker::Body Do(const Other&) {
    return worker::Failed{"no request"};
  }

  static worker::Body Unknown() { return worker::Failed{"no such graph"}; }

  const std::string library_;
  const bool named_;
  std::unique_ptr<Device> device_;
  std::map<uint32_t, Shared> graphs_;
  std::deque<std::pair<std::vector<uint8_t>, Shared>> recent_;  // the newest first
};

int Serve(const std::string& library, bool named) {
  RequestPipes pipes;
  Host host(library, named);
  WorkerMessage request;
  while (pipes.Receive(request)) {
    try {
      pipes.Send(request.number, host.Answer(request.body));
    } catch (const std::bad_alloc&) {
      pipes.Send(request.number, worker::Unsupported{"no memory"});
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay::vulkan

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: assay-vulkan-host [LOADER], by assay itself\n");
    return 2;
  }
  return assay::vulkan::Serve(argc == 2 ? argv[1] : "libvulkan.so.1", argc == 2);
}
