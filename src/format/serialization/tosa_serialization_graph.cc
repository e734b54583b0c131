// SPDX-License-Identifier: Apache-2.0
#include "tosa_serialization_graph.h"

#include <algorithm>
#include <span>

#include "check.h"
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
  return kUnset[static_cast<size_t>(WireKindOf(field))];
}

template <class List>
auto FindByName(List& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [name](const auto& item) { return item.GetName() == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

TosaSerializationAttribute::TosaSerializationAttribute(Op type) : type_(type) {
  Check(static_cast<int>(type) <= kOperatorCount, "an operator of TOSA 1.0");
  for (AttributeId field : WireFields(type)) fields_.emplace_back(field, UnsetValue(field));
}

const Value* TosaSerializationAttribute::Find(AttributeId field) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [field](const Field& entry) { return entry.first == field; });
  return found == fields_.end() ? nullptr : &found->second;
}

const Value& TosaSerializationAttribute::Existing(AttributeId field) const {
  const Value* value = Find(field);
  Check(value != nullptr, "the table has the field");
  return *value;
}

void TosaSerializationAttribute::Set(AttributeId field, Value value) {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [field](const Field& entry) { return entry.first == field; });
  Check(found != fields_.end() && found->second.index() == value.index(),
        "the table has the field, of this kind");
  found->second = std::move(value);
}

const TosaSerializationTensor* TosaSerializationBasicBlock::GetTensorByName(
    std::string_view name) const {
  return FindByName(tensors_, name);
}

TosaSerializationTensor* TosaSerializationBasicBlock::GetTensorByName(std::string_view name) {
  return FindByName(tensors_, name);
}

const TosaSerializationShape* TosaSerializationBasicBlock::GetShapeByName(
    std::string_view name) const {
  return FindByName(shapes_, name);
}

TosaSerializationShape* TosaSerializationBasicBlock::GetShapeByName(std::string_view name) {
  return FindByName(shapes_, name);
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
  return FindByName(blocks_, name);
}

TosaSerializationBasicBlock* TosaSerializationRegion::GetBlockByName(std::string_view name) {
  return FindByName(blocks_, name);
}

}  // namespace assay
