#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "tosa_serialization_handler.h"

namespace assay {

// `.tosa` files as JSON, read and written by FlatBuffers' own library: the text is the one that
// `flatc --json --strict-json` prints with the same schema, and what flatc reads is read (also
// names without quotes, and a comma behind the last of a list, but no comments). Lists of bytes
// stand in it number by number, so JSON is for looking at graphs and editing them, not for large
// constants.

// A schema that JSON is read and written by, as text.
struct TosaSchema {
  std::string name;  // of the file it is from
  std::string text;
  std::string folder;  // where what it includes is looked for
};

// The schema tosa.fbs that is built in.
const TosaSchema& BuiltInSchema();

// A schema of a file, which has to be one of TOSA graphs. An Error is one line that starts with the
// file's name. Schemas are not read defensively, unlike everything else.
Result<TosaSchema> LoadSchema(const std::string& path);

// The JSON text of the `.tosa` file called `name`. Says all that the file says, in the file's
// order, but for what JSON cannot: data behind the FlatBuffer stands with its tensor. An Error is
// one of the handler's, or kResource if the text would take more memory than the limit, or
// kBadInput if a name is not UTF-8.
Result<std::string> TosaToJson(std::span<const uint8_t> bytes, std::string_view name,
                               const ReadLimits& limits = {},
                               const TosaSchema& schema = BuiltInSchema());

// The `.tosa` file that a JSON text called `name` says. It is read back before it is given out, so
// that what the handler refuses is refused here.
Result<std::vector<uint8_t>> TosaFromJson(std::string_view text, std::string_view name,
                                          const ReadLimits& limits = {},
                                          const TosaSchema& schema = BuiltInSchema());

}  // namespace assay
