// SPDX-License-Identifier: Apache-2.0
#include "spirv_instructions.h"

#include <algorithm>
#include <optional>

#include "check.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

constexpr Layout kLayouts[] = {
    {Opcode::kNop, "OpNop", ""},
    {Opcode::kSourceContinued, "OpSourceContinued", "s"},
    {Opcode::kSource, "OpSource", "lni?s?"},
    {Opcode::kSourceExtension, "OpSourceExtension", "s"},
    {Opcode::kName, "OpName", "is"},
    {Opcode::kMemberName, "OpMemberName", "ins"},
    {Opcode::kString, "OpString", "rs"},
    {Opcode::kLine, "OpLine", "inn"},
    {Opcode::kExtension, "OpExtension", "s"},
    {Opcode::kExtInstImport, "OpExtInstImport", "rs"},
    {Opcode::kExtInst, "OpExtInst", "trixi*"},
    {Opcode::kMemoryModel, "OpMemoryModel", "am"},
    {Opcode::kCapability, "OpCapability", "c"},
    {Opcode::kTypeVoid, "OpTypeVoid", "r"},
    {Opcode::kTypeBool, "OpTypeBool", "r"},
    {Opcode::kTypeInt, "OpTypeInt", "rnn"},
    {Opcode::kTypeFloat, "OpTypeFloat", "rne?"},
    {Opcode::kTypeArray, "OpTypeArray", "rii"},
    {Opcode::kTypeStruct, "OpTypeStruct", "ri*"},
    {Opcode::kTypePointer, "OpTypePointer", "rgi"},
    {Opcode::kConstantTrue, "OpConstantTrue", "tr"},
    {Opcode::kConstantFalse, "OpConstantFalse", "tr"},
    {Opcode::kConstant, "OpConstant", "trv"},
    {Opcode::kConstantComposite, "OpConstantComposite", "tri*"},
    {Opcode::kConstantNull, "OpConstantNull", "tr"},
    {Opcode::kSpecConstantTrue, "OpSpecConstantTrue", "tr"},
    {Opcode::kSpecConstantFalse, "OpSpecConstantFalse", "tr"},
    {Opcode::kSpecConstant, "OpSpecConstant", "trv"},
    {Opcode::kSpecConstantComposite, "OpSpecConstantComposite", "tri*"},
    {Opcode::kVariable, "OpVariable", "trg"},
    {Opcode::kDecorate, "OpDecorate", "idn*"},
    {Opcode::kMemberDecorate, "OpMemberDecorate", "indn*"},
    {Opcode::kCompositeExtract, "OpCompositeExtract", "trin"},
    {Opcode::kNoLine, "OpNoLine", ""},
    {Opcode::kModuleProcessed, "OpModuleProcessed", "s"},
    {Opcode::kTypeTensor, "OpTypeTensorARM", "rii?i?"},
    {Opcode::kGraphConstant, "OpGraphConstantARM", "trn"},
    {Opcode::kGraphEntryPoint, "OpGraphEntryPointARM", "isi*"},
    {Opcode::kGraph, "OpGraphARM", "tr"},
    {Opcode::kGraphInput, "OpGraphInputARM", "trii*"},
    {Opcode::kGraphSetOutput, "OpGraphSetOutputARM", "iii*"},
    {Opcode::kGraphEnd, "OpGraphEndARM", ""},
    {Opcode::kTypeGraph, "OpTypeGraphARM", "rni*"},
    {Opcode::kConstantCompositeReplicate, "OpConstantCompositeReplicateEXT", "tri"},
    {Opcode::kSpecConstantCompositeReplicate, "OpSpecConstantCompositeReplicateEXT", "tri"},
};

// The enumerants that modules of graphs have, with their names in the grammar of SPIR-V.
struct Enumerant {
  char letter;
  uint32_t number;
  std::string_view name;
};
template <class Number>
constexpr Enumerant Named(char letter, Number number, std::string_view name) {
  return {letter, static_cast<uint32_t>(number), name};
}
constexpr Enumerant kEnumerants[] = {
    Named('a', 0, "Logical"),
    Named('c', Capability::kMatrix, "Matrix"),
    Named('c', Capability::kShader, "Shader"),
    Named('c', Capability::kFloat16, "Float16"),
    Named('c', Capability::kInt64, "Int64"),
    Named('c', Capability::kInt16, "Int16"),
    Named('c', Capability::kInt8, "Int8"),
    Named('c', Capability::kTensors, "TensorsARM"),
    Named('c', Capability::kGraph, "GraphARM"),
    Named('c', Capability::kFloat8, "Float8EXT"),
    Named('c', Capability::kBfloat16, "BFloat16TypeKHR"),
    Named('c', Capability::kVulkanMemoryModel, "VulkanMemoryModel"),
    Named('c', Capability::kReplicatedComposites, "ReplicatedCompositesEXT"),
    Named('d', kSpecIdDecoration, "SpecId"),
    Named('d', kBindingDecoration, "Binding"),
    Named('d', kDescriptorSetDecoration, "DescriptorSet"),
    Named('e', kBfloat16Encoding, "BFloat16KHR"),
    Named('e', kFloat8E4M3Encoding, "Float8E4M3EXT"),
    Named('e', kFloat8E5M2Encoding, "Float8E5M2EXT"),
    Named('g', kUniformConstant, "UniformConstant"),
    Named('l', 0, "Unknown"),
    Named('m', 0, "Simple"),
    Named('m', 1, "GLSL450"),
    Named('m', 3, "Vulkan"),
};

// Returns the number of words of the text that starts at `words`; 0 if it does not end.
size_t TextLength(std::span<const uint32_t> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      if ((words[i] >> shift & 0xff) == 0) return i + 1;
    }
  }
  return 0;
}

// Returns the operands of the letters of a layout, as many as the words at hand have; nothing if
// they do not fit. The lengths of texts are found in the words.
std::optional<std::vector<Operand>> Split(std::string_view letters,
                                          std::span<const uint32_t> words) {
  std::vector<Operand> operands;
  while (!letters.empty()) {
    const char letter = letters[0];
    const char suffix = letters.size() > 1 ? letters[1] : ' ';
    const bool repeats = suffix == '*';
    const bool optional = repeats || suffix == '?';
    if (words.empty()) {
      if (!optional) return std::nullopt;
      letters.remove_prefix(2);
      continue;
    }
    const size_t length = letter == 's'   ? TextLength(words)
                          : letter == 'v' ? std::min<size_t>(words.size(), 2)
                                          : 1;
    if (length == 0) return std::nullopt;
    operands.push_back({letter, words.first(length)});
    words = words.subspan(length);
    if (!repeats) letters.remove_prefix(suffix == '?' ? 2 : 1);
  }
  if (!words.empty()) return std::nullopt;
  return operands;
}

Error At(size_t word, const std::string& what) {
  return BadInput("word " + std::to_string(word) + ": " + what);
}

bool IsId(char letter) { return letter == 't' || letter == 'r' || letter == 'i'; }

}  // namespace

const Layout* LayoutOf(uint32_t opcode) {
  const auto* found = std::ranges::find_if(
      kLayouts, [&](const Layout& row) { return static_cast<uint32_t>(row.opcode) == opcode; });
  return found == std::end(kLayouts) ? nullptr : found;
}

const Layout* LayoutNamed(std::string_view name) {
  const auto* found = std::ranges::find(kLayouts, name, &Layout::name);
  return found == std::end(kLayouts) ? nullptr : found;
}

std::optional<std::string_view> EnumerantName(char letter, uint32_t number) {
  for (const Enumerant& row : kEnumerants) {
    if (row.letter == letter && row.number == number) return row.name;
  }
  return std::nullopt;
}

std::optional<uint32_t> EnumerantNumber(char letter, std::string_view name) {
  for (const Enumerant& row : kEnumerants) {
    if (row.letter == letter && row.name == name) return row.number;
  }
  return std::nullopt;
}

const ScalarType* ScalarTypeOf(const Instruction& type) {
  const std::span<const uint32_t> operands(type.operands);
  const bool has_second = operands.size() > 1;
  for (const ScalarType& row : kScalarTypes) {
    if (row.opcode != type.opcode || (row.bits != 0 && operands[0] != row.bits)) continue;
    if (row.opcode != Opcode::kTypeFloat) return &row;
    if (row.second.has_value() != has_second) continue;
    if (!has_second || *row.second == operands[1]) return &row;
  }
  return nullptr;
}

std::vector<Operand> OperandsOf(const Instruction& instruction) {
  std::string_view letters = LayoutOf(static_cast<uint32_t>(instruction.opcode))->letters;
  letters.remove_prefix(std::min(letters.size(), letters.find_first_not_of("tr")));
  auto operands = Split(letters, instruction.operands);
  Check(operands.has_value(), "an instruction has the operands of its kind");
  return std::move(*operands);
}

std::string IdText(const ModuleCode& code, uint32_t id) {
  const auto named = code.id_names.find(id);
  return "%" + (named == code.id_names.end() ? std::to_string(id) : named->second);
}

Error ComputeModule(std::string_view place, size_t number) {
  return Unsupported(std::string(place) + " " + std::to_string(number) +
                     ": OpEntryPoint: a compute module, not a TOSA graph");
}

void Append(const Instruction& instruction, std::vector<uint32_t>& words) {
  const size_t start = words.size();
  words.push_back(0);
  if (instruction.type != 0) words.push_back(instruction.type);
  if (instruction.result != 0) words.push_back(instruction.result);
  words.insert(words.end(), instruction.operands.begin(), instruction.operands.end());
  const size_t length = words.size() - start;
  Check(length <= kInstructionWordsMax, "an instruction is too long");
  words[start] = static_cast<uint32_t>(length) << 16 | static_cast<uint32_t>(instruction.opcode);
}

std::vector<uint32_t> TextWords(std::string_view text) {
  std::vector<uint32_t> words(text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    words[i / 4] |= uint32_t{static_cast<uint8_t>(text[i])} << (i % 4 * 8);
  }
  return words;
}

std::string TextAt(std::span<const uint32_t> words) {
  std::string text;
  for (size_t i = 0; i < words.size() * 4; ++i) {
    const auto c = static_cast<char>(words[i / 4] >> (i % 4 * 8) & 0xff);
    if (c == 0) break;
    text += c;
  }
  return text;
}

Result<std::vector<Instruction>> ReadInstructions(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords || words[0] != kMagic) return At(0, "not a SPIR-V module");
  const uint32_t bound = words[3];
  if (bound > kIdsMax) return At(3, "the bound of ids is " + std::to_string(bound));
  std::vector<Instruction> instructions;
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    const uint32_t opcode = words[at] & 0xffff;
    const Layout* layout = LayoutOf(opcode);
    if (opcode == static_cast<uint32_t>(Opcode::kEntryPoint)) return ComputeModule("word", at);
    if (layout == nullptr) {
      return At(at, "instruction " + std::to_string(opcode) + " is none of a TOSA graph");
    }
    if (length == 0 || length > words.size() - at) {
      return At(at, std::string(layout->name) + " has " + std::to_string(length) + " words");
    }
    const auto operands = Split(layout->letters, words.subspan(at + 1, length - 1));
    if (!operands) return At(at, "the operands of " + std::string(layout->name) + " are wrong");
    Instruction& instruction = instructions.emplace_back();
    instruction.opcode = layout->opcode;
    instruction.place = at;
    for (const Operand& operand : *operands) {
      const uint32_t word = operand.words[0];
      if (IsId(operand.letter) && (word == 0 || word >= bound)) {
        return At(at, "id " + std::to_string(word) + " in " + std::string(layout->name));
      }
      if (operand.letter == 't') {
        instruction.type = word;
      } else if (operand.letter == 'r') {
        instruction.result = word;
      } else {
        instruction.operands.insert(instruction.operands.end(), operand.words.begin(),
                                    operand.words.end());
      }
    }
    at += length;
  }
  return instructions;
}

std::vector<uint32_t> WordsOf(const ModuleCode& code) {
  std::vector<uint32_t> words = {kMagic, kVersion, 0, 1, 0};
  uint32_t bound = 1;
  for (const Instruction& instruction : code.instructions) {
    bound = std::max({bound, instruction.type + 1, instruction.result + 1});
    for (const Operand& operand : OperandsOf(instruction)) {
      if (operand.letter == 'i') bound = std::max(bound, operand.words[0] + 1);
    }
    Append(instruction, words);
  }
  words[3] = bound;
  return words;
}

Result<std::vector<uint32_t>> ModuleWords(std::span<const uint8_t> bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  for (size_t i = 0; i < words.size() * 4; ++i) {
    words[i / 4] |= uint32_t{bytes[i]} << (i % 4 * 8);
  }
  if (!words.empty() && words[0] == __builtin_bswap32(kMagic)) {
    return At(0, "a SPIR-V module of the other byte order");
  }
  if (words.size() < kHeaderWords || words[0] != kMagic) return At(0, "not a SPIR-V module");
  if (bytes.size() % 4 != 0) return At(words.size(), "the file ends inside of a word");
  return words;
}

std::vector<uint8_t> ModuleBytes(std::span<const uint32_t> words) {
  std::vector<uint8_t> bytes;
  bytes.reserve(words.size() * 4);
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  return bytes;
}

}  // namespace assay::spirv
