// SPDX-License-Identifier: Apache-2.0
#include "every_value.h"

#include <algorithm>
#include <set>
#include <vector>

#include "executor.h"
#include "model_values.h"
#include "operator_facts.h"
#include "operator_set.h"

namespace assay {
namespace {

// Returns the number of bits of which all values are tried; 0: too many.
int BitsOf(DType type) {
  if (type == DType::kBool) return 1;
  const bool is_word = IsFloat(type) || type == DType::kInt8 || type == DType::kInt16;
  const int bits = static_cast<int>(8 * ElementBytes(type));
  return is_word && bits <= kAllValuesBits ? bits : 0;
}

// Returns the value of an operand in a combination: an integer, or the bits of a float.
int64_t CombinationValue(int64_t combination, int offset, DType type) {
  const int64_t bits = combination >> offset & ((int64_t{1} << BitsOf(type)) - 1);
  if (type == DType::kInt8) return static_cast<int8_t>(bits);
  return type == DType::kInt16 ? static_cast<int16_t>(bits) : bits;
}

// Returns the number of bits of all operands; 0: too many.
int BitsOfAll(const Block& main) {
  int bits = 0;
  for (const TensorIndex input : main.inputs) {
    const int more = BitsOf(main.TypeOf(input).type);
    bits += more;
    if (more == 0 || bits > kAllValuesBits) return 0;
  }
  return bits;
}

// The shape that each element of the constants needs, and the constants that operands meet element
// by element. (Scales, zero points and tables keep their shapes.)
struct Places {
  Shape shape;
  std::set<TensorIndex> stretched;
};

// Returns nothing if the graph is not element-wise.
std::optional<Places> PlacesOf(const Block& main) {
  const int rank = main.TypeOf(main.outputs[0]).shape.rank();
  Places places = {Shape(std::vector<int32_t>(static_cast<size_t>(rank), 1)), {}};
  std::set<TensorIndex> whole;  // compile-time constants
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op)) continue;
    const OperatorFacts& facts = FactsOf(op.op);
    if (ops::DefinitionOf(op.op).traits.element_wise == ops::ElementWise::kNo) return std::nullopt;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Operator* producer = main.ProducerOf(op.inputs[i]);
      const bool is_constant = producer != nullptr && IsConstant(producer->op);
      if (facts.NeedsConstant(i)) {
        whole.insert(op.inputs[i]);
        if (!is_constant) return std::nullopt;
        continue;
      }
      const Shape& shape = main.TypeOf(op.inputs[i]).shape;
      if (shape.rank() != rank) return std::nullopt;
      for (int axis = 0; is_constant && axis < rank; ++axis) {
        places.shape[axis] = std::max(places.shape[axis], shape[axis]);
      }
      if (is_constant) places.stretched.insert(op.inputs[i]);
    }
    if (op.op == Op::kRescale && op.attributes.Flag(AttributeId::kPerChannel)) {
      places.shape[rank - 1] = main.TypeOf(op.outputs[0]).shape[rank - 1];
    }
  }
  const bool is_both = std::ranges::any_of(
      places.stretched, [&](TensorIndex tensor) { return whole.contains(tensor); });
  if (is_both) return std::nullopt;
  return places;
}

// Returns the graph with `count` elements along dimension 0, and operands that are still to be set.
TestVector WithShapes(const TestVector& alone, const Places& places, int64_t count) {
  Shape all = places.shape;
  all.Insert(0, static_cast<int32_t>(count));
  TestVector wide = alone;
  Block& main = *wide.graphs[0].Main();
  for (const TensorIndex input : main.inputs) {
    main.tensors[static_cast<size_t>(input)].type.shape = all;
  }
  for (Operator& op : main.operators) {
    for (const TensorIndex output : op.outputs) {
      Shape& shape = main.tensors[static_cast<size_t>(output)].type.shape;
      if (!IsConstant(op.op)) shape = all;
      if (!places.stretched.contains(output)) continue;
      shape.Insert(0, 1);
      const Tensor& values = op.attributes.Value(AttributeId::kValues);
      op.attributes.Set(AttributeId::kValues, values.Reshaped(shape));
    }
  }
  return wide;
}

TestVector WithAllValues(const TestVector& alone, const Places& places, int bits) {
  const int64_t count = int64_t{1} << bits;
  TestVector wide = WithShapes(alone, places, count);
  const Block& main = MainOf(wide);
  int offset = 0;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const auto& [type, shape] = main.TypeOf(main.inputs[i]);
    std::vector<int64_t> values;
    for (int64_t k = 0; k < count; ++k) {
      values.insert(values.end(), static_cast<size_t>(places.shape.Elements()),
                    CombinationValue(k, offset, type));
    }
    wide.steps[0].inputs[i] = Tensor::FromIntegers(type, shape, values);
    offset += BitsOf(type);
  }
  return wide;
}

// The values of the first operand at one element of the constants.
using Column = std::vector<int64_t>;

TestVector WithColumns(const TestVector& alone, const Places& places,
                       const std::vector<Column>& columns) {
  const size_t count = std::ranges::max(columns, {}, &Column::size).size();
  TestVector wide = WithShapes(alone, places, static_cast<int64_t>(count));
  const Block& main = MainOf(wide);
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const auto& [type, shape] = main.TypeOf(main.inputs[i]);
    std::vector<int64_t> values(static_cast<size_t>(shape.Elements()));
    for (size_t k = 0; i == 0 && k < values.size(); ++k) {
      const Column& column = columns[k % columns.size()];
      values[k] = column[std::min(k / columns.size(), column.size() - 1)];
    }
    wide.steps[0].inputs[i] = Tensor::FromIntegers(type, shape, values);
  }
  return wide;
}

// An interval at whose ends the result differs.
struct Interval {
  int64_t low, high;
  int64_t at_low, at_high;  // the results
  int64_t Middle() const { return low + (high - low) / 2; }
};

// Finds the steps of the result, by halving the intervals at whose ends it differs. Returns nothing
// if the operands break a REQUIRE. The first operand is between -most - 1 and most.
std::optional<WideOperands> WithSteps(const TestVector& alone, const Places& places, int64_t most) {
  const auto place_count = static_cast<size_t>(places.shape.Elements());
  Column grid = {-most - 1, 0};
  for (int64_t power = most; power > 0; power /= 2) {
    grid.push_back(power);
    grid.push_back(-power);
  }
  std::ranges::sort(grid);
  std::vector<Column> columns(place_count, grid);
  std::vector<std::vector<Interval>> open(place_count);
  std::vector<Column> steps(place_count, Column{0});
  int64_t executions = 0;
  for (bool is_first = true, is_done = false; !is_done; is_first = false) {
    ++executions;
    const std::vector<Outcome> outcomes = ExecuteVector(WithColumns(alone, places, columns), {});
    if (outcomes[0].kind != OutcomeKind::kValid) return std::nullopt;
    is_done = true;
    for (size_t place = 0; place < place_count; ++place) {
      const auto result_at = [&](size_t row) {
        return outcomes[0].outputs[0].Integer(static_cast<int64_t>(row * place_count + place));
      };
      std::vector<Interval> next;
      const auto add = [&](const Interval& each) {
        if (each.at_low != each.at_high) next.push_back(each);
      };
      for (size_t k = 0; is_first && k + 1 < grid.size(); ++k) {
        add({grid[k], grid[k + 1], result_at(k), result_at(k + 1)});
      }
      for (size_t k = 0; k < open[place].size(); ++k) {
        const Interval& each = open[place][k];
        add({each.low, each.Middle(), each.at_low, result_at(k)});
        add({each.Middle(), each.high, result_at(k), each.at_high});
      }
      open[place].clear();
      columns[place].clear();
      const size_t stride = next.size() / kStepsMost + 1;  // leaves some out if there are too many
      for (size_t k = 0; k < next.size(); k += stride) {
        if (next[k].high - next[k].low > 1) {
          open[place].push_back(next[k]);
          columns[place].push_back(next[k].Middle());
        } else if (steps[place].size() < 2 * kStepsMost) {
          steps[place].insert(steps[place].end(), {next[k].low, next[k].high});
        }
      }
      is_done = is_done && open[place].empty();
      if (columns[place].empty()) columns[place] = {0};
    }
  }
  return WideOperands{WithColumns(alone, places, steps), false, executions};
}

}  // namespace

std::optional<WideOperands> WidenOperands(const TestVector& alone) {
  const Block& main = MainOf(alone);
  if (main.inputs.empty()) return std::nullopt;
  const std::optional<Places> places = PlacesOf(main);
  if (!places) return std::nullopt;
  const int64_t elements = places->shape.Elements();
  if (const int bits = BitsOfAll(main); bits > 0) {
    if (elements > kWideElementsMost >> bits) return std::nullopt;
    return WideOperands{WithAllValues(alone, *places, bits), true};
  }
  const auto is_integer = [&](TensorIndex tensor) {
    const DType type = main.TypeOf(tensor).type;
    return type == DType::kInt8 || type == DType::kInt16 || type == DType::kInt32;
  };
  const bool are_integers = std::ranges::all_of(main.inputs, is_integer) &&
                            std::ranges::all_of(main.outputs, is_integer) &&
                            main.TypeOf(main.inputs[0]).type == DType::kInt32;
  if (!are_integers || elements > kWideElementsMost / (2 * kStepsMost)) return std::nullopt;
  for (const int shrink : {0, 1, 8, 16}) {
    std::optional<WideOperands> wide = WithSteps(alone, *places, INT32_MAX >> shrink);
    if (wide) return wide;
  }
  return std::nullopt;
}

}  // namespace assay
