// SPDX-License-Identifier: Apache-2.0
#include "spirv_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "graph_text.h"
#include "parse_number.h"
#include "quoted.h"
#include "spirv_literals.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

// The names of the instructions of NonSemantic.Graph.DebugInfo, from 1.
constexpr std::string_view kDebugNames[] = {"DebugGraph", "DebugOperation", "DebugTensor"};

// Returns the name of an extended instruction; "" if it has none.
std::string_view ExtendedName(std::string_view set, uint32_t number) {
  if (set == kTosaInstructionSet && number < TosaInstructions().size()) {
    return TosaInstructions()[number].name;
  }
  const bool is_debug = set == kDebugInstructionSet && number - 1 < std::size(kDebugNames);
  return is_debug ? kDebugNames[number - 1] : "";
}

std::optional<uint32_t> ExtendedNumber(std::string_view set, std::string_view name) {
  for (uint32_t number = 0; number < TosaInstructions().size(); ++number) {
    if (ExtendedName(set, number) == name) return number;
  }
  return std::nullopt;
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
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

// The instructions before one, on which its text depends.
class Past {
 public:
  void Add(const Instruction& instruction) {
    const Opcode opcode = instruction.opcode;
    if (opcode == Opcode::kExtInstImport) sets_[instruction.result] = TextAt(instruction.operands);
    if (opcode == Opcode::kTypeInt || opcode == Opcode::kTypeFloat) {
      types_[instruction.result] = instruction;
    }
    if (opcode == Opcode::kConstant) numbers_[instruction.result] = instruction.operands[0];
  }
  std::string SetOf(uint32_t id) const {
    const auto found = sets_.find(id);
    return found == sets_.end() ? "" : found->second;
  }
  const Instruction* TypeOf(uint32_t id) const {
    const auto found = types_.find(id);
    return found == types_.end() ? nullptr : &found->second;
  }
  const std::map<uint32_t, uint32_t>& numbers() const { return numbers_; }

 private:
  std::map<uint32_t, std::string> sets_;
  std::map<uint32_t, Instruction> types_;
  std::map<uint32_t, uint32_t> numbers_;
};

std::string OperandText(const Instruction& instruction, const Operand& operand, const Past& past) {
  const uint32_t word = operand.words[0];
  switch (operand.letter) {
    case 'i':
      return "%" + std::to_string(word);
    case 's':
      return QuotedText(TextAt(operand.words));
    case 'v':
      return LiteralText(past.TypeOf(instruction.type), operand.words);
    case 'x': {
      const std::string_view name = ExtendedName(past.SetOf(instruction.operands[0]), word);
      return name.empty() ? std::to_string(word) : std::string(name);
    }
    default: {
      const std::optional<std::string_view> name = EnumerantName(operand.letter, word);
      return name ? std::string(*name) : std::to_string(word);
    }
  }
}

// ---- Reading

struct Token {
  std::string_view text;  // with the quotes of a string
  size_t line;
};

Error AtLine(size_t line, const std::string& what) {
  return BadInput("line " + std::to_string(line) + ": " + what);
}

Result<std::vector<Token>> Tokens(std::string_view text) {
  std::vector<Token> tokens;
  size_t line = 1;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at;
      continue;
    }
    if (c == ';') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const size_t begin = at;
    const size_t first_line = line;
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
        if (at < text.size() && text[at] == '\n') ++line;
      }
      if (at >= text.size()) return AtLine(first_line, "the text in quotes does not end");
      ++at;
    } else if (c == '=') {
      ++at;
    } else {
      at = std::min(text.find_first_of(" \t\r\n;=\"", at), text.size());
    }
    tokens.push_back({text.substr(begin, at - begin), first_line});
  }
  return tokens;
}

// Returns the text between the quotes. A backslash lets the next character stand for itself.
std::string Unquoted(std::string_view token) {
  std::string text;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\\' && i + 2 < token.size()) ++i;
    text += token[i];
  }
  return text;
}

bool IsOpcode(std::string_view token) {
  return token.size() > 2 && token.starts_with("Op") && token[2] >= 'A' && token[2] <= 'Z';
}

// Returns the number of an id that is called by it.
std::optional<uint32_t> NumberOfId(std::string_view token) {
  uint32_t number = 0;
  const std::string_view digits = token.substr(1);
  const bool is_number = !digits.empty() && digits[0] != '0' && ParseNumber(digits, number);
  return is_number && number < kIdsMax ? std::optional(number) : std::nullopt;
}

class ModuleParser {
 public:
  explicit ModuleParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    code_.place = "line";
    for (const Token& token : tokens_) {
      if (token.text[0] != '%') continue;
      next_id_ = std::max(next_id_, NumberOfId(token.text).value_or(0) + 1);
    }
  }

  Result<ModuleCode> Parse() {
    while (at_ < tokens_.size()) {
      const Result<Done> parsed = ParseInstruction();
      if (!parsed) return parsed.error();
    }
    return std::move(code_);
  }

 private:
  // Returns true if an instruction begins at a token, or none is left.
  bool BeginsAt(size_t at) const {
    if (at >= tokens_.size() || IsOpcode(tokens_[at].text)) return true;
    return at + 1 < tokens_.size() && tokens_[at + 1].text == "=";
  }

  Result<Done> ParseInstruction() {
    const Token& first = tokens_[at_];
    line_ = first.line;
    Instruction instruction;
    instruction.place = line_;
    const bool has_result = at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == "=";
    if (has_result) {
      const Result<uint32_t> id = Id(first.text);
      if (!id) return AtLine(line_, id.error().message);
      instruction.result = *id;
      at_ += 2;
    }
    if (at_ >= tokens_.size()) return AtLine(line_, "no instruction follows '='");
    const std::string_view name = tokens_[at_++].text;
    if (name == "OpEntryPoint") return ComputeModule("line", line_);
    const Layout* layout = LayoutNamed(name);
    if (layout == nullptr) {
      return AtLine(line_, Quoted(name) + " is no instruction of a TOSA graph");
    }
    instruction.opcode = layout->opcode;
    const Result<Done> parsed = ParseOperands(*layout, has_result, instruction);
    if (!parsed) {
      return Error{parsed.error().kind, "line " + std::to_string(line_) + ": " +
                                            std::string(layout->name) + ": " +
                                            parsed.error().message};
    }
    past_.Add(instruction);
    code_.instructions.push_back(std::move(instruction));
    return Done{};
  }

  Result<Done> ParseOperands(const Layout& layout, bool has_result, Instruction& instruction) {
    std::string_view letters = layout.letters;
    const bool needs_result = letters.substr(0, 2).find('r') != std::string_view::npos;
    if (needs_result != has_result) {
      return BadInput(needs_result ? "its result needs an id: %id = ..." : "it has no result");
    }
    while (!letters.empty()) {
      const char letter = letters[0];
      const char suffix = letters.size() > 1 ? letters[1] : ' ';
      if (letter == 'r') {
        letters.remove_prefix(1);
        continue;
      }
      const bool is_there = !BeginsAt(at_);
      if (!is_there && suffix != '*' && suffix != '?') return BadInput("too few operands");
      if (is_there) {
        const Result<Done> parsed = ParseOperand(letter, instruction);
        if (!parsed) return parsed.error();
      }
      if (!is_there || suffix != '*') {
        letters.remove_prefix(suffix == '*' || suffix == '?' ? 2 : 1);
      }
      if (instruction.operands.size() + 3 > kInstructionWordsMax) return BadInput("is too long");
    }
    if (!BeginsAt(at_)) return BadInput("too many operands: " + Quoted(tokens_[at_].text));
    return Done{};
  }

  Result<Done> ParseOperand(char letter, Instruction& instruction) {
    const std::string_view token = tokens_[at_++].text;
    std::vector<uint32_t>& operands = instruction.operands;
    if (letter == 'i' || letter == 't') {
      const Result<uint32_t> id = Id(token);
      if (!id) return id.error();
      if (letter == 't') {
        instruction.type = *id;
      } else {
        operands.push_back(*id);
      }
      return Done{};
    }
    if (letter == 's') {
      if (token[0] != '"') return BadInput(Quoted(token) + " is no text in quotes");
      const std::string text = Unquoted(token);
      if (text.size() / 4 >= kInstructionWordsMax || text.find('\0') != std::string::npos) {
        return BadInput("a text that no instruction can have");
      }
      const std::vector<uint32_t> words = TextWords(text);
      operands.insert(operands.end(), words.begin(), words.end());
      return Done{};
    }
    if (letter == 'v' && token[0] != '!') {
      const auto words = LiteralWords(past_.TypeOf(instruction.type), token);
      if (!words) return BadInput(Quoted(token) + " is no value of its type");
      operands.insert(operands.end(), words->begin(), words->end());
      return Done{};
    }
    std::optional<uint32_t> number = WordNumber(token);
    if (!number && letter == 'x') {
      const std::string set = past_.SetOf(operands[0]);
      number = ExtendedNumber(set, token);
      if (!number) {
        return Unsupported(Quoted(token) + " of " + Quoted(set) + " is none of " +
                           std::string(kTosaInstructionSet));
      }
    }
    if (!number) number = EnumerantNumber(letter, token);
    if (!number && (letter == 'n' || letter == 'v')) {
      return BadInput(Quoted(token) + " is no number; a placeholder must be replaced by one");
    }
    if (!number) return Unsupported(Quoted(token) + " is no name that TOSA graphs need");
    operands.push_back(*number);
    const bool is_wide = letter == 'v' && !BeginsAt(at_) && tokens_[at_].text[0] == '!';
    if (!is_wide) return Done{};
    number = WordNumber(tokens_[at_++].text);
    if (!number) return BadInput(Quoted(tokens_[at_ - 1].text) + " is no number");
    operands.push_back(*number);
    return Done{};
  }

  Result<uint32_t> Id(std::string_view token) {
    if (token[0] != '%' || token.size() == 1) return BadInput(Quoted(token) + " is no id");
    if (const auto number = NumberOfId(token)) return *number;
    const auto [found, is_new] = ids_.emplace(token, next_id_);
    if (is_new) {
      if (next_id_ >= kIdsMax) return BadInput("too many ids");
      code_.id_names[next_id_++] = token.substr(1);
    }
    return found->second;
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t line_ = 1;
  uint32_t next_id_ = 1;
  std::map<std::string_view, uint32_t> ids_;  // with a name
  Past past_;
  ModuleCode code_;
};

}  // namespace

Result<std::string> ModuleText(std::span<const uint32_t> words) {
  const Result<std::vector<Instruction>> instructions = ReadInstructions(words);
  if (!instructions) return instructions.error();
  std::string text = "; SPIR-V " + std::to_string(words[1] >> 16) + "." +
                     std::to_string(words[1] >> 8 & 0xff) + "\n; Bound " +
                     std::to_string(words[3]) + "\n";
  Past past;
  for (const Instruction& instruction : *instructions) {
    past.Add(instruction);
    if (instruction.result != 0) text += "%" + std::to_string(instruction.result) + " = ";
    text += LayoutOf(static_cast<uint32_t>(instruction.opcode))->name;
    if (instruction.type != 0) text += " %" + std::to_string(instruction.type);
    for (const Operand& operand : OperandsOf(instruction)) {
      text += " " + OperandText(instruction, operand, past);
    }
    text += EnumerantsOf(instruction, past.numbers()) + '\n';
  }
  return text;
}

Result<ModuleCode> ParseModule(std::string_view text) {
  Result<std::vector<Token>> tokens = Tokens(text);
  if (!tokens) return tokens.error();
  return ModuleParser(std::move(*tokens)).Parse();
}

}  // namespace assay::spirv
