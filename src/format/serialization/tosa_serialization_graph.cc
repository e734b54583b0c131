// SPDX-License-Identifier: Apache-2.0
#include "tosa_serialization_graph.h"

#include <algorithm>
#include <span>

#include "check.h"
#include "enum_names.h"
#include "wire_fields.h"

namespace assay {
namespace {

using Value = TosaSerializationAttribute::Value;

const Value& UnsetValue(AttributeId field) {
  static const Value kUnset[] = {false,
                                 false,
                                 int32_t{0},
                                 uint32_t{0},
                                 std::vector<int32_t>(),
                                 std::string(),
                                 std::vector<uint8_t>(),
                                 std::vector<uint8_t>()};  // in the order of WireKind
  return EntryOf(kUnset, WireKindOf(field));
}

}  // namespace

TosaSerializationAttribute::TosaSerializationAttribute(Op type) : type_(type) {
  Check(static_cast<int>(type) <= kOperatorCount, "an operator of TOSA 1.0");
  for (AttributeId field : WireFields(type)) fields_.emplace_back(field, UnsetValue(field));
}

const Value* TosaSerializationAttribute::Find(AttributeId field) const {
  const Field* found = FindRow(fields_, &Field::first, field);
  return found == nullptr ? nullptr : &found->second;
}

const Value& TosaSerializationAttribute::Existing(AttributeId field) const {
  const Value* value = Find(field);
  Check(value != nullptr, "the table has the field");
  return *value;
}

void TosaSerializationAttribute::Set(AttributeId field, Value value) {
  Field* found = FindRow(fields_, &Field::first, field);
  Check(found != nullptr && found->second.index() == value.index(),
        "the table has the field, of this kind");
  found->second = std::move(value);
}

const TosaSerializationTensor* TosaSerializationBasicBlock::GetTensorByName(
    std::string_view name) const {
  return FindRow(tensors_, &Tensor::GetName, name);
}

TosaSerializationTensor* TosaSerializationBasicBlock::GetTensorByName(std::string_view name) {
  return FindRow(tensors_, &Tensor::GetName, name);
}

const TosaSerializationShape* TosaSerializationBasicBlock::GetShapeByName(
    std::string_view name) const {
  return FindRow(shapes_, &Shape::GetName, name);
}

TosaSerializationShape* TosaSerializationBasicBlock::GetShapeByName(std::string_view name) {
  return FindRow(shapes_, &Shape::GetName, name);
}

std::vector<std::string> TosaSerializationBasicBlock::GetInputsWithoutConstants() const {
  Names constants;
  for (const Operator& op : operators_) {
    if (!IsConstant(op.GetOp())) continue;
    const Names& outputs = op.GetOutputTensorNames();
    constants.insert(constants.end(), outputs.begin(), outputs.end());
  }
  for (const Tensor& tensor : tensors_) {
    if (!tensor.GetData().empty() && !tensor.GetVariable()) constants.push_back(tensor.GetName());
  }
  for (const Shape& shape : shapes_) {
    if (!shape.GetData().empty()) constants.push_back(shape.GetName());
  }
  std::sort(constants.begin(), constants.end());
  Names inputs;
  std::copy_if(inputs_.begin(), inputs_.end(), std::back_inserter(inputs),
               [&constants](const std::string& name) {
                 return !std::binary_search(constants.begin(), constants.end(), name);
               });
  return inputs;
}

TosaSerializationBasicBlock& TosaSerializationRegion::AddBlock(BasicBlock block) {
  block.region_name_ = name_;
  return blocks_.emplace_back(std::move(block));
}

const TosaSerializationBasicBlock* TosaSerializationRegion::GetBlockByName(
    std::string_view name) const {
  return FindRow(blocks_, &BasicBlock::GetName, name);
}

TosaSerializationBasicBlock* TosaSerializationRegion::GetBlockByName(std::string_view name) {
  return FindRow(blocks_, &BasicBlock::GetName, name);
}

}  // namespace assay
