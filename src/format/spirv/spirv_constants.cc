// SPDX-License-Identifier: Apache-2.0
#include "spirv_constants.h"

#include <algorithm>

namespace assay::spirv {
namespace {

constexpr int32_t kOpen = -1;

bool IsComposite(Opcode opcode) {
  return opcode == Opcode::kConstantComposite || opcode == Opcode::kSpecConstantComposite;
}

bool IsReplicated(Opcode opcode) {
  return opcode == Opcode::kConstantCompositeReplicate ||
         opcode == Opcode::kSpecConstantCompositeReplicate;
}

// Returns the integer of an element with that many bits. Modules may leave the sign in the upper
// bits of the word, or not.
std::optional<int64_t> NarrowInteger(uint32_t word, int bits) {
  const int unused = 32 - bits;
  const int32_t value = static_cast<int32_t>(word << unused) >> unused;
  const bool fits = word == static_cast<uint32_t>(value) || word >> bits == 0;
  return fits ? std::optional<int64_t>(value) : std::nullopt;
}

}  // namespace

bool ModuleConstants::Define(const Instruction& instruction) {
  return definitions_.emplace(instruction.result, &instruction).second;
}

const Instruction* ModuleConstants::Find(uint32_t id) const {
  const auto found = definitions_.find(id);
  return found == definitions_.end() ? nullptr : found->second;
}

const Instruction* ModuleConstants::Find(uint32_t id, Opcode opcode) const {
  const Instruction* found = Find(id);
  return found != nullptr && found->opcode == opcode ? found : nullptr;
}

std::optional<DType> ModuleConstants::ElementType(uint32_t id) const {
  const Instruction* type = Find(id);
  const ScalarType* row = type == nullptr ? nullptr : ScalarTypeOf(*type);
  return row == nullptr ? std::nullopt : std::optional(row->type);
}

Result<TensorType> ModuleConstants::TensorTypeOf(uint32_t id) {
  if (const auto found = types_.find(id); found != types_.end()) return found->second;
  const Instruction* type = Find(id, Opcode::kTypeTensor);
  if (type == nullptr) {
    const bool is_array = Find(id, Opcode::kTypeArray) != nullptr;
    if (is_array) return Unsupported(IdText(code_, id) + " is an array of tensors");
    return Wrong(id, "is no tensor type");
  }
  const std::optional<DType> element = ElementType(type->operands[0]);
  if (!element) {
    return Unsupported(IdText(code_, type->operands[0]) + " is no element type of TOSA");
  }
  if (type->operands.size() < 2) {
    return Unsupported(IdText(code_, id) + " is a tensor type without a rank");
  }
  const std::optional<uint32_t> rank = Number(type->operands[1]);
  if (!rank || *rank == 0 || *rank > static_cast<uint32_t>(Shape::kMaxRank)) {
    return Wrong(id, "is a tensor type of a wrong rank");
  }
  TensorType result{*element, {}};
  if (type->operands.size() == 2) {
    for (uint32_t i = 0; i < *rank; ++i) result.shape.PushBack(kOpen);
    return types_[id] = result;
  }
  std::vector<int64_t> dims;
  const int32_t length[] = {static_cast<int32_t>(*rank)};
  const Result<Done> read = Flatten(type->operands[2], DType::kInt32, length, dims);
  if (!read) return read.error();
  for (const int64_t dim : dims) {
    if (dim < 1) return Wrong(id, "is a tensor type with a dimension of " + std::to_string(dim));
    result.shape.PushBack(static_cast<int32_t>(dim));
  }
  return types_[id] = result;
}

std::optional<int64_t> ModuleConstants::Scalar(uint32_t id, DType type) const {
  const Instruction* constant = Find(id);
  if (constant == nullptr || ElementType(constant->type) != type) return std::nullopt;
  const std::vector<uint32_t>& words = constant->operands;
  switch (constant->opcode) {
    case Opcode::kConstantNull:
      return 0;
    case Opcode::kConstantFalse:
    case Opcode::kSpecConstantFalse:
      return type == DType::kBool ? std::optional<int64_t>(0) : std::nullopt;
    case Opcode::kConstantTrue:
    case Opcode::kSpecConstantTrue:
      return type == DType::kBool ? std::optional<int64_t>(1) : std::nullopt;
    case Opcode::kConstant:
    case Opcode::kSpecConstant:
      break;
    default:
      return std::nullopt;
  }
  if (words.size() != (type == DType::kInt48 ? 2 : 1) || type == DType::kBool) return std::nullopt;
  if (type == DType::kInt48) {
    const auto value = static_cast<int64_t>(words[0] | uint64_t{words[1]} << 32);
    const bool fits = value >= MinimumInteger(type) && value <= MaximumInteger(type);
    return fits ? std::optional(value) : std::nullopt;
  }
  const int bits = 8 * ElementBytes(type);
  if (bits == 32) return IsFloat(type) ? int64_t{words[0]} : static_cast<int32_t>(words[0]);
  if (!IsFloat(type)) return NarrowInteger(words[0], bits);
  return words[0] >> bits == 0 ? std::optional<int64_t>(words[0]) : std::nullopt;
}

std::optional<uint32_t> ModuleConstants::Number(uint32_t id) const {
  const std::optional<int64_t> value = Scalar(id, DType::kInt32);
  return value ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
}

bool ModuleConstants::IsValue(Opcode opcode) {
  return opcode == Opcode::kConstantNull || IsComposite(opcode) || IsReplicated(opcode);
}

Result<Done> ModuleConstants::ChargeOneValue(int64_t elements, int64_t element_bytes) {
  if (elements > one_value_bytes_left_ / element_bytes) {
    return BadInput("constants of one value for all elements take more than 256 MiB");
  }
  one_value_bytes_left_ -= elements * element_bytes;
  return Done{};
}

// Checks the type of a part of a constant, which is a tensor or an array.
Result<Done> ModuleConstants::CheckConstituent(uint32_t id, DType type,
                                               std::span<const int32_t> dims) {
  const Instruction& constant = *Find(id);
  if (const Instruction* array = Find(constant.type, Opcode::kTypeArray)) {
    if (Number(array->operands[1]) != static_cast<uint32_t>(dims[0])) {
      return Wrong(id, "is no array of " + std::to_string(dims[0]) + " elements");
    }
    if (dims.size() == 1 && ElementType(array->operands[0]) != type) {
      return Wrong(id, "is no array of " + std::string(TypeName(type)));
    }
    return Done{};
  }
  const Result<TensorType> own = TensorTypeOf(constant.type);
  if (!own) return own.error();
  const TensorType wanted{type, Shape(dims)};
  if (*own != wanted) {
    return Wrong(id, "is " + own->ToString() + ", not " + wanted.ToString());
  }
  return Done{};
}

Result<Done> ModuleConstants::Flatten(uint32_t id, DType type, std::span<const int32_t> dims,
                                      std::vector<int64_t>& elements) {
  if (dims.empty()) {
    const std::optional<int64_t> value = Scalar(id, type);
    if (!value) return Wrong(id, "is no constant of " + std::string(TypeName(type)));
    elements.push_back(*value);
    return Done{};
  }
  const Instruction* constant = Find(id);
  if (constant == nullptr || !IsValue(constant->opcode)) {
    return Wrong(id, "is no constant of the module");
  }
  const Result<Done> checked = CheckConstituent(id, type, dims);
  if (!checked) return checked.error();
  constexpr int64_t kElementBytes = sizeof(int64_t);
  if (IsComposite(constant->opcode)) {
    const std::vector<uint32_t>& parts = constant->operands;
    if (parts.size() != static_cast<size_t>(dims[0])) {
      return Wrong(id, "has " + std::to_string(parts.size()) + " constituents instead of " +
                           std::to_string(dims[0]));
    }
    if (!budget_.Charge(parts.size() * kElementBytes)) return BadInput(budget_.TooMuch());
    for (const uint32_t part : parts) {
      const Result<Done> added = Flatten(part, type, dims.subspan(1), elements);
      if (!added) return added.error();
    }
    return Done{};
  }
  const int64_t count = Shape(dims).Elements();
  const Result<Done> charged = ChargeOneValue(count, kElementBytes);
  if (!charged) return charged.error();
  const size_t begin = elements.size();
  const size_t end = begin + static_cast<size_t>(count);
  if (constant->opcode == Opcode::kConstantNull) {
    elements.resize(end);
    return Done{};
  }
  // The part may be one element of a tensor of any rank.
  const uint32_t part = constant->operands[0];
  const bool is_element = Scalar(part, type).has_value();
  const Result<Done> first =
      Flatten(part, type, is_element ? dims.first(0) : dims.subspan(1), elements);
  if (!first) return first.error();
  const size_t length = elements.size() - begin;
  elements.resize(end);
  for (size_t i = begin + length; i < end; ++i) elements[i] = elements[i - length];
  return Done{};
}

// Returns the type of a tensor, or that of an array of numbers, which tools write for shapes.
Result<TensorType> ModuleConstants::ListTypeOf(uint32_t id) {
  const Instruction* array = Find(id, Opcode::kTypeArray);
  const std::optional<DType> element = array ? ElementType(array->operands[0]) : std::nullopt;
  const std::optional<uint32_t> length = array ? Number(array->operands[1]) : std::nullopt;
  if (!element || !length || *length == 0 || *length > INT32_MAX) return TensorTypeOf(id);
  return TensorType{*element, Shape({static_cast<int32_t>(*length)})};
}

Result<Tensor> ModuleConstants::Value(uint32_t id) {
  const Instruction* constant = Find(id);
  if (constant == nullptr || !IsValue(constant->opcode)) {
    return Wrong(id, "is no constant of the module");
  }
  const Result<TensorType> type = ListTypeOf(constant->type);
  if (!type) return type.error();
  const int64_t count = type->shape.Elements();
  if (count == 0) return Wrong(id, "is a constant with open dimensions");
  std::optional<int64_t> one_value;
  if (constant->opcode == Opcode::kConstantNull) one_value = 0;
  if (IsReplicated(constant->opcode)) one_value = Scalar(constant->operands[0], type->type);
  if (one_value) {
    const Result<Done> charged = ChargeOneValue(count, ElementBytes(type->type));
    if (!charged) return charged.error();
    return Tensor::Splat(type->type, type->shape, *one_value);
  }
  std::vector<int64_t> elements;
  const Result<Done> read = Flatten(id, type->type, type->shape.dims(), elements);
  if (!read) return read.error();
  return Tensor::FromIntegers(type->type, type->shape, elements);
}

}  // namespace assay::spirv
