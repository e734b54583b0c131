// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "tosa_serialization_handler.h"

namespace assay {

// `.tosa` files as JSON, read and written by FlatBuffers' own library. The text is the one that
// `flatc --json --strict-json` prints with the same schema. All text that flatc reads is read, also
// names without quotes and a comma after the last element of a list, but no comments. Lists of
// bytes are written number by number. So JSON is for viewing and editing graphs, not for large
// constants.

// The text of a schema by which JSON is read and written.
struct TosaSchema {
  std::string name;  // the name of its file
  std::string text;
  std::string folder;  // the folder of the files that it includes
};

// Returns the built-in schema tosa.fbs.
const TosaSchema& BuiltInSchema();

// Loads a schema from a file, which must be a schema of TOSA graphs. An Error is one line that
// starts with the file's name. Schemas are not read defensively, unlike everything else.
Result<TosaSchema> LoadSchema(const std::string& path);

// Returns the JSON text of the `.tosa` file called `name`. It has all content of the file, in the
// file's order. The exception is data behind the FlatBuffer, which JSON cannot express: it is
// written with its tensor. An Error is one of the handler's, or kResource if the text would take
// more memory than the limit, or kBadInput if a name is not UTF-8.
Result<std::string> TosaToJson(std::span<const uint8_t> bytes, std::string_view name,
                               const ReadLimits& limits = {},
                               const TosaSchema& schema = BuiltInSchema());

// Returns the `.tosa` file for a JSON text called `name`. The file is read back before it is
// returned, so that content that the handler refuses is refused here.
Result<std::vector<uint8_t>> TosaFromJson(std::string_view text, std::string_view name,
                                          const ReadLimits& limits = {},
                                          const TosaSchema& schema = BuiltInSchema());

}  // namespace assay
