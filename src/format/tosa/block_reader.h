// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph.h"
#include "name_table.h"
#include "tosa_generated.h"
#include "tosa_reading.h"

namespace assay {

// Reads the blocks of one file in turn.
class BlockReader {
 public:
  explicit BlockReader(TosaReading& reading) : reading_(reading) {}

  // Reads a block. `block` is empty; its address does not change meanwhile.
  bool Read(const tosa::TosaBasicBlock& wire, Block& block);

 private:
  using Bytes = std::span<const uint8_t>;
  using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
  struct Payload {
    Bytes data;
    bool used;
  };

  bool ReadTensor(const tosa::TosaTensor& wire);
  bool ReadShape(const tosa::TosaShape& wire);
  bool ReadTensorOrShape(const tosa::TosaBasicBlock& wire, TensorIndex index);
  bool AddTensor(std::string_view name, TensorInfo info, Bytes data);
  bool EnterNames();
  bool ReadOperator(const tosa::TosaOperator& wire);
  bool ReadLocation(const tosa::TosaOperator& wire);
  bool ReadNames(const Names* names, const char* role, std::vector<TensorIndex>& indices);
  std::optional<TensorIndex> FindTensor(std::string_view name);
  bool ReadUndeclared(std::string_view name, const char* role);
  bool ReadAttributes(const tosa::TosaOperator& wire);
  bool ReadAttribute(const flatbuffers::Table& table, size_t field, AttributeId id);
  bool SetAttribute(AttributeId id, AttributeValue value, size_t more_bytes = 0);
  bool ReadPayload(TensorIndex index, Tensor& value);
  bool ReadConstant();
  bool ReadVariable();
  bool ReadInitialValues();
  void DropVariableOperands();

  TosaReading& reading_;
  const tosa::TosaBasicBlock* first_block_ = nullptr;
  NameTable first_names_;  // of the tensors of first_block_
  // The state of the current block.
  Block* block_ = nullptr;
  Operator* operator_ = nullptr;
  NameTable names_;  // of its tensors
  TensorIndex last_named_ = 0;
  std::vector<Payload> payloads_;              // of each tensor
  std::vector<bool> names_variable_;           // true for each tensor that names a variable
  std::vector<std::string_view> outer_names_;  // tensors of the first block that this one uses
};

}  // namespace assay
