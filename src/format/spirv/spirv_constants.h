// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "read_budget.h"
#include "result.h"
#include "spirv_instructions.h"
#include "tensor.h"

namespace assay::spirv {

// The types and constants of a module, by their ids. Errors have no place: "%7 is no tensor type".
class ModuleConstants {
 public:
  // Values take no more memory than `budget` allows. Values that are the same for all elements, of
  // which the module needs a word, have kOneValueBytesMax in addition.
  static constexpr int64_t kOneValueBytesMax = int64_t{256} << 20;
  ModuleConstants(const ModuleCode& code, ReadBudget budget) : code_(code), budget_(budget) {}

  // Adds an instruction that defines an id, behind those that it refers to. It stays where it is.
  // Returns false if the id is defined already.
  bool Define(const Instruction& instruction);

  // Returns the instruction that defines an id; null if there is none.
  const Instruction* Find(uint32_t id) const;
  // Does the same; null if it has another opcode.
  const Instruction* Find(uint32_t id, Opcode opcode) const;

  // Returns the element type that a type stands for; nothing if no tensor of TOSA has it. Signs
  // make no difference.
  std::optional<DType> ElementType(uint32_t id) const;

  // Returns the type of a tensor. Open dimensions are -1. Error kUnsupported for tensors that TOSA
  // lacks.
  Result<TensorType> TensorTypeOf(uint32_t id);

  // Returns the value of a scalar constant, or the bits of a float.
  std::optional<int64_t> Scalar(uint32_t id, DType type) const;
  // Returns the value of an i32 constant.
  std::optional<uint32_t> Number(uint32_t id) const;

  // Returns true for an instruction whose result Value() makes.
  static bool IsValue(Opcode opcode);
  // Returns the value of a constant of the module that is a tensor, or an array of numbers.
  Result<Tensor> Value(uint32_t id);

 private:
  // Appends the elements of a composite constant.
  Result<Done> Flatten(uint32_t id, DType type, std::span<const int32_t> dims,
                       std::vector<int64_t>& elements);
  Result<TensorType> ListTypeOf(uint32_t id);
  Result<Done> CheckConstituent(uint32_t id, DType type, std::span<const int32_t> dims);
  Result<Done> ChargeOneValue(int64_t elements, int64_t element_bytes);
  Error Wrong(uint32_t id, const std::string& what) const {
    return BadInput(IdText(code_, id) + " " + what);
  }

  const ModuleCode& code_;
  ReadBudget budget_;
  int64_t one_value_bytes_left_ = kOneValueBytesMax;
  std::map<uint32_t, const Instruction*> definitions_;
  std::map<uint32_t, TensorType> types_;
};

}  // namespace assay::spirv
