#include <optional>
#include <string>
#include <utility>

#include "newer_content.h"
#include "quoted.h"
#include "read_budget.h"
#include "tosa_generated.h"
#include "tosa_serialization_wire.h"
#include "tosa_version.h"
#include "verified_bytes.h"
#include "verify_tosa.h"
#include "wire_fields.h"
#include "wire_views.h"

namespace assay {
namespace {

using Attribute = TosaSerializationAttribute;
using BasicBlock = TosaSerializationBasicBlock;
using Names = std::vector<std::string>;
using WireNames = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

// Reads one verified file. Functions that give false have set the error.
class SerializationReader {
 public:
  SerializationReader(std::span<const uint8_t> file, std::string_view name, int64_t memory_max)
      : file_(file), place_(std::string(name) + ": "), budget_(file.size(), memory_max) {}

  const Error& error() const { return error_; }
  const SerializationOddities& oddities() const { return oddities_; }

  bool Read(TosaSerializationHandler& handler) {
    const tosa::TosaGraph& wire = *tosa::GetTosaGraph(file_.data());
    const tosa::Version& v = *wire.version();
    const SpecVersion version{v._major(), v._minor(), v._patch(), v._draft()};
    if (!KnownFields(v, 4, "Version")) return false;
    if (const auto refusal = RefusalOfVersion(version)) return Unsupported(*refusal);
    // 1.1 appends the version of the software that wrote the file.
    if (!KnownFields(wire, version.minor == 1 ? 3 : 2, "TosaGraph")) return false;
    handler.SetVersion(version);
    for (const tosa::TosaRegion* region : ElementsOf(wire.regions())) {
      if (!ReadRegion(*region, handler.GetRegions())) return false;
    }
    return true;
  }

 private:
  // Adds to what messages start with, for as long as it lives.
  class Place {
   public:
    Place(SerializationReader& reader, const std::string& what)
        : place_(reader.place_), size_(reader.place_.size()) {
      place_ += what + ": ";
    }
    ~Place() { place_.resize(size_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    std::string& place_;
    const size_t size_;
  };

  bool SetError(Error::Kind kind, const std::string& what) {
    error_ = {kind, place_ + what};
    return false;
  }
  bool Fail(const std::string& what) { return SetError(Error::Kind::kBadInput, what); }
  bool Unsupported(const std::string& what) { return SetError(Error::Kind::kUnsupported, what); }

  bool Charge(size_t bytes) {
    return budget_.Charge(bytes) ||
           Fail("the content takes more than " + std::to_string(budget_.bytes_max()) +
                " bytes of memory, the limit for this file");
  }

  template <class Table>
  bool KnownFields(const Table& table, size_t fields, const char* what) {
    const auto unknown = UnknownField(reinterpret_cast<const flatbuffers::Table&>(table), fields);
    return !unknown || Unsupported(std::string(what) + " table has field " +
                                   std::to_string(*unknown) + ", which TOSA 1.0 does not have");
  }

  bool ReadText(const flatbuffers::String* wire, std::string& text) {
    const std::string_view view = View(wire);
    if (!Charge(sizeof(std::string) + view.size())) return false;
    text = view;
    return true;
  }

  bool ReadNames(const WireNames* wire, Names& names) {
    names.reserve(SizeOf(wire));
    for (const flatbuffers::String* name : ElementsOf(wire)) {
      if (!ReadText(name, names.emplace_back())) return false;
    }
    return true;
  }

  template <class T>
  bool ReadList(const flatbuffers::Vector<T>* wire, std::vector<T>& list) {
    if (!Charge(SizeOf(wire) * sizeof(T))) return false;
    if (wire != nullptr) list.assign(wire->begin(), wire->end());
    return true;
  }

  bool ReadBytes(std::span<const uint8_t> wire, std::vector<uint8_t>& bytes) {
    if (!Charge(wire.size())) return false;
    bytes.assign(wire.begin(), wire.end());
    return true;
  }

  bool ReadRegion(const tosa::TosaRegion& wire, std::vector<TosaSerializationRegion>& regions) {
    std::string name;
    if (!Charge(sizeof(TosaSerializationRegion)) || !ReadText(wire.name(), name)) return false;
    const Place place(*this, "region " + Quoted(name));
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
    const Place place(*this, "block " + Quoted(name));
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
    return ReadNames(wire.inputs(), block.GetInputs()) &&
           ReadNames(wire.outputs(), block.GetOutputs());
  }

  // Data that is in the FlatBuffer, or behind it in the file.
  bool FindData(const tosa::TosaTensor& wire, std::span<const uint8_t>& data) {
    data = View(wire.data());
    if (!data.empty() || wire.offset() <= 1) return true;
    oddities_.outside_data = true;
    if (wire.offset() > file_.size() || wire.size() > file_.size() - wire.offset()) {
      return Fail("data is at offset " + std::to_string(wire.offset()) +
                  ", beyond the end of the file");
    }
    data = file_.subspan(wire.offset(), wire.size());
    return true;
  }

  bool ReadTensor(const tosa::TosaTensor& wire, std::vector<TosaSerializationTensor>& tensors) {
    const Place place(*this, "tensor " + Quoted(View(wire.name())));
    const auto type = static_cast<uint32_t>(wire.type());
    std::string name, variable_name;
    std::vector<int32_t> dims;
    std::span<const uint8_t> wire_data;
    std::vector<uint8_t> data;
    if (!KnownFields(wire, 9, "TosaTensor")) return false;
    if (type > static_cast<uint32_t>(DType::kFp8e5m2)) {
      return Unsupported("has " + NewerTypeText(type));
    }
    if (!Charge(sizeof(TosaSerializationTensor)) || !ReadText(wire.name(), name) ||
        !ReadText(wire.variable_name(), variable_name) || !ReadList(wire.shape(), dims) ||
        !FindData(wire, wire_data) || !ReadBytes(wire_data, data)) {
      return false;
    }
    TosaSerializationTensor& tensor = tensors.emplace_back(
        std::move(name), std::move(dims), static_cast<DType>(type), std::move(data));
    tensor.SetVariable(wire.variable(), std::move(variable_name));
    tensor.SetIsUnranked(wire.is_unranked());
    return true;
  }

  bool ReadShape(const tosa::TosaShape& wire, std::vector<TosaSerializationShape>& shapes) {
    const Place place(*this, "shape " + Quoted(View(wire.name())));
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
    const Place place(*this, "operator " + std::to_string(operators.size()));
    if (op > kOperatorCount) return Unsupported("is " + NewerOperatorText(op));
    Attribute attribute;
    Names inputs, outputs;
    std::string location;
    if (!KnownFields(wire, 6, "TosaOperator") || !Charge(sizeof(TosaSerializationOperator)) ||
        !ReadAttribute(wire, attribute) || !ReadNames(wire.inputs(), inputs) ||
        !ReadNames(wire.outputs(), outputs)) {
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
    // Without a member nobody has verified the table, and without a table there is no attribute.
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
        return ReadList(table.GetPointer<const flatbuffers::Vector<int32_t>*>(slot),
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

  bool KnownEnumerator(AttributeId field, uint32_t value) {
    return value <= WireEnumMax(field) ||
           Unsupported(std::string(AttributeName(field)) + " is " +
                       NewerEnumeratorText(field, value) + ", which TOSA 1.0 does not have");
  }

  static std::string NewerEnumeratorText(AttributeId field, uint32_t value) {
    return field == AttributeId::kAccType ? NewerTypeText(value) : "value " + std::to_string(value);
  }

  const std::span<const uint8_t> file_;
  std::string place_;
  ReadBudget budget_;
  SerializationOddities oddities_;
  Error error_;
};

}  // namespace

Result<SerializationOddities> ReadSerialization(std::span<const uint8_t> file,
                                                std::string_view name,
                                                const SerializationLimits& limits,
                                                TosaSerializationHandler& handler) {
  const AlignedBytes aligned(file);
  const Result<Done> verified = VerifyTosa(aligned.bytes(), name, limits);
  if (!verified) return verified.error();
  SerializationReader reader(aligned.bytes(), name, limits.memory_max);
  if (!reader.Read(handler)) return reader.error();
  return reader.oddities();
}

}  // namespace assay
