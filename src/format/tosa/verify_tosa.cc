// SPDX-License-Identifier: Apache-2.0
#include "verify_tosa.h"

#include <algorithm>
#include <string>

#include "tosa_generated.h"
#include "tosa_version.h"
#include "verified_bytes.h"
#include "wire_views.h"

namespace assay {
namespace {

using flatbuffers::Table;
using flatbuffers::voffset_t;
using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

// Verifies the tables that have lists. All other tables are left to the generated code.
class TosaVerifier {
 public:
  TosaVerifier(std::span<const uint8_t> bytes, const ReadLimits& limits)
      : verifier_(bytes.data(), bytes.size(), VerifierOptions(bytes.size(), limits)),
        names_left_(bytes.size() / sizeof(flatbuffers::uoffset_t)),
        tensors_left_(limits.tensors_max),
        operators_left_(limits.operators_max) {}

  bool Verify(const uint8_t* bytes) {
    const flatbuffers::uoffset_t root = verifier_.VerifyOffset(0);
    return root != 0 && VerifyGraph(*reinterpret_cast<const Table*>(bytes + root));
  }

  // Returns true if the version can be read. Every version of TOSA has it in the same place.
  bool VerifyVersion(const uint8_t* bytes) {
    const flatbuffers::uoffset_t root = verifier_.VerifyOffset(0);
    if (root == 0) return false;
    const Table& graph = *reinterpret_cast<const Table*>(bytes + root);
    return graph.VerifyTableStart(verifier_) &&
           graph.VerifyOffsetRequired(verifier_, tosa::TosaGraph::VT_VERSION) &&
           verifier_.VerifyTable(
               graph.GetPointer<const tosa::Version*>(tosa::TosaGraph::VT_VERSION));
  }

  // Tell whether Verify() failed because of this limit.
  bool over_tensors() const { return tensors_left_ < 0; }
  bool over_operators() const { return operators_left_ < 0; }

 private:
  bool VerifyGraph(const Table& graph) {
    return graph.VerifyTableStart(verifier_) &&
           graph.VerifyOffsetRequired(verifier_, tosa::TosaGraph::VT_VERSION) &&
           verifier_.VerifyTable(
               graph.GetPointer<const tosa::Version*>(tosa::TosaGraph::VT_VERSION)) &&
           VerifyTables(graph, tosa::TosaGraph::VT_REGIONS, &TosaVerifier::VerifyRegion) &&
           verifier_.EndTable();
  }

  bool VerifyRegion(const Table& region) {
    return region.VerifyTableStart(verifier_) && VerifyText(region, tosa::TosaRegion::VT_NAME) &&
           VerifyTables(region, tosa::TosaRegion::VT_BLOCKS, &TosaVerifier::VerifyBlock) &&
           verifier_.EndTable();
  }

  bool VerifyBlock(const Table& block) {
    using Block = tosa::TosaBasicBlock;
    return block.VerifyTableStart(verifier_) && VerifyText(block, Block::VT_NAME) &&
           VerifyTables(block, Block::VT_OPERATORS, &TosaVerifier::VerifyOperator,
                        &operators_left_) &&
           VerifyTables(block, Block::VT_TENSORS, &TosaVerifier::VerifyLeaf<tosa::TosaTensor>,
                        &tensors_left_) &&
           VerifyNames(block, Block::VT_INPUTS) && VerifyNames(block, Block::VT_OUTPUTS) &&
           VerifyTables(block, Block::VT_SHAPES, &TosaVerifier::VerifyLeaf<tosa::TosaShape>,
                        &tensors_left_) &&
           verifier_.EndTable();
  }

  bool VerifyOperator(const Table& op) {
    using Operator = tosa::TosaOperator;
    return op.VerifyTableStart(verifier_) &&
           op.VerifyField<uint32_t>(verifier_, Operator::VT_OP, sizeof(uint32_t)) &&
           op.VerifyField<uint8_t>(verifier_, Operator::VT_ATTRIBUTE_TYPE, sizeof(uint8_t)) &&
           op.VerifyOffset(verifier_, Operator::VT_ATTRIBUTE) &&
           tosa::VerifyAttribute(verifier_, op.GetPointer<const void*>(Operator::VT_ATTRIBUTE),
                                 static_cast<tosa::Attribute>(
                                     op.GetField<uint8_t>(Operator::VT_ATTRIBUTE_TYPE, 0))) &&
           VerifyNames(op, Operator::VT_INPUTS) && VerifyNames(op, Operator::VT_OUTPUTS) &&
           op.VerifyOffset(verifier_, Operator::VT_LOCATION) &&
           verifier_.VerifyTable(op.GetPointer<const tosa::OpLocation*>(Operator::VT_LOCATION)) &&
           verifier_.EndTable();
  }

  template <class T>
  bool VerifyLeaf(const Table& table) {
    return reinterpret_cast<const T&>(table).Verify(verifier_);
  }

  bool VerifyText(const Table& table, voffset_t field) {
    return table.VerifyOffset(verifier_, field) &&
           verifier_.VerifyString(table.GetPointer<const flatbuffers::String*>(field));
  }

  // A list is counted against the file's size once for each operator, unless operators share it.
  bool VerifyNames(const Table& table, voffset_t field) {
    if (!table.VerifyOffset(verifier_, field)) return false;
    const auto* names = table.GetPointer<const Names*>(field);
    if (!verifier_.VerifyVector(names) || SizeOf(names) > names_left_) return false;
    names_left_ -= SizeOf(names);
    return verifier_.VerifyVectorOfStrings(names);
  }

  bool VerifyTables(const Table& table, voffset_t field, bool (TosaVerifier::*verify)(const Table&),
                    int64_t* left = nullptr) {
    if (!table.VerifyOffset(verifier_, field)) return false;
    const auto* tables =
        table.GetPointer<const flatbuffers::Vector<flatbuffers::Offset<Table>>*>(field);
    if (!verifier_.VerifyVector(tables)) return false;
    if (left != nullptr && (*left -= static_cast<int64_t>(SizeOf(tables))) < 0) return false;
    const ElementsOf elements(tables);
    return std::all_of(elements.begin(), elements.end(),
                       [&](const Table* element) { return (this->*verify)(*element); });
  }

  flatbuffers::Verifier verifier_;
  size_t names_left_;
  int64_t tensors_left_, operators_left_;  // below 0: too many
};

// Returns the refusal of the version of a file that cannot be verified, because the tables of other
// versions differ. Returns "" if the version is not the reason.
std::string VersionFault(std::span<const uint8_t> bytes, const ReadLimits& limits) {
  TosaVerifier verifier(bytes, limits);
  if (!verifier.VerifyVersion(bytes.data())) return "";
  const tosa::Version& v = *tosa::GetTosaGraph(bytes.data())->version();
  const SpecVersion version = {v._major(), v._minor(), v._patch(), v._draft()};
  if (const auto refusal = RefusalOfVersion(version)) return *refusal;
  return version.draft ? "the FlatBuffer is damaged, or of an early draft of TOSA " +
                             VersionText(version) + ", whose tables differ"
                       : "";
}

// Returns the fault of the FlatBuffer, "" if there is none.
std::string FaultOf(std::span<const uint8_t> bytes, const ReadLimits& limits) {
  // A FlatBuffer ends below 2 GiB; what may lie behind it is data that tensors name by offset.
  const size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  TosaVerifier verifier(bytes.first(size), limits);
  if (verifier.Verify(bytes.data())) return "";
  if (verifier.over_tensors()) return LimitText("tensors_max", limits.tensors_max);
  if (verifier.over_operators()) return LimitText("operators_max", limits.operators_max);
  if (const std::string older = VersionFault(bytes.first(size), limits); !older.empty()) {
    return older;
  }
  return "the FlatBuffer is damaged, or not one of TOSA 1.0" + TableLimitText(size, limits);
}

}  // namespace

Result<Done> VerifyTosa(std::span<const uint8_t> bytes, std::string_view name,
                        const ReadLimits& limits) {
  const std::string prefix = std::string(name) + ": ";
  if (std::ssize(bytes) > limits.file_max) {
    return BadInput(prefix + LimitText("file_max", limits.file_max));
  }
  if (bytes.size() < 8 || !tosa::TosaGraphBufferHasIdentifier(bytes.data())) {
    return BadInput(prefix +
                    "offset 4: not a .tosa file: no identifier TOSA (files of early "
                    "versions of TOSA have none)");
  }
  const std::string fault = FaultOf(bytes, limits);
  if (!fault.empty()) return BadInput(prefix + fault);
  return Done{};
}

}  // namespace assay
