// SPDX-License-Identifier: Apache-2.0
#include "tensor_classes.h"

#include <algorithm>
#include <cmath>

#include "float_format.h"
#include "levels.h"

namespace assay {
namespace {

// The highest rank for a bound that the table leaves to the level.
constexpr int kRankLimit = kLevel8K.max_rank;

// Returns the argument whose shape stands for the operator's: the first operand that is data, or
// the first result.
const ArgumentRow* ShapedArgument(const OperatorRow& row) {
  for (const Direction direction : {Direction::kInput, Direction::kOutput}) {
    for (const ArgumentRow& argument : row.arguments) {
      if (argument.direction == direction && argument.rank) return &argument;
    }
  }
  return nullptr;
}

// Returns true if the operator has two operands that broadcast, which its table calls "shape1" and
// "shape2".
bool Broadcasts(const OperatorRow& row) {
  int named = 0;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != Direction::kInput) continue;
    named += argument.shape == "shape1" || argument.shape == "shape2";
  }
  return named == 2 && row.op != Op::kConcat && row.op != Op::kReshape;
}

std::string RankClass(int rank) { return "rank " + std::to_string(rank); }

constexpr std::string_view kBroadcastClasses[] = {"no broadcast", "first operand broadcast",
                                                  "second operand broadcast", "both broadcast"};

// Returns true if a broadcasting operand is shorter than the result along some axis.
bool IsStretched(const Shape& operand, const Shape& result) {
  return operand.Elements() < result.Elements();
}

}  // namespace

bool IsData(const ArgumentRow& argument) {
  return argument.direction == Direction::kInput && !argument.compile_time_constant &&
         argument.type != "shape_t" && argument.name != "indices" &&
         (argument.type_variable || argument.fixed != DType::kUnknown);
}

std::vector<std::string> ShapeClassesOf(const OperatorRow& row) {
  std::vector<std::string> classes;
  const ArgumentRow* argument = ShapedArgument(row);
  if (argument == nullptr) return classes;
  const int last = std::min(RankMax(argument->rank->max, kRankLimit), kRankLimit);
  for (int rank = argument->rank->min; rank <= last; ++rank) classes.push_back(RankClass(rank));
  if (last > 0) classes.push_back("a dimension of 1");
  // A condition has one element.
  if (last > 1 && row.op != Op::kCondIf) classes.push_back("different dimensions");
  if (Broadcasts(row))
    classes.insert(classes.end(), std::begin(kBroadcastClasses), std::end(kBroadcastClasses));
  return classes;
}

std::vector<std::string> ShapeClassesMet(const ExecutedOperator& executed, const OperatorRow& row) {
  std::vector<std::string> classes;
  const ArgumentRow* argument = ShapedArgument(row);
  if (argument == nullptr) return classes;
  const bool of_input = argument->direction == Direction::kInput && !executed.inputs.empty();
  const Shape& shape = of_input ? executed.inputs[0]->type.shape : executed.outputs[0].shape;
  classes.push_back(RankClass(shape.rank()));
  bool one = false;
  bool different = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    one |= shape[axis] == 1;
    different |= shape[axis] != shape[0];
  }
  if (one) classes.push_back("a dimension of 1");
  if (different) classes.push_back("different dimensions");
  if (!Broadcasts(row)) return classes;
  const Shape& result = executed.outputs[0].shape;
  const bool first = IsStretched(executed.inputs[0]->type.shape, result);
  const bool second = IsStretched(executed.inputs[1]->type.shape, result);
  classes.emplace_back(kBroadcastClasses[(first ? 1 : 0) + (second ? 2 : 0)]);
  return classes;
}

std::vector<std::string_view> NumericClassesOf(DType type) {
  if (type == DType::kShape || type == DType::kUnknown) return {};
  if (type == DType::kBool) return {"false", "true"};
  if (!IsFloat(type)) return {"lowest", "negative", "zero", "positive", "highest"};
  std::vector<std::string_view> classes = {"-greatest", "negative",  "-0",
                                           "+0",        "subnormal", "least normal",
                                           "positive",  "greatest",  "NaN"};
  if (FormatOf(type).has_infinity) {
    classes.push_back("-infinity");
    classes.push_back("+infinity");
  }
  return classes;
}

std::vector<std::string_view> NumericClassesMet(const DomainTensor<Scalar>& tensor) {
  const DType type = tensor.type.type;
  const std::vector<std::string_view> all = NumericClassesOf(type);
  std::vector<bool> met(all.size(), false);
  const auto note = [&](std::string_view name) {
    const auto at = std::find(all.begin(), all.end(), name);
    if (at != all.end()) met[static_cast<size_t>(at - all.begin())] = true;
  };
  if (IsFloat(type)) {
    const FloatFormat& format = FormatOf(type);
    for (const Scalar& element : *tensor.elements) {
      const double x = element.real();
      const double magnitude = std::fabs(x);
      if (std::isnan(x)) {
        note("NaN");
      } else if (std::isinf(x)) {
        note(x > 0 ? "+infinity" : "-infinity");
      } else if (x == 0) {
        note(std::signbit(x) ? "-0" : "+0");
      } else if (magnitude < format.normal_min) {
        note("subnormal");
      } else if (magnitude == format.normal_min) {
        note("least normal");
      } else if (magnitude == format.max) {
        note(x > 0 ? "greatest" : "-greatest");
      } else {
        note(x > 0 ? "positive" : "negative");
      }
    }
  } else {
    for (const Scalar& element : *tensor.elements) {
      const int64_t x = element.integer();
      if (type == DType::kBool) {
        note(x != 0 ? "true" : "false");
      } else if (x <= MinimumInteger(type) || x >= MaximumInteger(type)) {
        note(x < 0 ? "lowest" : "highest");
      } else {
        note(x < 0 ? "negative" : x == 0 ? "zero" : "positive");
      }
    }
  }
  std::vector<std::string_view> classes;
  for (size_t i = 0; i < all.size(); ++i) {
    if (met[i]) classes.push_back(all[i]);
  }
  return classes;
}

}  // namespace assay
