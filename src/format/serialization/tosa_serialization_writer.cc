// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tosa_serialization_wire.h"
#include "wire_fields.h"
#include "wire_views.h"
#include "wire_writing.h"

namespace assay {
namespace {

using flatbuffers::Offset;
using flatbuffers::uoffset_t;
using Attribute = TosaSerializationAttribute;
using Names = std::vector<std::string>;

// Computes the largest size of a FlatBuffer with the content. Below 2 GiB the builder cannot
// overflow.
class WireSize {
 public:
  static size_t Of(const std::vector<TosaSerializationRegion>& regions) {
    size_t bytes = kTable;
    for (const auto& region : regions) {
      bytes += kTable + region.GetName().size();
      for (const auto& block : region.GetBlocks()) bytes += OfBlock(block);
    }
    return bytes;
  }

 private:
  // A table with its references, list headers, ends of texts, and alignment.
  static constexpr size_t kTable = 256;

  static size_t OfNames(const Names& names) {
    size_t bytes = 0;
    for (const std::string& name : names) bytes += name.size() + 16;
    return bytes;
  }

  static size_t OfValue(const Attribute::Value& value) {
    if (const auto* ints = std::get_if<std::vector<int32_t>>(&value)) return 4 * ints->size();
    if (const auto* text = std::get_if<std::string>(&value)) return text->size();
    if (const auto* data = std::get_if<std::vector<uint8_t>>(&value)) return data->size();
    return 0;
  }

  static size_t OfBlock(const TosaSerializationBasicBlock& block) {
    size_t bytes =
        kTable + block.GetName().size() + OfNames(block.GetInputs()) + OfNames(block.GetOutputs());
    for (const auto& op : block.GetOperators()) {
      bytes += 2 * kTable + OfNames(op.GetInputTensorNames()) + OfNames(op.GetOutputTensorNames()) +
               op.GetLocation().size();
      for (const auto& [field, value] : op.GetAttribute().GetFields()) bytes += OfValue(value);
    }
    for (const auto& tensor : block.GetTensors()) {
      bytes += kTable + tensor.GetName().size() + 4 * tensor.GetShape().size() +
               tensor.GetData().size() + tensor.GetVariableName().size();
    }
    for (const auto& shape : block.GetShapes()) {
      bytes += kTable + shape.GetName().size() + shape.GetData().size();
    }
    return bytes;
  }
};

class SerializationWriter {
 public:
  // Makes room for `bytes_max` bytes. Bytes that are not needed are never touched.
  explicit SerializationWriter(size_t bytes_max) : builder_(bytes_max) {}

  std::vector<uint8_t> Write(const TosaSerializationHandler& handler) {
    std::vector<Offset<tosa::TosaRegion>> regions;
    for (const TosaSerializationRegion& region : handler.GetRegions()) {
      std::vector<Offset<tosa::TosaBasicBlock>> blocks;
      for (const auto& block : region.GetBlocks()) blocks.push_back(WriteBlock(block));
      const auto name = builder_.CreateString(region.GetName());
      regions.push_back(tosa::CreateTosaRegion(builder_, name, builder_.CreateVector(blocks)));
    }
    FinishTosa(builder_, handler.GetVersion(), regions);
    const uint8_t* const bytes = builder_.GetBufferPointer();
    return {bytes, bytes + builder_.GetSize()};
  }

 private:
  Offset<tosa::TosaBasicBlock> WriteBlock(const TosaSerializationBasicBlock& block) {
    std::vector<Offset<tosa::TosaOperator>> operators;
    std::vector<Offset<tosa::TosaTensor>> tensors;
    std::vector<Offset<tosa::TosaShape>> shapes;
    for (const auto& tensor : block.GetTensors()) tensors.push_back(WriteTensor(tensor));
    for (const auto& shape : block.GetShapes()) {
      const auto name = builder_.CreateString(shape.GetName());
      shapes.push_back(
          tosa::CreateTosaShape(builder_, name, shape.GetRank(), WriteData(shape.GetData())));
    }
    for (const auto& op : block.GetOperators()) operators.push_back(WriteOperator(op));
    const auto name = builder_.CreateString(block.GetName());
    const auto operator_list = builder_.CreateVector(operators);
    const auto tensor_list = builder_.CreateVector(tensors);
    const auto inputs = builder_.CreateVectorOfStrings(block.GetInputs());
    const auto outputs = builder_.CreateVectorOfStrings(block.GetOutputs());
    return tosa::CreateTosaBasicBlock(builder_, name, operator_list, tensor_list, inputs, outputs,
                                      builder_.CreateVector(shapes));
  }

  Offset<tosa::TosaTensor> WriteTensor(const TosaSerializationTensor& tensor) {
    const auto name = builder_.CreateString(tensor.GetName());
    const auto shape = builder_.CreateVector(tensor.GetShape());
    const auto data = WriteData(tensor.GetData());
    return tosa::CreateTosaTensor(
        builder_, name, shape, static_cast<tosa::DType>(tensor.GetDtype()), data,
        tensor.GetVariable(), tensor.GetIsUnranked(), WriteText(tensor.GetVariableName()));
  }

  Offset<tosa::TosaOperator> WriteOperator(const TosaSerializationOperator& op) {
    const auto attribute = WriteAttribute(op.GetAttribute());
    const auto inputs = builder_.CreateVectorOfStrings(op.GetInputTensorNames());
    const auto outputs = builder_.CreateVectorOfStrings(op.GetOutputTensorNames());
    Offset<tosa::OpLocation> location;
    if (!op.GetLocation().empty()) {
      location = tosa::CreateOpLocation(builder_, builder_.CreateString(op.GetLocation()));
    }
    return tosa::CreateTosaOperator(builder_, static_cast<tosa::Op>(op.GetOp()),
                                    static_cast<tosa::Attribute>(op.GetAttributeType()), attribute,
                                    inputs, outputs, location);
  }

  Offset<void> WriteAttribute(const Attribute& attribute) {
    if (attribute.GetType() == Op::kUnknown) return {};
    // The content that fields refer to has to be written before the table.
    std::vector<uoffset_t> offsets;
    for (const auto& [field, value] : attribute.GetFields()) {
      offsets.push_back(WriteContent(field, value));
    }
    const uoffset_t table = builder_.StartTable();
    for (size_t i = 0; i < offsets.size(); ++i) {
      const Attribute::Value& value = attribute.GetFields()[i].second;
      if (const auto* flag = std::get_if<bool>(&value)) {
        builder_.AddElement<uint8_t>(Slot(i), *flag, 0);
      } else if (const auto* number = std::get_if<int32_t>(&value)) {
        builder_.AddElement<int32_t>(Slot(i), *number, 0);
      } else if (const auto* enumerator = std::get_if<uint32_t>(&value)) {
        builder_.AddElement<uint32_t>(Slot(i), *enumerator, 0);
      } else {
        builder_.AddOffset(Slot(i), Offset<void>(offsets[i]));
      }
    }
    return builder_.EndTable(table);
  }

  uoffset_t WriteContent(AttributeId field, const Attribute::Value& value) {
    if (const auto* ints = std::get_if<std::vector<int32_t>>(&value)) {
      return builder_.CreateVector(*ints).o;
    }
    if (const auto* text = std::get_if<std::string>(&value)) return builder_.CreateString(*text).o;
    if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
      return WireKindOf(field) == WireKind::kElement ? WriteData(*bytes).o
                                                     : builder_.CreateVector(*bytes).o;
    }
    return 0;
  }

  // Writes data with the alignment that the schema requires for elements.
  Offset<flatbuffers::Vector<uint8_t>> WriteData(std::span<const uint8_t> data) {
    if (data.empty()) return {};
    builder_.ForceVectorAlignment(data.size(), 1, 8);
    return builder_.CreateVector(data.data(), data.size());
  }

  Offset<flatbuffers::String> WriteText(const std::string& text) {
    return text.empty() ? Offset<flatbuffers::String>() : builder_.CreateString(text);
  }

  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

size_t WireBytesMax(const TosaSerializationHandler& handler) {
  return WireSize::Of(handler.GetRegions());
}

Result<std::vector<uint8_t>> WriteSerialization(const TosaSerializationHandler& handler) {
  const size_t bytes = WireBytesMax(handler);
  if (bytes >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return Error{Error::Kind::kResource, "the graph takes up to " + std::to_string(bytes) +
                                             " bytes, and a FlatBuffer is smaller than 2 GiB"};
  }
  return SerializationWriter(bytes).Write(handler);
}

}  // namespace assay
