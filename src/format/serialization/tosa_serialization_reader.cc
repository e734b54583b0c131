// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "newer_versions.h"
#include "quoted.h"
#include "tosa_serialization_wire.h"
#include "tosa_wire_reading.h"
#include "verified_bytes.h"
#include "verify_tosa.h"
#include "wire_fields.h"
#include "wire_views.h"

namespace assay {
namespace {

using Attribute = TosaSerializationAttribute;
using BasicBlock = TosaSerializationBasicBlock;
using Names = std::vector<std::string>;

class SerializationReader final : public TosaWireReading {
 public:
  static constexpr size_t kSharedBytesMin = 4096;

  SerializationReader(std::span<const uint8_t> file, std::string_view name, ReadBudget& budget,
                      std::shared_ptr<const uint8_t[]> owner)
      : TosaWireReading(file, name, budget), owner_(std::move(owner)) {}

  const SerializationOddities& oddities() const { return oddities_; }

  bool Read(const tosa::TosaGraph& wire, TosaSerializationHandler& handler) {
    SpecVersion version;
    if (!ReadVersion(wire, version)) return false;
    handler.SetVersion(version);
    for (const tosa::TosaRegion* region : ElementsOf(wire.regions())) {
      if (!ReadRegion(*region, handler.GetRegions())) return false;
    }
    return true;
  }

 private:
  // Extends the start of messages for its lifetime.
  class Within {
   public:
    Within(SerializationReader& reader, const std::string& what)
        : place_(reader.place_), size_(reader.place_.size()) {
      place_ += what + ": ";
    }
    ~Within() { place_.resize(size_); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    std::string& place_;
    const size_t size_;
  };

  bool ReadBytes(std::span<const uint8_t> wire, std::vector<uint8_t>& bytes) {
    if (!Charge(wire.size())) return false;
    bytes.assign(wire.begin(), wire.end());
    return true;
  }

  bool ReadRegion(const tosa::TosaRegion& wire, std::vector<TosaSerializationRegion>& regions) {
    std::string name;
    if (!Charge(sizeof(TosaSerializationRegion)) || !ReadText(wire.name(), name)) return false;
    const Within place(*this, "region " + Quoted(name));
    if (!KnownFields(wire, 2, "TosaRegion")) return false;
    TosaSerializationRegion& region = regions.emplace_back(std::move(name));
    region.GetBlocks().reserve(SizeOf(wire.blocks()));
    for (const tosa::TosaBasicBlock* block : ElementsOf(wire.blocks())) {
      if (!ReadBlock(*block, region)) return false;
    }
    return true;
  }

  bool ReadBlock(const tosa::TosaBasicBlock& wire, TosaSerializationRegion& region) {
    std::string name;
    if (!Charge(sizeof(BasicBlock) + region.GetName().size())) return false;
    if (!ReadText(wire.name(), name)) return false;
    const Within place(*this, "block " + Quoted(name));
    if (!KnownFields(wire, 6, "TosaBasicBlock")) return false;
    BasicBlock& block = region.AddBlock(BasicBlock(std::move(name)));
    block.GetOperators().reserve(SizeOf(wire.operators()));
    for (const tosa::TosaOperator* op : ElementsOf(wire.operators())) {
      if (!ReadOperator(*op, block.GetOperators())) return false;
    }
    block.GetTensors().reserve(SizeOf(wire.tensors()));
    for (const tosa::TosaTensor* tensor : ElementsOf(wire.tensors())) {
      if (!ReadTensor(*tensor, block.GetTensors())) return false;
    }
    block.GetShapes().reserve(SizeOf(wire.shapes()));
    for (const tosa::TosaShape* shape : ElementsOf(wire.shapes())) {
      if (!ReadShape(*shape, block.GetShapes())) return false;
    }
    return ReadTexts(wire.inputs(), block.GetInputs()) &&
           ReadTexts(wire.outputs(), block.GetOutputs());
  }

  bool ReadTensor(const tosa::TosaTensor& wire, std::vector<TosaSerializationTensor>& tensors) {
    const Within place(*this, "tensor " + Quoted(View(wire.name())));
    const auto type = static_cast<uint32_t>(wire.type());
    std::string name, variable_name;
    std::vector<int32_t> dims;
    std::vector<uint8_t> data;
    if (!KnownFields(wire, 9, "TosaTensor")) return false;
    if (type > static_cast<uint32_t>(DType::kFp8e5m2)) {
      return Unsupported("has " + NewerTypeText(type));
    }
    const auto wire_data = FindData(wire);
    if (!wire_data) return Fail(OutsideText(wire));
    if (!Charge(sizeof(TosaSerializationTensor)) || !ReadText(wire.name(), name) ||
        !ReadText(wire.variable_name(), variable_name) || !ReadNumbers(wire.shape(), dims)) {
      return false;
    }
    const bool is_shared = owner_ != nullptr && wire_data->size() >= kSharedBytesMin;
    if (!is_shared && !ReadBytes(*wire_data, data)) return false;
    oddities_.outside_data |= View(wire.data()).empty() && wire.offset() > 1;
    TosaSerializationTensor& tensor = tensors.emplace_back(
        std::move(name), std::move(dims), static_cast<DType>(type), std::move(data));
    if (is_shared) tensor.SetData(owner_, *wire_data);
    tensor.SetVariable(wire.variable(), std::move(variable_name));
    tensor.SetIsUnranked(wire.is_unranked());
    return true;
  }

  bool ReadShape(const tosa::TosaShape& wire, std::vector<TosaSerializationShape>& shapes) {
    const Within place(*this, "shape " + Quoted(View(wire.name())));
    std::string name;
    std::vector<uint8_t> data;
    if (!KnownFields(wire, 3, "TosaShape") || !Charge(sizeof(TosaSerializationShape)) ||
        !ReadText(wire.name(), name) || !ReadBytes(View(wire.data()), data)) {
      return false;
    }
    shapes.emplace_back(std::move(name), wire.rank(), std::move(data));
    return true;
  }

  bool ReadOperator(const tosa::TosaOperator& wire,
                    std::vector<TosaSerializationOperator>& operators) {
    const auto op = static_cast<uint32_t>(wire.op());
    const Within place(*this, "operator " + std::to_string(operators.size()));
    if (op > kOperatorCount) return Unsupported("is " + NewerOperatorText(op));
    Attribute attribute;
    Names inputs, outputs;
    std::string location;
    if (!KnownFields(wire, 6, "TosaOperator") || !Charge(sizeof(TosaSerializationOperator)) ||
        !ReadAttribute(wire, attribute) || !ReadTexts(wire.inputs(), inputs) ||
        !ReadTexts(wire.outputs(), outputs)) {
      return false;
    }
    if (const tosa::OpLocation* from = wire.location()) {
      if (!KnownFields(*from, 1, "OpLocation") || !ReadText(from->text(), location)) return false;
    }
    operators.emplace_back(static_cast<Op>(op), std::move(attribute), std::move(inputs),
                           std::move(outputs), std::move(location));
    return true;
  }

  bool ReadAttribute(const tosa::TosaOperator& wire, Attribute& attribute) {
    const auto member = static_cast<uint32_t>(wire.attribute_type());
    if (member > kOperatorCount) {
      return Unsupported("has the attribute table of " + NewerOperatorText(member));
    }
    // If there is no union member, the table was not verified. If there is no table, there is no
    // attribute.
    if (member == 0) oddities_.untyped_attribute |= wire.attribute() != nullptr;
    if (member == 0 || wire.attribute() == nullptr) return true;
    const auto& table = *static_cast<const flatbuffers::Table*>(wire.attribute());
    attribute = Attribute(static_cast<Op>(member));
    if (!Charge(attribute.GetFields().size() * sizeof(Attribute::Field))) return false;
    if (!KnownFields(table, attribute.GetFields().size(), "attribute")) return false;
    const std::span<const AttributeId> fields = WireFields(attribute.GetType());
    for (size_t i = 0; i < fields.size(); ++i) {
      Attribute::Value value = attribute.GetFields()[i].second;
      if (!ReadField(table, Slot(i), fields[i], value)) return false;
      attribute.Set(fields[i], std::move(value));
    }
    return true;
  }

  bool ReadField(const flatbuffers::Table& table, flatbuffers::voffset_t slot, AttributeId field,
                 Attribute::Value& value) {
    switch (WireKindOf(field)) {
      case WireKind::kNone:
        return true;
      case WireKind::kFlag:
        value = table.GetField<uint8_t>(slot, 0) != 0;
        return true;
      case WireKind::kInt:
        value = table.GetField<int32_t>(slot, 0);
        return true;
      case WireKind::kEnum:
        value = table.GetField<uint32_t>(slot, 0);
        return KnownEnumerator(field, std::get<uint32_t>(value));
      case WireKind::kInts:
        return ReadNumbers(table.GetPointer<const flatbuffers::Vector<int32_t>*>(slot),
                           std::get<std::vector<int32_t>>(value));
      case WireKind::kText:
        return ReadText(table.GetPointer<const flatbuffers::String*>(slot),
                        std::get<std::string>(value));
      case WireKind::kBytes:
      case WireKind::kElement:
        return ReadBytes(View(table.GetPointer<const flatbuffers::Vector<uint8_t>*>(slot)),
                         std::get<std::vector<uint8_t>>(value));
    }
    return true;
  }

  const std::shared_ptr<const uint8_t[]> owner_;  // null: every tensor gets a copy
  SerializationOddities oddities_;
};

}  // namespace

Result<SerializationOddities> ReadSerialization(std::span<const uint8_t> file,
                                                std::string_view name, const ReadLimits& limits,
                                                TosaSerializationHandler& handler,
                                                std::shared_ptr<const uint8_t[]> owner) {
  const AlignedBytes aligned(file);
  const Result<Done> verified = VerifyTosa(aligned.bytes(), name, limits);
  if (!verified) return verified.error();
  ReadBudget budget(file.size(), limits.memory_max);
  if (aligned.bytes().data() != file.data()) owner = nullptr;
  SerializationReader reader(aligned.bytes(), name, budget, std::move(owner));
  if (!reader.Read(*tosa::GetTosaGraph(aligned.bytes().data()), handler)) return reader.error();
  return reader.oddities();
}

}  // namespace assay
