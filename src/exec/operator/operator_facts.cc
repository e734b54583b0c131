// SPDX-License-Identifier: Apache-2.0
#include "operator_facts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>

#include "check.h"
#include "parse_number.h"
#include "rules.h"

namespace assay {
namespace {

// Returns a rule id that lives as long as the program.
const char* Kept(std::string id) {
  static std::deque<std::string> ids;  // used while FactsOf() makes its table
  return ids.emplace_back(std::move(id)).c_str();
}

// The names in one row, numbered in order of appearance.
struct Symbols {
  std::vector<std::string_view> names;
  int8_t IndexOf(std::string_view name) {
    const auto at = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<int8_t>(at - names.begin());
    if (at == names.end()) names.push_back(name);
    return index;
  }
};

OperatorFacts::Dimension ParseDimension(std::string_view text, Symbols& symbols) {
  int16_t literal = 0;
  if (ParseNumber(text, literal)) return {OperatorFacts::Dimension::kLiteral, literal};
  // TABLE_SIZE is checked by a REQUIRE. Products and quotients (C*M, W/2 + 1) are checked by the
  // operator's own shape rule.
  const bool name =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!name) return {OperatorFacts::Dimension::kFree, 0};
  return {OperatorFacts::Dimension::kSymbol, symbols.IndexOf(text)};
}

OperatorFacts::Operand ParseOperand(const ArgumentRow& row, Op op, Symbols& dims, Symbols& wholes) {
  OperatorFacts::Operand operand;
  operand.row = &row;
  operand.rank = row.rank;
  operand.compile_time_constant = row.compile_time_constant;
  operand.is_shape = row.type == "shape_t";
  std::string_view text = row.shape;
  if (row.list || text.empty()) return operand;
  if (text.front() != '[') {
    operand.whole_symbol = wholes.IndexOf(text);
    return operand;
  }
  text = text.substr(1, text.size() - 2);
  if (const auto rank = text.find("rank("); rank != std::string_view::npos) {
    // SLICE has an ERROR_IF of its own for the lengths of start and size.
    if (op != Op::kSlice) operand.length_of_rank = text.front() == '2' ? 2 : 1;
    operand.ranked_symbol = wholes.IndexOf(text.substr(rank + 5, text.size() - rank - 6));
    return operand;
  }
  operand.by_dimension = true;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    Check(operand.dimension_count < OperatorFacts::kMostDimensions, "room for the dimensions");
    operand.all_dimensions[operand.dimension_count++] = ParseDimension(text.substr(0, comma), dims);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return operand;
}

AttributeForm FormOf(const ArgumentRow& row) {
  if (row.type == "i32_t") return AttributeForm::kInt;
  if (row.type == "bool_t") return AttributeForm::kFlag;
  if (row.type == "String" || row.type == "tosa_graph_t") return AttributeForm::kText;
  if (row.type == "nan_propagation_mode_t") return AttributeForm::kNanMode;
  if (row.type == "resize_mode_t") return AttributeForm::kResizeMode;
  if (row.type == "rounding_mode_t") return AttributeForm::kRoundingMode;
  if (row.type == "acc_type_t") return AttributeForm::kAccumulator;
  if (row.type == "var_t") return AttributeForm::kVariableType;
  switch (*row.attribute) {
    case AttributeId::kValues:
    case AttributeId::kInitialValue:
      return AttributeForm::kTensor;
    case AttributeId::kMinVal:
    case AttributeId::kMaxVal:
      return AttributeForm::kElement;
    default:
      return row.shape == "[rank(shape1)]" ? AttributeForm::kIntPerAxis : AttributeForm::kInts;
  }
}

OperatorFacts::Attribute ParseAttribute(const ArgumentRow& row) {
  OperatorFacts::Attribute attribute{*row.attribute, FormOf(row), row.optional, {}};
  if (row.shape.size() == 3) {  // "[2]", "[4]", "[6]"
    attribute.length = static_cast<int8_t>(row.shape[1] - '0');
  }
  return attribute;
}

// Returns the REQUIRE of a library helper that the operator calls. If the operator does not call
// it, returns the rule of graphs about tensors.
const char* HelperRule(const OperatorRow& row, std::string_view helper,
                       std::string_view graph_rule) {
  for (const RuleRow& rule : row.rules) {
    if (rule.name == helper) return Kept(RuleId(row.op, RuleKind::kRequire, helper));
  }
  return Kept(RuleId(Op::kUnknown, RuleKind::kRequire, graph_rule));
}

// Returns the operator's level check on the rank of this operand, else on any rank, else that of
// graphs (reading `rank-beyond-level`).
const char* RankLevel(const OperatorRow& row, const OperatorFacts::Operand& operand) {
  std::string first;
  for (const RuleRow& rule : row.rules) {
    if (rule.kind != RuleKind::kLevelCheck || !rule.text.starts_with("rank(")) continue;
    const std::string id = RuleId(row.op, rule.kind, rule.number);
    const std::string_view subject = rule.text.substr(5, rule.text.find(')') - 5);
    if (subject == operand.row->shape) return Kept(id);
    if (first.empty()) first = id;
  }
  return Kept(first.empty() ? RuleId(Op::kUnknown, RuleKind::kLevelCheck, "tensor-rank") : first);
}

OperatorFacts MakeFacts(const OperatorRow& row) {
  OperatorFacts facts;
  Symbols dims;
  Symbols wholes;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction == Direction::kAttribute) {
      facts.attributes.push_back(ParseAttribute(argument));
      continue;
    }
    auto& list = argument.direction == Direction::kInput ? facts.inputs : facts.outputs;
    if (argument.list) {
      (argument.direction == Direction::kInput ? facts.input_list : facts.output_list) =
          list.size();
    }
    if (argument.direction == Direction::kInput && argument.compile_time_constant) {
      facts.constant_inputs |= 1u << list.size();
    }
    list.push_back(ParseOperand(argument, row.op, dims, wholes));
  }
  facts.dimension_symbols = static_cast<int>(dims.names.size());
  facts.arguments = Kept(RuleId(row.op, RuleKind::kErrorIf, "arguments"));
  facts.attribute_rule = Kept(RuleId(row.op, RuleKind::kErrorIf, "attributes"));
  facts.types = Kept(RuleId(row.op, RuleKind::kErrorIf, "types"));
  facts.tensor_size = HelperRule(row, "tensor_size", "tensor-size");
  facts.index_to_offset = HelperRule(row, "tensor_index_to_offset", "tensor-size");
  for (auto* list : {&facts.inputs, &facts.outputs}) {
    for (OperatorFacts::Operand& operand : *list) operand.rank_level = RankLevel(row, operand);
  }
  return facts;
}

}  // namespace

const OperatorFacts& FactsOf(Op op) {
  static const auto table = [] {
    auto facts = std::make_unique<std::array<OperatorFacts, kOperatorCount + 1>>();
    for (const OperatorRow& row : AllOperators()) {
      (*facts)[static_cast<size_t>(row.op)] = MakeFacts(row);
    }
    return facts;
  }();
  return (*table)[static_cast<size_t>(op)];
}

const TypeRow* TypeRowOf(const Block& block, const Operator& op) {
  if (op.op == Op::kUnknown) return nullptr;
  std::vector<DType> inputs, outputs;
  for (const TensorIndex input : op.inputs) inputs.push_back(block.TypeOf(input).type);
  for (const TensorIndex output : op.outputs) outputs.push_back(block.TypeOf(output).type);
  const auto row = FindTypeRow(op.op, inputs, outputs, op.attributes.named_type());
  return row ? &RowOf(op.op).type_rows[static_cast<size_t>(*row)] : nullptr;
}

Requirements ModesOf(const Operator& op) {
  const AttributeValue* value = op.attributes.Find(AttributeId::kRoundingMode);
  const auto* mode = value == nullptr ? nullptr : std::get_if<int32_t>(value);
  if (mode == nullptr) return {};
  switch (static_cast<RoundingMode>(*mode)) {
    case RoundingMode::kDoubleRound:
      return {Feature::kExtDoubleround};
    case RoundingMode::kInexactRound:
      return {Feature::kExtInexactround};
    default:
      return {};
  }
}

}  // namespace assay
