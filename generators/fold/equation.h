#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "choices.h"
#include "generator_options.h"
#include "graph.h"
#include "nasty_values.h"

namespace assay {

// One side of an equation: a block written down operator by operator, the shapes inferred. Nothing
// is evaluated, so that a side may be unpredictable for some inputs.
class Side {
 public:
  TensorIndex Input(TensorType type);
  TensorIndex Constant(Tensor value);
  TensorIndex Shape(std::span<const int64_t> values);
  // The first result of an operator; `wished` is its type where the operands leave that open.
  TensorIndex Apply(Op op, std::vector<TensorIndex> inputs, Attributes attributes = {},
                    DType wished = DType::kUnknown);
  const TensorType& TypeOf(TensorIndex tensor) const { return block_.TypeOf(tensor); }
  const assay::Shape& ShapeOf(TensorIndex tensor) const { return TypeOf(tensor).shape; }
  // Whether all operators had a shape so far.
  bool complete() const { return complete_; }
  // An operator of another block, on tensors of this one, with results of known types.
  std::vector<TensorIndex> Copy(const Operator& op, std::vector<TensorIndex> inputs,
                                std::span<const TensorType> results);
  Graph Finish(std::vector<TensorIndex> outputs) const;
  Graph Finish(TensorIndex output) const { return Finish(std::vector<TensorIndex>{output}); }

  // --- The operators by what they do. Operands that only a few graphs vary are filled in.
  TensorIndex Same(TensorIndex x) { return Apply(Op::kIdentity, {x}); }
  TensorIndex Binary(Op op, TensorIndex a, TensorIndex b);
  TensorIndex Unary(Op op, TensorIndex x);  // NEGATE with zero points of 0
  TensorIndex Cast(TensorIndex x, DType type) { return Apply(Op::kCast, {x}, {}, type); }
  // A constant of one value that broadcasts with x; floats are rounded to the type.
  TensorIndex Number(TensorIndex like, double value);
  // A constant of the same shape.
  TensorIndex Splat(TensorIndex like, double value);
  TensorIndex Clamp(TensorIndex x, double low, double high, NanMode mode);
  TensorIndex Extreme(Op op, TensorIndex a, TensorIndex b, NanMode mode);
  TensorIndex Shifted(TensorIndex x, int64_t by, bool round);
  TensorIndex Reverse(TensorIndex x, int32_t axis);
  TensorIndex Transpose(TensorIndex x, std::vector<int32_t> perms);
  TensorIndex Reshape(TensorIndex x, const assay::Shape& shape);
  TensorIndex Slice(TensorIndex x, std::vector<int64_t> start, const assay::Shape& size);
  TensorIndex Pad(TensorIndex x, std::span<const int64_t> padding, double value);
  TensorIndex Tile(TensorIndex x, std::span<const int64_t> multiples);
  TensorIndex Concat(std::vector<TensorIndex> parts, int32_t axis);
  TensorIndex Reduce(Op op, TensorIndex x, int32_t axis);

 private:
  TensorIndex Declare(TensorType type);
  Block block_;
  std::map<TensorIndex, Tensor> shapes_;  // values of the shape_t tensors
  bool complete_ = true;
};

// The permutation that undoes another.
std::vector<int32_t> InverseOf(const std::vector<int32_t>& perms);

// Which of the ways to prove it an equation needs.
enum class LawSort : uint8_t { kInteger, kDataMovement, kFloat };

// Two sides on the same operands, in the making.
class Equation {
 public:
  Equation(Choices& choices, const GeneratorOptions& options)
      : choices_(choices), options_(options) {}

  Choices& choices() { return choices_; }
  // An operand of both sides, which has the same index in each. All come before anything else.
  // `planted` are its first elements in every step.
  TensorIndex Operand(TensorType type, ValueRange range,
                      std::initializer_list<double> planted = {});
  TensorIndex Operand(TensorType type, std::initializer_list<double> planted = {}) {
    const ValueRange all = ValueRange::All(type.type);
    return Operand(std::move(type), all, planted);
  }
  // A shape of that many dimensions or, if 0, of one to four; each dimension is 2 or more.
  assay::Shape DrawShape(int rank = 0);
  int32_t DrawAxis(TensorIndex x);
  DType DrawFloat();
  DType DrawInteger();           // i8, i16 or i32
  DType DrawAnyType();           // of those that data movement has
  double DrawValue(DType type);  // a number of modest size

  Side before, after;

  // The pair as graphs 0 and 1 of a vector, with `steps` that run graph 0, on numbers of all kinds
  // every second time: no expectations yet. Nothing if a side could not be written.
  std::optional<TestVector> Finish(int64_t steps);

  TensorIndex before_output = -1, after_output = -1;

 private:
  struct Drawn {
    TensorType type;
    ValueRange range;
    std::vector<double> planted;
  };
  DType Pick(std::initializer_list<DType> types);

  Choices& choices_;
  const GeneratorOptions& options_;
  std::vector<Drawn> operands_;
};

// An identity of arithmetic or of data movement, or something that is nearly one.
struct Law {
  std::string_view text;    // "x * 0 = 0"
  std::string_view reason;  // why it holds, or where it does not
  LawSort sort;
  bool holds;  // bit by bit for all inputs for which the left side is valid
  void (*write)(Equation& equation);
};

// Those that hold, and those that do not: for each of these the operands have values planted with
// which the sides differ, or with which only the left one is valid.
std::span<const Law> ExactLaws();
std::span<const Law> NearLaws();

}  // namespace assay
