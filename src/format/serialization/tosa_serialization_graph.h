// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "operator.h"
#include "types.h"

namespace assay {

// The content of a `.tosa` file as values, with the classes and method names of the TOSA
// serialization library. Nothing is resolved or interpreted here. Regions and blocks may have any
// names. Operands are names, even if they are not declared. Constants are bytes, and dimensions are
// any numbers. (The meaning of a file is a Graph: see tosa_file.h.)
//
// An absent list, text or table field is an empty one or zero. Lookups by name search the list and
// return the first match, or null. The pointer points into the searched value and is valid until
// that value changes.

// The attribute table of an operator, one of the operators' tables in tosa.fbs. A table always has
// all of its fields. Fields that were never set are false, zero or empty.
class TosaSerializationAttribute {
 public:
  // The kinds of fields, in this order: bool; int32; an enumeration's wire value (DType,
  // NanPropagationMode, ResizeMode, RoundingMode); [int32]; string; [ubyte].
  using Value = std::variant<bool, int32_t, uint32_t, std::vector<int32_t>, std::string,
                             std::vector<uint8_t>>;
  using Field = std::pair<AttributeId, Value>;

  // Makes no table: NONE of the union.
  TosaSerializationAttribute() = default;
  // Makes the table of an operator of TOSA 1.0, with its fields unset.
  explicit TosaSerializationAttribute(Op type);

  // Returns the operator whose table it is; kUnknown if there is none.
  Op GetType() const { return type_; }
  // Returns the fields in the order of the schema.
  const std::vector<Field>& GetFields() const { return fields_; }
  // Returns the value of a field; null if the table has no such field.
  const Value* Find(AttributeId field) const;
  // Set or return a field, which must be in the table and of this kind.
  void Set(AttributeId field, Value value);
  template <class T>
  const T& Get(AttributeId field) const {
    return std::get<T>(Existing(field));
  }

  friend bool operator==(const TosaSerializationAttribute&,
                         const TosaSerializationAttribute&) = default;

 private:
  const Value& Existing(AttributeId field) const;

  Op type_ = Op::kUnknown;
  std::vector<Field> fields_;
};

class TosaSerializationTensor {
 public:
  TosaSerializationTensor() = default;
  TosaSerializationTensor(std::string name, std::vector<int32_t> shape, DType dtype,
                          std::vector<uint8_t> data = {})
      : name_(std::move(name)), shape_(std::move(shape)), dtype_(dtype), data_(std::move(data)) {}

  const std::string& GetName() const { return name_; }
  void SetName(std::string name) { name_ = std::move(name); }
  // Returns the shape; empty if the tensor is unranked.
  const std::vector<int32_t>& GetShape() const { return shape_; }
  void SetShape(std::vector<int32_t> shape) { shape_ = std::move(shape); }
  DType GetDtype() const { return dtype_; }
  void SetDtype(DType dtype) { dtype_ = dtype; }
  // Returns the elements of a constant, or the initial value of a variable. They are little-endian
  // and dense: bool has one byte, int4 half a byte (the first in the low half), int48 six bytes.
  // Zeros may follow.
  std::span<const uint8_t> GetData() const {
    return owner_ == nullptr ? std::span<const uint8_t>(data_) : shared_;
  }
  void SetData(std::vector<uint8_t> data) {
    data_ = std::move(data);
    owner_ = nullptr;
  }
  // Does the same with bytes of an owner, for example of a file in memory. They are not copied.
  void SetData(std::shared_ptr<const uint8_t[]> owner, std::span<const uint8_t> data) {
    data_.clear();
    owner_ = std::move(owner);
    shared_ = data;
  }
  bool GetVariable() const { return variable_; }
  // Returns the name of the variable; "" for tensors that are no variables.
  const std::string& GetVariableName() const { return variable_name_; }
  void SetVariable(bool variable, std::string variable_name) {
    variable_ = variable;
    variable_name_ = std::move(variable_name);
  }
  bool GetIsUnranked() const { return is_unranked_; }
  void SetIsUnranked(bool is_unranked) { is_unranked_ = is_unranked; }

  friend bool operator==(const TosaSerializationTensor& a, const TosaSerializationTensor& b) {
    return a.name_ == b.name_ && a.shape_ == b.shape_ && a.dtype_ == b.dtype_ &&
           a.variable_ == b.variable_ && a.is_unranked_ == b.is_unranked_ &&
           a.variable_name_ == b.variable_name_ && std::ranges::equal(a.GetData(), b.GetData());
  }

 private:
  std::string name_;
  std::vector<int32_t> shape_;
  DType dtype_ = DType::kUnknown;
  std::vector<uint8_t> data_;               // unless there is an owner
  std::shared_ptr<const uint8_t[]> owner_;  // of shared_
  std::span<const uint8_t> shared_;
  bool variable_ = false;
  bool is_unranked_ = false;
  std::string variable_name_;
};

// A value of type shape_t. Its name is in the name space of the tensors.
class TosaSerializationShape {
 public:
  TosaSerializationShape() = default;
  TosaSerializationShape(std::string name, uint32_t rank, std::vector<uint8_t> data)
      : name_(std::move(name)), rank_(rank), data_(std::move(data)) {}

  const std::string& GetName() const { return name_; }
  // Returns the number of values.
  uint32_t GetRank() const { return rank_; }
  // Returns the values, int64 each, little-endian.
  const std::vector<uint8_t>& GetData() const { return data_; }
  void SetData(std::vector<uint8_t> data) { data_ = std::move(data); }

  friend bool operator==(const TosaSerializationShape&, const TosaSerializationShape&) = default;

 private:
  std::string name_;
  uint32_t rank_ = 0;
  std::vector<uint8_t> data_;
};

class TosaSerializationOperator {
 public:
  using Names = std::vector<std::string>;

  TosaSerializationOperator() = default;
  // Makes an operator with its own table, unset. Every operator needs its table even if that is
  // empty.
  TosaSerializationOperator(Op op, Names inputs, Names outputs)
      : TosaSerializationOperator(op, TosaSerializationAttribute(op), std::move(inputs),
                                  std::move(outputs)) {}
  TosaSerializationOperator(Op op, TosaSerializationAttribute attribute, Names inputs,
                            Names outputs, std::string location = "")
      : op_(op),
        attribute_(std::move(attribute)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        location_(std::move(location)) {}

  Op GetOp() const { return op_; }
  const TosaSerializationAttribute& GetAttribute() const { return attribute_; }
  TosaSerializationAttribute& GetAttribute() { return attribute_; }
  // Returns the operator whose table the attribute is. Some writers give operators without
  // attributes another operator's table. kUnknown is NONE.
  Op GetAttributeType() const { return attribute_.GetType(); }
  const Names& GetInputTensorNames() const { return inputs_; }
  const Names& GetOutputTensorNames() const { return outputs_; }
  // Returns the origin of the operator; opaque, "" if unknown.
  const std::string& GetLocation() const { return location_; }

  friend bool operator==(const TosaSerializationOperator&,
                         const TosaSerializationOperator&) = default;

 private:
  Op op_ = Op::kUnknown;
  TosaSerializationAttribute attribute_;
  Names inputs_, outputs_;
  std::string location_;
};

class TosaSerializationBasicBlock {
 public:
  using Names = std::vector<std::string>;
  using Operator = TosaSerializationOperator;
  using Tensor = TosaSerializationTensor;
  using Shape = TosaSerializationShape;

  TosaSerializationBasicBlock() = default;
  explicit TosaSerializationBasicBlock(std::string name) : name_(std::move(name)) {}

  const std::string& GetName() const { return name_; }
  // Returns the region to which the block was added; "" before.
  const std::string& GetRegionName() const { return region_name_; }
  const std::vector<Operator>& GetOperators() const { return operators_; }
  std::vector<Operator>& GetOperators() { return operators_; }
  const std::vector<Tensor>& GetTensors() const { return tensors_; }
  std::vector<Tensor>& GetTensors() { return tensors_; }
  const std::vector<Shape>& GetShapes() const { return shapes_; }
  std::vector<Shape>& GetShapes() { return shapes_; }
  const Names& GetInputs() const { return inputs_; }
  Names& GetInputs() { return inputs_; }
  const Names& GetOutputs() const { return outputs_; }
  Names& GetOutputs() { return outputs_; }

  const Tensor* GetTensorByName(std::string_view name) const;
  Tensor* GetTensorByName(std::string_view name);
  const Shape* GetShapeByName(std::string_view name) const;
  Shape* GetShapeByName(std::string_view name);

  // Returns GetInputs() without constants: the outputs of the block's CONST and CONST_SHAPE, shapes
  // with data, and tensors with data that are no variables.
  Names GetInputsWithoutConstants() const;

  friend bool operator==(const TosaSerializationBasicBlock&,
                         const TosaSerializationBasicBlock&) = default;

 private:
  friend class TosaSerializationRegion;

  std::string name_, region_name_;
  std::vector<Operator> operators_;
  std::vector<Tensor> tensors_;
  std::vector<Shape> shapes_;
  Names inputs_, outputs_;
};

class TosaSerializationRegion {
 public:
  using BasicBlock = TosaSerializationBasicBlock;

  TosaSerializationRegion() = default;
  explicit TosaSerializationRegion(std::string name) : name_(std::move(name)) {}

  const std::string& GetName() const { return name_; }
  const std::vector<BasicBlock>& GetBlocks() const { return blocks_; }
  std::vector<BasicBlock>& GetBlocks() { return blocks_; }
  // Adds a block and sets its region name. Returns the added block.
  BasicBlock& AddBlock(BasicBlock block);
  const BasicBlock* GetBlockByName(std::string_view name) const;
  BasicBlock* GetBlockByName(std::string_view name);

  friend bool operator==(const TosaSerializationRegion&, const TosaSerializationRegion&) = default;

 private:
  std::string name_;
  std::vector<BasicBlock> blocks_;
};

}  // namespace assay
