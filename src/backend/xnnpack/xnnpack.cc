// SPDX-License-Identifier: Apache-2.0
// XNNPACK as a backend: a graph becomes one subgraph, which XNNPACK optimizes.
#include <xnnpack.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "runtime_plugin.h"

namespace assay {
namespace {

constexpr uint32_t kI8 = ASSAY_BACKEND_I8, kFp32 = ASSAY_BACKEND_FP32, kShape = ASSAY_BACKEND_SHAPE;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Unary = xnn_status (*)(xnn_subgraph_t, uint32_t from, uint32_t to, uint32_t flags);
constexpr struct {
  const char* op;
  Unary define;
} kUnary[] = {{"ABS", xnn_define_abs},
              {"CEIL", xnn_define_ceiling},
              {"FLOOR", xnn_define_floor},
              {"NEGATE", xnn_define_negate},
              {"SIGMOID", xnn_define_sigmoid}};

using Binary = xnn_status (*)(xnn_subgraph_t, float min, float max, uint32_t a, uint32_t b,
                              uint32_t to, uint32_t flags);
constexpr struct {
  const char* op;
  Binary define;
} kBinary[] = {
    {"ADD", xnn_define_add2}, {"MUL", xnn_define_multiply2}, {"SUB", xnn_define_subtract}};

float FloatOf(uint32_t type, const uint8_t* bytes) {
  if (type == kI8) return static_cast<int8_t>(bytes[0]);
  float number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

// Returns numbers that must not be negative.
std::vector<uint32_t> Unsigned(const RuntimeNode& node, const std::vector<int64_t>& numbers) {
  if (std::ranges::any_of(numbers, [](int64_t one) { return one < 0; })) {
    No(node, "negative padding");
  }
  return {numbers.begin(), numbers.end()};
}

class XnnpackProgram : public RuntimeProgram {
 public:
  explicit XnnpackProgram(const RuntimeGraph& graph) : graph_(graph) {
    const auto external = static_cast<uint32_t>(graph.inputs.size() + graph.outputs.size());
    Require(xnn_create_subgraph(external, 0, &subgraph_), "xnn_create_subgraph");
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      AddExternal(graph.inputs[i], i, XNN_VALUE_FLAG_EXTERNAL_INPUT);
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const size_t value = graph.outputs[i];
      if (ids_.contains(value) || !graph.values[value].constant.empty()) {
        throw Unsupported{"XNNPACK", "an output that is an input, a constant or an output again"};
      }
      AddExternal(value, graph.inputs.size() + i, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    }
    for (const RuntimeNode& node : graph.nodes) {
      const xnn_status status = Define(node);
      if (status == xnn_status_success) continue;
      No(node, status == xnn_status_unsupported_parameter  ? "unsupported parameter, says XNNPACK"
               : status == xnn_status_unsupported_hardware ? "unsupported hardware, says XNNPACK"
                                                           : "invalid parameter, says XNNPACK");
    }
    Require(xnn_create_runtime_v2(subgraph_, nullptr, 0, &runtime_), "xnn_create_runtime");
    Require(xnn_setup_runtime(runtime_, external_.size(), external_.data()), "xnn_setup_runtime");
  }

  ~XnnpackProgram() override {
    xnn_delete_runtime(runtime_);
    xnn_delete_subgraph(subgraph_);
  }

  void Run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::memcpy(external_[i].data, inputs[i], bytes_[i]);
    }
    Require(xnn_invoke_runtime(runtime_), "xnn_invoke_runtime");
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::memcpy(outputs[i], external_[inputs.size() + i].data, bytes_[inputs.size() + i]);
    }
  }

 private:
  static void Require(xnn_status status, const char* function) {
    if (status == xnn_status_success) return;
    throw std::runtime_error(std::string(function) + " gives status " + std::to_string(status));
  }

  // Returns memory that XNNPACK may read beyond the end, as it says that it does.
  uint8_t* Keep(const void* elements, size_t bytes) {
    memory_.emplace_back(bytes + XNN_EXTRA_BYTES);
    if (elements != nullptr) std::memcpy(memory_.back().data(), elements, bytes);
    return memory_.back().data();
  }

  // Integers have a scale of 1 and a zero point of 0.
  uint32_t NewValue(uint32_t type, const std::vector<int64_t>& shape, const void* data,
                    uint32_t external = XNN_INVALID_VALUE_ID, uint32_t flags = 0) {
    const std::vector<size_t> dims(shape.begin(), shape.end());
    uint32_t id = 0;
    const xnn_status status =
        type == kI8
            ? xnn_define_quantized_tensor_value(subgraph_, xnn_datatype_qint8, 0, 1, dims.size(),
                                                dims.data(), data, external, flags, &id)
            : xnn_define_tensor_value(subgraph_, xnn_datatype_fp32, dims.size(), dims.data(), data,
                                      external, flags, &id);
    Require(status, "xnn_define_tensor_value");
    return id;
  }

  void AddExternal(size_t index, size_t place, uint32_t flag) {
    const RuntimeValue& value = graph_.values[index];
    const auto id = static_cast<uint32_t>(place);
    ids_[index] = NewValue(value.type, value.shape, nullptr, id, flag);
    bytes_.push_back(value.Bytes());
    external_.push_back({id, Keep(nullptr, bytes_.back())});
  }

  uint32_t Id(size_t index) {
    const auto known = ids_.find(index);
    if (known != ids_.end()) return known->second;
    const RuntimeValue& value = graph_.values[index];
    const void* data =
        value.constant.empty() ? nullptr : Keep(value.constant.data(), value.constant.size());
    return ids_[index] = NewValue(value.type, value.shape, data);
  }
  uint32_t In(const RuntimeNode& node, size_t i) { return Id(node.inputs[i]); }
  uint32_t Out(const RuntimeNode& node) { return Id(node.outputs[0]); }

  // Returns a constant in another shape, each element `times` times.
  uint32_t Constant(const RuntimeNode& node, size_t i, std::vector<int64_t> shape,
                    size_t times = 1) {
    std::vector<float> elements = graph_.Constant<float>(node, i);
    if (times > 1) elements.assign(times, elements[0]);
    return NewValue(kFp32, shape, Keep(elements.data(), elements.size() * sizeof(float)));
  }
  uint32_t Bias(const RuntimeNode& node) {
    const int64_t channels = graph_.Out(node).shape[3];
    const bool repeated = graph_.In(node, 2).shape[0] != channels;
    return Constant(node, 2, {channels}, repeated ? static_cast<size_t>(channels) : 1);
  }
  uint32_t One() {
    const float one = 1;
    return NewValue(kFp32, {1}, Keep(&one, sizeof(one)));
  }

  xnn_status Define(const RuntimeNode& node) {
    for (const auto& row : kUnary) {
      if (node.op == row.op) return row.define(subgraph_, In(node, 0), Out(node), 0);
    }
    for (const auto& row : kBinary) {
      if (node.op != row.op) continue;
      return row.define(subgraph_, -kInfinity, kInfinity, In(node, 0), In(node, 1), Out(node), 0);
    }
    if (node.op == "MAXIMUM") {
      return xnn_define_maximum2(subgraph_, In(node, 0), In(node, 1), Out(node), 0);
    }
    if (node.op == "MINIMUM") {
      return xnn_define_minimum2(subgraph_, In(node, 0), In(node, 1), Out(node), 0);
    }
    if (node.op == "RECIPROCAL") {
      return xnn_define_divide(subgraph_, -kInfinity, kInfinity, One(), In(node, 0), Out(node), 0);
    }
    if (node.op == "RSQRT") return DefineRsqrt(node);
    if (node.op == "CLAMP") {
      const uint32_t type = graph_.In(node, 0).type;
      const float low = FloatOf(type, node.Bytes("min_val"));
      const float high = FloatOf(type, node.Bytes("max_val"));
      if (low == high) No(node, "min_val = max_val");
      return xnn_define_clamp(subgraph_, low, high, In(node, 0), Out(node), 0);
    }
    if (node.op == "CONV2D") return DefineConvolution(node);
    if (node.op == "DEPTHWISE_CONV2D") return DefineDepthwise(node);
    if (node.op == "TRANSPOSE_CONV2D") return DefineTransposeConvolution(node);
    if (node.op == "MATMUL") return DefineMatmul(node);
    if (node.op.ends_with("POOL2D")) return DefinePooling(node);
    if (node.op == "PAD") return DefinePad(node);
    if (node.op == "RESIZE") return DefineResize(node);
    const std::vector<int64_t>& shape = graph_.Out(node).shape;  // IDENTITY, RESHAPE
    const std::vector<size_t> dims(shape.begin(), shape.end());
    return xnn_define_static_reshape(subgraph_, dims.size(), dims.data(), In(node, 0), Out(node),
                                     0);
  }

  xnn_status DefineRsqrt(const RuntimeNode& node) {
    const uint32_t root = NewValue(kFp32, graph_.Out(node).shape, nullptr);
    const xnn_status status = xnn_define_square_root(subgraph_, In(node, 0), root, 0);
    if (status != xnn_status_success) return status;
    return xnn_define_divide(subgraph_, -kInfinity, kInfinity, One(), root, Out(node), 0);
  }

  xnn_status DefineConvolution(const RuntimeNode& node) {
    const auto pad = Unsigned(node, node.Numbers("pad"));
    const auto stride = Unsigned(node, node.Numbers("stride"));
    const auto dilation = Unsigned(node, node.Numbers("dilation"));
    const auto weight = Unsigned(node, graph_.In(node, 1).shape);
    return xnn_define_convolution_2d(
        subgraph_, pad[0], pad[3], pad[1], pad[2], weight[1], weight[2], stride[0], stride[1],
        dilation[0], dilation[1], 1, weight[3], weight[0], -kInfinity, kInfinity, In(node, 0),
        Constant(node, 1, graph_.In(node, 1).shape), Bias(node), Out(node), 0);
  }

  xnn_status DefineDepthwise(const RuntimeNode& node) {
    const auto pad = Unsigned(node, node.Numbers("pad"));
    const auto stride = Unsigned(node, node.Numbers("stride"));
    const auto dilation = Unsigned(node, node.Numbers("dilation"));
    const auto weight = Unsigned(node, graph_.In(node, 1).shape);  // [KH,KW,C,M]
    return xnn_define_depthwise_convolution_2d(
        subgraph_, pad[0], pad[3], pad[1], pad[2], weight[0], weight[1], stride[0], stride[1],
        dilation[0], dilation[1], weight[3], weight[2], -kInfinity, kInfinity, In(node, 0),
        Constant(node, 1, {1, weight[0], weight[1], int64_t{weight[2]} * weight[3]}), Bias(node),
        Out(node), 0);
  }

  xnn_status DefineTransposeConvolution(const RuntimeNode& node) {
    // TOSA says what is added, XNNPACK what is cut off, and what is added at the end.
    std::vector<int64_t> cut = node.Numbers("out_pad"), added(2, 0);
    for (int64_t& pad : cut) pad = -pad;
    for (size_t i = 0; i < 2; ++i) {
      if (cut[2 * i + 1] >= 0) continue;
      added[i] = -cut[2 * i + 1];
      cut[2 * i + 1] = 0;
    }
    const auto pad = Unsigned(node, cut), adjustment = Unsigned(node, added);
    const auto stride = Unsigned(node, node.Numbers("stride"));
    if (adjustment[0] >= stride[0] || adjustment[1] >= stride[1]) {
      No(node, "a stride or more of padding at the end");
    }
    const auto weight = Unsigned(node, graph_.In(node, 1).shape);
    return xnn_define_deconvolution_2d(
        subgraph_, pad[0], pad[3], pad[1], pad[2], adjustment[0], adjustment[1], weight[1],
        weight[2], stride[0], stride[1], 1, 1, 1, weight[3], weight[0], -kInfinity, kInfinity,
        In(node, 0), Constant(node, 1, graph_.In(node, 1).shape), Bias(node), Out(node), 0);
  }

  xnn_status DefineMatmul(const RuntimeNode& node) {
    const std::vector<int64_t>& shape = graph_.In(node, 1).shape;  // [N,C,W]
    if (shape[0] != 1) No(node, "more than one batch");
    return xnn_define_fully_connected(subgraph_, -kInfinity, kInfinity, In(node, 0),
                                      Constant(node, 1, {shape[1], shape[2]}), XNN_INVALID_VALUE_ID,
                                      Out(node), XNN_FLAG_TRANSPOSE_WEIGHTS);
  }

  xnn_status DefinePooling(const RuntimeNode& node) {
    const auto pad = Unsigned(node, node.Numbers("pad"));
    const auto stride = Unsigned(node, node.Numbers("stride"));
    const auto kernel = Unsigned(node, node.Numbers("kernel"));
    if (node.op == "AVG_POOL2D") {
      return xnn_define_average_pooling_2d(subgraph_, pad[0], pad[3], pad[1], pad[2], kernel[0],
                                           kernel[1], stride[0], stride[1], -kInfinity, kInfinity,
                                           In(node, 0), Out(node), 0);
    }
    return xnn_define_max_pooling_2d(subgraph_, pad[0], pad[3], pad[1], pad[2], kernel[0],
                                     kernel[1], stride[0], stride[1], 1, 1, -kInfinity, kInfinity,
                                     In(node, 0), Out(node), 0);
  }

  xnn_status DefinePad(const RuntimeNode& node) {
    const uint32_t type = graph_.In(node, 0).type;
    std::vector<size_t> front, end;
    for (const int64_t pad : graph_.Constant<int64_t>(node, 1)) {
      (front.size() == end.size() ? front : end).push_back(static_cast<size_t>(pad));
    }
    const float fill =
        type == kI8 ? graph_.Constant<int8_t>(node, 2)[0] : graph_.Constant<float>(node, 2)[0];
    return xnn_define_static_constant_pad(subgraph_, front.data(), end.data(), fill, In(node, 0),
                                          Out(node), 0);
  }

  // XNNPACK maps pixels in three ways: corners to corners, o * in / out, and the same for the
  // centers of pixels. TOSA's numbers must say one of these.
  xnn_status DefineResize(const RuntimeNode& node) {
    const auto scale = graph_.Constant<int64_t>(node, 1),
               offset = graph_.Constant<int64_t>(node, 2);
    const std::vector<int64_t>&from = graph_.In(node, 0).shape, &to = graph_.Out(node).shape;
    bool corners = true, legacy = true, centers = true;
    for (size_t i = 0; i < 2; ++i) {
      const int64_t n = scale[2 * i], d = scale[2 * i + 1], in = from[i + 1], out = to[i + 1];
      corners &= offset[i] == 0 && out > 1 && d * (out - 1) == n * (in - 1);
      legacy &= offset[i] == 0 && d * out == n * in;
      centers &= 2 * offset[i] == d - n && d * out == n * in;
    }
    if (!corners && !legacy && !centers) No(node, "another map of pixels");
    const uint32_t flags = corners  ? XNN_FLAG_ALIGN_CORNERS
                           : legacy ? XNN_FLAG_TENSORFLOW_LEGACY_MODE
                                    : 0;
    return xnn_define_static_resize_bilinear_2d(subgraph_, static_cast<size_t>(to[1]),
                                                static_cast<size_t>(to[2]), In(node, 0), Out(node),
                                                flags);
  }

  const RuntimeGraph& graph_;  // while the program is made
  xnn_subgraph_t subgraph_ = nullptr;
  xnn_runtime_t runtime_ = nullptr;
  std::map<size_t, uint32_t> ids_;  // by value
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<xnn_external_value> external_;  // the inputs, then the outputs
  std::vector<size_t> bytes_;                 // of each of them
};

}  // namespace

RuntimeDescription DescribeRuntime() {
  if (xnn_initialize(nullptr) != xnn_status_success) throw std::runtime_error("xnn_initialize");
  constexpr assay_backend_range kPropagate = {"nan_mode", 1, 1, nullptr, 0};
  constexpr assay_backend_range kBilinear = {"mode", 2, 2, nullptr, 0};
  RuntimeDescription runtime;
  runtime.name = "XNNPACK";
  runtime.release = "2022-02-16";  // it has no version of its own
  std::vector<RuntimeCapability>& rows = runtime.capabilities;
  for (const auto& row : kUnary) rows.push_back({row.op, {kFp32}, {kFp32}});
  for (const auto& row : kBinary) rows.push_back({row.op, {kFp32, kFp32, kI8}, {kFp32}});
  for (const char* op : {"AVG_POOL2D", "CONV2D", "DEPTHWISE_CONV2D", "MATMUL", "RECIPROCAL",
                         "RSQRT", "TRANSPOSE_CONV2D"}) {
    rows.push_back({op, {kFp32}, {kFp32}});
  }
  rows.push_back({"MAXIMUM", {kFp32, kFp32}, {kFp32}, {kPropagate}});
  rows.push_back({"MINIMUM", {kFp32, kFp32}, {kFp32}, {kPropagate}});
  rows.push_back({"RESIZE", {kFp32, kShape}, {kFp32}, {kBilinear}});
  rows.push_back({"CONST", {}, {kI8}});
  rows.push_back({"CONST", {}, {kFp32}});
  rows.push_back({"CONST_SHAPE", {}, {kShape}});
  for (const uint32_t type : {kI8, kFp32}) {
    rows.push_back({"CLAMP", {type}, {type}, {kPropagate}});
    rows.push_back({"MAX_POOL2D", {type}, {type}, {kPropagate}});
    rows.push_back({"IDENTITY", {type}, {type}});
    rows.push_back({"RESHAPE", {type, kShape}, {type}});
    rows.push_back({"PAD", {type, kShape, type}, {type}});
  }
  runtime.limits.rank = XNN_MAX_TENSOR_DIMS;
  return runtime;
}

std::unique_ptr<RuntimeProgram> Compile(const RuntimeGraph& graph, const std::string&) {
  return std::make_unique<XnnpackProgram>(graph);
}

}  // namespace assay
