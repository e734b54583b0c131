// SPDX-License-Identifier: Apache-2.0
#include "runtime_plugin.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>

namespace {

std::string failed_op;  // of the last call

void Write(const std::string& text, char* to, size_t size) { to[text.copy(to, size - 1)] = '\0'; }

}  // namespace

struct assay_backend_graph {
  std::unique_ptr<assay::RuntimeProgram> program;
};

namespace assay {
namespace {

// By the number of the type (ASSAY_BACKEND_BOOL): none, bool, i4, i8, i16, i32, i48, fp32, fp16,
// bf16, shape, fp8e4m3, fp8e5m2.
constexpr size_t kElementBytes[] = {1, 1, 1, 1, 2, 4, 8, 4, 2, 2, 8, 1, 1};

std::optional<assay_attribute> FindAttribute(const assay_operator* op, const char* name) {
  assay_attribute attribute;
  for (size_t i = 0; assay_operator_attribute(op, i, &attribute); ++i) {
    if (std::string(attribute.name) == name) return attribute;
  }
  return std::nullopt;
}

// Reads the block `main`.
class GraphReader {
 public:
  explicit GraphReader(const assay_block* block) : block_(block) {}

  RuntimeGraph Read() {
    for (size_t i = 0; i < assay_block_tensors(block_); ++i) Add(assay_block_tensor(block_, i));
    for (size_t i = 0; i < assay_block_shapes(block_); ++i) Add(assay_block_shape(block_, i));
    for (size_t i = 0; i < assay_block_inputs(block_); ++i) {
      graph_.inputs.push_back(names_.at(assay_block_input(block_, i)));
    }
    for (size_t i = 0; i < assay_block_operators(block_); ++i) {
      AddNode(assay_block_operator(block_, i));
    }
    for (size_t i = 0; i < assay_block_outputs(block_); ++i) {
      graph_.outputs.push_back(names_.at(assay_block_output(block_, i)));
      graph_.values[graph_.outputs.back()].is_output = true;
    }
    return std::move(graph_);
  }

 private:
  RuntimeValue& Append(const char* name) {
    names_[name] = graph_.values.size();
    graph_.values.emplace_back().name = name;
    return graph_.values.back();
  }

  void Add(const assay_tensor* tensor) {
    RuntimeValue& value = Append(assay_tensor_name(tensor));
    value.type = assay_tensor_dtype(tensor);
    const int32_t* shape = assay_tensor_shape(tensor);
    value.shape.assign(shape, shape + assay_tensor_rank(tensor));
    const size_t bytes = std::min(value.Bytes(), assay_tensor_data_size(tensor));
    value.constant.assign(assay_tensor_data(tensor), assay_tensor_data(tensor) + bytes);
  }

  void Add(const assay_shape* shape) {
    RuntimeValue& value = Append(assay_shape_name(shape));
    value.type = ASSAY_BACKEND_SHAPE;
    value.shape = {static_cast<int64_t>(assay_shape_rank(shape))};
    const size_t bytes = std::min(value.Bytes(), assay_shape_data_size(shape));
    value.constant.assign(assay_shape_data(shape), assay_shape_data(shape) + bytes);
  }

  void AddNode(const assay_operator* op) {
    RuntimeNode node{assay_operator_name(op), {}, {}, op};
    if (node.op == "CONST" || node.op == "CONST_SHAPE") return;
    for (size_t i = 0; i < assay_operator_inputs(op); ++i) {
      node.inputs.push_back(names_.at(assay_operator_input(op, i)));
      graph_.values[node.inputs.back()].readers.push_back(graph_.nodes.size());
    }
    for (size_t i = 0; i < assay_operator_outputs(op); ++i) {
      node.outputs.push_back(names_.at(assay_operator_output(op, i)));
    }
    graph_.nodes.push_back(std::move(node));
  }

  const assay_block* block_;
  RuntimeGraph graph_;
  std::map<std::string, size_t> names_;
};

// Calls a function that may throw, and returns the status.
template <class Function>
assay_backend_status Try(char* reason, const Function& function) {
  failed_op.clear();
  try {
    function();
    return ASSAY_BACKEND_OK;
  } catch (const Unsupported& why) {
    failed_op = why.op;
    Write(why.op + ": " + why.reason, reason, ASSAY_BACKEND_REASON_SIZE);
    return ASSAY_BACKEND_UNSUPPORTED;
  } catch (const std::exception& error) {
    Write(error.what(), reason, ASSAY_BACKEND_REASON_SIZE);
    return ASSAY_BACKEND_REJECTED;
  }
}

std::string chosen_variant;

assay_backend_status LoadGraph(const void* tosa, size_t size, const char* level,
                               assay_backend_graph** graph, char* reason) {
  assay_graph* file = assay_open_bytes(tosa, size, level, reason, ASSAY_BACKEND_REASON_SIZE);
  if (file == nullptr) return ASSAY_BACKEND_UNSUPPORTED;
  const assay_backend_status status = Try(reason, [&] {
    const RuntimeGraph read = GraphReader(assay_graph_main_block(file)).Read();
    *graph = new assay_backend_graph{Compile(read, chosen_variant)};
  });
  assay_close(file);
  return status;
}

void UnloadGraph(assay_backend_graph* graph) { delete graph; }

// A runtime keeps no state. The address of any object stands for a context.
assay_backend_status OpenContext(assay_backend_context** context, char*) {
  static char nothing;
  *context = reinterpret_cast<assay_backend_context*>(&nothing);
  return ASSAY_BACKEND_OK;
}
void ResetContext(assay_backend_context*) {}

assay_backend_status Invoke(assay_backend_context*, assay_backend_graph* graph,
                            const assay_backend_input* inputs, size_t input_count,
                            const assay_backend_output* outputs, size_t output_count,
                            char* reason) {
  return Try(reason, [&] {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (size_t i = 0; i < input_count; ++i) from.push_back(inputs[i].data);
    for (size_t i = 0; i < output_count; ++i) to.push_back(outputs[i].data);
    graph->program->Run(from, to);
  });
}

assay_backend_status ChooseVariant(const char* variant, char*) {
  chosen_variant = variant == nullptr ? "" : variant;
  return ASSAY_BACKEND_OK;
}

void Explain(assay_backend_details* details) { Write(failed_op, details->op, sizeof(details->op)); }

// The description in the form of assay_backend.h, and all that it points to.
struct Exported {
  Exported() : runtime(DescribeRuntime()) {
    for (const RuntimeCapability& one : runtime.capabilities) {
      capabilities.push_back({one.op, one.inputs.data(), one.inputs.size(), one.outputs.data(),
                              one.outputs.size(), one.attributes.data(), one.attributes.size()});
    }
    for (const std::string& line : runtime.environment) environment.push_back(line.c_str());
    backend.v1.size = sizeof(backend);
    backend.v1.version = ASSAY_BACKEND_VERSION_2;
    backend.v1.name = runtime.name;
    backend.v1.release = runtime.release.c_str();
    backend.v1.load_graph = LoadGraph;
    backend.v1.unload_graph = UnloadGraph;
    backend.v1.open_context = OpenContext;
    backend.v1.reset_context = ResetContext;
    backend.v1.close_context = ResetContext;
    backend.v1.invoke = Invoke;
    backend.capabilities = capabilities.data();
    backend.capability_count = capabilities.size();
    backend.limits = runtime.limits;
    backend.declarations = runtime.declarations.data();
    backend.declaration_count = runtime.declarations.size();
    backend.environment = environment.data();
    backend.environment_count = environment.size();
    backend.explain = Explain;
    backend.variants = runtime.variants.data();
    backend.variant_count = runtime.variants.size();
    backend.choose_variant = ChooseVariant;
  }

  RuntimeDescription runtime;
  std::vector<assay_backend_capability> capabilities;
  std::vector<const char*> environment;
  assay_backend_v2 backend = {};
};

}  // namespace

size_t RuntimeValue::Elements() const {
  size_t elements = 1;
  for (const int64_t size : shape) elements *= static_cast<size_t>(size);
  return elements;
}

size_t RuntimeValue::Bytes() const {
  return Elements() * (type < std::size(kElementBytes) ? kElementBytes[type] : 1);
}

int64_t RuntimeNode::Number(const char* attribute) const {
  const auto found = FindAttribute(handle, attribute);
  return found ? found->number : 0;
}

std::vector<int64_t> RuntimeNode::Numbers(const char* attribute) const {
  const auto found = FindAttribute(handle, attribute);
  if (!found) return {};
  return {found->ints, found->ints + found->size};
}

const uint8_t* RuntimeNode::Bytes(const char* attribute) const {
  const auto found = FindAttribute(handle, attribute);
  return found ? found->bytes : nullptr;
}

void RuntimeGraph::RequireConstant(const RuntimeNode& node, const RuntimeValue& value) {
  if (value.constant.size() < value.Bytes() || value.constant.empty()) {
    No(node, "an operand that is no constant");
  }
}

}  // namespace assay

extern "C" __attribute__((visibility("default"))) const assay_backend_v1* assay_backend() {
  static const assay::Exported exported;
  return &exported.backend.v1;
}
