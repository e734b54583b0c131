// SPDX-License-Identifier: Apache-2.0
#include "spirv_reader.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spirv_instructions.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

Error AtId(uint32_t id, const std::string& what) {
  return BadInput("%" + std::to_string(id) + ": " + what);
}

class ModuleReader {
 public:
  ModuleReader(const std::vector<Instruction>& instructions, const ConstantSource& constants)
      : instructions_(instructions), constants_(constants), graph_(EmptyGraph()) {}

  Result<Graph> Read() {
    const Result<Done> defined = Define();
    if (!defined) return defined.error();
    if (entry_ == nullptr) return BadInput("word 5: no OpGraphEntryPointARM");
    for (size_t i = body_; i < instructions_.size(); ++i) {
      const Result<Done> read = ReadOfGraph(instructions_[i]);
      if (!read) return read.error();
    }
    const Result<Done> checked = CheckGraph();
    if (!checked) return checked.error();
    return std::move(graph_);
  }

 private:
  Block& block() { return *graph_.Main(); }

  // Finds all ids, names and decorations, and where the graph begins.
  Result<Done> Define() {
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const Instruction& instruction = instructions_[i];
      const std::span<const uint32_t> operands = instruction.operands;
      if (instruction.result != 0 &&
          !definitions_.emplace(instruction.result, &instruction).second) {
        return AtId(instruction.result, "is defined twice");
      }
      switch (instruction.opcode) {
        case Opcode::kName:
          names_[operands[0]] = TextAt(operands.subspan(1));
          break;
        case Opcode::kDecorate:
          if (operands.size() == 3) decorations_[{operands[0], operands[1]}] = operands[2];
          break;
        case Opcode::kExtInstImport:
          if (TextAt(operands) == kTosaInstructionSet) import_ = instruction.result;
          break;
        case Opcode::kGraphEntryPoint:
          if (entry_ != nullptr) return AtId(operands[0], "a second entry point");
          entry_ = &instruction;
          break;
        case Opcode::kGraph:
          if (body_ != 0) return AtId(instruction.result, "a second graph");
          body_ = i + 1;
          break;
        default:
          break;
      }
    }
    if (body_ == 0) return BadInput("word 5: no OpGraphARM");
    return Done{};
  }

  // Returns the instruction that defines an id; null if it has another opcode.
  const Instruction* Find(uint32_t id, Opcode opcode) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() || found->second->opcode != opcode ? nullptr : found->second;
  }

  // ---- Types

  std::optional<DType> ElementType(uint32_t id) const {
    for (const ScalarType& row : kScalarTypes) {
      const Instruction* type = Find(id, row.opcode);
      if (type == nullptr) continue;
      const std::vector<uint32_t>& operands = type->operands;
      if (row.bits != 0 && operands[0] != row.bits) continue;
      const auto second = operands.size() > 1 ? std::optional(operands[1]) : std::nullopt;
      if (row.opcode != Opcode::kTypeFloat || second == row.second) return row.type;
    }
    return std::nullopt;
  }

  // Returns the value of an OpConstant of an i32.
  std::optional<uint32_t> Number(uint32_t id) const {
    const Instruction* constant = Find(id, Opcode::kConstant);
    if (constant == nullptr || ElementType(constant->type) != DType::kInt32) return std::nullopt;
    return constant->operands[0];
  }

  Result<TensorType> TypeOf(uint32_t id) const {
    const Instruction* type = Find(id, Opcode::kTypeTensor);
    if (type == nullptr) return AtId(id, "is no type of a tensor");
    const std::optional<DType> element = ElementType(type->operands[0]);
    const std::optional<uint32_t> rank = Number(type->operands[1]);
    const Instruction* shape = Find(type->operands[2], Opcode::kConstantComposite);
    if (!element || !rank || shape == nullptr || shape->operands.size() != *rank || *rank == 0 ||
        *rank > static_cast<uint32_t>(Shape::kMaxRank)) {
      return AtId(id, "a tensor type without element type, rank or shape");
    }
    TensorType result{*element, {}};
    for (const uint32_t dim : shape->operands) {
      const std::optional<uint32_t> number = Number(dim);
      if (!number || *number == 0 || *number > INT32_MAX) return AtId(id, "a dimension is wrong");
      result.shape.PushBack(static_cast<int32_t>(*number));
    }
    return result;
  }

  // ---- Constants

  // Returns the bits of a scalar constant of a type.
  std::optional<int64_t> Scalar(uint32_t id, DType type) const {
    if (type == DType::kBool) {
      if (const Instruction* yes = Find(id, Opcode::kConstantTrue)) {
        return ElementType(yes->type) == type ? std::optional<int64_t>(1) : std::nullopt;
      }
      const Instruction* no = Find(id, Opcode::kConstantFalse);
      return no != nullptr && ElementType(no->type) == type ? std::optional<int64_t>(0)
                                                            : std::nullopt;
    }
    const Instruction* constant = Find(id, Opcode::kConstant);
    if (constant == nullptr || ElementType(constant->type) != type) return std::nullopt;
    const std::vector<uint32_t>& words = constant->operands;
    if (words.size() != (type == DType::kInt48 ? 2 : 1)) return std::nullopt;
    const uint64_t bits = words[0] | (words.size() == 2 ? uint64_t{words[1]} << 32 : 0);
    switch (type) {
      case DType::kInt8:
        return static_cast<int8_t>(bits);
      case DType::kInt16:
        return static_cast<int16_t>(bits);
      case DType::kInt32:
        return static_cast<int32_t>(bits);
      case DType::kInt48: {
        const auto value = static_cast<int64_t>(bits);
        const bool fits = value >= MinimumInteger(type) && value <= MaximumInteger(type);
        return fits ? std::optional(value) : std::nullopt;
      }
      default:  // floats
        return bits >> (8 * ElementBytes(type)) == 0 || ElementBytes(type) == 4
                   ? std::optional(static_cast<int64_t>(bits))
                   : std::nullopt;
    }
  }

  Result<std::vector<int64_t>> Composite(uint32_t id, const TensorType& type) const {
    const Instruction* constant = Find(id, Opcode::kConstantComposite);
    if (constant == nullptr) return AtId(id, "is no constant of the module");
    std::vector<int64_t> values;
    for (const uint32_t element : constant->operands) {
      const std::optional<int64_t> value = Scalar(element, type.type);
      if (!value) return AtId(element, "is no constant of " + std::string(TypeName(type.type)));
      values.push_back(*value);
    }
    if (type.shape.rank() != 1 || type.shape.Elements() != static_cast<int64_t>(values.size())) {
      return AtId(id, "has " + std::to_string(values.size()) + " elements");
    }
    return values;
  }

  Result<Tensor> ConstantTensor(const Instruction& instruction, const TensorType& type) const {
    if (instruction.opcode == Opcode::kGraphConstant) {
      return constants_(instruction.operands[0], type);
    }
    const Result<std::vector<int64_t>> values = Composite(instruction.result, type);
    if (!values) return values.error();
    return Tensor::FromIntegers(type.type, type.shape, *values);
  }

  // ---- Tensors

  TensorIndex NewTensor(uint32_t id, TensorType type) {
    const auto named = names_.find(id);
    std::string name = named == names_.end() ? "" : named->second;
    if (name.empty() || !used_names_.insert(name).second) {
      name = "%" + std::to_string(id);
      used_names_.insert(name);
    }
    return tensors_[id] = block().AddTensor(std::move(name), std::move(type));
  }

  // Returns a tensor that an operator or an output reads. A constant gets its operator when it is
  // read first; with `is_shape`, that is CONST_SHAPE.
  Result<TensorIndex> Read(uint32_t id, bool is_shape) {
    if (const auto found = tensors_.find(id); found != tensors_.end()) {
      const bool reads_shape = block().TypeOf(found->second).type == DType::kShape;
      if (reads_shape != is_shape) return AtId(id, "is a shape in one place only");
      return found->second;
    }
    const auto found = definitions_.find(id);
    if (found == definitions_.end() || (found->second->opcode != Opcode::kGraphConstant &&
                                        found->second->opcode != Opcode::kConstantComposite)) {
      return AtId(id, "is no tensor");
    }
    Result<TensorType> type = TypeOf(found->second->type);
    if (!type) return type.error();
    Operator op;
    op.op = is_shape ? Op::kConstShape : Op::kConst;
    if (is_shape) {
      const Result<std::vector<int64_t>> values = Composite(id, *type);
      if (!values) return values.error();
      if (type->type != DType::kInt32) return AtId(id, "is no shape");
      op.attributes.Set(AttributeId::kValues, Tensor::FromShape(*values));
      type->type = DType::kShape;
    } else {
      Result<Tensor> value = ConstantTensor(*found->second, *type);
      if (!value) return value.error();
      op.attributes.Set(AttributeId::kValues, std::move(*value));
    }
    const TensorIndex tensor = NewTensor(id, std::move(*type));
    op.outputs = {tensor};
    block().operators.push_back(std::move(op));
    return tensor;
  }

  // ---- The graph

  Result<Done> ReadOfGraph(const Instruction& instruction) {
    const uint32_t id = instruction.result;
    if (ended_) return AtId(id, "follows the graph");
    switch (instruction.opcode) {
      case Opcode::kGraphInput: {
        if (Number(instruction.operands[0]) != block().inputs.size()) {
          return AtId(id, "is not the next input");
        }
        Result<TensorType> type = TypeOf(instruction.type);
        if (!type) return type.error();
        block().inputs.push_back(NewTensor(id, std::move(*type)));
        return Done{};
      }
      case Opcode::kExtInst:
        return ReadOperator(instruction);
      case Opcode::kCompositeExtract: {
        const auto results = results_.find(instruction.operands[0]);
        if (results == results_.end() || instruction.operands[1] >= results->second.size()) {
          return AtId(id, "extracts from no operator");
        }
        const TensorIndex tensor = results->second[instruction.operands[1]];
        const Result<TensorType> type = TypeOf(instruction.type);
        if (!type) return type.error();
        if (*type != block().TypeOf(tensor)) return AtId(id, "has another type than its result");
        tensors_[id] = tensor;
        if (const auto named = names_.find(id); named != names_.end()) {
          if (used_names_.insert(named->second).second) {
            block().tensors[static_cast<size_t>(tensor)].name = named->second;
          }
        }
        return Done{};
      }
      case Opcode::kGraphSetOutput: {
        if (Number(instruction.operands[1]) != block().outputs.size()) {
          return AtId(instruction.operands[0], "is not set as the next output");
        }
        const Result<TensorIndex> value = Read(instruction.operands[0], false);
        if (!value) return value.error();
        block().outputs.push_back(*value);
        return Done{};
      }
      case Opcode::kGraphEnd:
        ended_ = true;
        return Done{};
      default:
        return AtId(id, "instruction " + std::to_string(static_cast<int>(instruction.opcode)) +
                            " inside of the graph");
    }
  }

  Result<Done> ReadOperator(const Instruction& instruction) {
    const uint32_t id = instruction.result;
    const std::span<const uint32_t> operands = instruction.operands;
    if (operands[0] != import_ || operands[1] >= TosaInstructions().size()) {
      return AtId(id, "is no instruction of " + std::string(kTosaInstructionSet));
    }
    const OperatorRow& kind = TosaInstructions()[operands[1]];
    Operator op;
    op.op = kind.op;
    size_t next = 2;
    for (const TosaOperand& operand : OperandsOf(kind)) {
      const size_t end = operand.argument->list ? operands.size() : next + 1;
      if (end > operands.size()) return AtId(id, "has too few operands");
      for (; next < end; ++next) {
        const Result<Done> read = ReadOperand(operands[next], operand, op);
        if (!read) return read.error();
      }
    }
    if (next != operands.size()) return AtId(id, "has too many operands");
    std::vector<uint32_t> types = {instruction.type};
    const Instruction* tuple = Find(instruction.type, Opcode::kTypeStruct);
    if (tuple != nullptr) types = tuple->operands;
    for (const uint32_t type : types) {
      Result<TensorType> output = TypeOf(type);
      if (!output) return output.error();
      op.outputs.push_back(tuple == nullptr ? NewTensor(id, std::move(*output))
                                            : NewResult(id, *output));
    }
    if (!AcceptsCounts(op.op, op.inputs.size(), op.outputs.size())) {
      return AtId(id, "has " + std::to_string(op.outputs.size()) + " results");
    }
    results_[id] = op.outputs;
    block().operators.push_back(std::move(op));
    return Done{};
  }

  // Adds one of several results, which gets its id and its name with OpCompositeExtract.
  TensorIndex NewResult(uint32_t id, const TensorType& type) {
    const std::string number = std::to_string(block().tensors.size());
    return block().AddTensor("%" + std::to_string(id) + "." + number, type);
  }

  Result<Done> ReadOperand(uint32_t id, const TosaOperand& operand, Operator& op) {
    const ArgumentRow& argument = *operand.argument;
    if (argument.direction == Direction::kAttribute) {
      std::optional<AttributeValue> value = Attribute(id, argument);
      if (!value) return AtId(id, "is no " + std::string(argument.name));
      op.attributes.Set(*argument.attribute, std::move(*value));
      return Done{};
    }
    const auto definition = definitions_.find(id);
    if (argument.compile_time_constant &&
        (definition == definitions_.end() ||
         definition->second->opcode != Opcode::kConstantComposite)) {
      return AtId(id, "is no constant of the module");
    }
    const Result<TensorIndex> tensor = Read(id, argument.type == "shape_t");
    if (!tensor) return tensor.error();
    op.inputs.push_back(*tensor);
    return Done{};
  }

  std::optional<AttributeValue> Attribute(uint32_t id, const ArgumentRow& argument) const {
    if (argument.type == "bool_t") {
      const std::optional<int64_t> flag = Scalar(id, DType::kBool);
      return flag ? std::optional<AttributeValue>(*flag != 0) : std::nullopt;
    }
    if (argument.type_variable) {  // CLAMP, whose bounds have its type
      const auto found = definitions_.find(id);
      if (found == definitions_.end()) return std::nullopt;
      const std::optional<DType> type = ElementType(found->second->type);
      const std::optional<int64_t> value = type ? Scalar(id, *type) : std::nullopt;
      if (!value) return std::nullopt;
      return Tensor::FromIntegers(*type, Shape(), std::span(&*value, 1));
    }
    if (argument.type == "tensor_t") {
      const auto found = definitions_.find(id);
      const Result<TensorType> type =
          found == definitions_.end() ? BadInput("") : TypeOf(found->second->type);
      if (!type || type->type != DType::kInt32) return std::nullopt;
      const Result<std::vector<int64_t>> values = Composite(id, *type);
      if (!values) return std::nullopt;
      return std::vector<int32_t>(values->begin(), values->end());
    }
    const std::optional<uint32_t> number = Number(id);
    if (!number) return std::nullopt;
    if (argument.attribute != AttributeId::kAccType) return static_cast<int32_t>(*number);
    const DType type = ToAccType(*number);
    if (type == DType::kUnknown) return std::nullopt;
    return static_cast<int32_t>(type);
  }

  // Compares the graph with its type, its entry point and the variables of the interface.
  Result<Done> CheckGraph() {
    const uint32_t graph = entry_->operands[0];
    const Instruction* body = Find(graph, Opcode::kGraph);
    const Instruction* type = body == nullptr ? nullptr : Find(body->type, Opcode::kTypeGraph);
    if (!ended_ || type == nullptr) return AtId(graph, "is no graph with a type and an end");
    std::vector<TensorIndex> tensors = block().inputs;
    tensors.insert(tensors.end(), block().outputs.begin(), block().outputs.end());
    const size_t text = TextWords(TextAt(std::span(entry_->operands).subspan(1))).size();
    const auto interface = std::span(entry_->operands).subspan(1 + text);
    if (type->operands[0] != block().inputs.size() || type->operands.size() != tensors.size() + 1 ||
        interface.size() != tensors.size() || block().outputs.empty()) {
      return AtId(graph, "has other inputs and outputs than its type or its entry point");
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Result<TensorType> declared = TypeOf(type->operands[i + 1]);
      if (!declared) return declared.error();
      const Instruction* variable = Find(interface[i], Opcode::kVariable);
      const Instruction* pointer =
          variable == nullptr ? nullptr : Find(variable->type, Opcode::kTypePointer);
      if (*declared != block().TypeOf(tensors[i]) || pointer == nullptr ||
          pointer->operands[1] != type->operands[i + 1]) {
        return AtId(interface[i], "has another type than the graph");
      }
      if (DecorationOf(interface[i], kDescriptorSetDecoration) != 0U ||
          DecorationOf(interface[i], kBindingDecoration) != i) {
        return AtId(interface[i], "is not binding " + std::to_string(i) + " of set 0");
      }
    }
    return Done{};
  }

  std::optional<uint32_t> DecorationOf(uint32_t id, uint32_t decoration) const {
    const auto found = decorations_.find({id, decoration});
    return found == decorations_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::vector<Instruction>& instructions_;
  const ConstantSource& constants_;
  Graph graph_;
  std::map<uint32_t, const Instruction*> definitions_;
  std::map<uint32_t, std::string> names_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> decorations_;
  const Instruction* entry_ = nullptr;
  size_t body_ = 0;  // the instruction after OpGraphARM
  uint32_t import_ = 0;
  std::map<uint32_t, TensorIndex> tensors_;
  std::map<uint32_t, std::vector<TensorIndex>> results_;
  std::set<std::string> used_names_;
  bool ended_ = false;
};

}  // namespace

Result<Graph> ReadModule(std::span<const uint32_t> words, const ConstantSource& constants) {
  const Result<std::vector<Instruction>> instructions = ReadInstructions(words);
  if (!instructions) return instructions.error();
  return ModuleReader(*instructions, constants).Read();
}

}  // namespace assay::spirv
