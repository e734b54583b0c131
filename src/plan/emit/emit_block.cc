// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "emission.h"
#include "execution_order.h"
#include "joined.h"

namespace assay {
namespace {

constexpr char kNull[] = "NULL";

std::string Quantity(size_t count) { return std::to_string(count); }

// Returns `{a, b}`.
std::string Braces(const std::vector<std::string>& items) { return "{" + Joined(items) + "}"; }

class BlockWriter {
 public:
  BlockWriter(const Emission& emission, const Block& block, EmittedShapes& shapes)
      : emission_(emission),
        block_(block),
        shapes_(shapes),
        is_main_(&block == emission.graph.Main()) {}

  CText Write() {
    NameAddresses();
    text_.Indent();  // what the function's first lines are is known at its end
    if (!emission_.memory.variables.empty()) {
      text_.Line("assay_kernel_begin(" + Address(*emission_.memory.states) + ", " +
                 Quantity(emission_.memory.variables.size()) + ");");
    }
    for (const int32_t index : PlanBlock(block_, nullptr).order) {
      WriteOperator(block_.operators[static_cast<size_t>(index)], index);
    }
    WriteOutputs();
    text_.Line("return ASSAY_KERNEL_OK;");
    text_.Close();
    return Assemble();
  }

 private:
  using Strings = std::vector<std::string>;

  const TensorInfo& Info(TensorIndex tensor) const {
    return block_.tensors[static_cast<size_t>(tensor)];
  }

  // Names the addresses of tensors that lie in no buffer: those of the caller, of the runner, and
  // shapes.
  void NameAddresses() {
    if (is_main_ && !emission_.memory.workspace_io) {
      for (size_t i = block_.outputs.size(); i-- > 0;) {
        addresses_[block_.outputs[i]] = "outputs->" + emission_.outputs[i];
      }
    }
    for (size_t i = 0; i < block_.inputs.size(); ++i) {
      addresses_[block_.inputs[i]] =
          is_main_ ? "inputs->" + emission_.inputs[i] : "in[" + Quantity(i) + "]";
    }
  }

  std::string Address(int32_t buffer, int64_t byte = 0) {
    const EmittedPool& pool = emission_.PoolOf(buffer);
    used_.insert(&pool);
    return emission_.Address(pool.name, buffer, byte);
  }

  std::string AddressOf(TensorIndex tensor) {
    const GraphMemory& memory = emission_.memory.graph;
    const TensorInfo& info = Info(tensor);
    if (info.variable) return Address(memory.variables.at(info.name));
    const auto buffer = memory.tensors.find({&block_, tensor});
    if (buffer != memory.tensors.end()) return Address(buffer->second);
    if (const auto made = shape_values_.find(tensor); made != shape_values_.end()) {
      return made->second;
    }
    const std::string& address = addresses_.at(tensor);
    if (address.starts_with("inputs")) uses_inputs_ = true;
    if (address.starts_with("outputs")) uses_outputs_ = true;
    if (address.starts_with("in[")) uses_in_ = true;
    return address;
  }

  std::string Bytes(TensorIndex tensor) const {
    const TensorType& type = Info(tensor).type;
    return std::to_string(type.shape.Elements() * ElementBytes(type.type));
  }

  void Copy(const std::string& to, const std::string& from, TensorIndex tensor) {
    text_.Line("memcpy(" + to + ", " + from + ", " + Bytes(tensor) + ");");
  }

  // Describes an operator: "y = ADD(x, w)", "old = VARIABLE_READ count()".
  std::string Describe(const Operator& op) const {
    const auto names = [&](const std::vector<TensorIndex>& list) {
      return Joined(list, ", ", [&](TensorIndex tensor) { return CComment(Info(tensor).name); });
    };
    std::string text = names(op.outputs);
    if (!text.empty()) text += " = ";
    text += OperatorName(op.op);
    if (IsVariableOperator(op.op)) text += " " + CComment(op.attributes.Text(AttributeId::kName));
    return text + "(" + names(op.inputs) + ")";
  }

  void WriteOperator(const Operator& op, int32_t index) {
    if (op.op == Op::kConst) return;  // is there
    if (op.op == Op::kConstShape) return WriteShape(op);
    text_.Open("{");
    text_.Comment(std::to_string(index) + ": " + Describe(op));
    switch (op.op) {
      case Op::kVariable:
      case Op::kVariableRead:
      case Op::kVariableWrite:
        WriteVariableOperator(op);
        break;
      case Op::kCondIf:
        WriteCondIf(op);
        break;
      case Op::kWhileLoop:
        WriteWhileLoop(op, index);
        break;
      default:
        WriteCall(op, index);
    }
    text_.Close();
  }

  // Writes a value of type shape_t as a static list, because such a value is in no pool.
  void WriteShape(const Operator& op) {
    const Tensor& value = op.attributes.Value(AttributeId::kValues);
    const TensorIndex tensor = op.outputs[0];
    const auto reads = [&](const Operator& other) {
      return std::ranges::find(other.inputs, tensor) != other.inputs.end();
    };
    const auto& outputs = block_.outputs;
    const bool is_read = std::ranges::any_of(block_.operators, reads) ||
                         std::ranges::find(outputs, tensor) != outputs.end();
    std::string& name = shape_values_[tensor];
    name = value.elements() == 0 ? kNull : shapes_.NewName("value");
    if (value.elements() == 0 || !is_read) return;
    Strings numbers;
    for (int64_t i = 0; i < value.elements(); ++i) {
      numbers.push_back(std::to_string(value.Integer(i)));
    }
    text_.List("static const int64_t " + name + "[] = {", numbers, "};");
  }

  void Run(const std::string& call) {
    text_.Line("const assay_kernel_status status = " + call + ";");
    ReturnFailure();
  }
  void ReturnFailure() { text_.Line("if (status != ASSAY_KERNEL_OK) return status;"); }

  // Writes the description of a variable of the model, as a local variable with the name `called`.
  void WriteVariable(const std::string& name, const char* called) {
    const auto index = static_cast<int32_t>(*emission_.memory.IndexOf(name));
    const int32_t buffer = emission_.memory.graph.variables.at(name);
    const Strings parts = {CString(name), Address(*emission_.memory.states, index), Address(buffer),
                           std::to_string(emission_.BufferAt(buffer).size_bytes)};
    text_.List("const assay_kernel_variable " + std::string(called) + " = {", parts, "};");
  }

  std::string WriteInitial(const Tensor& initial) {
    if (!initial.has_value()) return kNull;
    text_.Bytes("static const uint8_t initial[]", initial.bytes());
    return "initial";
  }

  void WriteVariableOperator(const Operator& op) {
    uses_handle_ = true;
    WriteVariable(op.attributes.Text(AttributeId::kName), "variable");
    if (op.op == Op::kVariableRead) {
      return Run("assay_kernel_read(&variable, " + AddressOf(op.outputs[0]) + ", resource_handle)");
    }
    if (op.op == Op::kVariableWrite) {
      return Run("assay_kernel_write(&variable, " + AddressOf(op.inputs[0]) + ", resource_handle)");
    }
    const bool has_initial = op.attributes.Has(AttributeId::kInitialValue);
    const std::string initial =
        WriteInitial(has_initial ? op.attributes.Value(AttributeId::kInitialValue) : Tensor());
    Run("assay_kernel_declare(&variable, " + initial + ", resource_handle)");
  }

  // Writes the calls that check variable tensors before they are read, and those that note that
  // they have been written.
  void UseVariables(const std::vector<TensorIndex>& tensors) {
    std::set<TensorIndex> used;
    for (const TensorIndex tensor : tensors) {
      const TensorInfo& info = Info(tensor);
      if (!info.variable || !used.insert(tensor).second) continue;
      uses_handle_ = true;
      text_.Open("{");
      WriteVariable(info.name, "variable");
      const std::string initial = WriteInitial(info.initial_value);
      Run("assay_kernel_use(&variable, " + initial + ", resource_handle)");
      text_.Close();
    }
  }
  void MarkVariables(const std::vector<TensorIndex>& tensors) {
    for (const TensorIndex tensor : tensors) {
      if (!Info(tensor).variable) continue;
      text_.Open("{");
      WriteVariable(Info(tensor).name, "variable");
      text_.Line("assay_kernel_written(&variable);");
      text_.Close();
    }
  }

  // Each of these functions writes an array. It returns "NAME, COUNT", or "NULL, 0" for an empty
  // array.
  std::string WriteArray(const std::string& type, const std::string& name, const Strings& items) {
    if (items.empty()) return "NULL, 0";
    text_.List(type + " " + name + "[] = {", items, "};");
    return name + ", " + Quantity(items.size());
  }
  std::string WriteTensors(const std::string& type, const std::string& name,
                           const std::vector<TensorIndex>& tensors) {
    Strings items;
    for (const TensorIndex tensor : tensors) {
      const TensorType& of = Info(tensor).type;
      items.push_back(Braces({AddressOf(tensor), TypeInC(of.type), Quantity(of.shape.dims().size()),
                              shapes_.NameOf(of.shape)}));
    }
    return WriteArray("const " + type, name, items);
  }

  std::string NumberOf(AttributeId id, const AttributeValue& value) const {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
    if (const int32_t* number = std::get_if<int32_t>(&value)) {
      if (id == AttributeId::kAccType) return TypeInC(static_cast<DType>(*number));
      return std::to_string(*number);
    }
    const Tensor& element = std::get<Tensor>(value);
    return IsFloat(element.type()) ? std::to_string(element.FloatBits(0))
                                   : std::to_string(element.Integer(0));
  }

  std::string WriteAttributes(const Operator& op) {
    Strings items;
    for (const auto& [id, value] : op.attributes.entries()) {
      const std::string name(AttributeName(id));
      Strings parts = {"\"" + name + "\"", "0", kNull, "0"};
      if (const auto* ints = std::get_if<std::vector<int32_t>>(&value)) {
        Strings numbers;
        for (const int32_t number : *ints) numbers.push_back(std::to_string(number));
        if (!numbers.empty()) {
          text_.List("static const int32_t " + name + "[] = {", numbers, "};");
          parts[2] = name;
          parts[3] = Quantity(numbers.size());
        }
      } else {
        parts[1] = NumberOf(id, value);
      }
      items.push_back(Braces(parts));
    }
    return WriteArray("static const assay_kernel_attribute", "attributes", items);
  }

  std::string WriteScratch(int32_t index) {
    const auto found = emission_.memory.graph.scratch.find({&block_, index});
    Strings items;
    if (found != emission_.memory.graph.scratch.end()) {
      for (const int32_t buffer : found->second) {
        items.push_back(
            Braces({Address(buffer), std::to_string(emission_.BufferAt(buffer).size_bytes)}));
      }
    }
    return WriteArray("const assay_kernel_scratch", "scratch", items);
  }

  void WriteCall(const Operator& op, int32_t index) {
    uses_handle_ = true;
    UseVariables(op.inputs);
    const Strings parts = {"\"" + std::string(OperatorName(op.op)) + "\"", WriteAttributes(op),
                           WriteTensors("assay_kernel_input", "operands", op.inputs),
                           WriteTensors("assay_kernel_output", "results", op.outputs),
                           WriteScratch(index)};
    text_.List("const assay_kernel_call call = {", parts, "};");
    Run("assay_kernel_run(&call, resource_handle)");
    MarkVariables(op.outputs);
  }

  // Calls the function of the block that an attribute names.
  void Call(const std::string& set, const Operator& op, AttributeId id, const std::string& in,
            const std::string& out) {
    const Block* const block = emission_.index.Find(op.attributes.Text(id));
    Strings arguments = {in, out};
    for (const EmittedPool& pool : emission_.pools) {
      if (!pool.IsUsed()) continue;
      used_.insert(&pool);
      arguments.push_back(pool.name);
    }
    uses_handle_ = true;
    arguments.push_back("resource_handle");
    text_.List(set + emission_.functions.at(block) + "(", arguments, ");");
  }

  std::string WriteAddresses(const std::string& name, std::span<const TensorIndex> tensors) {
    Strings items;
    for (const TensorIndex tensor : tensors) items.push_back(AddressOf(tensor));
    WriteArray("const void* const", name, items);
    return items.empty() ? kNull : name;
  }
  std::string WriteResults(const std::string& name, size_t count) {
    if (count == 0) return kNull;
    text_.Line("const void* " + name + "[" + Quantity(count) + "] = {NULL};");
    return name;
  }

  void WriteCondIf(const Operator& op) {
    const std::string operands = WriteAddresses("operands", std::span(op.inputs).subspan(1));
    const std::string results = WriteResults("results", op.outputs.size());
    text_.Line("assay_kernel_status status;");
    text_.Open("if (*(const uint8_t*)(" + AddressOf(op.inputs[0]) + ") != 0) {");
    Call("status = ", op, AttributeId::kThenGraph, operands, results);
    text_.Close("} else {");
    text_.Indent();
    Call("status = ", op, AttributeId::kElseGraph, operands, results);
    text_.Close();
    ReturnFailure();
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      Copy(AddressOf(op.outputs[i]), "results[" + Quantity(i) + "]", op.outputs[i]);
    }
  }

  // Writes the loop. The values that it carries lie in the buffers of its results.
  void WriteWhileLoop(const Operator& op, int32_t index) {
    const Block& body = *emission_.index.Find(op.attributes.Text(AttributeId::kBodyGraph));
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      Copy(AddressOf(op.outputs[i]), AddressOf(op.inputs[i]), op.inputs[i]);
    }
    const std::string carried = WriteAddresses("carried", op.outputs);
    text_.Open("for (;;) {");
    text_.Line("const void* goes_on[1] = {NULL};");
    const std::string next = WriteResults("next", op.outputs.size());
    Call("assay_kernel_status status = ", op, AttributeId::kCondGraph, carried, "goes_on");
    ReturnFailure();
    text_.Line("if (*(const uint8_t*)goes_on[0] == 0) break;");
    Call("status = ", op, AttributeId::kBodyGraph, carried, next);
    ReturnFailure();
    WriteCarry(op, index, body);
    text_.Close();
  }

  // Copies the carried values. Values that change places wait in the operator's scratch.
  void WriteCarry(const Operator& op, int32_t index, const Block& body) {
    Strings from;
    size_t held = 0;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      from.push_back("next[" + Quantity(i) + "]");
      if (!MovesCarried(body, i)) continue;
      const std::vector<int32_t>& scratch = emission_.memory.graph.scratch.at({&block_, index});
      const std::string address = Address(scratch[held++]);
      Copy(address, from[i], op.outputs[i]);
      from[i] = address;
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (body.outputs[i] == body.inputs[i]) continue;  // stays where it is
      Copy(AddressOf(op.outputs[i]), from[i], op.outputs[i]);
    }
  }
  // Returns true if the body passes on a value from another place in the list.
  static bool MovesCarried(const Block& body, size_t i) {
    const auto input = std::ranges::find(body.inputs, body.outputs[i]);
    return input != body.inputs.end() && *input != body.inputs[i];
  }

  void WriteOutputs() {
    UseVariables(block_.outputs);
    if (is_main_ && emission_.memory.workspace_io) return;
    for (size_t i = 0; i < block_.outputs.size(); ++i) {
      const TensorIndex tensor = block_.outputs[i];
      const std::string from = AddressOf(tensor);
      if (!is_main_) {
        text_.Line("out[" + Quantity(i) + "] = " + from + ";");
        continue;
      }
      const std::string to = "outputs->" + emission_.outputs[i];
      if (from == to) continue;
      uses_outputs_ = true;
      if (Bytes(tensor) != "0") Copy(to, from, tensor);
    }
  }

  CText Assemble() const {
    Strings parameters, unused;
    const auto add = [&](const std::string& type, const std::string& name, bool is_used) {
      parameters.push_back(type + name);
      if (!is_used) unused.push_back(name);
    };
    if (!is_main_) {
      add("const void* const* ", "in", uses_in_);
      add("const void** ", "out", !block_.outputs.empty());
    } else if (!emission_.memory.workspace_io) {
      add("const " + emission_.model + "_inputs* ", "inputs", uses_inputs_);
      add("const " + emission_.model + "_outputs* ", "outputs", uses_outputs_);
    }
    for (const EmittedPool& pool : emission_.pools) {
      if (pool.IsUsed()) add(pool.PointerType(), pool.name, used_.contains(&pool));
    }
    add("void* ", "resource_handle", uses_handle_);
    CText whole;
    whole.Comment("Block " + CComment(block_.name) + ".");
    whole.List("static assay_kernel_status " + emission_.functions.at(&block_) + "(", parameters,
               ") {");
    whole.Indent();
    for (const std::string& name : unused) whole.Line("(void)" + name + ";");
    whole.Append(text_);
    return whole;
  }

  const Emission& emission_;
  const Block& block_;
  EmittedShapes& shapes_;
  const bool is_main_;
  CText text_;
  std::map<TensorIndex, std::string> addresses_, shape_values_;
  std::set<const EmittedPool*> used_;
  bool uses_inputs_ = false, uses_outputs_ = false, uses_in_ = false, uses_handle_ = false;
};

}  // namespace

CText EmitBlock(const Emission& emission, const Block& block, EmittedShapes& shapes) {
  return BlockWriter(emission, block, shapes).Write();
}

}  // namespace assay
