// SPDX-License-Identifier: Apache-2.0
#include "block_reader.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "newer_versions.h"
#include "packing.h"
#include "quoted.h"
#include "wire_fields.h"
#include "wire_views.h"

namespace assay {
namespace {

std::string TensorText(std::string_view name) { return "tensor " + Quoted(name); }

// Returns the tensor by which an operator on a variable names it (tosa_file.h): its first output or
// input.
std::vector<TensorIndex>* VariableOperand(Operator& op) {
  if (op.op == Op::kVariable || op.op == Op::kVariableWrite) return &op.outputs;
  return op.op == Op::kVariableRead ? &op.inputs : nullptr;
}

}  // namespace

bool BlockReader::Read(const tosa::TosaBasicBlock& wire, Block& block) {
  block.name = View(wire.name());
  block_ = &block;
  reading_.SetPlace(block_, false);
  if (!reading_.KnownFields(wire, 6, "TosaBasicBlock")) return false;
  const size_t count = SizeOf(wire.tensors()) + SizeOf(wire.shapes());
  names_.Reset(count);
  last_named_ = 0;
  payloads_.clear();
  outer_names_.clear();
  block.tensors.reserve(count);
  payloads_.reserve(count);
  block.operators.reserve(SizeOf(wire.operators()));
  for (size_t i = 0; i < count; ++i) {
    if (!ReadTensorOrShape(wire, static_cast<TensorIndex>(i))) return false;
  }
  if (!EnterNames()) return false;
  names_variable_.assign(count, false);
  for (const tosa::TosaOperator* op : ElementsOf(wire.operators())) {
    if (!ReadOperator(*op)) return false;
  }
  reading_.SetPlace(block_, false);
  if (!ReadNames(wire.inputs(), "input", block.inputs)) return false;
  if (!ReadNames(wire.outputs(), "output", block.outputs)) return false;
  if (!ReadInitialValues()) return false;
  DropVariableOperands();
  if (!outer_names_.empty()) {
    reading_.Note("uses " + TensorText(outer_names_[0]) + " of the first block" +
                  (outer_names_.size() > 1
                       ? " and " + std::to_string(outer_names_.size() - 1) + " more"
                       : ""));
  }
  if (first_block_ == nullptr) {
    first_block_ = &wire;
    std::swap(first_names_, names_);
  }
  return true;
}

// Reads the tensor at `index`. Shapes come behind the tensors.
bool BlockReader::ReadTensorOrShape(const tosa::TosaBasicBlock& wire, TensorIndex index) {
  const auto tensors = static_cast<TensorIndex>(SizeOf(wire.tensors()));
  return index < tensors
             ? ReadTensor(*wire.tensors()->Get(static_cast<flatbuffers::uoffset_t>(index)))
             : ReadShape(*wire.shapes()->Get(static_cast<flatbuffers::uoffset_t>(index - tensors)));
}

bool BlockReader::ReadTensor(const tosa::TosaTensor& wire) {
  const std::string_view name = View(wire.name());
  if (!reading_.KnownFields(wire, 9, "TosaTensor")) return false;
  const auto type = static_cast<uint32_t>(wire.type());
  if (type == 0) return reading_.Fail(TensorText(name) + " has no type");
  if (type > static_cast<uint32_t>(DType::kFp8e5m2)) {
    return reading_.Unsupported(TensorText(name) + " has " + NewerTypeText(type));
  }
  if (wire.is_unranked()) return reading_.Unsupported(TensorText(name) + " is unranked");
  if (SizeOf(wire.shape()) > Shape::kMaxRank) {
    return reading_.Fail(TensorText(name) + " has rank " + std::to_string(wire.shape()->size()) +
                         ", above " + std::to_string(Shape::kMaxRank));
  }
  const auto data = reading_.FindData(wire);
  if (!data) return reading_.Fail(TensorText(name) + ": " + reading_.OutsideText(wire));
  TensorInfo info;
  info.type.type = static_cast<DType>(type);
  for (int32_t dim : ElementsOf(wire.shape())) info.type.shape.PushBack(dim);
  info.variable = wire.variable();
  info.variable_name = View(wire.variable_name());
  return AddTensor(name, std::move(info), *data);
}

bool BlockReader::ReadShape(const tosa::TosaShape& wire) {
  const std::string_view name = View(wire.name());
  if (!reading_.KnownFields(wire, 3, "TosaShape")) return false;
  if (wire.rank() > uint32_t{INT32_MAX}) {
    return reading_.Fail(TensorText(name) + " has rank " + std::to_string(wire.rank()));
  }
  TensorInfo info;
  info.type = {DType::kShape, {static_cast<int32_t>(wire.rank())}};
  return AddTensor(name, std::move(info), View(wire.data()));
}

bool BlockReader::AddTensor(std::string_view name, TensorInfo info, Bytes data) {
  if (!reading_.Charge(sizeof(TensorInfo) + name.size() + info.variable_name.size())) return false;
  names_.Append(name);
  if (info.type.shape.Elements() == 0) data = {};
  info.name = name;
  block_->tensors.push_back(std::move(info));
  payloads_.push_back({data, false});
  return true;
}

bool BlockReader::EnterNames() {
  const std::optional<std::string_view> twice = names_.Enter();
  return !twice ||
         reading_.FailRule(TensorText(*twice) + " is there twice", "graph/ERROR_IF/unique-names");
}

bool BlockReader::ReadOperator(const tosa::TosaOperator& wire) {
  const auto op = static_cast<uint32_t>(wire.op());
  if (!reading_.Charge(sizeof(Operator))) return false;
  operator_ = &block_->operators.emplace_back();
  reading_.SetPlace(block_, true);
  if (op == 0) return reading_.Fail("has no operator");
  if (op > kOperatorCount) return reading_.Unsupported("is " + NewerOperatorText(op));
  operator_->op = static_cast<Op>(op);
  if (!reading_.KnownFields(wire, 6, "TosaOperator")) return false;
  if (!ReadNames(wire.inputs(), "input", operator_->inputs)) return false;
  if (!ReadNames(wire.outputs(), "output", operator_->outputs)) return false;
  return ReadLocation(wire) && ReadAttributes(wire) && ReadConstant() && ReadVariable();
}

bool BlockReader::ReadLocation(const tosa::TosaOperator& wire) {
  const tosa::OpLocation* location = wire.location();
  return location == nullptr || (reading_.KnownFields(*location, 1, "OpLocation") &&
                                 reading_.ReadText(location->text(), operator_->location));
}

bool BlockReader::ReadNames(const Names* names, const char* role,
                            std::vector<TensorIndex>& indices) {
  if (!reading_.Charge(SizeOf(names) * sizeof(TensorIndex))) return false;
  indices.reserve(SizeOf(names));
  for (const flatbuffers::String* name : ElementsOf(names)) {
    std::optional<TensorIndex> index = FindTensor(View(name));
    if (!index) {
      if (!ReadUndeclared(View(name), role)) return false;
      index = static_cast<TensorIndex>(block_->tensors.size() - 1);
    }
    indices.push_back(*index);
  }
  return true;
}

std::optional<TensorIndex> BlockReader::FindTensor(std::string_view name) {
  // Mostly it is the tensor named last, or the one behind it. In a large file the table of names is
  // not in a cache.
  for (const TensorIndex near : {last_named_, last_named_ + 1}) {
    const auto at = static_cast<size_t>(near);
    if (at < block_->tensors.size() && block_->tensors[at].name == name) return last_named_ = near;
  }
  const std::optional<TensorIndex> found = names_.Find(name);
  if (found) last_named_ = *found;
  return found;
}

// Handles an undeclared name. Some writers let blocks of control flow use tensors of the main
// block.
bool BlockReader::ReadUndeclared(std::string_view name, const char* role) {
  const std::optional<TensorIndex> found = first_names_.Find(name);
  if (!found) {
    return reading_.FailRule(std::string(role) + " " + Quoted(name) + " is not declared",
                             "graph/ERROR_IF/undefined-tensor");
  }
  if (!ReadTensorOrShape(*first_block_, *found) || !EnterNames()) return false;
  if (!block_->tensors.back().variable) payloads_.back().used = true;
  names_variable_.push_back(false);
  outer_names_.push_back(name);
  return true;
}

bool BlockReader::ReadAttributes(const tosa::TosaOperator& wire) {
  const std::span<const AttributeId> fields = WireFields(operator_->op);
  const auto member = static_cast<uint32_t>(wire.attribute_type());
  // If there is no union member, the table was not verified.
  const auto* table =
      member == 0 ? nullptr : static_cast<const flatbuffers::Table*>(wire.attribute());
  if (member > kOperatorCount) {
    return reading_.Unsupported("has the attribute table of " + NewerOperatorText(member));
  }
  // If the operator's table is empty, any empty table will do: some writers use another operator's.
  if (fields.empty()) return table == nullptr || reading_.KnownFields(*table, 0, "attribute");
  if (table == nullptr) return reading_.Fail("has no attribute table");
  if (member != static_cast<uint32_t>(operator_->op)) {
    return reading_.Fail("has the attribute table of " +
                         std::string(OperatorName(static_cast<Op>(member))));
  }
  if (!reading_.KnownFields(*table, fields.size(), "attribute")) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!ReadAttribute(*table, i, fields[i])) return false;
  }
  return true;
}

bool BlockReader::ReadAttribute(const flatbuffers::Table& table, size_t field, AttributeId id) {
  const flatbuffers::voffset_t slot = Slot(field);
  switch (WireKindOf(id)) {
    case WireKind::kNone:
      return true;
    case WireKind::kFlag:
      return SetAttribute(id, table.GetField<uint8_t>(slot, 0) != 0, 0);
    case WireKind::kInt:
      return SetAttribute(id, table.GetField<int32_t>(slot, 0), 0);
    case WireKind::kEnum: {
      const auto value = table.GetField<uint32_t>(slot, 0);
      if (!reading_.KnownEnumerator(id, value)) return false;
      return SetAttribute(id, static_cast<int32_t>(value), 0);
    }
    case WireKind::kInts: {
      const auto* list = table.GetPointer<const flatbuffers::Vector<int32_t>*>(slot);
      std::vector<int32_t> values;
      return reading_.ReadNumbers(list, values) && SetAttribute(id, std::move(values));
    }
    case WireKind::kText: {
      const auto* from = table.GetPointer<const flatbuffers::String*>(slot);
      std::string text;
      return reading_.ReadText(from, text) && SetAttribute(id, std::move(text));
    }
    case WireKind::kBytes: {
      const Bytes bytes = View(table.GetPointer<const flatbuffers::Vector<uint8_t>*>(slot));
      return reading_.Charge(bytes.size()) &&
             SetAttribute(id, std::string(bytes.begin(), bytes.end()), 0);
    }
    case WireKind::kElement: {
      if (operator_->inputs.empty()) return true;  // without a type; the rules report it
      const DType type = block_->TypeOf(operator_->inputs[0]).type;
      Result<Tensor> element =
          Unpack(type, {}, View(table.GetPointer<const flatbuffers::Vector<uint8_t>*>(slot)));
      if (!element)
        return reading_.Fail(std::string(AttributeName(id)) + ": " + element.error().message);
      return SetAttribute(id, std::move(*element), 64);
    }
  }
  return true;
}

bool BlockReader::SetAttribute(AttributeId id, AttributeValue value, size_t more_bytes) {
  if (!reading_.Charge(sizeof(Attributes::Entry) + more_bytes)) return false;
  operator_->attributes.Set(id, std::move(value));
  return true;
}

bool BlockReader::ReadPayload(TensorIndex index, Tensor& value) {
  const auto i = static_cast<size_t>(index);
  const TensorInfo& info = block_->tensors[i];
  const Bytes data = payloads_[i].data;
  const bool is_shared = reading_.owner() != nullptr && IsShared(info.type.type, data);
  // Unpack() allocates at most eight bytes an element, and a byte of data has up to two elements.
  if (!is_shared &&
      !reading_.Charge(
          std::min<size_t>(static_cast<size_t>(info.type.shape.Elements()), 2 * data.size()) *
          static_cast<size_t>(ElementBytes(info.type.type)))) {
    return false;
  }
  payloads_[i].used = true;
  Result<Tensor> tensor = Unpack(info.type.type, info.type.shape, data, reading_.owner());
  if (!tensor) return reading_.Fail(TensorText(info.name) + ": " + tensor.error().message);
  value = std::move(*tensor);
  const Bytes padding =
      data.subspan(static_cast<size_t>(PackedBytes(value.type(), value.elements())));
  if (std::any_of(padding.begin(), padding.end(), [](uint8_t byte) { return byte != 0; })) {
    reading_.Note(TensorText(info.name) + " has more data than elements; ignored");
  }
  return true;
}

// Reads the elements of constants, which are stored with the output tensor.
bool BlockReader::ReadConstant() {
  if (!IsConstant(operator_->op)) return true;
  if (operator_->outputs.empty()) return true;
  Tensor value;
  return ReadPayload(operator_->outputs[0], value) &&
         SetAttribute(AttributeId::kValues, std::move(value), 64);
}

// Reads the attributes of operators on variables, which are stored with a tensor for the variable.
bool BlockReader::ReadVariable() {
  std::vector<TensorIndex>* operands = VariableOperand(*operator_);
  if (operands == nullptr) return true;
  if (operands->empty() || !block_->tensors[static_cast<size_t>(operands->front())].variable) {
    return reading_.Fail(std::string("its first ") +
                         (operator_->op == Op::kVariableRead ? "input" : "output") +
                         " has to be the tensor, with variable=true, that names the variable");
  }
  const TensorIndex index = operands->front();
  operands->erase(operands->begin());
  names_variable_[static_cast<size_t>(index)] = true;
  const TensorInfo& info = block_->tensors[static_cast<size_t>(index)];
  const std::string& name = info.variable_name.empty() ? info.name : info.variable_name;
  if (name.empty()) return reading_.Fail("the tensor that names the variable has no name");
  if (!reading_.Charge(name.size()) || !SetAttribute(AttributeId::kName, name, 0)) return false;
  if (operator_->op != Op::kVariable) return true;
  const std::span<const int32_t> dims = info.type.shape.dims();
  if (!SetAttribute(AttributeId::kType, static_cast<int32_t>(info.type.type), 0) ||
      !SetAttribute(AttributeId::kVarShape, std::vector<int32_t>(dims.begin(), dims.end()), 128)) {
    return false;
  }
  if (payloads_[static_cast<size_t>(index)].data.empty()) return true;
  Tensor value;
  return ReadPayload(index, value) &&
         SetAttribute(AttributeId::kInitialValue, std::move(value), 64);
}

// Reads the data that is left. It belongs to variable tensors, or is ignored.
bool BlockReader::ReadInitialValues() {
  for (size_t i = 0; i < payloads_.size(); ++i) {
    if (payloads_[i].used || payloads_[i].data.empty()) continue;
    TensorInfo& info = block_->tensors[i];
    if (!info.variable) {
      reading_.Note(TensorText(info.name) + " has data but is no constant; ignored");
    } else if (!ReadPayload(static_cast<TensorIndex>(i), info.initial_value)) {
      return false;
    }
  }
  return true;
}

// Removes tensors that only name a variable, because they are not part of a Graph. The exception is
// a tensor with a value that no VARIABLE has taken.
void BlockReader::DropVariableOperands() {
  const auto none = [this] {
    return std::find(names_variable_.begin(), names_variable_.end(), true) == names_variable_.end();
  };
  if (none()) return;
  for (size_t i = 0; i < names_variable_.size(); ++i) {
    if (block_->tensors[i].initial_value.has_value()) names_variable_[i] = false;
  }
  if (none()) return;
  ForEachOperand(*block_, [this](TensorIndex index) {
    names_variable_[static_cast<size_t>(index)] = false;  // it is also a tensor
  });
  std::vector<TensorIndex> moved_to;
  TensorIndex kept = 0;
  for (size_t i = 0; i < names_variable_.size(); ++i) {
    moved_to.push_back(kept);
    if (names_variable_[i]) continue;
    if (static_cast<size_t>(kept) != i) {
      block_->tensors[static_cast<size_t>(kept)] = std::move(block_->tensors[i]);
    }
    ++kept;
  }
  block_->tensors.resize(static_cast<size_t>(kept));
  ForEachOperand(*block_,
                 [&](TensorIndex& index) { index = moved_to[static_cast<size_t>(index)]; });
}

}  // namespace assay
