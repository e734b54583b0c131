// SPDX-License-Identifier: Apache-2.0
#include "calculation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace assay {
namespace {

// The terms of a longer sum that are shown at its beginning and at its end.
constexpr size_t kFirstTerms = 10, kLastTerms = 2;

bool IsHidden(size_t term, size_t terms) {
  return terms > kFirstTerms + kLastTerms + 1 && term >= kFirstTerms && term + kLastTerms < terms;
}

}  // namespace

std::string NumberText(DType type, bool is_float, Scalar value) {
  if (type == DType::kBool) return value.integer() != 0 ? "true" : "false";
  if (!is_float) return std::to_string(value.integer());
  const double real = value.real();
  if (std::isnan(real)) return "nan";
  char text[64];
  // A value of a type that tensors have is one of fp32 as well.
  const auto end = type == DType::kUnknown
                       ? std::to_chars(text, text + sizeof(text), real)
                       : std::to_chars(text, text + sizeof(text), static_cast<float>(real));
  return std::string(text, end.ptr);
}

Calculation::Calculation(size_t steps_max) : steps_max_(steps_max) { steps_.emplace_back(); }

StepId Calculation::Add(Step step, std::span<const StepId> operands) {
  if (steps_.size() + operands_.size() + operands.size() >= steps_max_) {
    exhausted_ = true;
    return 0;
  }
  step.first_operand = static_cast<uint32_t>(operands_.size());
  step.count = static_cast<uint32_t>(operands.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  steps_.push_back(step);
  return static_cast<StepId>(steps_.size() - 1);
}

StepId Calculation::Operand(DType type, Scalar value, uint32_t operand, int64_t element) {
  Step step;
  step.kind = Kind::kOperand;
  step.is_float = IsFloat(type);
  step.type = type;
  step.value = value;
  step.place = {operand, element};
  return Add(step, {});
}

StepId Calculation::Constant(DType type, bool is_float, Scalar value) {
  Step step;
  step.is_float = is_float;
  step.type = type;
  step.value = value;
  return Add(step, {});
}

StepId Calculation::Word(const char* form, DType type, bool is_float, Scalar value,
                         std::span<const StepId> operands) {
  Step step;
  step.kind = Kind::kWord;
  step.is_float = is_float;
  step.type = type;
  step.form = form;
  step.value = value;
  return Add(step, operands);
}

StepId Calculation::Products(bool is_float, Scalar value, std::span<const StepId> operands) {
  Step step;
  step.kind = Kind::kProducts;
  step.is_float = is_float;
  step.value = value;
  return Add(step, operands);
}

StepId Calculation::Chain(const char* form, bool is_float, Scalar value,
                          std::span<const StepId> operands) {
  Step step;
  step.kind = Kind::kChain;
  step.is_float = is_float;
  step.form = form;
  step.value = value;
  return Add(step, operands);
}

const Calculation::Place* Calculation::PlaceOf(StepId step) const {
  return steps_[step].kind == Kind::kOperand ? &steps_[step].place : nullptr;
}

// Writes the lines of one explanation.
class Calculation::Writer {
 public:
  Writer(const Calculation& all, const NameOf& name_of) : all_(all), name_of_(name_of) {}

  void Write(StepId id) {
    const Step& step = all_.steps_[id];
    if (IsLeaf(step)) {
      if (step.kind == Kind::kOperand) Name(id);
      return;
    }
    if (numbers_.contains(id)) return;
    switch (step.kind) {
      case Kind::kProducts:
        return WriteProducts(id);
      case Kind::kChain:
        return WriteChain(id);
      default:
        return WriteWord(id);
    }
  }

  Text text;

 private:
  static bool IsLeaf(const Step& step) {
    return step.kind == Kind::kConstant || step.kind == Kind::kOperand;
  }
  std::string Value(StepId id) const {
    const Step& step = all_.steps_[id];
    return NumberText(step.type, step.is_float, step.value);
  }
  // Returns true if the step is short enough to be written inside another one.
  bool IsShort(StepId id) const {
    const Step& step = all_.steps_[id];
    return step.kind == Kind::kWord && step.count <= 2 &&
           std::ranges::all_of(all_.OperandsOf(step),
                               [this](StepId x) { return IsLeaf(all_.steps_[x]); });
  }

  // Returns the name by which other lines call a step, without its value.
  std::string Name(StepId id) {
    const Step& step = all_.steps_[id];
    if (step.kind == Kind::kConstant) return Value(id);
    if (step.kind == Kind::kOperand) {
      text.places.push_back(step.place);
      return name_of_(step.place.operand, step.place.element);
    }
    const auto number = numbers_.find(id);
    if (number != numbers_.end()) return "(" + std::to_string(number->second) + ")";
    return "(" + Filled(step, true) + ")";
  }

  // Returns the form with the names of the operands, or with their values.
  std::string Filled(const Step& step, bool with_names) {
    std::string filled;
    size_t next = 0;
    for (const char c : std::string_view(step.form)) {
      if (c == '$') {
        const StepId operand = all_.OperandsOf(step)[next++];
        const std::string word = with_names ? Name(operand) : Value(operand);
        // "-$" of -2 is -(-2).
        const bool has_two_signs = filled.ends_with('-') && word.starts_with('-');
        filled += has_two_signs ? "(" + word + ")" : word;
      } else if (c == '%') {
        filled += TypeName(step.type);
      } else {
        filled += c;
      }
    }
    return filled;
  }

  void Begin(StepId id, const std::string& line) {
    numbers_.emplace(id, static_cast<int>(numbers_.size()) + 1);
    const std::string number = std::to_string(numbers_.size());
    text.lines.push_back("(" + number + ") " + line);
  }

  // Writes what a term of a sum needs, unless it can be written inside.
  void WriteTerm(StepId id) {
    if (!IsShort(id)) Write(id);
  }

  void WriteWord(StepId id) {
    const Step& step = all_.steps_[id];
    for (const StepId operand : all_.OperandsOf(step)) Write(operand);
    const std::string names = Filled(step, true), values = Filled(step, false);
    Begin(id, names + (names == values ? "" : " = " + values) + " = " + Value(id));
  }

  static std::string Rest(size_t terms) {
    return std::to_string(terms - kFirstTerms - kLastTerms) + " more";
  }

  void WriteProducts(StepId id) {
    const Step& step = all_.steps_[id];
    const std::span<const StepId> all = all_.OperandsOf(step);
    const size_t terms = all.size() / 2;
    const bool has_bias = all.size() % 2 != 0;
    for (size_t i = 0; i < terms; ++i) {
      if (IsHidden(i, terms)) continue;
      WriteTerm(all[i]);
      WriteTerm(all[terms + i]);
    }
    if (has_bias) WriteTerm(all.back());
    Begin(id, std::string("sum of ") + std::to_string(terms) +
                  (terms == 1 ? " product" : " products") + (has_bias ? " and the bias" : "") +
                  ":");
    Scalar sum = step.is_float ? Scalar::OfFloat(0) : Scalar::OfInteger(0);
    for (size_t i = 0; i < terms; ++i) {
      const Scalar a = all_.steps_[all[i]].value, b = all_.steps_[all[terms + i]].value;
      const Scalar product = step.is_float ? Scalar::OfFloat(a.real() * b.real())
                                           : Scalar::OfInteger(a.integer() * b.integer());
      sum = Plus(step, sum, product);
      const auto number = [&step](Scalar x) {
        return NumberText(DType::kUnknown, step.is_float, x);
      };
      if (!IsHidden(i, terms)) {
        text.lines.push_back("    " + Name(all[i]) + " * " + Name(all[terms + i]) + " = " +
                             Value(all[i]) + " * " + Value(all[terms + i]) + " = " +
                             number(product) + (i == 0 ? "" : ", sum " + number(sum)));
      } else if (!IsHidden(i + 1, terms)) {
        text.lines.push_back("    ... " + Rest(terms) + ", sum " + number(sum));
      }
    }
    if (has_bias) text.lines.push_back("    + " + Name(all.back()) + " = " + Value(all.back()));
    text.lines.push_back("    = " + Value(id));
  }

  void WriteChain(StepId id) {
    const Step& step = all_.steps_[id];
    const std::span<const StepId> all = all_.OperandsOf(step);
    for (size_t i = 0; i < all.size(); ++i) {
      if (!IsHidden(i, all.size())) WriteTerm(all[i]);
    }
    Begin(id, step.form + std::string(" ") + std::to_string(all.size()) + ", in order:");
    for (size_t i = 0; i < all.size(); ++i) {
      if (!IsHidden(i, all.size())) {
        text.lines.push_back("    " + Name(all[i]) + " = " + Value(all[i]));
      } else if (!IsHidden(i + 1, all.size())) {
        text.lines.push_back("    ... " + Rest(all.size()));
      }
    }
    text.lines.push_back("    = " + Value(id));
  }

  static Scalar Plus(const Step& step, Scalar a, Scalar b) {
    if (step.is_float) return Scalar::OfFloat(a.real() + b.real());
    return Scalar::OfInteger(static_cast<int64_t>(static_cast<uint64_t>(a.integer()) +
                                                  static_cast<uint64_t>(b.integer())));
  }

  const Calculation& all_;
  const NameOf& name_of_;
  std::map<StepId, int> numbers_;
};

Calculation::Text Calculation::Explain(StepId step, const NameOf& name_of) const {
  Writer writer(*this, name_of);
  writer.Write(step);
  std::vector<Place>& places = writer.text.places;
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return std::move(writer.text);
}

}  // namespace assay
