// SPDX-License-Identifier: Apache-2.0
#include "model_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_text.h"
#include "operator.h"
#include "operator_facts.h"
#include "target_range.h"

namespace assay {
namespace {

void Raise(int64_t& largest, const Block& block, const Operator& op, const Quantity& quantity) {
  const auto numbers = Measure(block, op, quantity);
  if (!numbers) return;
  for (const int64_t number : *numbers) largest = std::max(largest, number);
}

void RaiseByTensor(OperatorNeed& need, const TensorType& type) {
  if (type.type == DType::kShape) return;
  need.rank = std::max<int64_t>(need.rank, type.shape.rank());
  for (const int32_t dim : type.shape) need.dimension = std::max<int64_t>(need.dimension, dim);
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
  using enum Quantity::Kind;
  for (const auto& [block, op] : model.Operators()) {
    if (IsConstant(op.op)) continue;
    OperatorNeed& need = NeedOf(block, op);
    ++need.operators;
    for (const TensorIndex input : op.inputs) RaiseByTensor(need, block.TypeOf(input));
    for (const TensorIndex output : op.outputs) RaiseByTensor(need, block.TypeOf(output));
    Raise(need.kernel, block, op, {kKernel});
    Raise(need.stride, block, op, {kAttribute, AttributeId::kStride});
    Raise(need.dilation, block, op, {kAttribute, AttributeId::kDilation});
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
  Json list = Json::array();
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
