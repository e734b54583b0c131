// SPDX-License-Identifier: Apache-2.0
#include "printed_answers.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "declaration_names.h"
#include "recorded_answers.h"

namespace assay {
namespace {

constexpr std::string_view kMark = "assay ";
constexpr uint32_t kPrime = 16777619u;
// The number of elements that all outputs of a vector may have.
constexpr int64_t kElementsMax = int64_t{1} << 30;

// Cuts the first line off a text.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Cuts the first word off a line.
std::string_view TakeWord(std::string_view& line, char separator = ' ') {
  const size_t end = std::min(line.find(separator), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
bool Parse(std::string_view word, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
  return error == std::errc() && end == word.data() + word.size();
}

// Returns true if the bits of an element are a value of its type, as Tensor has it.
bool IsValue(DType type, uint64_t bits) {
  constexpr int64_t kInt4Max = 7, kInt48Max = (int64_t{1} << 47) - 1;
  if (type == DType::kBool) return bits <= 1;
  if (type == DType::kInt4) return std::abs(static_cast<int8_t>(bits)) <= kInt4Max;
  if (type != DType::kInt48) return true;
  const auto value = static_cast<int64_t>(bits);
  return value >= -kInt48Max - 1 && value <= kInt48Max;
}

// An output while its lines are read.
struct Filling {
  std::vector<uint8_t> bytes;
  int64_t elements = 0;  // all before this one are there
  bool are_values = true;
};

// Reads the lines of one vector.
class Reading {
 public:
  explicit Reading(const TestVector& vector)
      : vector_(vector), answer_{{}, std::vector<Outcome>(vector.steps.size()), {}, ""} {}

  // Returns what is wrong with the lines, or "".
  std::string Read(std::string_view text) {
    const std::string sized = MakeRoom();
    if (!sized.empty()) return sized;
    while (!text.empty()) {
      const std::string_view whole = TakeLine(text);
      if (!whole.starts_with(kMark)) continue;
      std::string_view line = whole.substr(kMark.size());
      const std::string_view word = TakeWord(line);
      if (word == "end") {
        uint32_t printed = 0;
        if (!Parse(line, printed, 16)) return "a bad checksum";
        return printed == checksum_ ? "" : "its checksum does not fit: lines were lost or changed";
      }
      checksum_ = AddToPrintedChecksum(AddToPrintedChecksum(checksum_, whole), "\n");
      if (!TakeAnswer(word, line)) return "a bad line: assay " + std::string(word);
    }
    return "it ends before \"assay end\"";
  }

  // Returns the answer after Read(). An Error says which step has none.
  Result<KeptAnswer> Answer() {
    if (answer_.unsupported) {
      answer_.outcomes.clear();
      return std::move(answer_);
    }
    for (size_t i = 0; i < answer_.outcomes.size(); ++i) {
      Outcome& outcome = answer_.outcomes[i];
      if (outcome.kind == OutcomeKind::kError) continue;
      outcome.kind = OutcomeKind::kValid;
      for (size_t k = 0; k < outputs_[i].size(); ++k) {
        const TensorType& type = TypeOf(i, k);
        Filling& filling = outputs_[i][k];
        if (filling.elements != type.shape.Elements()) {
          return BadInput("output " + std::to_string(k) + " of step " + std::to_string(i) +
                          " has " + std::to_string(filling.elements) + " of " +
                          std::to_string(type.shape.Elements()) + " elements");
        }
        if (!filling.are_values) {
          outcome = {};
          outcome.kind = OutcomeKind::kCrashed;
          outcome.message = "output " + std::to_string(k) + " has an element that is no value of " +
                            std::string(TypeName(type.type));
          for (size_t n = i + 1; n < answer_.outcomes.size(); ++n) {
            answer_.outcomes[n] = {};
            answer_.outcomes[n].message = "not run";
          }
          return std::move(answer_);
        }
        outcome.outputs.push_back(
            Tensor::FromBytes(type.type, type.shape, std::move(filling.bytes)));
      }
    }
    return std::move(answer_);
  }

 private:
  const Block& MainOf(size_t step) const { return *vector_.GraphOf(vector_.steps[step]).Main(); }
  const TensorType& TypeOf(size_t step, size_t output) const {
    return MainOf(step).TypeOf(MainOf(step).outputs[output]);
  }

  std::string MakeRoom() {
    int64_t left = kElementsMax;
    for (size_t i = 0; i < vector_.steps.size(); ++i) {
      outputs_.emplace_back(MainOf(i).outputs.size());
      for (size_t k = 0; k < outputs_[i].size(); ++k) {
        left -= std::min(TypeOf(i, k).shape.Elements(), kElementsMax);
        if (left < 0) return "its outputs are too large to be printed";
      }
    }
    return "";
  }

  bool TakeAnswer(std::string_view word, std::string_view line) {
    if (word == "vector") return true;
    if (word == "unsupported") {
      answer_.unsupported = line.empty() ? "unsupported" : std::string(line);
      return true;
    }
    size_t step = 0;
    if (!Parse(TakeWord(line), step) || step >= answer_.outcomes.size()) return false;
    if (word == "refused") {
      answer_.outcomes[step].kind = OutcomeKind::kError;
      answer_.outcomes[step].message = std::string(line);
      return true;
    }
    return word == "output" && TakeOutput(step, line);
  }

  bool TakeOutput(size_t step, std::string_view line) {
    size_t output = 0;
    int64_t at = 0;
    if (!Parse(TakeWord(line), output) || output >= outputs_[step].size()) return false;
    Filling& filling = outputs_[step][output];
    const TensorType& type = TypeOf(step, output);
    if (!Parse(TakeWord(line), at) || at != filling.elements) return false;
    const auto bytes = static_cast<size_t>(ElementBytes(type.type));
    const size_t digits = 2 * bytes;
    if (line.size() % digits != 0) return false;
    for (; !line.empty(); line.remove_prefix(digits)) {
      uint64_t bits = 0;
      if (++filling.elements > type.shape.Elements()) return false;
      if (!Parse(line.substr(0, digits), bits, 16)) return false;
      filling.are_values = filling.are_values && IsValue(type.type, bits);
      for (size_t i = 0; i < bytes; ++i) {
        filling.bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
      }
    }
    return true;
  }

  const TestVector& vector_;
  KeptAnswer answer_;
  std::vector<std::vector<Filling>> outputs_;  // by step
  uint32_t checksum_ = kPrintedChecksumStart;
};

}  // namespace

uint32_t AddToPrintedChecksum(uint32_t checksum, std::string_view text) {
  for (const char c : text) checksum = (checksum ^ static_cast<uint8_t>(c)) * kPrime;
  return checksum;
}

Result<PrintedAnswers> PrintedAnswers::Open(const std::string& path) {
  Result<SharedBytes> bytes = MapRegularFile(path);
  if (!bytes) return bytes.error();
  PrintedAnswers answers;
  answers.bytes_ = std::move(*bytes);
  std::string_view text = answers.text();
  std::string key;
  Place place;
  const auto keep = [&] {
    const auto known = answers.places_.find(key);
    if (key.empty() || (known != answers.places_.end() && known->second.ended && !place.ended)) {
      return;
    }
    answers.places_[key] = place;
  };
  while (!text.empty()) {
    const auto begin = static_cast<size_t>(text.data() - answers.text().data());
    std::string_view line = TakeLine(text);
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const std::string_view word = TakeWord(line);
    if (word == "vector") {
      keep();
      key = line;
      place = {begin, answers.text().size(), false};
    } else if (word == "end" && !place.ended) {
      place.end = static_cast<size_t>(text.data() - answers.text().data());
      place.ended = true;
    } else if (word == "declares") {
      while (!line.empty()) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        answers.declarations_.emplace_back(TakeWord(line, ','));
      }
    }
  }
  keep();
  if (answers.places_.empty()) {
    return BadInput(path + ": has no line \"assay vector KEY\", which programs of `assay export " +
                    "--as c` print");
  }
  const Result<BackendDeclarations> declared = DeclarationsNamed(answers.declarations_);
  if (!declared) return BadInput(path + ": " + declared.error().message);
  return answers;
}

Result<KeptAnswer> PrintedAnswers::Find(const TestVector& vector, const std::string& key) const {
  const Place& place = places_.find(key)->second;
  if (!place.ended) {
    return NoAnswer(": the printed lines end within the vector");
  }
  Reading reading(vector);
  const std::string wrong = reading.Read(text().substr(place.begin, place.end - place.begin));
  if (!wrong.empty()) return UnreadableAnswer(wrong);
  Result<KeptAnswer> answer = reading.Answer();
  if (!answer) return UnreadableAnswer(answer.error().message);
  return answer;
}

}  // namespace assay
