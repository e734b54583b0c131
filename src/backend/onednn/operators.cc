// SPDX-License-Identifier: Apache-2.0
// The table of operators, and what they are called in oneDNN.
#include <algorithm>

#include "onednn_program.h"

namespace assay {
namespace {

using dnnl::algorithm;

constexpr uint32_t kBool = ASSAY_BACKEND_BOOL, kI8 = ASSAY_BACKEND_I8, kI32 = ASSAY_BACKEND_I32,
                   kFp32 = ASSAY_BACKEND_FP32, kBf16 = ASSAY_BACKEND_BF16,
                   kShape = ASSAY_BACKEND_SHAPE;

constexpr assay_backend_range kPropagate = {"nan_mode", 1, 1, nullptr, 0};

constexpr struct {
  const char* op;
  algorithm name;
} kBinary[] = {
    {"ADD", algorithm::binary_add},     {"SUB", algorithm::binary_sub},
    {"MUL", algorithm::binary_mul},     {"MAXIMUM", algorithm::binary_max},
    {"MINIMUM", algorithm::binary_min}, {"EQUAL", algorithm::binary_eq},
    {"GREATER", algorithm::binary_gt},  {"GREATER_EQUAL", algorithm::binary_ge},
};

constexpr struct {
  const char* op;
  Eltwise eltwise;
} kEltwise[] = {
    {"ABS", {algorithm::eltwise_abs, 0, 0}},
    {"EXP", {algorithm::eltwise_exp, 0, 0}},
    {"LOG", {algorithm::eltwise_log, 0, 0}},
    {"NEGATE", {algorithm::eltwise_linear, -1, 0}},
    {"RECIPROCAL", {algorithm::eltwise_pow, 1, -1}},
    {"RSQRT", {algorithm::eltwise_pow, 1, -1}},  // of the square root: x^-0.5 is inf for -0
    {"SIGMOID", {algorithm::eltwise_logistic, 0, 0}},
    {"TANH", {algorithm::eltwise_tanh, 0, 0}},
};

float FloatOf(uint32_t type, const uint8_t* bytes) {
  uint32_t bits = 0;
  std::memcpy(
      type == kBf16 ? reinterpret_cast<uint8_t*>(&bits) + 2 : reinterpret_cast<uint8_t*>(&bits),
      bytes, type == kBf16 ? 2 : 4);
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

}  // namespace

std::optional<algorithm> BinaryAlgorithm(const std::string& op) {
  for (const auto& row : kBinary) {
    if (op == row.op) return row.name;
  }
  return std::nullopt;
}

std::vector<Eltwise> EltwisesOf(const RuntimeGraph& graph, const RuntimeNode& node) {
  if (node.op == "CLAMP") {
    const uint32_t type = graph.In(node, 0).type;
    return {{algorithm::eltwise_clip, FloatOf(type, node.Bytes("min_val")),
             FloatOf(type, node.Bytes("max_val"))}};
  }
  for (const auto& row : kEltwise) {
    if (node.op != row.op) continue;
    if (node.op == "RSQRT") return {{algorithm::eltwise_sqrt, 0, 0}, row.eltwise};
    return {row.eltwise};
  }
  return {};
}

dnnl::memory::data_type OnednnType(uint32_t type) {
  switch (type) {
    case kBool:
      return dnnl::memory::data_type::u8;
    case kI8:
      return dnnl::memory::data_type::s8;
    case kI32:
      return dnnl::memory::data_type::s32;
    case kBf16:
      return dnnl::memory::data_type::bf16;
    case kFp32:
      return dnnl::memory::data_type::f32;
    default:
      return dnnl::memory::data_type::undef;
  }
}

bool IsDotProduct(const std::string& op) {
  return op == "MATMUL" || op.find("CONV") != std::string::npos;
}

RuntimeDescription DescribeRuntime() {
  std::vector<RuntimeCapability> rows;
  const auto add = [&rows](const char* op, std::vector<std::vector<uint32_t>> types,
                           std::vector<assay_backend_range> attributes = {}) {
    for (std::vector<uint32_t>& row : types) {
      const uint32_t output = row.back();
      row.pop_back();
      rows.push_back({op, row, {output}, attributes});
    }
  };
  const auto has_nan_mode = [](const std::string& op) {
    return op == "MAXIMUM" || op == "MINIMUM" || op == "CLAMP";
  };
  for (const auto& row : kBinary) {
    const uint32_t result = BinaryAlgorithm(row.op) >= algorithm::binary_ge ? kBool : 0;
    std::vector<assay_backend_range> modes;
    if (has_nan_mode(row.op)) modes = {kPropagate};
    for (const uint32_t type : {kFp32, kBf16}) {
      add(row.op, {{type, type, kI8, result == kBool ? kBool : type}}, modes);
    }
  }
  for (const auto& row : kEltwise) add(row.op, {{kFp32, kFp32}, {kBf16, kBf16}});
  add("CLAMP", {{kFp32, kFp32}, {kBf16, kBf16}}, {kPropagate});
  for (const char* op : {"CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D"}) {
    add(op, {{kFp32, kFp32, kFp32, kFp32, kFp32, kFp32},
             {kBf16, kBf16, kBf16, kBf16, kBf16, kBf16},
             {kI8, kI8, kI32, kI8, kI8, kI32}});
  }
  add("MATMUL", {{kFp32, kFp32}, {kBf16, kFp32}, {kI8, kI32}});
  add("AVG_POOL2D", {{kFp32, kFp32}, {kBf16, kBf16}});
  add("MAX_POOL2D", {{kFp32, kFp32}, {kBf16, kBf16}, {kI8, kI8}}, {kPropagate});
  for (const char* op : {"REDUCE_SUM", "REDUCE_PRODUCT"}) add(op, {{kFp32, kFp32}, {kBf16, kBf16}});
  for (const char* op : {"REDUCE_MAX", "REDUCE_MIN"}) {
    add(op, {{kFp32, kFp32}, {kBf16, kBf16}, {kI8, kI8}}, {kPropagate});
  }
  for (const uint32_t type : {kBool, kI8, kI32, kFp32, kBf16}) {
    for (const char* op : {"CONST", "CONCAT", "IDENTITY", "TRANSPOSE"}) add(op, {{type, type}});
    add("RESHAPE", {{type, kShape, type}});
    add("SLICE", {{type, kShape, kShape, type}});
    add("PAD", {{type, kShape, type, type}});
  }
  add("CONST_SHAPE", {{kShape}});
  add("CAST", {{kFp32, kBf16},
               {kBf16, kFp32},
               {kFp32, kI8},
               {kFp32, kI32},
               {kI8, kFp32},
               {kI32, kFp32},
               {kI8, kI32},
               {kBf16, kI8},
               {kBf16, kI32}});
  const dnnl_version_t& version = *dnnl_version();
  RuntimeDescription runtime;
  runtime.name = "oneDNN";
  runtime.release = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  runtime.capabilities = std::move(rows);
  runtime.variants = {"fused", "unfused"};
  return runtime;
}

std::unique_ptr<RuntimeProgram> Compile(const RuntimeGraph& graph, const std::string& variant) {
  return std::make_unique<OnednnProgram>(graph, variant != "unfused");
}

}  // namespace assay
