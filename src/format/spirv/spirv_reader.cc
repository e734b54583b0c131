// SPDX-License-Identifier: Apache-2.0
#include "spirv_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "quoted.h"
#include "read_budget.h"
#include "spirv_constants.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

class ModuleReader {
 public:
  ModuleReader(const ModuleCode& code, const GraphConstants& constants, const ReadLimits& limits,
               size_t words)
      : code_(code),
        graph_constants_(constants),
        limits_(limits),
        constants_(code, ReadBudget(words * sizeof(uint32_t), limits.memory_max)) {
    module_.graph = EmptyGraph();
  }

  Result<GraphModule> Read(const std::string& entry_point) {
    for (const Instruction& instruction : code_.instructions) {
      const Result<Done> read = Define(instruction);
      if (!read) return At(instruction, read.error());
    }
    const Result<const Instruction*> entry = EntryPoint(entry_point);
    if (!entry) return entry.error();
    const Result<Done> begun = ReadInterface(**entry);
    if (!begun) return At(**entry, begun.error());
    for (size_t i = body_; i < code_.instructions.size() && !ended_; ++i) {
      const Instruction& instruction = code_.instructions[i];
      const Result<Done> read = ReadOfGraph(instruction);
      if (!read) return At(instruction, read.error());
    }
    const Result<Done> ended = End();
    if (!ended) return At(**entry, ended.error());
    return std::move(module_);
  }

 private:
  Block& block() { return *module_.graph.Main(); }
  std::string Text(uint32_t id) const { return IdText(code_, id); }

  // Returns an error with its place: "word 12: OpExtInst CONV2D: ...".
  Error At(const Instruction& instruction, const Error& error) const {
    std::string place = std::string(code_.place) + " " + std::to_string(instruction.place) + ": " +
                        std::string(LayoutOf(static_cast<uint32_t>(instruction.opcode))->name);
    if (const OperatorRow* row = TosaOperator(instruction)) place += " " + std::string(row->name);
    return {error.kind, place + ": " + error.message, error.rule};
  }

  // Returns the operator that an instruction stands for; null if there is none.
  const OperatorRow* TosaOperator(const Instruction& instruction) const {
    if (instruction.opcode != Opcode::kExtInst) return nullptr;
    const std::vector<uint32_t>& operands = instruction.operands;
    const bool is_tosa = ImportOf(instruction) == kTosaInstructionSet;
    return is_tosa && operands[1] < TosaInstructions().size() ? &TosaInstructions()[operands[1]]
                                                              : nullptr;
  }

  // Returns the name of the instruction set of an extended instruction.
  std::string ImportOf(const Instruction& instruction) const {
    const Instruction* import = constants_.Find(instruction.operands[0], Opcode::kExtInstImport);
    return import == nullptr ? "" : TextAt(import->operands);
  }

  // ---- All instructions

  // Checks that ids are defined before they are used, and collects names, decorations and places.
  Result<Done> Define(const Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    const Opcode opcode = instruction.opcode;
    const bool refers_forward = opcode == Opcode::kName || opcode == Opcode::kMemberName ||
                                opcode == Opcode::kDecorate || opcode == Opcode::kMemberDecorate ||
                                opcode == Opcode::kGraphEntryPoint;
    if (!refers_forward) {
      if (instruction.type != 0) {
        const Result<Done> defined = CheckDefined(instruction.type);
        if (!defined) return defined.error();
      }
      for (const Operand& operand : OperandsOf(instruction)) {
        if (operand.letter != 'i') continue;
        const Result<Done> defined = CheckDefined(operand.words[0]);
        if (!defined) return defined.error();
      }
    }
    if (instruction.result != 0 && !constants_.Define(instruction)) {
      return BadInput(Text(instruction.result) + " is defined twice");
    }
    switch (opcode) {
      case Opcode::kName:
        names_.emplace(operands[0], TextAt(std::span(operands).subspan(1)));
        break;
      case Opcode::kDecorate:
        if (operands.size() == 3) decorations_[{operands[0], operands[1]}] = operands[2];
        break;
      case Opcode::kGraphEntryPoint:
        entries_.push_back(&instruction);
        break;
      case Opcode::kGraphConstant:
        if (!graph_constant_numbers_.insert(operands[0]).second) {
          return BadInput("graph constant " + std::to_string(operands[0]) + " is there twice");
        }
        break;
      case Opcode::kExtInst:
        if (ImportOf(instruction) == kDebugInstructionSet) AddDebug(operands);
        break;
      case Opcode::kLine:
        line_ = StringOf(operands[0]) + ":" + std::to_string(operands[1]) + ":" +
                std::to_string(operands[2]);
        break;
      case Opcode::kNoLine:
        line_.clear();
        break;
      default:
        break;
    }
    if (opcode == Opcode::kExtInst && !line_.empty()) {
      locations_.emplace(instruction.result, line_);
    }
    return Done{};
  }

  Result<Done> CheckDefined(uint32_t id) const {
    if (constants_.Find(id) != nullptr) return Done{};
    return BadInput(Text(id) + " is used before it is defined");
  }

  // Returns the text of an OpString; "" if the id has none.
  std::string StringOf(uint32_t id) const {
    const Instruction* string = constants_.Find(id, Opcode::kString);
    return string == nullptr ? "" : TextAt(string->operands);
  }

  // Takes the names that an instruction of NonSemantic.Graph.DebugInfo gives.
  void AddDebug(std::span<const uint32_t> operands) {
    if (operands.size() < 4) return;
    const std::string name = StringOf(operands[3]);
    if (name.empty()) return;
    if (operands[1] == kDebugOperation) {
      for (const uint32_t id : operands.subspan(4)) locations_[id] = name;
    }
    if (operands[1] == kDebugTensor) {
      const uint32_t index = operands.size() > 4 ? constants_.Number(operands[4]).value_or(0) : 0;
      tensor_names_.emplace(std::pair(operands[2], index), name);
    }
  }

  // ---- The interface

  std::string NameOf(const Instruction& entry) const {
    return TextAt(std::span(entry.operands).subspan(1));
  }

  Result<const Instruction*> EntryPoint(const std::string& wanted) const {
    if (entries_.empty()) return BadInput("no OpGraphEntryPointARM: the module has no graph");
    if (wanted.empty() && entries_.size() == 1) return entries_[0];
    std::string names;
    for (const Instruction* entry : entries_) {
      if (!wanted.empty() && NameOf(*entry) == wanted) return entry;
      names += (names.empty() ? "" : ", ") + Quoted(NameOf(*entry));
    }
    return UsageError((wanted.empty() ? "which graph?" : "no graph " + Quoted(wanted) + ":") +
                      " the module has " + names);
  }

  // Makes the inputs of the graph, and finds its body.
  Result<Done> ReadInterface(const Instruction& entry) {
    module_.entry_point = NameOf(entry);
    const uint32_t graph = entry.operands[0];
    const Instruction* definition = constants_.Find(graph, Opcode::kGraph);
    const Instruction* type =
        definition == nullptr ? nullptr : constants_.Find(definition->type, Opcode::kTypeGraph);
    if (type == nullptr) return BadInput(Text(graph) + " is no graph with a type");
    const size_t name = TextWords(module_.entry_point).size();
    const auto variables = std::span(entry.operands).subspan(1 + name);
    const auto types = std::span(type->operands).subspan(1);
    const size_t inputs = type->operands[0];
    if (inputs >= types.size()) return BadInput(Text(graph) + " has no outputs");
    if (variables.size() != types.size()) {
      return BadInput("has " + std::to_string(variables.size()) + " variables for " +
                      std::to_string(types.size()) + " inputs and outputs");
    }
    const auto place = std::ranges::find(code_.instructions, graph, &Instruction::result);
    body_ = static_cast<size_t>(place - code_.instructions.begin()) + 1;
    std::map<uint32_t, uint32_t> input_ids;  // the ids of inputs by their numbers
    for (size_t i = body_; i < code_.instructions.size(); ++i) {
      const Instruction& instruction = code_.instructions[i];
      if (instruction.opcode == Opcode::kGraphEnd) break;
      if (instruction.opcode != Opcode::kGraphInput) continue;
      const auto number = constants_.Number(instruction.operands[0]);
      if (number) input_ids.emplace(*number, instruction.result);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const Result<InterfaceSlot> slot = Slot(variables[i], types[i]);
      if (!slot) return slot.error();
      Result<TensorType> tensor = constants_.TensorTypeOf(types[i]);
      if (!tensor) return tensor.error();
      (i < inputs ? module_.inputs : module_.outputs).push_back(*slot);
      if (i < inputs) {
        const auto id = input_ids.find(static_cast<uint32_t>(i));
        const uint32_t named = id == input_ids.end() ? variables[i] : id->second;
        block().inputs.push_back(NewTensor(named, *tensor, variables[i]));
      } else {
        output_types_.push_back(std::move(*tensor));
        output_variables_.push_back(variables[i]);
      }
    }
    block().outputs.resize(output_types_.size(), -1);
    return Done{};
  }

  // Returns the place of a variable, whose type must be that of an input or output.
  Result<InterfaceSlot> Slot(uint32_t id, uint32_t type) {
    const Instruction* variable = constants_.Find(id, Opcode::kVariable);
    const Instruction* pointer =
        variable == nullptr ? nullptr : constants_.Find(variable->type, Opcode::kTypePointer);
    if (pointer == nullptr) return BadInput(Text(id) + " is no variable");
    if (pointer->operands[1] != type) {
      const Result<TensorType> own = constants_.TensorTypeOf(pointer->operands[1]);
      if (!own) return own.error();
      const Result<TensorType> wanted = constants_.TensorTypeOf(type);
      if (!wanted) return wanted.error();
      if (*own != *wanted) {
        return BadInput(Text(id) + " is " + own->ToString() + ", not " + wanted->ToString());
      }
    }
    const auto set = decorations_.find({id, kDescriptorSetDecoration});
    const auto binding = decorations_.find({id, kBindingDecoration});
    if (set == decorations_.end() || binding == decorations_.end()) {
      return BadInput(Text(id) + " has no DescriptorSet or no Binding");
    }
    return InterfaceSlot{set->second, binding->second};
  }

  // ---- Tensors

  // Returns the name that the module has for an id; "" if there is none or it is taken.
  std::string FreeName(uint32_t id, uint32_t variable, uint32_t index) {
    const auto take = [this](const auto& names, const auto& key) -> std::string {
      const auto found = names.find(key);
      if (found == names.end() || found->second.empty()) return "";
      return used_names_.insert(found->second).second ? found->second : "";
    };
    std::string name = take(names_, id);
    if (name.empty()) name = take(tensor_names_, std::pair(id, index));
    if (name.empty()) name = take(names_, variable);
    if (name.empty()) name = take(code_.id_names, id);
    return name;
  }

  // Returns a name that no other tensor has.
  std::string UniqueName(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !used_names_.insert(name).second; ++i) name = wanted + "." + std::to_string(i);
    return name;
  }

  TensorIndex NewTensor(uint32_t id, TensorType type, uint32_t variable = 0) {
    std::string name = FreeName(id, variable, 0);
    if (name.empty()) name = UniqueName("%" + std::to_string(id));
    return block().AddTensor(std::move(name), std::move(type));
  }

  // Returns the tensor that an id stands for. A constant gets its operator when it is read first;
  // with `is_shape`, that is CONST_SHAPE.
  Result<TensorIndex> ReadTensor(uint32_t id, bool is_shape) {
    const auto& made = is_shape ? shapes_ : tensors_;
    if (const auto found = made.find(id); found != made.end()) return found->second;
    const Instruction& definition = *constants_.Find(id);
    const bool is_graph_constant = definition.opcode == Opcode::kGraphConstant;
    if (!is_graph_constant && !ModuleConstants::IsValue(definition.opcode)) {
      return BadInput(Text(id) + (is_shape ? " is no constant" : " is no tensor"));
    }
    const Result<std::optional<Tensor>> value =
        is_graph_constant ? GraphConstant(definition) : ModuleValue(id);
    if (!value) return value.error();
    if (!*value && is_shape) {
      return BadInput("the shape " + Text(id) + " is graph constant " +
                      std::to_string(definition.operands[0]) + ", which has no value");
    }
    if (!*value) return NewConstantInput(definition);
    Operator op;
    op.op = is_shape ? Op::kConstShape : Op::kConst;
    Tensor tensor = **value;
    if (is_shape) {
      const Result<std::vector<int64_t>> dims = Integers(id, tensor);
      if (!dims) return dims.error();
      tensor = Tensor::FromShape(*dims);
    }
    const TensorIndex index = NewTensor(id, tensor.tensor_type());
    op.attributes.Set(AttributeId::kValues, std::move(tensor));
    op.outputs = {index};
    return AddOperator(std::move(op), id, index, is_shape);
  }

  Result<TensorIndex> AddOperator(Operator op, uint32_t id, TensorIndex index, bool is_shape) {
    block().operators.push_back(std::move(op));
    (is_shape ? shapes_ : tensors_)[id] = index;
    return index;
  }

  Result<std::optional<Tensor>> ModuleValue(uint32_t id) {
    Result<Tensor> value = constants_.Value(id);
    if (!value) return value.error();
    return std::optional(std::move(*value));
  }

  Result<std::optional<Tensor>> GraphConstant(const Instruction& instruction) {
    const Result<TensorType> type = constants_.TensorTypeOf(instruction.type);
    if (!type) return type.error();
    if (graph_constants_ == nullptr) return std::optional<Tensor>();
    Result<std::optional<Tensor>> value = graph_constants_(instruction.operands[0], *type);
    if (!value || !*value) return value;
    const TensorType& own = (*value)->tensor_type();
    bool fits = own.type == type->type && own.shape.rank() == type->shape.rank();
    for (int i = 0; fits && i < own.shape.rank(); ++i) {
      fits = type->shape[i] < 0 || own.shape[i] == type->shape[i];
    }
    if (fits) return value;
    return BadInput("graph constant " + std::to_string(instruction.operands[0]) + " is " +
                    own.ToString() + ", not " + type->ToString());
  }

  Result<TensorIndex> NewConstantInput(const Instruction& constant) {
    const Result<TensorType> type = constants_.TensorTypeOf(constant.type);
    if (!type) return type.error();
    const uint32_t number = constant.operands[0];
    std::string name = FreeName(constant.result, 0, 0);
    if (name.empty()) name = UniqueName("graph_constant_" + std::to_string(number));
    const TensorIndex tensor = block().AddTensor(std::move(name), *type);
    constant_inputs_[number] = tensor;
    return tensors_[constant.result] = tensor;
  }

  // Returns the elements of an i32 constant of rank 1.
  Result<std::vector<int64_t>> Integers(uint32_t id, const Tensor& tensor) const {
    if (tensor.type() != DType::kInt32 || tensor.shape().rank() != 1) {
      return BadInput(Text(id) + " is " + tensor.tensor_type().ToString() + ", not i32[n]");
    }
    std::vector<int64_t> values;
    for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.Integer(i));
    return values;
  }

  // ---- The graph

  Result<Done> ReadOfGraph(const Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    switch (instruction.opcode) {
      case Opcode::kGraphInput: {
        const std::optional<uint32_t> number = constants_.Number(operands[0]);
        if (operands.size() > 1) return Unsupported("an element of an array of tensors");
        if (!number || *number >= module_.inputs.size()) return BadInput("no such input");
        return Bind(instruction, block().inputs[*number]);
      }
      case Opcode::kExtInst:
        return ReadExtended(instruction);
      case Opcode::kCompositeExtract: {
        const auto results = results_.find(operands[0]);
        if (results == results_.end() || operands[1] >= results->second.size()) {
          return BadInput(Text(operands[0]) + " has no such result");
        }
        const TensorIndex tensor = results->second[operands[1]];
        TensorInfo& info = block().tensors[static_cast<size_t>(tensor)];
        if (std::string name = FreeName(instruction.result, 0, 0); !name.empty()) info.name = name;
        return Bind(instruction, tensor);
      }
      case Opcode::kGraphSetOutput:
        return SetOutput(instruction);
      case Opcode::kGraphEnd:
        ended_ = true;
        return Done{};
      case Opcode::kNop:
      case Opcode::kLine:
      case Opcode::kNoLine:
        return Done{};
      default:
        return BadInput("is not an instruction of a graph's body");
    }
  }

  // Lets an id stand for a tensor, of the type that the instruction states.
  Result<Done> Bind(const Instruction& instruction, TensorIndex tensor) {
    const Result<TensorType> type = constants_.TensorTypeOf(instruction.type);
    if (!type) return type.error();
    const TensorType& own = block().TypeOf(tensor);
    if (*type != own) return BadInput("is " + own.ToString() + ", not " + type->ToString());
    tensors_[instruction.result] = tensor;
    return Done{};
  }

  Result<Done> SetOutput(const Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    if (operands.size() > 2) return Unsupported("an element of an array of tensors");
    const std::optional<uint32_t> number = constants_.Number(operands[1]);
    if (!number || *number >= output_types_.size()) return BadInput("no such output");
    const Result<TensorIndex> value = ReadTensor(operands[0], false);
    if (!value) return value.error();
    const TensorType& own = block().TypeOf(*value);
    if (own != output_types_[*number]) {
      return BadInput(Text(operands[0]) + " is " + own.ToString() + ", not " +
                      output_types_[*number].ToString());
    }
    TensorIndex& output = block().outputs[*number];
    if (output >= 0) return BadInput("output " + std::to_string(*number) + " is set twice");
    output = *value;
    return Done{};
  }

  Result<Done> ReadExtended(const Instruction& instruction) {
    const std::string import = ImportOf(instruction);
    const std::span<const uint32_t> operands = instruction.operands;
    if (import.starts_with("NonSemantic.")) return Done{};
    const OperatorRow* row = TosaOperator(instruction);
    if (import.empty()) return BadInput(Text(operands[0]) + " is no instruction set");
    if (row == nullptr) {
      return Unsupported("instruction " + std::to_string(operands[1]) + " of " + import +
                         " is none of " + std::string(kTosaInstructionSet));
    }
    if (std::ssize(block().operators) >= limits_.operators_max) {
      return BadInput("more than " + std::to_string(limits_.operators_max) + " operators");
    }
    Operator op;
    op.op = row->op;
    size_t next = 2;
    for (const TosaOperand& operand : OperandsOf(*row)) {
      const size_t end = operand.argument->list ? operands.size() : next + 1;
      if (end > operands.size()) return BadInput("too few operands");
      for (; next < end; ++next) {
        const Result<Done> read = ReadOperand(operands[next], *operand.argument, op);
        if (!read) {
          return Error{read.error().kind,
                       std::string(operand.argument->name) + ": " + read.error().message};
        }
      }
    }
    if (next != operands.size()) return BadInput("too many operands");
    const Result<Done> made = MakeOutputs(instruction, op);
    if (!made) return made.error();
    if (!AcceptsCounts(op.op, op.inputs.size(), op.outputs.size())) {
      return BadInput("has " + std::to_string(op.outputs.size()) + " results");
    }
    const auto location = locations_.find(instruction.result);
    if (location != locations_.end()) op.location = location->second;
    block().operators.push_back(std::move(op));
    return Done{};
  }

  // Makes one output, or those of a struct, whose ids and names come with OpCompositeExtract.
  Result<Done> MakeOutputs(const Instruction& instruction, Operator& op) {
    const uint32_t id = instruction.result;
    const Instruction* tuple = constants_.Find(instruction.type, Opcode::kTypeStruct);
    if (tuple == nullptr) {
      const Result<TensorType> type = constants_.TensorTypeOf(instruction.type);
      if (!type) return type.error();
      op.outputs = {NewTensor(id, *type)};
      tensors_[id] = op.outputs[0];
      return Done{};
    }
    for (size_t i = 0; i < tuple->operands.size(); ++i) {
      const Result<TensorType> type = constants_.TensorTypeOf(tuple->operands[i]);
      if (!type) return type.error();
      const auto named = tensor_names_.find({id, static_cast<uint32_t>(i)});
      const bool is_named = named != tensor_names_.end() && !named->second.empty();
      op.outputs.push_back(block().AddTensor(
          UniqueName(is_named ? named->second : "%" + std::to_string(id) + "." + std::to_string(i)),
          *type));
    }
    results_[id] = op.outputs;
    return Done{};
  }

  Result<Done> ReadOperand(uint32_t id, const ArgumentRow& argument, Operator& op) {
    if (argument.direction == Direction::kAttribute) {
      Result<AttributeValue> value = Attribute(id, argument);
      if (!value) return value.error();
      op.attributes.Set(*argument.attribute, std::move(*value));
      return Done{};
    }
    const Result<TensorIndex> tensor = ReadTensor(id, argument.type == "shape_t");
    if (!tensor) return tensor.error();
    op.inputs.push_back(*tensor);
    return Done{};
  }

  Result<AttributeValue> Attribute(uint32_t id, const ArgumentRow& argument) {
    if (argument.type == "tensor_t") {
      const Result<Tensor> tensor = constants_.Value(id);
      if (!tensor) return tensor.error();
      const Result<std::vector<int64_t>> values = Integers(id, *tensor);
      if (!values) return values.error();
      return AttributeValue(std::vector<int32_t>(values->begin(), values->end()));
    }
    const Instruction& constant = *constants_.Find(id);
    // The bounds of CLAMP have its type.
    const auto type = constant.type == 0 ? std::nullopt : constants_.ElementType(constant.type);
    const DType wanted = argument.type == "bool_t"        ? DType::kBool
                         : argument.type_variable && type ? *type
                                                          : DType::kInt32;
    const std::optional<int64_t> value = constants_.Scalar(id, wanted);
    if (!value) return BadInput(Text(id) + " is no constant of " + std::string(TypeName(wanted)));
    if (argument.type_variable) {
      return AttributeValue(Tensor::FromIntegers(wanted, Shape(), std::span(&*value, 1)));
    }
    if (wanted == DType::kBool) return AttributeValue(*value != 0);
    if (argument.attribute != AttributeId::kAccType) {
      return AttributeValue(static_cast<int32_t>(*value));
    }
    const DType accumulator = ToAccType(static_cast<uint32_t>(*value));
    if (accumulator == DType::kUnknown) {
      return BadInput("is " + std::to_string(*value) + ", which is no accumulator");
    }
    return AttributeValue(static_cast<int32_t>(accumulator));
  }

  // Checks that the graph is whole, names its outputs, and adds graph constants to its inputs.
  Result<Done> End() {
    if (!ended_) return BadInput("the graph has no OpGraphEndARM");
    for (size_t i = 0; i < block().outputs.size(); ++i) {
      const TensorIndex output = block().outputs[i];
      if (output < 0) return BadInput("output " + std::to_string(i) + " is not set");
      std::string& name = block().tensors[static_cast<size_t>(output)].name;
      const auto variable = names_.find(output_variables_[i]);
      const bool may_rename = name[0] == '%' && variable != names_.end() &&
                              !variable->second.empty() &&
                              used_names_.insert(variable->second).second;
      if (may_rename) name = variable->second;
    }
    for (const auto& [number, tensor] : constant_inputs_) {
      module_.constant_inputs.push_back(number);
      block().inputs.push_back(tensor);
    }
    return Done{};
  }

  const ModuleCode& code_;
  const GraphConstants& graph_constants_;
  const ReadLimits& limits_;
  GraphModule module_;
  ModuleConstants constants_;
  std::map<uint32_t, std::string> names_;                              // of OpName
  std::map<uint32_t, std::string> locations_;                          // of operators
  std::map<std::pair<uint32_t, uint32_t>, std::string> tensor_names_;  // of DebugTensor
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> decorations_;
  std::set<uint32_t> graph_constant_numbers_;
  std::vector<const Instruction*> entries_;
  std::string line_;  // of OpLine
  size_t body_ = 0;   // the instruction after OpGraphARM
  bool ended_ = false;
  std::vector<TensorType> output_types_;
  std::vector<uint32_t> output_variables_;
  std::map<uint32_t, TensorIndex> tensors_, shapes_;  // that ids stand for
  std::map<uint32_t, std::vector<TensorIndex>> results_;
  std::map<uint32_t, TensorIndex> constant_inputs_;  // by their numbers
  std::set<std::string> used_names_;
};

size_t CountWords(const ModuleCode& code) {
  size_t words = 0;
  for (const Instruction& instruction : code.instructions) {
    words += instruction.operands.size() + 1;
  }
  return words;
}

}  // namespace

Result<GraphModule> ReadModule(std::span<const uint32_t> words, const GraphConstants& constants,
                               const std::string& entry_point, const ReadLimits& limits) {
  Result<std::vector<Instruction>> instructions = ReadInstructions(words);
  if (!instructions) return instructions.error();
  return ReadModule(ModuleCode{std::move(*instructions)}, constants, entry_point, limits);
}

Result<GraphModule> ReadModule(const ModuleCode& code, const GraphConstants& constants,
                               const std::string& entry_point, const ReadLimits& limits) {
  return ModuleReader(code, constants, limits, CountWords(code)).Read(entry_point);
}

}  // namespace assay::spirv
