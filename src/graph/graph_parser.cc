// SPDX-License-Identifier: Apache-2.0
#include "graph_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "operator_table.h"
#include "parse_number.h"
#include "quoted.h"
#include "tosa_version.h"
#include "value_parser.h"

namespace assay {
namespace {

// The most tensors and operators of a graph.
constexpr int64_t kThingsMax = int64_t{1} << 24;

// A tensor as a text names it.
struct NamedTensor {
  std::string name;
  std::optional<TensorType> type;
  size_t place = 0;
};

// A constant in the place of an operand or of an attribute's tensor. It gets a type at the end of
// its block, where all types are known.
struct Literal {
  size_t op = 0;
  size_t operand = 0;
  std::optional<AttributeId> attribute;  // instead of the operand
  Tensor value;                          // or no value: that of `number`
  std::string_view number;
  size_t place = 0;
};

// Returns the row of an operand of an operator. A list takes all from its position on.
const ArgumentRow* InputRow(Op op, size_t operand) {
  const ArgumentRow* last = nullptr;
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (row.direction != Direction::kInput) continue;
    last = &row;
    if (row.list || operand-- == 0) return last;
  }
  return last;
}

class GraphParser : private ValueParser {
 public:
  using ValueParser::error;
  using ValueParser::ValueParser;

  bool Parse(Graph& graph) {
    graph_ = &graph;
    if (!Version()) return false;
    while (!AtEnd()) {
      if (Skips('\n')) continue;
      if (!Line()) return false;
    }
    return EndBlock();
  }

 private:
  bool Version() {
    while (Skips('\n')) {
    }
    const size_t begin = Here();
    if (!SkipsWord("TOSA")) return true;
    std::string_view word = Word();
    SpecVersion& version = graph_->version;
    version.draft = word.ends_with("-draft");
    if (version.draft) word.remove_suffix(std::string_view("-draft").size());
    for (int* number : {&version.major, &version.minor, &version.patch}) {
      const size_t dot = std::min(word.find('.'), word.size());
      if (!ParseNumber(word.substr(0, dot), *number)) {
        return Fail(begin, "the first line names the version as in `TOSA 1.0.0`");
      }
      word.remove_prefix(std::min(dot + 1, word.size()));
    }
    if (const auto refusal = RefusalOfVersion(version)) return Fail(begin, *refusal);
    return EndLine();
  }

  bool Line() {
    const size_t begin = Here();
    if (SkipsWord("region")) {
      return EndBlock() && WordOrQuoted(graph_->regions.emplace_back().name) && EndLine();
    }
    if (SkipsWord("block")) return EndBlock() && BlockLine();
    if (block_ == nullptr) return Fail(begin, "there is no block yet: `block main (...) -> (...)`");
    if (SkipsWord("variable")) return VariableLine();
    if (SkipsWord("tensor")) {
      TensorIndex index = 0;
      return OneTensor(index) && EndLine();
    }
    return OperatorLine();
  }

  bool EndLine() {
    if (AtEnd() || Skips('\n')) return true;
    return Fail(Here(), "the end of the line is expected here");
  }

  bool BlockLine() {
    if (graph_->regions.empty()) graph_->regions.emplace_back().name = "main";
    block_ = &graph_->regions.back().blocks.emplace_back();
    if (!WordOrQuoted(block_->name) || !Tensors(block_->inputs)) return false;
    while (Skips('\n')) {
    }
    const size_t begin = Here();
    if (!SkipsWord("->")) return Fail(begin, "`-> (` with the outputs is missing here");
    outputs_.clear();
    if (!Take('(')) return false;
    while (Next() != ')') {
      if (!outputs_.empty() && !Take(',')) return false;
      if (!Named(outputs_.emplace_back())) return false;
    }
    return Take(')') && EndLine();
  }

  bool VariableLine() {
    TensorIndex index = 0;
    if (!OneTensor(index)) return false;
    TensorInfo& info = block_->tensors[static_cast<size_t>(index)];
    info.variable = true;
    if (SkipsWord("of") && !WordOrQuoted(info.variable_name)) return false;
    if (Skips('=') && !Value(info.initial_value)) return false;
    return EndLine();
  }

  bool OperatorLine() {
    Operator op;
    if (Next() == '%') {
      do {
        if (!OneTensor(op.outputs.emplace_back())) return false;
      } while (Skips(','));
      if (!Take('=')) return false;
    }
    const size_t begin = Here();
    const std::string_view word = Word();
    if (op.outputs.size() == 1 && Next() == '[') {
      at_ = begin;
      if (!CountThing() || !Constant(op)) return false;
    } else {
      const std::optional<Op> known = OperatorByName(word);
      if (!known) return Fail(begin, Quoted(word) + " is no operator");
      op.op = *known;
      if (!CountThing() || !Operands(op) || !AttributesOf(op)) return false;
      for (const ArgumentRow& row : RowOf(op.op).arguments) {
        if (!row.attribute || row.optional || op.attributes.Has(*row.attribute)) continue;
        return Fail(begin, std::string(word) + " needs the attribute " + std::string(row.name));
      }
    }
    block_->operators.push_back(std::move(op));
    return EndLine();
  }

  // Parses a tensor as the operator that makes it.
  bool Constant(Operator& op) {
    Tensor value;
    const size_t begin = Here();
    if (!Value(value) || !SetType(op.outputs[0], value.tensor_type(), begin)) return false;
    op.op = OperatorOf(value);
    op.attributes = {{AttributeId::kValues, std::move(value)}};
    return true;
  }

  static Op OperatorOf(const Tensor& constant) {
    return constant.type() == DType::kShape ? Op::kConstShape : Op::kConst;
  }

  bool Operands(Operator& op) {
    if (!Take('(')) return false;
    while (Next() != ')') {
      if (!op.inputs.empty() && !Take(',')) return false;
      if (!Operand(op)) return false;
    }
    return Take(')');
  }

  bool Operand(Operator& op) {
    if (Next() == '%') return OneTensor(op.inputs.emplace_back());
    Literal literal = {block_->operators.size(), op.inputs.size(), {}, {}, {}, Here()};
    op.inputs.push_back(-1);
    if (Next() == '[') {
      std::vector<int32_t> numbers;
      if (!Numbers(numbers)) return false;
      literal.value = Tensor::FromShape(std::vector<int64_t>(numbers.begin(), numbers.end()));
    } else if (!NumberOrTensor(literal)) {
      return false;
    }
    literals_.push_back(std::move(literal));
    return CountThing();
  }

  bool NumberOrTensor(Literal& literal) {
    literal.number = Word();
    if (literal.number.empty()) return Fail(literal.place, "an operand is missing here");
    if (Next() != '[') return true;
    at_ = literal.place;
    return Value(literal.value);
  }

  bool AttributesOf(Operator& op) {
    while (!AtEnd() && Next() != '\n') {
      const size_t begin = Here();
      const std::string_view word = Word();
      if (word == "at" && Next() != '=') {
        if (!QuotedText(op.location)) return false;
        break;
      }
      const auto id = AttributeByName(word);
      const ArgumentRow* row = id ? FindAttribute(op.op, *id) : nullptr;
      if (row == nullptr) {
        return Fail(begin, std::string(OperatorName(op.op)) + " has no attribute " + Quoted(word));
      }
      if (op.attributes.Has(*id)) return Fail(begin, std::string(word) + " is there twice");
      AttributeValue value;
      if (!Take('=')) return false;
      if (HoldsTensor(*id)) {
        Literal literal = {block_->operators.size(), 0, id, {}, {}, Here()};
        if (!NumberOrTensor(literal)) return false;
        value = literal.value;
        if (!literal.value.has_value()) literals_.push_back(std::move(literal));
      } else if (!Attribute(*row, value)) {
        return false;
      }
      op.attributes.Set(*id, std::move(value));
    }
    AddUsualAttributes(op.op, op.attributes);
    return true;
  }

  // Parses the tensors of a block's line.
  bool Tensors(std::vector<TensorIndex>& list) {
    if (!Take('(')) return false;
    while (Next() != ')') {
      if (!list.empty() && !Take(',')) return false;
      if (!OneTensor(list.emplace_back())) return false;
    }
    return Take(')');
  }

  // Parses a name, and a type if one follows. A name without quotes may have colons in it; before a
  // type, the last one ends it.
  bool Named(NamedTensor& named) {
    named.place = Here();
    if (!Take('%')) return false;
    bool has_type = false;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!QuotedText(named.name)) return false;
      has_type = at_ < text_.size() && text_[at_] == ':';
      at_ += has_type ? 1 : 0;
    } else {
      const size_t begin = at_;
      std::string_view name = Here() == begin ? Word() : "";
      has_type = at_ < text_.size() && text_[at_] == '[';
      if (has_type) {
        const size_t colon = name.rfind(':');
        if (colon == std::string_view::npos) return Fail(begin, "a type follows after a colon");
        name = name.substr(0, colon);
        at_ = begin + colon + 1;
      }
      if (name.empty()) return Fail(named.place, "a name is missing here");
      named.name = name;
    }
    return !has_type || Type(named.type.emplace());
  }

  // Parses a tensor, which is declared if it is new.
  bool OneTensor(TensorIndex& index) {
    NamedTensor named;
    return Named(named) && Declare(named, index);
  }

  bool Declare(const NamedTensor& named, TensorIndex& index) {
    const auto next = static_cast<TensorIndex>(block_->tensors.size());
    const auto [found, is_new] = indices_.try_emplace(named.name, next);
    index = found->second;
    if (is_new) {
      if (!CountThing()) return false;
      block_->tensors.emplace_back().name = named.name;
      places_.push_back(named.place);
    }
    return !named.type || SetType(index, *named.type, named.place);
  }

  bool SetType(TensorIndex index, const TensorType& type, size_t place) {
    TensorInfo& info = block_->tensors[static_cast<size_t>(index)];
    if (info.type.type != DType::kUnknown && info.type != type) {
      return Fail(place, "tensor " + Quoted(info.name) + " is " + type.ToString() + " here and " +
                             info.type.ToString() + " before");
    }
    info.type = type;
    return true;
  }

  bool CountThing() {
    return ++things_ <= kThingsMax ||
           Fail(Here(),
                "there are more than " + std::to_string(kThingsMax) + " tensors and operators");
  }

  // Completes the block that the lines before have begun.
  bool EndBlock() {
    if (block_ == nullptr) return true;
    for (const NamedTensor& output : outputs_) {
      if (!Declare(output, block_->outputs.emplace_back())) return false;
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      if (block_->tensors[i].type.type != DType::kUnknown) continue;
      return Fail(places_[i],
                  "tensor " + Quoted(block_->tensors[i].name) + " has no type: nothing makes it");
    }
    if (!AddLiterals()) return false;
    block_ = nullptr;
    outputs_.clear();
    indices_.clear();
    places_.clear();
    return true;
  }

  // Gives constants their types, and puts them before the operators that have them as operands.
  bool AddLiterals() {
    if (literals_.empty()) return true;
    for (Literal& literal : literals_) {
      Operator& op = block_->operators[literal.op];
      if (!literal.value.has_value() && !TypeLiteral(op, literal)) return false;
      if (literal.attribute) op.attributes.Set(*literal.attribute, literal.value);
    }
    std::vector<Operator> operators;
    auto literal = literals_.begin();
    size_t number = 0;
    for (size_t i = 0; i < block_->operators.size(); ++i) {
      Operator& op = block_->operators[i];
      for (; literal != literals_.end() && literal->op == i; ++literal) {
        if (literal->attribute) continue;
        std::string name;
        do name = "const" + std::to_string(number++);
        while (indices_.contains(name));
        const TensorIndex index = block_->AddTensor(name, literal->value.tensor_type());
        op.inputs[literal->operand] = index;
        operators.push_back(
            {OperatorOf(literal->value), {{AttributeId::kValues, literal->value}}, {}, {index}});
      }
      operators.push_back(std::move(op));
    }
    block_->operators = std::move(operators);
    literals_.clear();
    return true;
  }

  // Makes the tensor of a number. Its type and rank are those that the row of the operand demands,
  // or else those of another operand, or of the result, that has the same type variable.
  bool TypeLiteral(const Operator& op, Literal& literal) {
    TensorType type;
    if (literal.attribute) {
      if (!op.inputs.empty() && op.inputs[0] >= 0) type.type = block_->TypeOf(op.inputs[0]).type;
    } else if (const ArgumentRow* row = InputRow(op.op, literal.operand)) {
      if (const TensorType* like = TypeLike(op, *row)) type = *like;
      if (row->fixed != DType::kUnknown) type.type = row->fixed;
      const bool has_rank = row->rank && row->rank->min == row->rank->max;
      const std::vector<int32_t> ones(
          static_cast<size_t>(has_rank ? row->rank->min : type.shape.rank()), 1);
      type.shape = Shape(ones);
    }
    if (type.type == DType::kUnknown) {
      return Fail(literal.place, "the type of this constant is open; write it as i8[1]{5}");
    }
    int64_t word = 0;
    if (!ValueParser(literal.number, "").Element(type.type, word)) {
      return Fail(literal.place, Quoted(literal.number) + " is no value of " + type.ToString());
    }
    literal.value = Tensor::Splat(type.type, type.shape, word);
    return true;
  }

  // Returns null if there is no such operand or result. A row of a fixed type takes only the rank.
  const TensorType* TypeLike(const Operator& op, const ArgumentRow& row) const {
    const bool is_fixed = row.fixed != DType::kUnknown;
    const auto is_like = [&](const ArgumentRow* other) {
      return is_fixed || (row.type_variable && other->type_variable == row.type_variable);
    };
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] >= 0 && is_like(InputRow(op.op, i))) return &block_->TypeOf(op.inputs[i]);
    }
    for (const ArgumentRow& other : RowOf(op.op).arguments) {
      const bool is_result = other.direction == Direction::kOutput && !op.outputs.empty();
      if (is_result && is_like(&other)) return &block_->TypeOf(op.outputs[0]);
    }
    return nullptr;
  }

  Graph* graph_ = nullptr;
  Block* block_ = nullptr;            // that the lines are in
  std::vector<NamedTensor> outputs_;  // of the block
  std::unordered_map<std::string, TensorIndex> indices_;
  std::vector<size_t> places_;  // where the text first names each tensor
  std::vector<Literal> literals_;
  int64_t things_ = 0;
};

}  // namespace

Result<Graph> ParseGraph(std::string_view text, std::string_view name) {
  GraphParser parser(text, name);
  Graph graph;
  if (!parser.Parse(graph)) return parser.error();
  return graph;
}

}  // namespace assay
