// SPDX-License-Identifier: Apache-2.0
#include "worked_example.h"

#include <cmath>
#include <limits>

#include "convert_tensor.h"
#include "enum_names.h"
#include "float_format.h"
#include "operator_facts.h"
#include "parse_number.h"
#include "run_operator.h"

namespace assay {
namespace {

Error Unreadable(std::string_view what, std::string_view text) {
  return BadInput("example: " + std::string(what) + ": " + std::string(text));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool ParseElement(DType type, std::string_view text, int64_t& word) {
  if (text == "true" || text == "false") {
    word = text == "true";
    return type == DType::kBool;
  }
  if (!IsFloat(type)) return ParseNumber(text, word);
  double value = 0;
  if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "inf" || text == "-inf") {
    value = text == "inf" ? HUGE_VAL : -HUGE_VAL;
  } else if (!ParseNumber(text, value)) {
    return false;
  }
  word = EncodeFloat(type, value);
  return true;
}

bool ParseInts(std::string_view text, std::vector<int32_t>& values) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  for (const std::string_view part : Split(text.substr(1, text.size() - 2), ',')) {
    values.emplace_back();
    if (!ParseNumber(part, values.back())) return false;
  }
  return true;
}

bool ParseEnumerator(AttributeId attribute, std::string_view text, int32_t& value) {
  if (const auto index = EnumNamed<int32_t>(EnumeratorNames(attribute), text)) {
    value = *index + 1;
    return true;
  }
  if (const auto type = TypeByName(text)) {
    value = static_cast<int32_t>(*type);
    return true;
  }
  return ParseNumber(text, value);
}

Result<AttributeValue> ParsedValue(const ArgumentRow& row, std::string_view text) {
  if (row.type == "bool_t") {
    if (text != "true" && text != "false") return Unreadable("neither true nor false", text);
    return AttributeValue(text == "true");
  }
  if (row.type == "String" || row.type == "tosa_graph_t") return AttributeValue(std::string(text));
  const bool tensor = text.find('{') != std::string_view::npos;
  if (tensor) {
    Result<Tensor> value = ParseTensor(text);
    if (!value) return value.error();
    return AttributeValue(*value);
  }
  if (text.starts_with('[')) {
    std::vector<int32_t> values;
    if (!ParseInts(text, values)) return Unreadable("not a list", text);
    return AttributeValue(values);
  }
  int32_t number = 0;
  if (!ParseEnumerator(*row.attribute, text, number)) {
    return Unreadable("not a value of the attribute", text);
  }
  return AttributeValue(number);
}

// A builder of a graph with one operator in one block.
class ExampleGraph {
 public:
  explicit ExampleGraph(Op op) { operator_.op = op; }

  void AddInput(const Tensor& tensor, bool constant) {
    const TensorIndex index = Declare(tensor.tensor_type());
    operator_.inputs.push_back(index);
    operands_.push_back(tensor);
    if (constant || tensor.type() == DType::kShape) {
      const Op source = tensor.type() == DType::kShape ? Op::kConstShape : Op::kConst;
      block_.operators.push_back({source, {{AttributeId::kValues, tensor}}, {}, {index}});
    } else {
      block_.inputs.push_back(index);
      inputs_.push_back(tensor);
    }
  }

  void AddOutput(const TensorType& type) {
    const TensorIndex index = Declare(type);
    operator_.outputs.push_back(index);
    if (type.type != DType::kShape) block_.outputs.push_back(index);
  }

  Attributes& attributes() { return operator_.attributes; }

  // Declares the outputs that the operator's shape rule infers. Returns false if it infers none.
  bool InferAllOutputs() {
    std::vector<std::vector<Scalar>> elements;
    std::vector<TensorType> types;
    for (const Tensor& tensor : operands_) {
      types.push_back(tensor.tensor_type());
      elements.push_back(*ToScalars(tensor).elements);
    }
    const std::vector<std::span<const Scalar>> constants(elements.begin(), elements.end());
    std::vector<TensorType> outputs(FactsOf(operator_.op).outputs.size());
    if (!InferOutputs({operator_.op, &operator_.attributes, types, {}, constants}, outputs)) {
      return false;
    }
    for (const TensorType& type : outputs) {
      if (type.type == DType::kUnknown) return false;
      AddOutput(type);
    }
    return true;
  }

  TestVector Finish(Step step) {
    TestVector vector;
    block_.name = "main";
    block_.operators.push_back(std::move(operator_));
    vector.graphs.push_back(EmptyGraph());
    vector.graphs[0].regions[0].blocks[0] = std::move(block_);
    step.inputs = std::move(inputs_);
    vector.steps.push_back(std::move(step));
    vector.tags.emplace_back("example");
    return vector;
  }

 private:
  TensorIndex Declare(const TensorType& type) {
    return block_.AddTensor("t" + std::to_string(block_.tensors.size()), type);
  }

  Operator operator_;
  Block block_;
  std::vector<Tensor> operands_;  // all of them
  std::vector<Tensor> inputs_;    // of the graph
};

}  // namespace

Result<TensorType> ParseTensorType(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return Unreadable("not a tensor type", text);
  const auto type = TypeByName(text.substr(0, bracket));
  std::vector<int32_t> dims;
  if (!type || !ParseInts(text.substr(bracket), dims)) return Unreadable("not a tensor type", text);
  return TensorType{*type, Shape(dims)};
}

Result<Tensor> ParseTensor(std::string_view text) {
  const size_t brace = text.find('{');
  if (brace == std::string_view::npos || text.back() != '}')
    return Unreadable("not a tensor", text);
  Result<TensorType> type = ParseTensorType(text.substr(0, brace));
  if (!type) return type.error();
  std::vector<int64_t> words;
  for (const std::string_view part : Split(text.substr(brace + 1, text.size() - brace - 2), ',')) {
    words.emplace_back();
    if (!ParseElement(type->type, part, words.back())) return Unreadable("not an element", part);
  }
  const bool empty_shape = type->type == DType::kShape && type->shape == Shape{0};
  const int64_t count = type->shape.Elements();
  if (words.size() == 1) return Tensor::Splat(type->type, type->shape, words[0]);
  if (std::ssize(words) != count && !empty_shape)
    return Unreadable("wrong number of elements", text);
  return Tensor::FromIntegers(type->type, type->shape, words);
}

Result<TestVector> VectorOfExample(Op op, const ops::Example& example) {
  const OperatorFacts& facts = FactsOf(op);
  ExampleGraph graph(op);
  size_t position = 0;
  for (const std::string_view text : Split(example.inputs, ' ')) {
    Result<Tensor> tensor = ParseTensor(text);
    if (!tensor) return tensor.error();
    graph.AddInput(*tensor, facts.NeedsConstant(position++));
  }
  bool declared = false;
  for (const std::string_view text : Split(example.attributes, ' ')) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return Unreadable("not an attribute", text);
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    if (name == "output") {
      Result<TensorType> type = ParseTensorType(value);
      if (!type) return type.error();
      graph.AddOutput(*type);
      declared = true;
      continue;
    }
    const auto id = AttributeByName(name);
    const ArgumentRow* row = id ? FindAttribute(op, *id) : nullptr;
    if (row == nullptr) return Unreadable("no attribute of the operator", name);
    Result<AttributeValue> parsed = ParsedValue(*row, value);
    if (!parsed) return parsed.error();
    graph.attributes().Set(*id, *parsed);
  }
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (!row.attribute || row.optional || graph.attributes().Has(*row.attribute)) continue;
    if (row.type == "bool_t") graph.attributes().Set(*row.attribute, false);
    if (row.attribute == AttributeId::kRoundingMode) graph.attributes().Set(*row.attribute, 1);
  }
  Step step;
  const bool error = example.results.starts_with("error ");
  if (error || example.results.starts_with("unpredictable ")) {
    if (!declared && !graph.InferAllOutputs()) {
      return Unreadable("the outputs must be declared: output=...", example.results);
    }
    step.expected = error ? OutcomeKind::kError : OutcomeKind::kUnpredictable;
    step.rule = example.results.substr(example.results.find(' ') + 1);
    return graph.Finish(std::move(step));
  }
  for (const std::string_view text : Split(example.results, ' ')) {
    Result<Tensor> tensor = ParseTensor(text);
    if (!tensor) return tensor.error();
    if (!declared) graph.AddOutput(tensor->tensor_type());
    // A shape cannot be an output of a graph. The operators that read shapes have examples that
    // check it.
    if (tensor->type() == DType::kShape) continue;
    Expectation expectation;
    expectation.value = *tensor;
    expectation.rule = OperatorName(op);
    step.outputs.push_back(std::move(expectation));
  }
  return graph.Finish(std::move(step));
}

}  // namespace assay
