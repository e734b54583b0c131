// SPDX-License-Identifier: Apache-2.0
#include "spirv_writer.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "enum_names.h"
#include "spirv_instructions.h"
#include "tosa_instructions.h"

namespace assay::spirv {
namespace {

// The number of elements that one instruction can list.
constexpr int64_t kModuleConstantMax = 65000;
constexpr size_t kNameBytesMax = 4096;

// Writes one block. Types and scalar constants are made when they are needed first.
class ModuleWriter {
 public:
  explicit ModuleWriter(const Block& block) : block_(block), producers_(block.Producers()) {}

  Result<Module> Write() {
    const Result<Done> checked = CheckTensors();
    if (!checked) return checked.error();
    FindModuleConstants();
    WriteInterface();
    for (const Operator& op : block_.operators) {
      if (IsConstant(op.op)) continue;
      const Result<Done> written = WriteOperator(op);
      if (!written) return written.error();
    }
    for (size_t i = 0; i < block_.outputs.size(); ++i) {
      const Result<uint32_t> value = Value(block_.outputs[i]);
      if (!value) return value.error();
      Add(body_, Opcode::kGraphSetOutput, 0, {*value, Number(static_cast<uint32_t>(i))});
    }
    Add(body_, Opcode::kGraphEnd, 0, {});
    return Assembled();
  }

 private:
  using Section = std::vector<Instruction>;

  const TensorInfo& Info(TensorIndex tensor) const {
    return block_.tensors[static_cast<size_t>(tensor)];
  }

  // Finds what no module can say, apart from operators and their constants.
  Result<Done> CheckTensors() const {
    if (block_.outputs.empty()) return Unsupported("a graph without outputs");
    for (const TensorInfo& tensor : block_.tensors) {
      if (tensor.variable) return Unsupported("variable tensors");
      if (tensor.type.type == DType::kInt4) return Unsupported("a tensor of i4");
      if (tensor.type.shape.rank() == 0) return Unsupported("a tensor of rank 0");
      if (tensor.type.shape.Elements() < 1) return Unsupported("a tensor without elements");
    }
    for (const auto* list : {&block_.inputs, &block_.outputs}) {
      for (const TensorIndex tensor : *list) {
        if (Info(tensor).type.type != DType::kShape) continue;
        return Unsupported("a shape that is no constant");
      }
    }
    return Done{};
  }

  // Returns the operator that makes a constant; null if the tensor is no constant.
  const Operator* ConstantOf(TensorIndex tensor) const {
    const int32_t producer = producers_[static_cast<size_t>(tensor)];
    if (producer < 0) return nullptr;
    const Operator& op = block_.operators[static_cast<size_t>(producer)];
    return IsConstant(op.op) ? &op : nullptr;
  }

  // Finds the constants that some operator needs as a part of the module.
  void FindModuleConstants() {
    for (const Operator& op : block_.operators) {
      const std::optional<uint32_t> number = NumberOf(op.op);
      if (!number) continue;
      for (const TosaOperand& operand : OperandsOf(TosaInstructions()[*number])) {
        if (operand.argument->compile_time_constant && operand.input < op.inputs.size()) {
          module_constants_.insert(op.inputs[operand.input]);
        }
      }
    }
  }

  // ---- Instructions

  uint32_t NewId() { return next_id_++; }

  uint32_t Add(Section& section, Opcode opcode, uint32_t type, std::vector<uint32_t> operands,
               bool has_result = false) {
    const uint32_t result = has_result ? NewId() : 0;
    section.push_back({opcode, type, result, std::move(operands)});
    return result;
  }

  // Returns the id of a type or constant, which is made if it is not there yet.
  uint32_t Global(Opcode opcode, uint32_t type, std::vector<uint32_t> operands) {
    const auto key = std::tuple(opcode, type, operands);
    if (const auto found = globals_by_content_.find(key); found != globals_by_content_.end()) {
      return found->second;
    }
    return globals_by_content_[key] = Add(globals_, opcode, type, std::move(operands), true);
  }

  void Need(Capability capability) { capabilities_.insert(static_cast<uint32_t>(capability)); }

  void Name(uint32_t id, TensorIndex tensor) {
    const std::string& name = Info(tensor).name;
    // A reader may call tensors without a name "%7".
    if (name.empty() || name[0] == '%' || name.size() > kNameBytesMax) return;
    if (name.find('\0') != std::string::npos) return;
    std::vector<uint32_t> operands = TextWords(name);
    operands.insert(operands.begin(), id);
    Add(names_, Opcode::kName, 0, std::move(operands));
  }

  // ---- Types and constants

  uint32_t ScalarId(DType type) {
    const ScalarType* row = FindRow(kScalarTypes, &ScalarType::type, type);
    if (row == nullptr) row = FindRow(kScalarTypes, &ScalarType::type, DType::kInt32);  // a shape
    if (row->capability) Need(*row->capability);
    std::vector<uint32_t> operands;
    if (row->bits != 0) operands.push_back(row->bits);
    if (row->second) operands.push_back(*row->second);
    return Global(row->opcode, 0, std::move(operands));
  }

  uint32_t Number(uint32_t value) {
    return Global(Opcode::kConstant, ScalarId(DType::kInt32), {value});
  }

  uint32_t TypeOf(const TensorType& type) {
    const uint32_t element = ScalarId(type.type);
    const uint32_t rank = Number(static_cast<uint32_t>(type.shape.rank()));
    std::vector<uint32_t> dims;
    for (const int32_t dim : type.shape.dims()) dims.push_back(Number(static_cast<uint32_t>(dim)));
    const uint32_t array = Global(Opcode::kTypeArray, 0, {ScalarId(DType::kInt32), rank});
    const uint32_t shape = Global(Opcode::kConstantComposite, array, dims);
    return Global(Opcode::kTypeTensor, 0, {element, rank, shape});
  }

  // Returns the constant for an element of a tensor. A shape_t must fit into 32 bits.
  Result<uint32_t> Element(const Tensor& tensor, int64_t index) {
    const DType type = tensor.type();
    const uint32_t scalar = ScalarId(type);
    if (IsFloat(type)) return Global(Opcode::kConstant, scalar, {tensor.FloatBits(index)});
    const int64_t value = tensor.Integer(index);
    if (type == DType::kBool) {
      return Global(value != 0 ? Opcode::kConstantTrue : Opcode::kConstantFalse, scalar, {});
    }
    if (type == DType::kShape && value != static_cast<int32_t>(value)) {
      return Unsupported("a shape with " + std::to_string(value));
    }
    auto bits = static_cast<uint64_t>(value);
    if (type == DType::kInt48) {
      return Global(Opcode::kConstant, scalar,
                    {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
    }
    if (type == DType::kInt8) bits &= 0xff;
    if (type == DType::kInt16) bits &= 0xffff;
    return Global(Opcode::kConstant, scalar, {static_cast<uint32_t>(bits)});
  }

  Result<uint32_t> Attribute(const ArgumentRow& row, const AttributeValue& value) {
    const uint32_t boolean = ScalarId(DType::kBool);
    if (const auto* flag = std::get_if<bool>(&value)) {
      return Global(*flag ? Opcode::kConstantTrue : Opcode::kConstantFalse, boolean, {});
    }
    if (const auto* number = std::get_if<int32_t>(&value)) {
      if (row.attribute != AttributeId::kAccType) return Number(static_cast<uint32_t>(*number));
      return Number(FromAccType(static_cast<DType>(*number)));
    }
    if (const auto* tensor = std::get_if<Tensor>(&value)) return Element(*tensor, 0);
    const auto& list = std::get<std::vector<int32_t>>(value);
    std::vector<uint32_t> elements;
    for (const int32_t number : list) elements.push_back(Number(static_cast<uint32_t>(number)));
    const TensorType type{DType::kInt32, Shape({static_cast<int32_t>(list.size())})};
    return Global(Opcode::kConstantComposite, TypeOf(type), std::move(elements));
  }

  // Makes the constant of CONST or CONST_SHAPE, in the module if it has to be there.
  Result<uint32_t> Constant(const Operator& op, TensorIndex tensor) {
    const Tensor& value = op.attributes.Value(AttributeId::kValues);
    const uint32_t type = TypeOf(value.tensor_type());
    if (!module_constants_.contains(tensor) && value.type() != DType::kShape) {
      module_.constants.push_back(value);
      return Add(globals_, Opcode::kGraphConstant, type,
                 {static_cast<uint32_t>(module_.constants.size() - 1)}, true);
    }
    if (value.shape().rank() != 1 || value.elements() > kModuleConstantMax) {
      return Unsupported("is a constant of " + value.tensor_type().ToString());
    }
    std::vector<uint32_t> elements;
    for (int64_t i = 0; i < value.elements(); ++i) {
      const Result<uint32_t> element = Element(value, i);
      if (!element) return element.error();
      elements.push_back(*element);
    }
    return Add(globals_, Opcode::kConstantComposite, type, std::move(elements), true);
  }

  // Returns the id of a tensor. A constant is made when it is read first.
  Result<uint32_t> Value(TensorIndex tensor) {
    if (const auto found = values_.find(tensor); found != values_.end()) return found->second;
    const Operator* op = ConstantOf(tensor);
    if (op == nullptr) return Unsupported("has no value");
    const Result<uint32_t> id = Constant(*op, tensor);
    if (!id) return id.error();
    Name(*id, tensor);
    return values_[tensor] = *id;
  }

  // ---- The graph

  void WriteInterface() {
    std::vector<uint32_t> types;
    for (const auto* list : {&block_.inputs, &block_.outputs}) {
      for (const TensorIndex tensor : *list) types.push_back(TypeOf(Info(tensor).type));
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const uint32_t pointer = Global(Opcode::kTypePointer, 0, {kUniformConstant, types[i]});
      const uint32_t variable = Add(globals_, Opcode::kVariable, pointer, {kUniformConstant}, true);
      Add(decorations_, Opcode::kDecorate, 0, {variable, kDescriptorSetDecoration, 0});
      Add(decorations_, Opcode::kDecorate, 0,
          {variable, kBindingDecoration, static_cast<uint32_t>(i)});
      interface_.push_back(variable);
    }
    const auto inputs = static_cast<uint32_t>(block_.inputs.size());
    std::vector<uint32_t> operands = types;
    operands.insert(operands.begin(), inputs);
    const uint32_t type = Global(Opcode::kTypeGraph, 0, std::move(operands));
    graph_ = Add(body_, Opcode::kGraph, type, {}, true);
    for (uint32_t i = 0; i < inputs; ++i) {
      const uint32_t id = Add(body_, Opcode::kGraphInput, types[i], {Number(i)}, true);
      Name(id, block_.inputs[i]);
      values_[block_.inputs[i]] = id;
    }
  }

  Result<Done> WriteOperator(const Operator& op) {
    const std::string name(OperatorName(op.op));
    if (!AcceptsCounts(op.op, op.inputs.size(), op.outputs.size())) {
      return Unsupported(name + " with a wrong number of operands");
    }
    if (op.op == Op::kIdentity) {
      if (Info(op.inputs[0]).type != Info(op.outputs[0]).type) {
        return Unsupported(name + " to another type");
      }
      const Result<uint32_t> value = Value(op.inputs[0]);
      if (!value) return value.error();
      values_[op.outputs[0]] = *value;
      return Done{};
    }
    const std::optional<uint32_t> number = NumberOf(op.op);
    if (!number) return Unsupported(name);
    std::vector<uint32_t> operands = {import_, *number};
    for (const TosaOperand& operand : OperandsOf(TosaInstructions()[*number])) {
      const Result<Done> added = AddOperand(op, operand, operands);
      if (!added) {
        return Unsupported(name + ": " + std::string(operand.argument->name) + " " +
                           added.error().message);
      }
    }
    std::vector<uint32_t> types;
    for (const TensorIndex tensor : op.outputs) types.push_back(TypeOf(Info(tensor).type));
    if (types.size() == 1) {
      values_[op.outputs[0]] = Add(body_, Opcode::kExtInst, types[0], std::move(operands), true);
      Name(values_[op.outputs[0]], op.outputs[0]);
      return Done{};
    }
    const uint32_t tuple = Global(Opcode::kTypeStruct, 0, types);
    const uint32_t result = Add(body_, Opcode::kExtInst, tuple, std::move(operands), true);
    for (size_t i = 0; i < types.size(); ++i) {
      const uint32_t id =
          Add(body_, Opcode::kCompositeExtract, types[i], {result, static_cast<uint32_t>(i)}, true);
      Name(id, op.outputs[i]);
      values_[op.outputs[i]] = id;
    }
    return Done{};
  }

  Result<Done> AddOperand(const Operator& op, const TosaOperand& operand,
                          std::vector<uint32_t>& operands) {
    if (operand.argument->direction == Direction::kAttribute) {
      const AttributeValue* value = op.attributes.Find(*operand.argument->attribute);
      static const AttributeValue kFalse = false;
      if (value == nullptr && operand.argument->type == "bool_t") value = &kFalse;  // the default
      if (value == nullptr) return Unsupported("is missing");
      const Result<uint32_t> id = Attribute(*operand.argument, *value);
      if (!id) return id.error();
      operands.push_back(*id);
      return Done{};
    }
    const ArgumentRow& argument = *operand.argument;
    const size_t end = argument.list ? op.inputs.size() : operand.input + 1;
    for (size_t i = operand.input; i < end; ++i) {
      if (argument.compile_time_constant && ConstantOf(op.inputs[i]) == nullptr) {
        return Unsupported("is no constant");
      }
      const Result<uint32_t> id = Value(op.inputs[i]);
      if (!id) return id.error();
      operands.push_back(*id);
    }
    return Done{};
  }

  Result<Module> Assembled() {
    Need(Capability::kShader);
    Need(Capability::kTensors);
    Need(Capability::kGraph);
    Need(Capability::kVulkanMemoryModel);
    Section head;
    for (const uint32_t capability : capabilities_) {
      Add(head, Opcode::kCapability, 0, {capability});
    }
    const auto extension = [&](std::string_view name) {
      Add(head, Opcode::kExtension, 0, TextWords(name));
    };
    extension("SPV_ARM_graph");
    extension("SPV_ARM_tensors");
    const auto needs = [&](Capability capability) {
      return capabilities_.contains(static_cast<uint32_t>(capability));
    };
    if (needs(Capability::kFloat8)) extension("SPV_EXT_float8");
    if (needs(Capability::kBfloat16)) extension("SPV_KHR_bfloat16");
    head.push_back({Opcode::kExtInstImport, 0, import_, TextWords(kTosaInstructionSet)});
    constexpr uint32_t kLogical = 0, kVulkan = 3;
    Add(head, Opcode::kMemoryModel, 0, {kLogical, kVulkan});
    std::vector<uint32_t> entry = {graph_};
    for (const uint32_t word : TextWords("main")) entry.push_back(word);
    entry.insert(entry.end(), interface_.begin(), interface_.end());
    Add(globals_, Opcode::kGraphEntryPoint, 0, std::move(entry));
    module_.words = {kMagic, kVersion, 0, next_id_, 0};
    for (const Section* section : {&head, &names_, &decorations_, &globals_, &body_}) {
      for (const Instruction& instruction : *section) {
        // With its first word, type and result.
        if (instruction.operands.size() + 3 > kInstructionWordsMax) {
          return Unsupported("an instruction with more words than it can have");
        }
        Append(instruction, module_.words);
      }
    }
    return std::move(module_);
  }

  const Block& block_;
  const std::vector<int32_t> producers_;
  uint32_t next_id_ = 2;
  const uint32_t import_ = 1;
  uint32_t graph_ = 0;
  std::set<uint32_t> capabilities_;
  Section names_, decorations_, globals_, body_;
  std::map<std::tuple<Opcode, uint32_t, std::vector<uint32_t>>, uint32_t> globals_by_content_;
  std::vector<uint32_t> interface_;
  std::set<TensorIndex> module_constants_;
  std::map<TensorIndex, uint32_t> values_;  // the ids of tensors
  Module module_;
};

}  // namespace

Result<Module> WriteModule(const Graph& graph) {
  const Block* main = graph.Main();
  if (main == nullptr) return Unsupported("a graph without a main block");
  return ModuleWriter(*main).Write();
}

}  // namespace assay::spirv
