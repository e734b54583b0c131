// SPDX-License-Identifier: Apache-2.0
#include "idiom_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <optional>

#include "check.h"

namespace assay {
namespace {

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  IdiomPattern Read() {
    IdiomPattern pattern;
    if (text_.size() > 1 && text_[1] == '=') {
      const char letter = text_[0];
      text_.remove_prefix(2);
      pattern = Read();
      pattern.letter = letter;
      return pattern;
    }
    if (text_.starts_with("..")) {
      text_.remove_prefix(2);
      pattern = Read();
      pattern.far = true;
      return pattern;
    }
    if (Skip('*')) return pattern;
    if (Skip('$')) {
      pattern.kind = IdiomPattern::Kind::kGiven;
      return pattern;
    }
    Check(!text_.empty(), "a pattern of an idiom is complete");
    if (std::islower(static_cast<unsigned char>(text_[0])) != 0) {
      pattern.kind = IdiomPattern::Kind::kLetter;
      pattern.letter = text_[0];
      text_.remove_prefix(1);
      return pattern;
    }
    return ReadOperator();
  }

 private:
  bool Skip(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string Word() {
    size_t length = 0;
    while (length < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[length])) != 0 || text_[length] == '_')) {
      ++length;
    }
    const std::string word(text_.substr(0, length));
    Check(!word.empty(), "a pattern of an idiom names operators");
    text_.remove_prefix(length);
    return word;
  }
  IdiomPattern ReadOperator() {
    IdiomPattern pattern;
    pattern.kind = IdiomPattern::Kind::kOperator;
    do {
      pattern.results.push_back(Word());
    } while (Skip('|'));
    if (!Skip('(')) return pattern;
    do {
      pattern.operands.push_back(Read());
    } while (Skip(','));
    Check(Skip(')'), "a pattern of an idiom closes its brackets");
    return pattern;
  }

  std::string_view text_;
};

bool IsDot(Op op) {
  return op == Op::kConv2d || op == Op::kConv3d || op == Op::kDepthwiseConv2d ||
         op == Op::kTransposeConv2d || op == Op::kMatmul;
}

bool IsPool(Op op) { return op == Op::kAvgPool2d || op == Op::kMaxPool2d || op == Op::kReduceSum; }

bool IsActivation(Op op) {
  return op == Op::kClamp || op == Op::kTanh || op == Op::kSigmoid || op == Op::kErf ||
         op == Op::kExp || op == Op::kMaximum;
}

bool IsCopy(Op op) {
  return op == Op::kReshape || op == Op::kTranspose || op == Op::kIdentity || op == Op::kTile;
}

}  // namespace

IdiomPattern IdiomPattern::Parse(std::string_view text) { return PatternParser(text).Read(); }

IdiomMatcher::IdiomMatcher(const Block& block) : block_(block), producers_(block.Producers()) {}

const Operator* IdiomMatcher::Producer(TensorIndex tensor) const {
  const int32_t producer = producers_[static_cast<size_t>(tensor)];
  return producer < 0 ? nullptr : &block_.operators[static_cast<size_t>(producer)];
}

TensorIndex IdiomMatcher::Source(TensorIndex tensor) const {
  // A block of a file may have a cycle, which the length of the loop ends.
  for (size_t steps = 0; steps < block_.operators.size(); ++steps) {
    const Operator* producer = Producer(tensor);
    if (producer == nullptr || !IsCopy(producer->op) || producer->inputs.empty()) break;
    tensor = producer->inputs[0];
  }
  return tensor;
}

bool IdiomMatcher::IsResultOf(const std::vector<std::string>& words, const Operator& op) const {
  if (op.inputs.empty() || op.outputs.empty()) return false;
  const bool from_float = IsFloat(block_.TypeOf(op.inputs[0]).type);
  const bool to_float = IsFloat(block_.TypeOf(op.outputs[0]).type);
  const auto is_pointwise = [&] {
    if (op.op != Op::kConv2d || op.inputs.size() < 2) return false;
    const Shape& weight = block_.TypeOf(op.inputs[1]).shape;
    return weight.rank() == 4 && weight[1] == 1 && weight[2] == 1;
  };
  return std::ranges::any_of(words, [&](const std::string& word) {
    if (word == "QUANTIZE") return op.op == Op::kCast && from_float && !to_float;
    if (!to_float) return false;
    if (word == "DEQUANTIZE") return op.op == Op::kCast && !from_float;
    if (word == "DOT") return IsDot(op.op);
    if (word == "POINTWISE") return is_pointwise();
    if (word == "POOL") return IsPool(op.op);
    if (word == "ACTIVATION") return IsActivation(op.op);
    return OperatorName(op.op) == word;
  });
}

std::vector<TensorIndex> IdiomMatcher::Behind(TensorIndex tensor) const {
  constexpr int kSteps = 6;
  std::vector<TensorIndex> found = {Source(tensor)};
  size_t first = 0;
  for (int step = 0; step < kSteps; ++step) {
    const size_t last = found.size();
    for (; first < last; ++first) {
      const Operator* producer = Producer(found[first]);
      if (producer == nullptr) continue;
      for (const TensorIndex input : producer->inputs) {
        const TensorIndex source = Source(input);
        if (std::ranges::find(found, source) == found.end()) found.push_back(source);
      }
    }
  }
  return found;
}

// The search for one match. Where a pattern can match in several ways, the rest of the pattern is
// tried for each of them.
class IdiomSearch {
 public:
  using Letters = std::array<std::optional<TensorIndex>, 26>;
  using Then = std::function<bool(const Letters&)>;

  explicit IdiomSearch(const IdiomMatcher& matcher) : matcher_(matcher) {}

  bool Match(const IdiomPattern& pattern, TensorIndex tensor, const Letters& letters,
             const Then& then) const {
    if (!pattern.far) return MatchHere(pattern, matcher_.Source(tensor), letters, then);
    return std::ranges::any_of(matcher_.Behind(tensor), [&](TensorIndex behind) {
      return MatchHere(pattern, behind, letters, then);
    });
  }

 private:
  bool MatchHere(const IdiomPattern& pattern, TensorIndex tensor, Letters letters,
                 const Then& then) const {
    if (pattern.letter != 0) {
      std::optional<TensorIndex>& known = letters[static_cast<size_t>(pattern.letter - 'a')];
      if (known && known != tensor) return false;
      known = tensor;
    }
    const Operator* producer = matcher_.Producer(tensor);
    switch (pattern.kind) {
      case IdiomPattern::Kind::kAny:
      case IdiomPattern::Kind::kLetter:
        return then(letters);
      case IdiomPattern::Kind::kGiven:
        return (producer == nullptr || producer->op == Op::kConst) && then(letters);
      case IdiomPattern::Kind::kOperator:
        break;
    }
    if (producer == nullptr || !matcher_.IsResultOf(pattern.results, *producer)) return false;
    if (producer->inputs.size() < pattern.operands.size()) return false;
    if (MatchOperands(pattern, *producer, 0, false, letters, then)) return true;
    const bool commutes = producer->op == Op::kAdd || producer->op == Op::kMul;
    return commutes && pattern.operands.size() == 2 &&
           MatchOperands(pattern, *producer, 0, true, letters, then);
  }

  bool MatchOperands(const IdiomPattern& pattern, const Operator& op, size_t index, bool swapped,
                     const Letters& letters, const Then& then) const {
    if (index == pattern.operands.size()) return then(letters);
    const TensorIndex operand = op.inputs[swapped ? 1 - index : index];
    return Match(pattern.operands[index], operand, letters, [&](const Letters& more) {
      return MatchOperands(pattern, op, index + 1, swapped, more, then);
    });
  }

  const IdiomMatcher& matcher_;
};

bool IdiomMatcher::Matches(const IdiomPattern& pattern, TensorIndex tensor) const {
  return IdiomSearch(*this).Match(pattern, tensor, {},
                                  [](const IdiomSearch::Letters&) { return true; });
}

}  // namespace assay
