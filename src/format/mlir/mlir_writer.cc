// SPDX-License-Identifier: Apache-2.0
#include "mlir_writer.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "block_index.h"
#include "joined.h"
#include "mlir_legacy.h"
#include "mlir_literals.h"
#include "mlir_types.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr int kControlFlowDepthMax = 32;  // of COND_IF and WHILE_LOOP inside each other
constexpr int64_t kTextBytesMax = int64_t{1} << 30;
constexpr int64_t kEndless = int64_t{1} << 40;  // lengths are not counted further

class Writer {
 public:
  Writer(const Graph& graph, MlirDialect dialect)
      : graph_(graph), blocks_(graph), is_legacy_(dialect == MlirDialect::kLlvm19) {}

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
    if (!problem_.empty()) return Unsupported("MLIR: " + problem_);
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
    if (depth > kControlFlowDepthMax) return 0;  // refused where it is written
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
      return 80 + (tensor->elements() > kMlirElementsListMax
                       ? std::ssize(tensor->bytes()) * 2
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
    return Joined(block.TypesOf(tensors), ", ", MlirTensorType);
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
        out_ += "initial_value = " + MlirDense(value) + ", ";
      }
      const std::vector<int32_t>& dims = attributes.Ints(AttributeId::kVarShape);
      const std::vector<int64_t> wide(dims.begin(), dims.end());
      const DType type = attributes.type(AttributeId::kType);
      if (is_legacy_) {
        out_ += "name = " + MlirQuoted(name) +
                ", type = " + MlirRankedType(Shape(std::span<const int32_t>(dims)), type);
      } else {
        out_ += "sym_name = " + MlirQuoted(name) + ", type = " + std::string(MlirTypeName(type)) +
                ", var_shape = " + MlirDense(Tensor::FromShape(wide));
      }
      out_ += "}> : () -> ()\n";
    }
  }

  // `seen` has the names of the block's inputs if they are values of the block around it.
  void WriteBlock(const Block& block, std::string_view terminator, int depth,
                  const std::vector<std::string>* seen = nullptr) {
    NameMap names;
    for (size_t i = 0; seen != nullptr && i < block.inputs.size() && i < seen->size(); ++i) {
      names[block.inputs[i]] = (*seen)[i];
    }
    const std::string arguments = seen == nullptr ? Arguments(block, names) : "";
    if (!arguments.empty()) out_ += Indent(depth) + "^bb0(" + arguments + "):\n";
    std::set<std::string> used;
    for (const Operator& op : block.operators) {
      if (is_legacy_ && op.op == Op::kConstShape) continue;  // shapes are attributes there
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
    if (is_legacy_) return WriteLegacyOperator(block, op, names, depth);
    const std::string operands = Names(block, op.inputs, names);
    WriteResults(op, names, depth);
    out_ +=
        '"' + MlirOperatorName(OperatorName(op.op)) + "\"(" + operands + ")" + AttributeList(op);
    WriteRegionsOf(op, names, depth);
    out_ += " : (" + Types(block, op.inputs) + ") -> (" + Types(block, op.outputs) + ")\n";
  }

  void WriteLegacyOperator(const Block& block, const Operator& op, NameMap& names, int depth) {
    const LegacyOperator legacy = ToLegacy(block, op);
    if (!legacy.problem.empty()) return Fail(legacy.problem);
    std::string operands = Names(block, legacy.operands, names);
    std::string types = Types(block, legacy.operands);
    for (const Tensor& constant : legacy.constants) {
      const std::string name = NewName();
      const std::string type = MlirRankedType(constant.shape(), constant.type());
      out_ += Indent(depth) + name + " = \"tosa.const\"() <{value = " + MlirDense(constant) +
              "}> : () -> " + type + "\n";
      operands += (operands.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + type;
    }
    WriteResults(op, names, depth);
    out_ += '"' + legacy.name + "\"(" + operands + ")";
    if (!legacy.attributes.empty()) out_ += " <{" + legacy.attributes + "}>";
    WriteRegionsOf(op, names, depth);
    out_ += " : (" + types + ") -> (" + Types(block, op.outputs) + ")\n";
  }

  void WriteResults(const Operator& op, NameMap& names, int depth) {
    out_ += Indent(depth);
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const std::string name = NewName();
      if (!names.emplace(op.outputs[i], name).second) Fail("a tensor that is made twice");
      out_ += name + (i + 1 < op.outputs.size() ? ", " : " = ");
    }
  }

  // Writes the blocks that an operator runs. The branches of the older COND_IF have no arguments:
  // they see the operands themselves.
  void WriteRegionsOf(const Operator& op, const NameMap& names, int depth) {
    if (op.op == Op::kCondIf) {
      std::vector<std::string> seen;
      for (size_t i = 1; is_legacy_ && i < op.inputs.size(); ++i) {
        const auto name = names.find(op.inputs[i]);
        seen.push_back(name == names.end() ? "%undefined" : name->second);
      }
      WriteRegions({&op.attributes.Text(AttributeId::kThenGraph),
                    &op.attributes.Text(AttributeId::kElseGraph)},
                   depth, is_legacy_ ? &seen : nullptr);
    } else if (op.op == Op::kWhileLoop) {
      WriteRegions({&op.attributes.Text(AttributeId::kCondGraph),
                    &op.attributes.Text(AttributeId::kBodyGraph)},
                   depth, nullptr);
    }
  }

  std::string AttributeList(const Operator& op) {
    std::string out;
    for (const auto& [id, value] : op.attributes.entries()) {
      if (NamesBlock(id)) continue;  // these become regions
      const std::string text = MlirAttribute(id, value);
      if (text.empty()) {
        Fail(std::string(OperatorName(op.op)) + " with this " + std::string(AttributeName(id)));
      }
      out += (out.empty() ? " <{" : ", ") + std::string(AttributeName(id)) + " = " + text;
    }
    return out.empty() ? out : out + "}>";
  }

  void WriteRegions(const std::vector<const std::string*>& blocks, int depth,
                    const std::vector<std::string>* seen) {
    out_ += " (";
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Block* block = blocks_.Find(*blocks[i]);
      if (block == nullptr) return Fail("there is no block " + *blocks[i]);
      if (depth > kControlFlowDepthMax) Fail("control flow nested too deeply");
      if (!problem_.empty()) return;
      out_ += i == 0 ? "{\n" : ", {\n";
      WriteBlock(*block, "tosa.yield", depth, seen);
      out_ += Indent(depth) + "}";
    }
    out_ += ")";
  }

  const Graph& graph_;
  const BlockIndex blocks_;
  const bool is_legacy_;
  std::map<std::pair<const Block*, int>, int64_t> lengths_;
  std::string out_;
  std::string problem_;
  std::set<std::string> declared_;
  int64_t next_name_ = 0;
};

}  // namespace

std::string MlirTensorType(const TensorType& type) {
  if (type.type == DType::kShape) return "!tosa.shape<" + std::to_string(type.shape[0]) + ">";
  return MlirRankedType(type.shape, type.type);
}

Result<std::string> WriteMlir(const Graph& graph, MlirDialect dialect) {
  return Writer(graph, dialect).Write();
}

}  // namespace assay
