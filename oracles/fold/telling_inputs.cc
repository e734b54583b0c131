// SPDX-License-Identifier: Apache-2.0
#include "telling_inputs.h"

#include <algorithm>
#include <array>

#include "float_format.h"
#include "random.h"

namespace assay {
namespace {

constexpr size_t kConstantsMax = 48;  // of a type, that become special

int64_t Clipped(DType type, int64_t element) {
  return std::clamp(element, MinimumInteger(type), MaximumInteger(type));
}

int64_t BitsOf(DType type, double value) { return EncodeFloat(type, value); }

// Returns numbers that matter to any graph.
std::vector<int64_t> SpecialIntegers(DType type) {
  std::vector<int64_t> all;
  const int64_t low = MinimumInteger(type), high = MaximumInteger(type);
  for (const int64_t x : {int64_t{0}, int64_t{1}, int64_t{-1}, low, high, int64_t{2}, int64_t{-2},
                          int64_t{3}, low + 1, high - 1, high / 2, low / 2, high / 2 + 1}) {
    all.push_back(Clipped(type, x));
  }
  return all;
}

std::vector<int64_t> SpecialFloats(DType type) {
  const FloatFormat& format = FormatOf(type);
  const double infinity = std::numeric_limits<double>::infinity();
  const double ulp = std::ldexp(1, -format.fraction_bits);  // of 1
  const double least = format.normal_min * ulp;
  std::vector<int64_t> all;
  for (const double x : {0.0, 1.0, infinity, 0.5, least, format.max, format.normal_min, 2.0, 1.5,
                         2.5, 1 + ulp, 3.0, format.normal_min - least, 1 / ulp + 1}) {
    all.push_back(BitsOf(type, x));
    all.push_back(BitsOf(type, -x));
  }
  all.push_back(BitsOf(type, std::numeric_limits<double>::quiet_NaN()));
  return all;
}

enum class Style : uint8_t {
  kZeros,
  kOnes,
  kUnit,     // 0 and 1; floats between 0 and 2, but no zeros
  kSame,     // one special element everywhere
  kRamp,     // -5, -4, ..., 5
  kPairs,    // all pairs of special elements
  kSparse,   // a special element now and then
  kSingle,   // one special element among zeros
  kAmong,    // one special element among ones
  kSmall,    // small integers, or fractions
  kIndices,  // 0 to 3
  kBits,
};
constexpr Style kStyles[] = {Style::kZeros,  Style::kPairs, Style::kSparse, Style::kRamp,
                             Style::kSingle, Style::kBits,  Style::kUnit,   Style::kIndices,
                             Style::kAmong,  Style::kPairs, Style::kSmall,  Style::kOnes,
                             Style::kSame};

int64_t ElementOf(DType type, int64_t value) {
  return IsFloat(type) ? BitsOf(type, static_cast<double>(value)) : Clipped(type, value);
}

// The elements of one input of a run.
class InputElements {
 public:
  InputElements(const std::vector<int64_t>& specials, DType type, size_t input, int run)
      : specials_(specials),
        type_(type),
        input_(input),
        run_(static_cast<uint64_t>(run)),
        random_(Random::For(run_, input, "fold-inputs", 1)) {}

  std::vector<int64_t> Of(Style style, int64_t count) {
    std::vector<int64_t> elements;
    elements.reserve(static_cast<size_t>(count));
    const uint64_t single = random_.Below(static_cast<uint64_t>(std::max<int64_t>(count, 1)));
    const int64_t chosen = random_.Pick(specials_);
    if (style == Style::kSame) return std::vector<int64_t>(static_cast<size_t>(count), chosen);
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<uint64_t>(i);
      const bool is_chosen = (style == Style::kSingle || style == Style::kAmong) && at == single;
      elements.push_back(is_chosen ? chosen : Element(style, at));
    }
    return elements;
  }

 private:
  int64_t Element(Style style, uint64_t i) {
    switch (style) {
      case Style::kZeros:
      case Style::kSingle:
        return ElementOf(type_, 0);
      case Style::kOnes:
      case Style::kAmong:
        return ElementOf(type_, 1);
      case Style::kUnit:
        return IsFloat(type_) ? BitsOf(type_, static_cast<double>(random_.Between(1, 999)) / 500)
                              : ElementOf(type_, random_.Between(0, 1));
      case Style::kRamp:
        return ElementOf(type_, static_cast<int64_t>((i + input_ * 3) % 11) - 5);
      case Style::kPairs:
        return Pair(i + run_ / std::size(kStyles) * 97);
      case Style::kSparse:
        return random_.OneIn(6) ? random_.Pick(specials_) : ElementOf(type_, Small());
      case Style::kSmall:
        return Fraction();
      case Style::kIndices:
        return ElementOf(type_, random_.Between(0, 3));
      case Style::kSame:
      case Style::kBits:
        break;
    }
    return ElementOfBits(type_, random_.Next());
  }
  int64_t Small() { return random_.Between(-8, 8); }
  // Returns a small number. Floats are such that operators round them.
  int64_t Fraction() {
    if (!IsFloat(type_)) return ElementOf(type_, random_.Between(-100, 100));
    return BitsOf(type_, static_cast<double>(random_.Between(-1'000'000, 1'000'000)) / 300'007);
  }
  // Returns an element so that all pairs occur. Input 0 takes the specials one after the other,
  // input 1 the next one after each round...
  int64_t Pair(uint64_t i) {
    for (size_t k = 0; k < std::min<size_t>(input_, 3); ++k) i /= specials_.size();
    return specials_[(i + input_ / 3) % specials_.size()];
  }

  const std::vector<int64_t>& specials_;
  DType type_;
  size_t input_;
  uint64_t run_;
  Random random_;
};

}  // namespace

int64_t ElementOfBits(DType type, uint64_t bits) {
  if (IsFloat(type)) {
    const int width = 8 * ElementBytes(type);
    return static_cast<int64_t>(bits & ((uint64_t{1} << width) - 1));
  }
  const int unused = 64 - IntegerBits(type);
  if (type == DType::kBool) return static_cast<int64_t>(bits & 1);
  return Clipped(type, static_cast<int64_t>(bits << unused) >> unused);
}

FoldInputs::FoldInputs(const Graph& before, const Graph& after) {
  for (const DType type : kAllTypes) {
    if (type == DType::kShape) continue;
    for (const int64_t element : IsFloat(type) ? SpecialFloats(type) : SpecialIntegers(type)) {
      Add(type, element);
    }
  }
  AddConstants(before);
  AddConstants(after);
}

void FoldInputs::AddConstants(const Graph& graph) {
  for (const auto& [block, op] : graph.Operators()) {
    for (const auto& [id, value] : op.attributes.entries()) {
      if (const Tensor* tensor = std::get_if<Tensor>(&value)) Add(*tensor);
    }
  }
}

void FoldInputs::Add(const Tensor& tensor) {
  const DType type = tensor.type();
  if (!tensor.has_value() || type == DType::kShape) return;
  constexpr int64_t kOfOneTensor = 6;
  for (int64_t i = 0; i < std::min(tensor.elements(), kOfOneTensor); ++i) {
    if (specials_[type].size() > kConstantsMax) return;
    if (IsFloat(type)) {
      const double x = tensor.Float(i);
      for (const double near : {x, -x, NextUp(type, x), NextDown(type, x)}) {
        Add(type, BitsOf(type, near));
      }
    } else {
      const int64_t x = tensor.Integer(i);
      for (const int64_t near : {x, -x, x + 1, x - 1}) Add(type, Clipped(type, near));
    }
  }
}

void FoldInputs::Add(DType type, int64_t element) {
  std::vector<int64_t>& all = specials_[type];
  if (std::ranges::find(all, element) == all.end()) all.push_back(element);
}

std::vector<Tensor> FoldInputs::Of(int run, const std::vector<TensorType>& types) const {
  const Style style = kStyles[static_cast<size_t>(run) % std::size(kStyles)];
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& [type, shape] = types[i];
    InputElements elements(specials_.at(type), type, i, run);
    inputs.push_back(Tensor::FromIntegers(type, shape, elements.Of(style, shape.Elements())));
  }
  return inputs;
}

std::vector<Tensor> FoldInputs::Of(const Special& special,
                                   const std::vector<TensorType>& types) const {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& [type, shape] = types[i];
    std::vector<int64_t> elements(static_cast<size_t>(shape.Elements()), ElementOf(type, 1));
    const std::vector<int64_t>& all = Specials(type);
    for (size_t k = 0; k < elements.size(); ++k) {
      if (i == special.first) {
        elements[k] = all[special.from + k % (special.to - special.from)];
      } else if (i == special.second) {
        elements[k] = all[special.other];
      }
    }
    inputs.push_back(Tensor::FromIntegers(type, shape, elements));
  }
  return inputs;
}

}  // namespace assay
