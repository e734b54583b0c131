// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "check.h"
#include "packing.h"
#include "shared_tosa.h"
#include "tosa_file.h"
#include "wire_fields.h"
#include "wire_views.h"
#include "wire_writing.h"

namespace assay {
namespace {

using flatbuffers::Offset;
using flatbuffers::uoffset_t;

template <class T>
using VectorOffset = Offset<flatbuffers::Vector<T>>;
using StringOffset = Offset<flatbuffers::String>;

// A variable as an operand: see tosa_file.h.
struct VariableEntry {
  std::string name;
  std::string variable_name;
  TensorType type;
  const Tensor* initial_value;
  StringOffset wire_name;
  bool is_tensor = false;  // of the block, as it is
};

// Returns true if the tensor is stored in the list of shapes, which has no room for other ranks.
bool IsShape(const TensorInfo& tensor) {
  return tensor.type.type == DType::kShape && tensor.type.shape.rank() == 1 &&
         tensor.type.shape[0] >= 0 && !tensor.variable;
}

// Estimates the number of bytes of the graph, so that the buffer need not grow.
size_t EstimatedSize(const Graph& graph) {
  constexpr size_t kTensor = 96, kOperator = 96;  // tables, names and lists, by experience
  size_t size = 1024;
  for (const Block& block : graph.Blocks()) {
    size += block.tensors.size() * kTensor + block.operators.size() * kOperator;
    for (const Operator& op : block.operators) {
      const AttributeValue* values = op.attributes.Find(AttributeId::kValues);
      const Tensor* tensor = values != nullptr ? std::get_if<Tensor>(values) : nullptr;
      if (tensor != nullptr) size += tensor->bytes().size();
    }
  }
  return size;
}

class Writer {
 public:
  explicit Writer(size_t size) : builder_(size) {}

  SharedBytes Write(const Graph& graph) {
    std::vector<Offset<tosa::TosaRegion>> regions;
    regions.reserve(graph.regions.size());
    for (const Region& region : graph.regions) {
      std::vector<Offset<tosa::TosaBasicBlock>> blocks;
      blocks.reserve(region.blocks.size());
      for (const Block& block : region.blocks) blocks.push_back(WriteBlock(block));
      const auto name = builder_.CreateString(region.name);
      regions.push_back(tosa::CreateTosaRegion(builder_, name, builder_.CreateVector(blocks)));
    }
    FinishTosa(builder_, graph.version, regions);
    const auto buffer = std::make_shared<flatbuffers::DetachedBuffer>(builder_.Release());
    return {{buffer, buffer->data()}, {buffer->data(), buffer->size()}};
  }

 private:
  Offset<tosa::TosaBasicBlock> WriteBlock(const Block& block) {
    order_.reserve(block.tensors.size());
    names_.resize(block.tensors.size());
    payloads_.assign(block.tensors.size(), nullptr);
    // The order is that of the file, so that a graph that was read gives the same bytes again.
    order_.clear();
    for (bool shapes : {false, true}) {
      for (size_t i = 0; i < block.tensors.size(); ++i) {
        if (IsShape(block.tensors[i]) == shapes) order_.push_back(i);
      }
    }
    for (size_t i : order_) names_[i] = builder_.CreateString(block.tensors[i].name);
    for (const Operator& op : block.operators) {
      const AttributeValue* values = op.attributes.Find(AttributeId::kValues);
      if (values == nullptr || op.outputs.empty()) continue;
      payloads_[static_cast<size_t>(op.outputs[0])] = &op.attributes.Value(AttributeId::kValues);
    }
    DeclareVariables(block);
    WriteTensors(block);
    operators_.clear();
    operators_.reserve(block.operators.size());
    for (const Operator& op : block.operators) operators_.push_back(WriteOperator(block, op));
    const auto operators = builder_.CreateVector(operators_);
    const auto tensors = builder_.CreateVector(tensors_);
    const auto shapes = builder_.CreateVector(shapes_);
    const auto inputs = WriteNames(block.inputs);
    const auto outputs = WriteNames(block.outputs);
    return tosa::CreateTosaBasicBlock(builder_, builder_.CreateString(block.name), operators,
                                      tensors, inputs, outputs, shapes);
  }

  void WriteTensors(const Block& block) {
    tensors_.clear();
    tensors_.reserve(block.tensors.size());
    shapes_.clear();
    for (size_t i : order_) {
      const TensorInfo& tensor = block.tensors[i];
      const Tensor* payload = payloads_[i];
      if (payload == nullptr && tensor.initial_value.has_value()) payload = &tensor.initial_value;
      if (IsShape(tensor)) {
        const auto data = WriteData(payload);
        shapes_.push_back(tosa::CreateTosaShape(builder_, names_[i],
                                                static_cast<uint32_t>(tensor.type.shape[0]), data));
      } else {
        tensors_.push_back(
            WriteTensor(names_[i], tensor.type, payload, tensor.variable, tensor.variable_name));
      }
    }
    for (const VariableEntry& entry : variables_) {
      if (entry.is_tensor) continue;
      tensors_.push_back(
          WriteTensor(entry.wire_name, entry.type, entry.initial_value, true, entry.variable_name));
    }
  }

  Offset<tosa::TosaTensor> WriteTensor(StringOffset name, const TensorType& type,
                                       const Tensor* payload, bool variable,
                                       const std::string& variable_name) {
    const auto shape =
        builder_.CreateVector(type.shape.begin(), static_cast<size_t>(type.shape.rank()));
    const auto data = WriteData(payload);
    const auto source =
        variable_name.empty() ? StringOffset() : builder_.CreateString(variable_name);
    return tosa::CreateTosaTensor(builder_, name, shape, static_cast<tosa::DType>(type.type), data,
                                  variable, false, source);
  }

  VectorOffset<uint8_t> WriteData(const Tensor* tensor) {
    if (tensor == nullptr || !tensor->has_value()) return {};
    const auto bytes = static_cast<size_t>(PackedBytes(tensor->type(), tensor->elements()));
    builder_.ForceVectorAlignment(bytes, 1, 8);
    uint8_t* to = nullptr;
    const VectorOffset<uint8_t> data = builder_.CreateUninitializedVector(bytes, 1, &to);
    Pack(*tensor, to);
    return data;
  }

  StringOffset NameOf(TensorIndex index) const {
    Check(index >= 0 && static_cast<size_t>(index) < names_.size(), "operands are in the block");
    return names_[static_cast<size_t>(index)];
  }

  // Writes the names of `indices`, after that of `variable` if there is one.
  VectorOffset<StringOffset> WriteNames(const std::vector<TensorIndex>& indices,
                                        const VariableEntry* variable = nullptr) {
    const size_t count = indices.size() + (variable != nullptr ? 1 : 0);
    builder_.StartVector(count, sizeof(uoffset_t));
    for (size_t i = indices.size(); i-- > 0;)
      builder_.PushElement(NameOf(indices[i]));  // backwards
    if (variable != nullptr) builder_.PushElement(variable->wire_name);
    return VectorOffset<StringOffset>(builder_.EndVector(count));
  }

  Offset<tosa::TosaOperator> WriteOperator(const Block& block, const Operator& op) {
    const Offset<void> attribute = WriteAttributes(op);
    const VariableEntry* variable = IsVariableOperator(op.op) ? FindVariable(block, op) : nullptr;
    const bool reads = op.op == Op::kVariableRead;
    const auto inputs = WriteNames(op.inputs, reads ? variable : nullptr);
    const auto outputs = WriteNames(op.outputs, reads ? nullptr : variable);
    Offset<tosa::OpLocation> location;
    if (!op.location.empty()) {
      location = tosa::CreateOpLocation(builder_, builder_.CreateString(op.location));
    }
    return tosa::CreateTosaOperator(builder_, static_cast<tosa::Op>(op.op),
                                    static_cast<tosa::Attribute>(op.op), attribute, inputs, outputs,
                                    location);
  }

  // Writes the attribute table of an operator, by the rows of wire_fields.h.
  Offset<void> WriteAttributes(const Operator& op) {
    const std::span<const AttributeId> fields = WireFields(op.op);
    uoffset_t offsets[8] = {};  // what fields refer to has to be written before the table
    Check(fields.size() <= std::size(offsets), "no operator has more than eight attributes");
    for (size_t i = 0; i < fields.size(); ++i) {
      if (op.attributes.Has(fields[i])) offsets[i] = WriteContent(op.attributes, fields[i]);
    }
    const uoffset_t table = builder_.StartTable();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!op.attributes.Has(fields[i])) continue;
      switch (WireKindOf(fields[i])) {
        case WireKind::kFlag:
          builder_.AddElement<uint8_t>(Slot(i), op.attributes.Flag(fields[i]), 0);
          break;
        case WireKind::kInt:
        case WireKind::kEnum:
          builder_.AddElement<int32_t>(Slot(i), op.attributes.Int(fields[i]), 0);
          break;
        case WireKind::kInts:
        case WireKind::kText:
        case WireKind::kBytes:
        case WireKind::kElement:
          builder_.AddOffset(Slot(i), Offset<void>(offsets[i]));
          break;
        case WireKind::kNone:
          break;
      }
    }
    return builder_.EndTable(table);
  }

  uoffset_t WriteContent(const Attributes& attributes, AttributeId id) {
    switch (WireKindOf(id)) {
      case WireKind::kNone:
      case WireKind::kFlag:
      case WireKind::kInt:
      case WireKind::kEnum:
        return 0;
      case WireKind::kInts:
        return builder_.CreateVector(attributes.Ints(id)).o;
      case WireKind::kText:
        return builder_.CreateString(attributes.Text(id)).o;
      case WireKind::kBytes: {
        const std::string& text = attributes.Text(id);
        return builder_.CreateVector(reinterpret_cast<const uint8_t*>(text.data()), text.size()).o;
      }
      case WireKind::kElement:
        return WriteData(&attributes.Value(id)).o;
    }
    return 0;
  }

  void DeclareVariables(const Block& block) {
    variables_.clear();
    // Declarations come first, because they say more about a variable than its reads and writes do.
    for (bool declarations : {true, false}) {
      for (const Operator& op : block.operators) {
        if (!IsVariableOperator(op.op) || (op.op == Op::kVariable) != declarations) continue;
        if (FindVariable(block, op) == nullptr) variables_.push_back(EntryFor(block, op));
      }
    }
    for (VariableEntry& entry : variables_) {
      if (!entry.is_tensor) entry.wire_name = builder_.CreateString(entry.name);
    }
  }

  VariableEntry EntryFor(const Block& block, const Operator& op) const {
    VariableEntry entry{"", VariableName(op), {DType::kInt8, {}}, nullptr, {}, false};
    if (op.op == Op::kVariable) {
      entry.type = DeclaredType(op);
      if (op.attributes.Has(AttributeId::kInitialValue)) {
        entry.initial_value = &op.attributes.Value(AttributeId::kInitialValue);
      }
    } else {
      const auto& operands = op.op == Op::kVariableRead ? op.outputs : op.inputs;
      if (!operands.empty()) entry.type = block.TypeOf(operands[0]);
      for (size_t i = 0; i < block.tensors.size(); ++i) {
        const TensorInfo& tensor = block.tensors[i];
        if (!tensor.variable || !tensor.initial_value.has_value()) continue;
        if ((tensor.variable_name.empty() ? tensor.name : tensor.variable_name) !=
            entry.variable_name) {
          continue;
        }
        entry.wire_name = names_[i];
        entry.is_tensor = true;
        return entry;
      }
    }
    entry.name = entry.variable_name;
    const auto taken = [&](const std::string& name) {
      return block.FindTensor(name).has_value() ||
             std::any_of(variables_.begin(), variables_.end(),
                         [&](const VariableEntry& other) { return other.name == name; });
    };
    for (int n = 1; taken(entry.name); ++n) {
      entry.name = entry.variable_name + "_variable" + std::to_string(n);
    }
    return entry;
  }

  // Returns the entry for the operator's variable, or null. A declaration needs an entry with the
  // same content, a read or write an entry of its type. A variable has two entries if it is
  // declared twice in different ways, or does not have the type that is read.
  const VariableEntry* FindVariable(const Block& block, const Operator& op) const {
    const std::string name = VariableName(op);
    for (const VariableEntry& entry : variables_) {
      if (entry.variable_name != name) continue;
      if (op.op != Op::kVariable) {
        const auto& operands = op.op == Op::kVariableRead ? op.outputs : op.inputs;
        if (entry.is_tensor || operands.empty() || entry.type == block.TypeOf(operands[0])) {
          return &entry;
        }
        continue;
      }
      const AttributeValue* initial = op.attributes.Find(AttributeId::kInitialValue);
      const bool same_value = initial == nullptr || entry.initial_value == nullptr
                                  ? (initial == nullptr) == (entry.initial_value == nullptr)
                                  : std::get<Tensor>(*initial) == *entry.initial_value;
      if (same_value && entry.type == DeclaredType(op)) return &entry;
    }
    return nullptr;
  }

  static std::string VariableName(const Operator& op) {
    return op.attributes.Has(AttributeId::kName) ? op.attributes.Text(AttributeId::kName) : "";
  }

  static TensorType DeclaredType(const Operator& op) {
    TensorType type{DType::kInt8, {}};
    if (op.attributes.Has(AttributeId::kType)) type.type = op.attributes.type(AttributeId::kType);
    if (op.attributes.Has(AttributeId::kVarShape)) {
      type.shape = Shape(op.attributes.Ints(AttributeId::kVarShape));
    }
    return type;
  }

  flatbuffers::FlatBufferBuilder builder_;
  std::vector<size_t> order_;             // of the block's tensors in the file
  std::vector<StringOffset> names_;       // of the block's tensors
  std::vector<const Tensor*> payloads_;   // of the block's constants, null for other tensors
  std::vector<VariableEntry> variables_;  // of the block
  std::vector<Offset<tosa::TosaTensor>> tensors_;
  std::vector<Offset<tosa::TosaShape>> shapes_;
  std::vector<Offset<tosa::TosaOperator>> operators_;
};

}  // namespace

SharedBytes WriteSharedTosa(const Graph& graph) {
  return Writer(EstimatedSize(graph)).Write(graph);
}

std::vector<uint8_t> WriteTosa(const Graph& graph) {
  const SharedBytes file = WriteSharedTosa(graph);
  return {file.bytes.begin(), file.bytes.end()};
}

}  // namespace assay
