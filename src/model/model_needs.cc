// SPDX-License-Identifier: Apache-2.0
#include "model_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "json_text.h"
#include "operator.h"
#include "operator_facts.h"

namespace assay {
namespace {

// The dimensions of the weights (operand 1) that are the kernel: [first, last).
struct KernelAxes {
  Op op;
  int first, last;
};
constexpr KernelAxes kKernelAxes[] = {
    {Op::kConv2d, 1, 3},           // [OC,KH,KW,IC]
    {Op::kConv3d, 1, 4},           // [OC,KD,KH,KW,IC]
    {Op::kDepthwiseConv2d, 0, 2},  // [KH,KW,C,M]
    {Op::kTransposeConv2d, 1, 3},  // [OC,KH,KW,IC]
};

void Raise(int64_t& largest, std::span<const int32_t> numbers) {
  for (const int32_t number : numbers) largest = std::max<int64_t>(largest, number);
}

void RaiseByAttribute(int64_t& largest, const Operator& op, AttributeId id) {
  const AttributeValue* value = op.attributes.Find(id);
  const auto* numbers = value == nullptr ? nullptr : std::get_if<std::vector<int32_t>>(value);
  if (numbers != nullptr) Raise(largest, *numbers);
}

void RaiseByTensor(OperatorNeed& need, const TensorType& type) {
  if (type.type == DType::kShape) return;
  need.rank = std::max<int64_t>(need.rank, type.shape.rank());
  Raise(need.dimension, type.shape.dims());
  need.elements = std::max(need.elements, type.shape.Elements());
}

std::string Number(int64_t number) { return number == 0 ? "" : std::to_string(number); }

constexpr std::array kColumns = {"operator", "types",     "operators", "configurations",
                                 "vectors",  "kernel",    "stride",    "dilation",
                                 "rank",     "dimension", "elements"};
constexpr size_t kFirstNumber = 2;  // columns from here on are aligned to the right

using Row = std::array<std::string, kColumns.size()>;

Row RowFor(const OperatorNeed& need) {
  return {std::string(OperatorName(need.op)),
          std::string(need.mode),
          std::to_string(need.operators),
          std::to_string(need.configurations),
          std::to_string(need.vectors),
          Number(need.kernel),
          Number(need.stride),
          Number(need.dilation),
          std::to_string(need.rank),
          Number(need.dimension),
          std::to_string(need.elements)};
}

}  // namespace

OperatorNeed& ModelNeeds::NeedOf(const Block& block, const Operator& op) {
  const TypeRow* type_row = TypeRowOf(block, op);
  const auto [found, is_new] = needs_.try_emplace({op.op, type_row});
  OperatorNeed& need = found->second;
  if (is_new) {
    need.op = op.op;
    need.type = CharacteristicType(block, op);
    if (type_row != nullptr) need.mode = type_row->mode;
  }
  return need;
}

void ModelNeeds::Add(const TestVector& model) {
  for (const Graph& graph : model.graphs) {
    for (const Block& block : graph.Blocks()) {
      for (const Operator& op : block.operators) {
        if (IsConstant(op.op)) continue;
        OperatorNeed& need = NeedOf(block, op);
        ++need.operators;
        for (const TensorIndex input : op.inputs) RaiseByTensor(need, block.TypeOf(input));
        for (const TensorIndex output : op.outputs) RaiseByTensor(need, block.TypeOf(output));
        RaiseByAttribute(need.kernel, op, AttributeId::kKernel);
        RaiseByAttribute(need.stride, op, AttributeId::kStride);
        RaiseByAttribute(need.dilation, op, AttributeId::kDilation);
        const auto* axes = std::ranges::find(kKernelAxes, op.op, &KernelAxes::op);
        if (axes == std::end(kKernelAxes)) continue;
        const Shape& weights = block.TypeOf(op.inputs[1]).shape;
        if (weights.rank() < axes->last) continue;
        const auto count = static_cast<size_t>(axes->last - axes->first);
        Raise(need.kernel, weights.dims().subspan(static_cast<size_t>(axes->first), count));
      }
    }
  }
}

void ModelNeeds::AddConfiguration(const TestVector& configuration, bool has_vector) {
  const Block& main = *configuration.graphs[0].Main();
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op)) continue;
    OperatorNeed& need = NeedOf(main, op);
    ++need.configurations;
    need.vectors += has_vector ? 1 : 0;
  }
}

std::vector<OperatorNeed> ModelNeeds::Table() const {
  std::vector<OperatorNeed> table;
  for (const auto& [key, need] : needs_) table.push_back(need);
  return table;
}

std::string NeedsToText(const std::vector<OperatorNeed>& needs) {
  std::vector<Row> rows(1);
  std::ranges::copy(kColumns, rows[0].begin());
  for (const OperatorNeed& need : needs) rows.push_back(RowFor(need));
  std::array<size_t, kColumns.size()> widths{};
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += c < kFirstNumber ? fmt::format("{:<{}}  ", row[c], widths[c])
                               : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string NeedsToJson(const std::vector<OperatorNeed>& needs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OperatorNeed& need : needs) {
    list.push_back({{"operator", OperatorName(need.op)},
                    {"type", TypeName(need.type)},
                    {"types", need.mode},
                    {"operators", need.operators},
                    {"configurations", need.configurations},
                    {"vectors", need.vectors},
                    {"kernel_max", need.kernel},
                    {"stride_max", need.stride},
                    {"dilation_max", need.dilation},
                    {"rank_max", need.rank},
                    {"dimension_max", need.dimension},
                    {"elements_max", need.elements}});
  }
  return JsonText(list, 2);
}

}  // namespace assay
