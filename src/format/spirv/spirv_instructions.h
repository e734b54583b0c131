// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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
  kNop = 0,
  kSourceContinued = 2,
  kSource = 3,
  kSourceExtension = 4,
  kName = 5,
  kMemberName = 6,
  kString = 7,
  kLine = 8,
  kExtension = 10,
  kExtInstImport = 11,
  kExtInst = 12,
  kMemoryModel = 14,
  kEntryPoint = 15,  // of a compute module, which is refused
  kCapability = 17,
  kTypeVoid = 19,
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
  kConstantNull = 46,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kVariable = 59,
  kDecorate = 71,
  kMemberDecorate = 72,
  kCompositeExtract = 81,
  kNoLine = 317,
  kModuleProcessed = 330,
  kTypeTensor = 4163,
  kGraphConstant = 4181,
  kGraphEntryPoint = 4182,
  kGraph = 4183,
  kGraphInput = 4184,
  kGraphSetOutput = 4185,
  kGraphEnd = 4186,
  kTypeGraph = 4190,
  kConstantCompositeReplicate = 4461,
  kSpecConstantCompositeReplicate = 4462,
};

enum class Capability : uint32_t {
  kMatrix = 0,
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
  kReplicatedComposites = 6024,
};

inline constexpr uint32_t kBfloat16Encoding = 0;
inline constexpr uint32_t kFloat8E4M3Encoding = 4214;
inline constexpr uint32_t kFloat8E5M2Encoding = 4215;
inline constexpr uint32_t kSpecIdDecoration = 1;
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

// A kind of instruction. In `letters`, each letter is an operand: t the type of the result, r the
// result, i an id, n a number, s a text, v the one or two words of a constant, x the number of an
// extended instruction, and the others are enumerants. The last letter counts for any number of
// operands, none included, if '*' follows. '?' makes one optional.
struct Layout {
  Opcode opcode;
  std::string_view name;
  std::string_view letters;
};
// Return null for an instruction that Opcode lacks.
const Layout* LayoutOf(uint32_t opcode);
const Layout* LayoutNamed(std::string_view name);

// Return the name of an enumerant of a kind (a letter of a layout), and the number of a name.
std::optional<std::string_view> EnumerantName(char letter, uint32_t number);
std::optional<uint32_t> EnumerantNumber(char letter, std::string_view name);

// One instruction. `type` and `result` are 0 if its kind has none. The operands are its other
// words. Texts take several words.
struct Instruction {
  Opcode opcode{};
  uint32_t type = 0;
  uint32_t result = 0;
  std::vector<uint32_t> operands;
  size_t place = 0;  // where it was read: the number of its word, or of its line
};

// Returns the row of an element type; null if TOSA lacks it. The signs of integers do not matter.
const ScalarType* ScalarTypeOf(const Instruction& type);

// The operands of an instruction other than type and result, each with its letter and words.
struct Operand {
  char letter;
  std::span<const uint32_t> words;
};
std::vector<Operand> OperandsOf(const Instruction& instruction);

// The instructions of a module in binary form or text, with the names that the text gives to ids.
struct ModuleCode {
  std::vector<Instruction> instructions;
  std::map<uint32_t, std::string> id_names = {};
  std::string_view place = "word";  // what Instruction::place counts: "word" or "line"
};

// Returns "%x" for an id with a name in the text, "%7" for another.
std::string IdText(const ModuleCode& code, uint32_t id);

// Appends the words of an instruction. It must have at most kInstructionWordsMax words.
void Append(const Instruction& instruction, std::vector<uint32_t>& words);

// Returns the words of a text with its zero, and the text that starts at a word. The latter must
// have passed ReadInstructions().
std::vector<uint32_t> TextWords(std::string_view text);
std::string TextAt(std::span<const uint32_t> words);

// Returns the error for an OpEntryPoint, which only modules without a graph need. It begins with
// the place: "word 12: ...".
Error ComputeModule(std::string_view place, size_t number);

// Splits a module into its instructions. Each of them has as many operands as its kind demands, and
// no id beyond the bound. Error kBadInput, which begins with the word at fault ("word 12: ..."), if
// that is not so, or for an instruction that Opcode lacks. Error kUnsupported for OpEntryPoint.
Result<std::vector<Instruction>> ReadInstructions(std::span<const uint32_t> words);

// Returns the words of a module with these instructions.
std::vector<uint32_t> WordsOf(const ModuleCode& code);

// Returns the words of a file. Error kBadInput if it is no module, or one of the other byte order.
Result<std::vector<uint32_t>> ModuleWords(std::span<const uint8_t> bytes);
std::vector<uint8_t> ModuleBytes(std::span<const uint32_t> words);

}  // namespace assay::spirv
