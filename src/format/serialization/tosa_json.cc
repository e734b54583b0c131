// SPDX-License-Identifier: Apache-2.0
#include "tosa_json.h"

#include <flatbuffers/idl.h>

#include <memory>

#include "files.h"
#include "json_cost.h"
#include "tosa_schema.h"
#include "tosa_serialization_wire.h"
#include "verified_bytes.h"

namespace assay {
namespace {

// The largest number of bytes that FlatBuffers' generator writes for a byte of FlatBuffer. The
// worst case is a number on a line of its own. While the text grows, the old text exists beside one
// of twice the size.
constexpr size_t kTextBytesPerByte = 64;

Error OverLimit(std::string_view name, const char* what, int64_t memory_max) {
  return {Error::Kind::kResource, std::string(name) + ": " + what + " takes more than " +
                                      std::to_string(memory_max) + " bytes of memory, the limit"};
}

constexpr size_t kErrorCharactersMax = 200;  // because it may quote a name or number of any length

// Returns `3: 17: error: what` of flatbuffers::Parser as `line 3: what`, on one line.
std::string ParserError(const flatbuffers::Parser& parser) {
  std::string text = parser.error_.substr(0, kErrorCharactersMax);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  const size_t line_end = text.find(':');
  const size_t what = text.find("error: ");
  if (what == std::string::npos || line_end > what) return text;
  return "line " + text.substr(0, line_end) + ": " + text.substr(what + 7);
}

// Returns a parser that has read the schema.
Result<std::unique_ptr<flatbuffers::Parser>> ParserFor(const TosaSchema& schema) {
  auto parser = std::make_unique<flatbuffers::Parser>();
  parser->opts.no_warnings = true;  // they would be part of the error's text
  const char* folders[] = {schema.folder.c_str(), nullptr};
  if (!parser->Parse(schema.text.c_str(), folders)) {
    return BadInput(schema.name + ": " + ParserError(*parser));
  }
  if (parser->root_struct_def_ == nullptr || parser->file_identifier_ != "TOSA") {
    return BadInput(schema.name + ": is no schema of TOSA graphs: no root_type, or a " +
                    "file_identifier other than TOSA");
  }
  return parser;
}

Result<std::string> TextOf(std::span<const uint8_t> bytes, std::string_view name,
                           const TosaSchema& schema) {
  Result<std::unique_ptr<flatbuffers::Parser>> parser = ParserFor(schema);
  if (!parser) return parser.error();
  (*parser)->opts.strict_json = true;
  std::string text;
  if (!flatbuffers::GenerateText(**parser, bytes.data(), &text)) {
    return BadInput(std::string(name) + ": cannot be JSON: a name or text in it is not UTF-8");
  }
  return text;
}

}  // namespace

const TosaSchema& BuiltInSchema() {
  static const TosaSchema kSchema = {"tosa.fbs", k_tosa_schema, ""};
  return kSchema;
}

Result<TosaSchema> LoadSchema(const std::string& path) {
  Result<std::string> text = ReadTextFile(path);
  if (!text) return text.error();
  TosaSchema schema = {path, std::move(*text), FolderOf(path)};
  const Result<std::unique_ptr<flatbuffers::Parser>> parser = ParserFor(schema);
  if (!parser) return parser.error();
  return schema;
}

Result<std::string> TosaToJson(std::span<const uint8_t> bytes, std::string_view name,
                               const ReadLimits& limits, const TosaSchema& schema) {
  TosaSerializationHandler content;
  const Result<SerializationOddities> oddities = ReadSerialization(bytes, name, limits, content);
  if (!oddities) return oddities.error();
  if (WireBytesMax(content) > static_cast<size_t>(limits.memory_max) / kTextBytesPerByte) {
    return OverLimit(name, "the JSON text", limits.memory_max);
  }
  if (!oddities->outside_data && !oddities->untyped_attribute) {
    return TextOf(AlignedBytes(bytes).bytes(), name, schema);
  }
  const Result<std::vector<uint8_t>> plain = WriteSerialization(content);
  if (!plain) return Error{plain.error().kind, std::string(name) + ": " + plain.error().message};
  return TextOf(*plain, name, schema);
}

Result<std::vector<uint8_t>> TosaFromJson(std::string_view text, std::string_view name,
                                          const ReadLimits& limits, const TosaSchema& schema) {
  const std::string prefix = std::string(name) + ": ";
  const Result<JsonCost> cost = CostOfJson(text);
  if (!cost) return Error{cost.error().kind, prefix + cost.error().message};
  if (cost->memory_max > static_cast<size_t>(limits.memory_max) ||
      cost->result_max >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return OverLimit(name, "reading the JSON text", limits.memory_max);
  }
  const Result<std::unique_ptr<flatbuffers::Parser>> parser = ParserFor(schema);
  if (!parser) return parser.error();
  if (!(*parser)->ParseJson(std::string(text).c_str())) {
    return BadInput(prefix + ParserError(**parser));
  }
  const flatbuffers::FlatBufferBuilder& builder = (*parser)->builder_;
  const std::vector<uint8_t> bytes(builder.GetBufferPointer(),
                                   builder.GetBufferPointer() + builder.GetSize());
  TosaSerializationHandler content;
  const Result<SerializationOddities> oddities = ReadSerialization(bytes, name, limits, content);
  if (!oddities) return oddities.error();
  if (oddities->outside_data) {
    return BadInput(prefix + "a tensor's offset refers to data outside of it, which JSON has not");
  }
  return bytes;
}

}  // namespace assay
