// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "child_process.h"
#include "files.h"

namespace assay {

// Helpers that run flatc, the compiler of FlatBuffers' authors.

inline const std::string kSchema = ASSAY_BINARY_DIR "/gen/fbs/tosa.fbs";

inline void RunFlatc(std::vector<std::string> arguments) {
  ChildCommand command;
  command.argv = {"flatc"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const Result<ChildReport> report = RunChild(command, "", {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->Describe(), "exit status 0") << report->output << report->errors;
}

// Returns the JSON text that flatc writes for each file by a schema.
inline std::vector<std::string> TextsOfFlatc(const std::vector<std::vector<uint8_t>>& files,
                                             const std::string& schema, const char* extension) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  if (!folder) return {};
  std::vector<std::string> arguments = {
      "--json", "--strict-json", "--raw-binary", "-o", folder->path(), schema, "--"};
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = JoinPath(folder->path(), std::to_string(i) + extension);
    EXPECT_TRUE(WriteFileAtomically(path, files[i]));
    arguments.push_back(path);
  }
  RunFlatc(arguments);
  std::vector<std::string> texts;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto text = ReadTextFile(JoinPath(folder->path(), std::to_string(i) + ".json"));
    EXPECT_TRUE(text);
    if (text) texts.push_back(*text);
  }
  return texts;
}

// Returns the same as JSON values.
inline std::vector<nlohmann::json> DecodeWithFlatc(const std::vector<std::vector<uint8_t>>& files,
                                                   const std::string& schema,
                                                   const char* extension) {
  std::vector<nlohmann::json> decoded;
  for (const std::string& text : TextsOfFlatc(files, schema, extension)) {
    decoded.push_back(nlohmann::json::parse(text, nullptr, false));
  }
  return decoded;
}

// Writes a file with flatc, for files that Assay would not write.
inline std::vector<uint8_t> EncodeWithFlatc(std::string_view json, const std::string& schema_text) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string schema = JoinPath(folder->path(), "tosa.fbs");
  const std::string graph = JoinPath(folder->path(), "graph.json");
  EXPECT_TRUE(WriteFileAtomically(schema, schema_text));
  EXPECT_TRUE(WriteFileAtomically(graph, json));
  RunFlatc({"--binary", "-o", folder->path(), schema, graph});
  const auto bytes = ReadFile(JoinPath(folder->path(), "graph.tosa"));
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : std::vector<uint8_t>();
}

// Returns the text of our schema with one change.
inline std::string EditedSchema(std::string_view from, std::string_view to) {
  const Result<std::string> schema = ReadTextFile(kSchema);
  EXPECT_TRUE(schema);
  std::string text = schema ? *schema : "";
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace assay
