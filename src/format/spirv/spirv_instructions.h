// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "types.h"

namespace assay::spirv {

inline constexpr uint32_t kMagic = 0x07230203;
inline constexpr uint32_t kVersion = 0x00010600;  // 1.6
inline constexpr size_t kHeaderWords = 5;
// The universal limit of SPIR-V on ids.
inline constexpr uint32_t kIdsMax = 4194303;
// The first 16 bits of an instruction are its length in words.
inline constexpr size_t kInstructionWordsMax = 65535;

// The instructions that modules of graphs have, with their numbers in the grammar of SPIR-V.
enum class Opcode : uint16_t {
  kName = 5,
  kExtension = 10,
  kExtInstImport = 11,
  kExtInst = 12,
  kMemoryModel = 14,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeArray = 28,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kVariable = 59,
  kDecorate = 71,
  kCompositeExtract = 81,
  kTypeTensor = 4163,
  kGraphConstant = 4181,
  kGraphEntryPoint = 4182,
  kGraph = 4183,
  kGraphInput = 4184,
  kGraphSetOutput = 4185,
  kGraphEnd = 4186,
  kTypeGraph = 4190,
};

enum class Capability : uint32_t {
  kShader = 1,
  kFloat16 = 9,
  kInt64 = 11,
  kInt16 = 22,
  kInt8 = 39,
  kTensors = 4174,
  kGraph = 4191,
  kFloat8 = 4212,
  kBfloat16 = 5116,
  kVulkanMemoryModel = 5345,
};

inline constexpr uint32_t kBfloat16Encoding = 0;
inline constexpr uint32_t kFloat8E4M3Encoding = 4214;
inline constexpr uint32_t kFloat8E5M2Encoding = 4215;
inline constexpr uint32_t kBindingDecoration = 33;
inline constexpr uint32_t kDescriptorSetDecoration = 34;
inline constexpr uint32_t kUniformConstant = 0;  // a storage class

// The instruction for elements of a type, and what a module declares for it.
struct ScalarType {
  DType type;
  Opcode opcode;
  uint32_t bits;                   // 0: the instruction has no operands
  std::optional<uint32_t> second;  // the sign of an integer (0: none), the encoding of a float
  std::optional<Capability> capability;
};
inline constexpr ScalarType kScalarTypes[] = {
    {DType::kBool, Opcode::kTypeBool, 0, {}, {}},
    {DType::kInt8, Opcode::kTypeInt, 8, 0, Capability::kInt8},
    {DType::kInt16, Opcode::kTypeInt, 16, 0, Capability::kInt16},
    {DType::kInt32, Opcode::kTypeInt, 32, 0, {}},
    {DType::kInt48, Opcode::kTypeInt, 64, 0, Capability::kInt64},
    {DType::kFp32, Opcode::kTypeFloat, 32, {}, {}},
    {DType::kFp16, Opcode::kTypeFloat, 16, {}, Capability::kFloat16},
    {DType::kBf16, Opcode::kTypeFloat, 16, kBfloat16Encoding, Capability::kBfloat16},
    {DType::kFp8e4m3, Opcode::kTypeFloat, 8, kFloat8E4M3Encoding, Capability::kFloat8},
    {DType::kFp8e5m2, Opcode::kTypeFloat, 8, kFloat8E5M2Encoding, Capability::kFloat8}};

// One instruction. `type` and `result` are 0 if its kind has none. The operands are its other
// words. Texts take several words.
struct Instruction {
  Opcode opcode{};
  uint32_t type = 0;
  uint32_t result = 0;
  std::vector<uint32_t> operands;
};

// Appends the words of an instruction. It must have at most kInstructionWordsMax words.
void Append(const Instruction& instruction, std::vector<uint32_t>& words);

// Returns the words of a text with its zero, and the text that starts at a word. The latter must
// have passed ReadInstructions().
std::vector<uint32_t> TextWords(std::string_view text);
std::string TextAt(std::span<const uint32_t> words);

// Splits a module into its instructions. Each of them has as many operands as its kind demands, and
// no id beyond the bound. Error kBadInput, which begins with the word at fault ("word 12: ..."), if
// that is not so, or for an instruction that Opcode lacks.
Result<std::vector<Instruction>> ReadInstructions(std::span<const uint32_t> words);

// Returns the words of a file. Error kBadInput if it is no module, or one of the other byte order.
Result<std::vector<uint32_t>> ModuleWords(std::span<const uint8_t> bytes);
std::vector<uint8_t> ModuleBytes(std::span<const uint32_t> words);

// Returns the module as text, with the names of the grammar: one instruction a line,
// "%7 = OpTypeTensorARM %1 %4 %6". A comment names the enumerants that an extended instruction has
// as constants: "; nan_mode=IGNORE". Errors of ReadInstructions().
Result<std::string> ModuleText(std::span<const uint32_t> words);

}  // namespace assay::spirv
