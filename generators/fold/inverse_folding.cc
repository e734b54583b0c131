// SPDX-License-Identifier: Apache-2.0
#include "inverse_folding.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "equation.h"
#include "executor.h"
#include "operator_facts.h"
#include "recipe.h"

namespace assay {
namespace {

// The random parameters of an unfolding.
struct Drawn {
  TensorType type;  // of the value
  int32_t axis = 0;
  std::vector<int32_t> perms;
  int64_t number = 0;
};

using T = TensorIndex;

// Two operators with outer(inner(x)) = x for every x of a type that fits. If `wrongly`, outer is
// not the inverse of inner. For a constant, inner is computed beforehand.
struct Unfolding {
  bool (*fits)(const TensorType& type);
  T (*inner)(Side& s, T x, const Drawn& drawn);
  T (*outer)(Side& s, T y, const Drawn& drawn, bool wrongly);
};

bool HasAxis(const TensorType& type) { return type.shape.rank() >= 1; }
bool HasTwoAxes(const TensorType& type) { return type.shape.rank() >= 2; }
bool IsFloatType(const TensorType& type) { return IsFloat(type.type); }
bool IsInt32(const TensorType& type) { return type.type == DType::kInt32; }
bool IsBool(const TensorType& type) { return type.type == DType::kBool; }

T Itself(Side&, T x, const Drawn&) { return x; }

T Reversed(Side& s, T x, const Drawn& drawn) { return s.Reverse(x, drawn.axis); }
T ReversedBack(Side& s, T y, const Drawn& drawn, bool wrongly) {
  return wrongly ? s.Same(y) : s.Reverse(y, drawn.axis);
}

T Transposed(Side& s, T x, const Drawn& drawn) { return s.Transpose(x, drawn.perms); }
T TransposedBack(Side& s, T y, const Drawn& drawn, bool wrongly) {
  if (wrongly) return s.Reshape(y, drawn.type.shape);
  return s.Transpose(y, InverseOf(drawn.perms));
}

T Flat(Side& s, T x, const Drawn& drawn) {
  return s.Reshape(x, {static_cast<int32_t>(drawn.type.shape.Elements())});
}
T ShapedBack(Side& s, T y, const Drawn& drawn, bool wrongly) {
  return s.Reshape(wrongly ? s.Reverse(y, 0) : y, drawn.type.shape);
}

std::vector<int64_t> AtAxis(const Drawn& drawn, int64_t elsewhere, int64_t there) {
  std::vector<int64_t> values(static_cast<size_t>(drawn.type.shape.rank()), elsewhere);
  values[static_cast<size_t>(drawn.axis)] = there;
  return values;
}

T Padded(Side& s, T x, const Drawn& drawn) {
  std::vector<int64_t> padding(2 * static_cast<size_t>(drawn.type.shape.rank()), 0);
  padding[2 * static_cast<size_t>(drawn.axis)] = 1;
  padding[2 * static_cast<size_t>(drawn.axis) + 1] = 1;
  return s.Pad(x, padding, 0);
}
T CutBack(Side& s, T y, const Drawn& drawn, bool wrongly) {
  return s.Slice(y, AtAxis(drawn, 0, wrongly ? 0 : 1), drawn.type.shape);
}

T Tiled(Side& s, T x, const Drawn& drawn) { return s.Tile(x, AtAxis(drawn, 1, 2)); }
T OneCopy(Side& s, T y, const Drawn& drawn, bool wrongly) {
  const int64_t size = drawn.type.shape[drawn.axis];
  return s.Slice(y, AtAxis(drawn, 0, wrongly ? size - 1 : size), drawn.type.shape);
}

bool HasLongAxis(const TensorType& type) {
  return std::ranges::any_of(type.shape, [](int32_t size) { return size > 1; });
}
T CutAndJoined(Side& s, T y, const Drawn& drawn, bool wrongly) {
  Shape first = drawn.type.shape, rest = first;
  first[drawn.axis] = first[drawn.axis] / 2;
  rest[drawn.axis] -= first[drawn.axis];
  const T low = s.Slice(y, AtAxis(drawn, 0, 0), first);
  const T high = s.Slice(y, AtAxis(drawn, 0, first[drawn.axis]), rest);
  return wrongly ? s.Concat({high, low}, drawn.axis) : s.Concat({low, high}, drawn.axis);
}

T Negated(Side& s, T x, const Drawn&) { return s.Unary(Op::kNegate, x); }
T NegatedBack(Side& s, T y, const Drawn&, bool wrongly) {
  return s.Unary(wrongly ? Op::kAbs : Op::kNegate, y);
}
T BackTimesOne(Side& s, T y, const Drawn&, bool wrongly) {
  return s.Binary(Op::kMul, y, s.Number(y, wrongly ? 1.5 : 1));
}
T BackMinusZero(Side& s, T y, const Drawn&, bool wrongly) {
  return wrongly ? s.Binary(Op::kAdd, y, s.Number(y, 0)) : s.Binary(Op::kSub, y, s.Number(y, 0));
}

T Masked(Side& s, T x, const Drawn& drawn) {
  return s.Binary(Op::kBitwiseXor, x, s.Number(x, static_cast<double>(drawn.number)));
}
T UnMasked(Side& s, T y, const Drawn& drawn, bool wrongly) {
  const auto mask = static_cast<double>(wrongly ? drawn.number ^ 4 : drawn.number);
  return s.Binary(Op::kBitwiseXor, y, s.Number(y, mask));
}
T Inverted(Side& s, T x, const Drawn&) { return s.Unary(Op::kBitwiseNot, x); }
T InvertedBack(Side& s, T y, const Drawn&, bool wrongly) {
  return wrongly ? s.Unary(Op::kClz, y) : s.Unary(Op::kBitwiseNot, y);
}
T WithItself(Side& s, T y, const Drawn&, bool wrongly) {
  return s.Binary(Op::kMaximum, y, wrongly ? s.Number(y, 0) : y);
}

T Denied(Side& s, T x, const Drawn&) { return s.Unary(Op::kLogicalNot, x); }
T DeniedBack(Side& s, T y, const Drawn&, bool wrongly) {
  return wrongly ? s.Same(y) : s.Unary(Op::kLogicalNot, y);
}

// Selects y where the condition is true. It is true everywhere; if `wrongly`, except for the first
// element.
T Selected(Side& s, T y, const Drawn& drawn, bool wrongly) {
  std::vector<int64_t> all(static_cast<size_t>(drawn.type.shape.Elements()), 1);
  if (wrongly) all[0] = 0;
  const T condition = s.Constant(Tensor::FromIntegers(DType::kBool, drawn.type.shape, all));
  return s.Apply(Op::kSelect, {condition, y, s.Reverse(y, drawn.axis)});
}

constexpr Unfolding kUnfoldings[] = {
    {HasLongAxis, Reversed, ReversedBack}, {HasTwoAxes, Transposed, TransposedBack},
    {HasAxis, Flat, ShapedBack},           {HasAxis, Padded, CutBack},
    {HasLongAxis, Tiled, OneCopy},         {HasLongAxis, Itself, CutAndJoined},
    {IsFloatType, Negated, NegatedBack},   {IsFloatType, Itself, BackTimesOne},
    {IsFloatType, Itself, BackMinusZero},  {IsInt32, Masked, UnMasked},
    {IsInt32, Inverted, InvertedBack},     {IsInt32, Itself, WithItself},
    {IsBool, Denied, DeniedBack},          {HasLongAxis, Itself, Selected},
};

// Draws the parameters: the longest axis, and a random permutation and number.
Drawn Draw(Choices& choices, const TensorType& type) {
  Drawn drawn = {type, 0, {}, choices.Between(-1000, 1000)};
  const Shape& shape = type.shape;
  drawn.axis = static_cast<int32_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  drawn.perms.resize(static_cast<size_t>(shape.rank()));
  std::iota(drawn.perms.begin(), drawn.perms.end(), 0);
  if (shape.rank() >= 2) {
    std::rotate(drawn.perms.begin(), drawn.perms.begin() + choices.Between(1, shape.rank() - 1),
                drawn.perms.end());
  }
  return drawn;
}

// Returns the computed inner(value); no value if the operator does not support the type.
Tensor Computed(const Unfolding& unfolding, const Tensor& value, const Drawn& drawn) {
  Side side;
  const T input = side.Input(value.tensor_type());
  const T result = unfolding.inner(side, input, drawn);
  if (!side.complete()) return {};
  if (result == input) return value;
  Context context;
  const Tensor inputs[] = {value};
  const Outcome outcome = Execute(context, side.Finish(result), inputs, {});
  return outcome.kind == OutcomeKind::kValid ? outcome.outputs[0] : Tensor();
}

// Writes the block anew, with some values computed in a longer way.
class Unfolder {
 public:
  Unfolder(const Block& block, Choices& choices, bool wrongly)
      : block_(block),
        choices_(choices),
        wrongly_(wrongly),
        raw_(block.tensors.size(), -1),
        unfolded_(block.tensors.size(), -1) {}

  std::optional<Graph> Run() {
    for (const T input : block_.inputs) {
      Set(input, side_.Input(block_.TypeOf(input)));
      Lengthen(input);
    }
    for (const Operator& op : block_.operators) Copy(op);
    if (!side_.complete() || count_ == 0 || (wrongly_ && !is_wrong_)) return std::nullopt;
    std::vector<T> outputs;
    for (const T output : block_.outputs) outputs.push_back(unfolded_[At(output)]);
    return side_.Finish(outputs);
  }

 private:
  static size_t At(T tensor) { return static_cast<size_t>(tensor); }
  void Set(T tensor, T written) { raw_[At(tensor)] = unfolded_[At(tensor)] = written; }

  void Copy(const Operator& op) {
    std::vector<T> inputs;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const bool constant = FactsOf(op.op).NeedsConstant(i);
      inputs.push_back((constant ? raw_ : unfolded_)[At(op.inputs[i])]);
    }
    const std::vector<T> outputs = side_.Copy(op, std::move(inputs), block_.TypesOf(op.outputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      Set(op.outputs[i], outputs[i]);
      Lengthen(op.outputs[i], &op);
    }
  }

  // Computes the value once more in a longer way, in one of three cases.
  void Lengthen(T tensor, const Operator* producer = nullptr) {
    const TensorType& type = block_.TypeOf(tensor);
    if (type.type == DType::kShape || !choices_.OneIn(3)) return;
    const Unfolding& unfolding = choices_.Pick(kUnfoldings);
    if (!unfolding.fits(type)) return;
    const Drawn drawn = Draw(choices_, type);
    const Side before = side_;
    T inner = raw_[At(tensor)];
    if (producer != nullptr && producer->op == Op::kConst) {
      Tensor value = Computed(unfolding, producer->attributes.Value(AttributeId::kValues), drawn);
      if (!value.has_value()) return;
      inner = side_.Constant(std::move(value));
    } else {
      inner = unfolding.inner(side_, inner, drawn);
    }
    const bool wrongly = wrongly_ && !is_wrong_ && choices_.OneIn(2);
    const T outer = side_.complete() ? unfolding.outer(side_, inner, drawn, wrongly) : -1;
    if (!side_.complete() || side_.TypeOf(outer) != type) {
      side_ = before;
      return;
    }
    unfolded_[At(tensor)] = outer;
    ++count_;
    is_wrong_ = is_wrong_ || wrongly;
  }

  const Block& block_;
  Choices& choices_;
  const bool wrongly_;
  Side side_;
  std::vector<T> raw_, unfolded_;  // of each tensor of the block: as it was made, and as it is read
  int count_ = 0;
  bool is_wrong_ = false;
};

}  // namespace

std::optional<Graph> Unfold(const Graph& graph, Choices& choices, const GeneratorOptions& options,
                            bool wrongly) {
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Graph> unfolded = Unfolder(*graph.Main(), choices, wrongly).Run();
    if (unfolded && AllowsGraph(options, *unfolded)) return unfolded;
  }
  return std::nullopt;
}

}  // namespace assay
