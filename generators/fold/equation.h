// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "choices.h"
#include "generator_options.h"
#include "graph.h"
#include "nasty_values.h"
#include "test_vector.h"

namespace assay {

// One side of an equation: a block that is written operator by operator, with inferred shapes.
// Nothing is evaluated, so a side may be unpredictable for some inputs.
class Side {
 public:
  TensorIndex Input(TensorType type);
  TensorIndex Constant(Tensor value);
  TensorIndex Shape(std::span<const int64_t> values);
  // Adds an operator and returns its first result. `wished` is the type of the result if the
  // operands leave it open.
  TensorIndex Apply(Op op, std::vector<TensorIndex> inputs, Attributes attributes = {},
                    DType wished = DType::kUnknown);
  const TensorType& TypeOf(TensorIndex tensor) const { return block_.TypeOf(tensor); }
  const assay::Shape& ShapeOf(TensorIndex tensor) const { return TypeOf(tensor).shape; }
  // Returns true if all operators had a shape so far.
  bool complete() const { return complete_; }
  // Adds an operator of another block, on tensors of this one, with results of known types.
  std::vector<TensorIndex> Copy(const Operator& op, std::vector<TensorIndex> inputs,
                                std::span<const TensorType> results);
  Graph Finish(std::vector<TensorIndex> outputs) const;
  Graph Finish(TensorIndex output) const { return Finish(std::vector<TensorIndex>{output}); }

  // --- Operators by what they do. Operands that only a few graphs vary are filled in.
  TensorIndex Same(TensorIndex x) { return Apply(Op::kIdentity, {x}); }
  TensorIndex Binary(Op op, TensorIndex a, TensorIndex b);
  TensorIndex Unary(Op op, TensorIndex x);  // NEGATE with zero points of 0
  TensorIndex Cast(TensorIndex x, DType type) { return Apply(Op::kCast, {x}, {}, type); }
  // Adds a constant of one value that broadcasts with `like`; floats are rounded to the type.
  TensorIndex Number(TensorIndex like, double value);
  // Adds a constant of the same shape and type as `like`.
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

// Returns the inverse of a permutation.
std::vector<int32_t> InverseOf(const std::vector<int32_t>& perms);

// The kind of proof that an equation needs.
enum class LawSort : uint8_t { kInteger, kDataMovement, kFloat };

// Two sides on the same operands, under construction.
class Equation {
 public:
  Equation(Choices& choices, const GeneratorOptions& options)
      : choices_(choices), options_(options) {}

  Choices& choices() { return choices_; }
  // Adds an operand of both sides, which has the same index in each. All operands come before any
  // operators. `planted` are its first elements in every step.
  TensorIndex Operand(TensorType type, ValueRange range,
                      std::initializer_list<double> planted = {});
  TensorIndex Operand(TensorType type, std::initializer_list<double> planted = {}) {
    const ValueRange all = ValueRange::All(type.type);
    return Operand(std::move(type), all, planted);
  }
  // Draws a shape of `rank` dimensions or, if 0, of one to four; each dimension is at least 2.
  assay::Shape DrawShape(int rank = 0);
  int32_t DrawAxis(TensorIndex x);
  DType DrawFloat();
  DType DrawInteger();           // i8, i16 or i32
  DType DrawAnyType();           // one of the types that data movement supports
  double DrawValue(DType type);  // a number of modest size

  Side before, after;

  // Returns the pair as graphs 0 and 1 of a vector with `steps` steps. The steps run graph 0 and
  // have no expectations yet; every second one may have NaN and infinities. Returns nullopt if a
  // side could not be written or the options do not allow it.
  std::optional<TestVector> Finish(int64_t steps);

  std::optional<TensorIndex> before_output, after_output;

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

// An identity of arithmetic or of data movement, or a false identity that looks like one.
struct Law {
  std::string_view text;    // "x * 0 = 0"
  std::string_view reason;  // why it holds, or where it does not
  LawSort sort;
  bool holds;  // bit by bit for all inputs for which the left side is valid
  void (*write)(Equation& equation);
};

// The laws that hold, and the laws that do not. The operands of the latter have planted values for
// which the sides differ, or for which only the left side is valid.
std::span<const Law> ExactLaws();
std::span<const Law> NearLaws();

}  // namespace assay
