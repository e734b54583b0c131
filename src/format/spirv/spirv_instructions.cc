// SPDX-License-Identifier: Apache-2.0
#include "spirv_instructions.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "check.h"
#include "graph_text.h"
#include "quoted.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

// A kind of instruction. In `layout`, a letter is an operand: t the type of the result, r the
// result, i an id, n a number, s a text, x the number of an extended instruction, and the others
// are enumerants (kEnumerants). The last letter counts for any number of operands, none included,
// if '*' follows. '?' makes it optional.
struct Layout {
  Opcode opcode;
  std::string_view name;
  std::string_view layout;
};
constexpr Layout kLayouts[] = {
    {Opcode::kName, "OpName", "is"},
    {Opcode::kExtension, "OpExtension", "s"},
    {Opcode::kExtInstImport, "OpExtInstImport", "rs"},
    {Opcode::kExtInst, "OpExtInst", "trixi*"},
    {Opcode::kMemoryModel, "OpMemoryModel", "am"},
    {Opcode::kCapability, "OpCapability", "c"},
    {Opcode::kTypeBool, "OpTypeBool", "r"},
    {Opcode::kTypeInt, "OpTypeInt", "rnn"},
    {Opcode::kTypeFloat, "OpTypeFloat", "rne?"},
    {Opcode::kTypeArray, "OpTypeArray", "rii"},
    {Opcode::kTypeStruct, "OpTypeStruct", "ri*"},
    {Opcode::kTypePointer, "OpTypePointer", "rgi"},
    {Opcode::kConstantTrue, "OpConstantTrue", "tr"},
    {Opcode::kConstantFalse, "OpConstantFalse", "tr"},
    {Opcode::kConstant, "OpConstant", "trnn?"},
    {Opcode::kConstantComposite, "OpConstantComposite", "tri*"},
    {Opcode::kVariable, "OpVariable", "trg"},
    {Opcode::kDecorate, "OpDecorate", "idn*"},
    {Opcode::kCompositeExtract, "OpCompositeExtract", "trin"},
    {Opcode::kTypeTensor, "OpTypeTensorARM", "riii"},
    {Opcode::kGraphConstant, "OpGraphConstantARM", "trn"},
    {Opcode::kGraphEntryPoint, "OpGraphEntryPointARM", "isi*"},
    {Opcode::kGraph, "OpGraphARM", "tr"},
    {Opcode::kGraphInput, "OpGraphInputARM", "tri"},
    {Opcode::kGraphSetOutput, "OpGraphSetOutputARM", "ii"},
    {Opcode::kGraphEnd, "OpGraphEndARM", ""},
    {Opcode::kTypeGraph, "OpTypeGraphARM", "rni*"},
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
    Named('d', kBindingDecoration, "Binding"),
    Named('d', kDescriptorSetDecoration, "DescriptorSet"),
    Named('e', kBfloat16Encoding, "BFloat16KHR"),
    Named('e', kFloat8E4M3Encoding, "Float8E4M3EXT"),
    Named('e', kFloat8E5M2Encoding, "Float8E5M2EXT"),
    Named('g', kUniformConstant, "UniformConstant"),
    Named('m', 3, "Vulkan"),
};

// Returns the text of an operand that is a number: its name if it has one.
std::string NumberText(char letter, uint32_t number) {
  const auto* found = std::ranges::find_if(kEnumerants, [&](const Enumerant& row) {
    return row.letter == letter && row.number == number;
  });
  return found == std::end(kEnumerants) ? std::to_string(number) : std::string(found->name);
}

// Returns the enumerants among the operands of an extended instruction as a comment, because they
// are ids of numbers: " ; nan_mode=PROPAGATE". `numbers` has the constants by id.
std::string EnumerantsOf(const Instruction& instruction,
                         const std::map<uint32_t, uint32_t>& numbers) {
  const std::span<const uint32_t> ids(instruction.operands);
  if (instruction.opcode != Opcode::kExtInst || ids[1] >= TosaInstructions().size()) return "";
  std::string text;
  size_t at = 2;
  for (const TosaOperand& operand : OperandsOf(TosaInstructions()[ids[1]])) {
    if (at == ids.size()) break;
    const auto number = numbers.find(ids[at++]);
    if (operand.argument->direction != Direction::kAttribute || number == numbers.end()) continue;
    const AttributeId id = *operand.argument->attribute;
    using enum AttributeId;
    if (id != kNanMode && id != kRoundingMode && id != kMode && id != kAccType) continue;
    const auto value = static_cast<int32_t>(
        id == kAccType ? static_cast<uint32_t>(ToAccType(number->second)) : number->second);
    text += (text.empty() ? " ; " : " ") + AttributeText(id, value);
  }
  return text;
}

const Layout* LayoutOf(uint32_t opcode) {
  const auto* found = std::ranges::find_if(
      kLayouts, [&](const Layout& row) { return static_cast<uint32_t>(row.opcode) == opcode; });
  return found == std::end(kLayouts) ? nullptr : found;
}

// Returns the number of words of the text that starts at `words`; 0 if it does not end.
size_t TextLength(std::span<const uint32_t> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      if ((words[i] >> shift & 0xff) == 0) return i + 1;
    }
  }
  return 0;
}

// The letters of a layout, one for each operand that the words at hand have. The lengths of texts
// are found in the words.
struct Operand {
  char letter;
  std::span<const uint32_t> words;
};
std::optional<std::vector<Operand>> Split(const Layout& layout, std::span<const uint32_t> words) {
  std::vector<Operand> operands;
  std::string_view letters = layout.layout;
  while (!letters.empty()) {
    const char letter = letters[0];
    const char suffix = letters.size() > 1 ? letters[1] : ' ';
    const bool repeats = suffix == '*';
    if (words.empty()) {
      if (!repeats && suffix != '?') return std::nullopt;
      break;
    }
    const size_t length = letter == 's' ? TextLength(words) : 1;
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
    if (layout == nullptr) {
      return At(at, "instruction " + std::to_string(opcode) + " is none of a TOSA graph");
    }
    if (length == 0 || length > words.size() - at) {
      return At(at, std::string(layout->name) + " has " + std::to_string(length) + " words");
    }
    const auto operands = Split(*layout, words.subspan(at + 1, length - 1));
    if (!operands) return At(at, "the operands of " + std::string(layout->name) + " are wrong");
    Instruction& instruction = instructions.emplace_back();
    instruction.opcode = layout->opcode;
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

Result<std::string> ModuleText(std::span<const uint32_t> words) {
  const Result<std::vector<Instruction>> instructions = ReadInstructions(words);
  if (!instructions) return instructions.error();
  const auto id = [](uint32_t number) { return "%" + std::to_string(number); };
  std::string text = "; SPIR-V " + std::to_string(words[1] >> 16) + "." +
                     std::to_string(words[1] >> 8 & 0xff) + "\n; Bound " +
                     std::to_string(words[3]) + "\n";
  std::map<uint32_t, uint32_t> numbers;
  for (const Instruction& instruction : *instructions) {
    const Layout& layout = *LayoutOf(static_cast<uint32_t>(instruction.opcode));
    if (instruction.opcode == Opcode::kConstant) {
      numbers[instruction.result] = instruction.operands[0];
    }
    std::vector<uint32_t> line;
    Append(instruction, line);
    if (instruction.result != 0) text += id(instruction.result) + " = ";
    text += layout.name;
    const auto operands = Split(layout, std::span(line).subspan(1));
    for (const Operand& operand : *operands) {
      const uint32_t word = operand.words[0];
      if (operand.letter == 'r') continue;
      text += ' ';
      if (IsId(operand.letter)) {
        text += id(word);
      } else if (operand.letter == 's') {
        text += Quoted(TextAt(operand.words));
      } else if (operand.letter == 'x' && word < TosaInstructions().size()) {
        text += OperatorName(TosaInstructions()[word].op);
      } else {
        text += NumberText(operand.letter, word);
      }
    }
    text += EnumerantsOf(instruction, numbers) + '\n';
  }
  return text;
}

}  // namespace assay::spirv
