#include "mlir_writer.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "block_index.h"
#include "mlir_types.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr int kDepthMax = 32;  // of COND_IF and WHILE_LOOP inside each other
constexpr int64_t kTextBytesMax = int64_t{1} << 30;
constexpr int64_t kEndless = int64_t{1} << 40;  // lengths are not counted further
constexpr int64_t kElementsListMax = 64;  // longer constants are written as one hexadecimal string

std::string Hex(uint64_t bits, int bytes) {
  char text[24];
  snprintf(text, sizeof text, "0x%0*llX", 2 * bytes, static_cast<unsigned long long>(bits));
  return text;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      out += c;
    } else {
      char escape[4];
      snprintf(escape, sizeof escape, "\\%02X", static_cast<unsigned>(static_cast<uint8_t>(c)));
      out += escape;
    }
  }
  return out + '"';
}

std::string Element(const Tensor& tensor, int64_t index) {
  if (tensor.type() == DType::kBool) return tensor.Integer(index) != 0 ? "true" : "false";
  if (IsFloat(tensor.type())) return Hex(tensor.FloatBits(index), ElementBytes(tensor.type()));
  return std::to_string(tensor.Integer(index));
}

void AppendNested(const Tensor& tensor, int axis, int64_t& next, std::string& out) {
  if (axis == tensor.shape().rank()) {
    out += Element(tensor, next++);
    return;
  }
  out += '[';
  for (int32_t i = 0; i < tensor.shape()[axis]; ++i) {
    if (i > 0) out += ", ";
    AppendNested(tensor, axis + 1, next, out);
  }
  out += ']';
}

std::string RankedType(const Shape& shape, DType type) {
  std::string out = "tensor<";
  for (const int32_t dim : shape.dims()) out += (dim == -1 ? "?" : std::to_string(dim)) + "x";
  out += MlirTypeName(type);
  return out + ">";
}

// Returns "dense<[1, 2]> : tensor<2xi32>".
std::string Dense(const Tensor& tensor) {
  const DType type = tensor.type();
  std::string out = "dense<";
  const bool whole_bytes = type != DType::kBool && type != DType::kInt4 && type != DType::kInt48;
  if (tensor.elements() > kElementsListMax && whole_bytes) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    out += "\"0x";
    for (const uint8_t byte : tensor.bytes()) {
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
    out += '"';
  } else if (tensor.elements() > 0) {
    int64_t next = 0;
    AppendNested(tensor, 0, next, out);
  }
  return out + "> : " + RankedType(tensor.shape(), type);
}

template <class Number>
std::string Array(std::string_view type, const std::vector<Number>& numbers) {
  std::string out = "array<" + std::string(type);
  for (size_t i = 0; i < numbers.size(); ++i) {
    out += (i == 0 ? ": " : ", ") + std::to_string(numbers[i]);
  }
  return out + ">";
}

std::string Enumeration(const MlirEnumeration& enumeration, int32_t value) {
  if (value < 1 || value > 3) return {};
  return "#tosa." + std::string(enumeration.mnemonic) + "<" +
         std::string(enumeration.cases[value]) + ">";
}

// Returns the value of an attribute, or "" if the dialect cannot express it.
std::string AttributeText(AttributeId id, const AttributeValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int32_t>(&value)) {
    if (id == AttributeId::kNanMode) return Enumeration(kMlirNanMode, *number);
    if (id == AttributeId::kMode) return Enumeration(kMlirResizeMode, *number);
    if (id == AttributeId::kRoundingMode) return Enumeration(kMlirRoundingMode, *number);
    if (id == AttributeId::kAccType || id == AttributeId::kType) {
      return std::string(MlirTypeName(static_cast<DType>(*number)));
    }
    return std::to_string(*number) + " : i32";
  }
  if (const auto* numbers = std::get_if<std::vector<int32_t>>(&value)) {
    return Array(id == AttributeId::kPerms ? "i32" : "i64", *numbers);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return Quoted(*text);
  const auto& tensor = std::get<Tensor>(value);
  if (!tensor.has_value()) return {};
  if (id == AttributeId::kMinVal || id == AttributeId::kMaxVal) {
    if (tensor.type() == DType::kBool) return {};  // "false : i1" is no MLIR
    return Element(tensor, 0) + " : " + std::string(MlirTypeName(tensor.type()));
  }
  return Dense(tensor);
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph), blocks_(graph) {}

  Result<std::string> Write() {
    const Block* main = graph_.Main();
    if (main == nullptr) return BadInput("the graph has no main block");
    const int64_t length = LengthOf(*main, 1);
    if (length >= kTextBytesMax) {
      return Error{Error::Kind::kResource,
                   "MLIR: the text takes about " +
                       (length == kEndless ? "more than " + std::to_string(kEndless)
                                           : std::to_string(length)) +
                       " bytes, more than the limit of " + std::to_string(kTextBytesMax)};
    }
    out_.reserve(static_cast<size_t>(length));
    out_ = "\"builtin.module\"() ({\n";
    for (const Block& block : graph_.Blocks()) WriteVariables(block);
    out_ += "  \"func.func\"() <{function_type = (" + Types(*main, main->inputs) + ") -> (" +
            Types(*main, main->outputs) + "), sym_name = \"main\"}> ({\n";
    WriteBlock(*main, "func.return", 1);
    out_ += "  }) : () -> ()\n}) : () -> ()\n";
    if (!problem_.empty()) return Error{Error::Kind::kUnsupported, "MLIR: " + problem_};
    return std::move(out_);
  }

 private:
  using NameMap = std::map<TensorIndex, std::string>;

  void Fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

  // Returns the approximate length of the text of a block, at most kEndless. A block that several
  // operators run is written for each of them.
  int64_t LengthOf(const Block& block, int depth) {
    if (depth > kDepthMax) return 0;  // refused where it is written
    const auto known = lengths_.find({&block, depth});
    if (known != lengths_.end()) return known->second;
    const auto types = [&block](const std::vector<TensorIndex>& tensors) {
      constexpr int64_t kBytesPerValue = 28;  // "%1234, " and "tensor<x>, "
      int64_t length = 0;
      for (const TensorIndex tensor : tensors) {
        length += kBytesPerValue + 6 * block.TypeOf(tensor).shape.rank();
      }
      return length;
    };
    const int64_t indent = 2 * depth + 2;
    int64_t length = types(block.inputs) + types(block.outputs) + 2 * indent + 60;
    for (const Operator& op : block.operators) {
      length += indent + 60 + types(op.inputs) + types(op.outputs);
      for (const auto& [id, value] : op.attributes.entries()) {
        if (NamesBlock(id)) {
          const Block* callee = blocks_.Callee(op, id);
          if (callee != nullptr) length += LengthOf(*callee, depth + 1);
        } else {
          length += LengthOf(value);
        }
        length = std::min(length, kEndless);
      }
    }
    return lengths_[{&block, depth}] = std::min(length, kEndless);
  }

  static int64_t LengthOf(const AttributeValue& value) {
    constexpr int64_t kBytesPerNumber = 12;
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      return 80 + (tensor->elements() > kElementsListMax ? std::ssize(tensor->bytes()) * 2
                                                         : tensor->elements() * kBytesPerNumber);
    }
    if (const auto* numbers = std::get_if<std::vector<int32_t>>(&value)) {
      return 40 + std::ssize(*numbers) * kBytesPerNumber;
    }
    if (const auto* text = std::get_if<std::string>(&value)) return 40 + 3 * std::ssize(*text);
    return 60;
  }

  std::string NewName() { return "%" + std::to_string(next_name_++); }

  std::string Arguments(const Block& block, NameMap& names) {
    std::string out;
    for (const TensorIndex input : block.inputs) {
      if (block.tensors[static_cast<size_t>(input)].variable) Fail("variable tensors");
      if (!out.empty()) out += ", ";
      const std::string name = NewName();
      names[input] = name;
      out += name + ": " + MlirTensorType(block.TypeOf(input));
    }
    return out;
  }

  std::string Names(const Block& block, const std::vector<TensorIndex>& tensors,
                    const NameMap& names) {
    std::string out;
    for (const TensorIndex tensor : tensors) {
      const auto name = names.find(tensor);
      const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
      if (info.variable) Fail("variable tensors");
      if (name == names.end()) Fail("tensor " + info.name + " is used before it is produced");
      if (!out.empty()) out += ", ";
      out += name == names.end() ? "%undefined" : name->second;
    }
    return out;
  }

  static std::string Types(const Block& block, const std::vector<TensorIndex>& tensors) {
    std::string out;
    for (const TensorIndex tensor : tensors) {
      if (!out.empty()) out += ", ";
      out += MlirTensorType(block.TypeOf(tensor));
    }
    return out;
  }

  void WriteVariables(const Block& block) {
    for (const Operator& op : block.operators) {
      if (op.op != Op::kVariable) continue;
      const std::string& name = op.attributes.Text(AttributeId::kName);
      if (!declared_.insert(name).second) Fail("a variable that is declared twice");
      if (!op.inputs.empty() || !op.outputs.empty()) Fail("VARIABLE with operands");
      const Attributes& attributes = op.attributes;
      const AttributeValue* initial = attributes.Find(AttributeId::kInitialValue);
      out_ += "  \"tosa.variable\"() <{";
      if (initial != nullptr && std::get<Tensor>(*initial).has_value()) {
        const Tensor& value = std::get<Tensor>(*initial);
        const Shape shape(std::span<const int32_t>(attributes.Ints(AttributeId::kVarShape)));
        if (value.shape() != shape) Fail("a variable whose initial value has another shape");
        out_ += "initial_value = " + Dense(value) + ", ";
      }
      const std::vector<int32_t>& dims = attributes.Ints(AttributeId::kVarShape);
      const std::vector<int64_t> wide(dims.begin(), dims.end());
      out_ += "sym_name = " + Quoted(name) +
              ", type = " + std::string(MlirTypeName(attributes.type(AttributeId::kType))) +
              ", var_shape = " + Dense(Tensor::FromShape(wide)) + "}> : () -> ()\n";
    }
  }

  void WriteBlock(const Block& block, std::string_view terminator, int depth) {
    NameMap names;
    const std::string arguments = Arguments(block, names);
    if (!arguments.empty()) out_ += Indent(depth) + "^bb0(" + arguments + "):\n";
    std::set<std::string> used;
    for (const Operator& op : block.operators) {
      if (op.op != Op::kVariable) {
        WriteOperator(block, op, names, depth + 1);
        if (op.attributes.Has(AttributeId::kName))
          used.insert(op.attributes.Text(AttributeId::kName));
      } else if (used.contains(op.attributes.Text(AttributeId::kName))) {
        Fail("a variable that is declared after it is used");  // symbols have no place in a list
      }
    }
    out_ += Indent(depth + 1) + '"' + std::string(terminator) + "\"(" +
            Names(block, block.outputs, names) + ") : (" + Types(block, block.outputs) +
            ") -> ()\n";
  }

  static std::string Indent(int depth) { return std::string(static_cast<size_t>(2 * depth), ' '); }

  void WriteOperator(const Block& block, const Operator& op, NameMap& names, int depth) {
    const OperatorRow& row = RowOf(op.op);
    const std::string operands = Names(block, op.inputs, names);
    out_ += Indent(depth);
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const std::string name = NewName();
      if (!names.emplace(op.outputs[i], name).second) Fail("a tensor that is made twice");
      out_ += name + (i + 1 < op.outputs.size() ? ", " : " = ");
    }
    out_ += '"' + MlirOperatorName(row.name) + "\"(" + operands + ")" + AttributeList(op, row);
    if (op.op == Op::kCondIf) {
      WriteRegions({&op.attributes.Text(AttributeId::kThenGraph),
                    &op.attributes.Text(AttributeId::kElseGraph)},
                   depth);
    } else if (op.op == Op::kWhileLoop) {
      WriteRegions({&op.attributes.Text(AttributeId::kCondGraph),
                    &op.attributes.Text(AttributeId::kBodyGraph)},
                   depth);
    }
    out_ += " : (" + Types(block, op.inputs) + ") -> (" + Types(block, op.outputs) + ")\n";
  }

  std::string AttributeList(const Operator& op, const OperatorRow& row) {
    std::string out;
    for (const auto& [id, value] : op.attributes.entries()) {
      if (NamesBlock(id)) continue;  // these become regions
      const std::string text = AttributeText(id, value);
      if (text.empty()) {
        Fail(std::string(row.name) + " with this " + std::string(AttributeName(id)));
      }
      out += (out.empty() ? " <{" : ", ") + std::string(AttributeName(id)) + " = " + text;
    }
    return out.empty() ? out : out + "}>";
  }

  void WriteRegions(const std::vector<const std::string*>& blocks, int depth) {
    out_ += " (";
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Block* block = blocks_.Find(*blocks[i]);
      if (block == nullptr) return Fail("there is no block " + *blocks[i]);
      if (depth > kDepthMax) Fail("control flow nested too deeply");
      if (!problem_.empty()) return;
      out_ += i == 0 ? "{\n" : ", {\n";
      WriteBlock(*block, "tosa.yield", depth);
      out_ += Indent(depth) + "}";
    }
    out_ += ")";
  }

  const Graph& graph_;
  const BlockIndex blocks_;
  std::map<std::pair<const Block*, int>, int64_t> lengths_;
  std::string out_;
  std::string problem_;
  std::set<std::string> declared_;
  int64_t next_name_ = 0;
};

}  // namespace

std::string MlirTensorType(const TensorType& type) {
  if (type.type == DType::kShape) return "!tosa.shape<" + std::to_string(type.shape[0]) + ">";
  return RankedType(type.shape, type.type);
}

Result<std::string> WriteMlir(const Graph& graph) { return Writer(graph).Write(); }

}  // namespace assay
