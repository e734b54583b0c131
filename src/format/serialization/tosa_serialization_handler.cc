// SPDX-License-Identifier: Apache-2.0
#include "tosa_serialization_handler.h"

#include <utility>

#include "enum_names.h"
#include "files.h"
#include "output_file.h"
#include "tosa_json.h"
#include "tosa_serialization_wire.h"

namespace assay {

Result<Done> TosaSerializationHandler::LoadFileSchema(const std::string& filename) {
  Result<TosaSchema> schema = LoadSchema(filename);
  if (!schema) return schema.error();
  schema_ = std::make_shared<const TosaSchema>(std::move(*schema));
  return Done{};
}

const TosaSchema& TosaSerializationHandler::Schema() const {
  return schema_ == nullptr ? BuiltInSchema() : *schema_;
}

Result<Done> TosaSerializationHandler::LoadJson(std::string_view text, std::string_view name) {
  const Result<std::vector<uint8_t>> bytes = TosaFromJson(text, name, limits_, Schema());
  if (!bytes) return bytes.error();
  return LoadTosaFlatbuffer(*bytes, name);
}

Result<Done> TosaSerializationHandler::LoadFileJson(const std::string& filename) {
  const Result<std::string> text = ReadTextFile(filename);
  if (!text) return text.error();
  return LoadJson(*text, filename);
}

Result<std::string> TosaSerializationHandler::SaveJson(std::string_view name) const {
  const Result<std::vector<uint8_t>> bytes = SaveTosaFlatbuffer(name);
  if (!bytes) return bytes.error();
  return TosaToJson(*bytes, name, limits_, Schema());
}

Result<Done> TosaSerializationHandler::SaveFileJson(const std::string& filename) const {
  const Result<std::string> text = SaveJson(filename);
  if (!text) return text.error();
  return WriteOutput(filename, *text);
}

Result<Done> TosaSerializationHandler::LoadTosaFlatbuffer(std::span<const uint8_t> bytes,
                                                          std::string_view name) {
  return LoadTosaFlatbuffer(nullptr, bytes, name);
}
Result<Done> TosaSerializationHandler::LoadTosaFlatbuffer(std::shared_ptr<const uint8_t[]> owner,
                                                          std::span<const uint8_t> bytes,
                                                          std::string_view name) {
  TosaSerializationHandler loaded(limits_);
  const Result<SerializationOddities> read =
      ReadSerialization(bytes, name, limits_, loaded, std::move(owner));
  if (!read) return read.error();
  version_ = loaded.version_;
  regions_ = std::move(loaded.regions_);
  return Done{};
}

Result<std::vector<uint8_t>> TosaSerializationHandler::SaveTosaFlatbuffer(
    std::string_view name) const {
  Result<std::vector<uint8_t>> bytes = WriteSerialization(*this);
  if (!bytes) return Error{bytes.error().kind, std::string(name) + ": " + bytes.error().message};
  return bytes;
}

Result<Done> TosaSerializationHandler::LoadFileTosaFlatbuffer(const std::string& filename) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(filename);
  if (!bytes) return bytes.error();
  return LoadTosaFlatbuffer(*bytes, filename);
}

Result<Done> TosaSerializationHandler::SaveFileTosaFlatbuffer(const std::string& filename) const {
  const Result<std::vector<uint8_t>> bytes = SaveTosaFlatbuffer(filename);
  if (!bytes) return bytes.error();
  return WriteOutput(filename, *bytes);
}

const TosaSerializationRegion* TosaSerializationHandler::GetMainRegion() const {
  return regions_.empty() ? nullptr : &regions_.front();
}

TosaSerializationRegion* TosaSerializationHandler::GetMainRegion() {
  return regions_.empty() ? nullptr : &regions_.front();
}

const TosaSerializationRegion* TosaSerializationHandler::GetRegionByName(
    std::string_view name) const {
  return FindRow(regions_, &Region::GetName, name);
}

TosaSerializationRegion* TosaSerializationHandler::GetRegionByName(std::string_view name) {
  return const_cast<Region*>(std::as_const(*this).GetRegionByName(name));
}

const TosaSerializationBasicBlock* TosaSerializationHandler::GetMainBlock() const {
  const Region* region = GetMainRegion();
  return region == nullptr ? nullptr : region->GetBlockByName("main");
}

std::vector<std::string> TosaSerializationHandler::GetInputs() const {
  const TosaSerializationBasicBlock* block = GetMainBlock();
  return block == nullptr ? Names() : block->GetInputsWithoutConstants();
}

std::vector<std::string> TosaSerializationHandler::GetOutputs() const {
  const TosaSerializationBasicBlock* block = GetMainBlock();
  return block == nullptr ? Names() : block->GetOutputs();
}

}  // namespace assay
