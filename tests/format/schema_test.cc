// SPDX-License-Identifier: Apache-2.0
// Tests that the code generated from tosa.fbs, and the code that repeats parts of it, are up to
// date.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "flatc.h"
#include "newer_versions.h"
#include "operator_table.h"
#include "tosa_json.h"
#include "types.h"
#include "wire_fields.h"

namespace assay::schema_test {
namespace {

using Json = nlohmann::ordered_json;

const std::string kTestVectorSchema = ASSAY_SOURCE_DIR "/src/format/vector/test_vector.fbs";
const std::string kWorkerMessageSchema = ASSAY_SOURCE_DIR "/src/format/worker/worker_message.fbs";

// Returns the content of all files of a folder, by their path in it.
std::map<std::string, std::string> ContentOf(const std::string& folder) {
  std::map<std::string, std::string> content;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = std::filesystem::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || path.find("__pycache__") != std::string::npos) continue;
    content[path] = *ReadTextFile(entry.path().string());
  }
  return content;
}

TEST(Schema, IsTheOneBuiltIn) { EXPECT_EQ(BuiltInSchema().text, *ReadTextFile(kSchema)); }

TEST(Schema, GivesTheCodeOfThisBuild) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  RunFlatc({"--cpp", "--scoped-enums", "-I", FolderOf(kSchema), "-I", FolderOf(kTestVectorSchema),
            "-o", folder->path(), kSchema, kTestVectorSchema, kWorkerMessageSchema});
  const std::string made = ASSAY_BINARY_DIR "/gen/fbs";
  for (const char* header :
       {"tosa_generated.h", "test_vector_generated.h", "worker_message_generated.h"}) {
    EXPECT_EQ(*ReadTextFile(JoinPath(made, header)),
              *ReadTextFile(JoinPath(folder->path(), header)))
        << header << " is stale: cmake --build makes it again";
  }
}

TEST(Schema, GivesThePythonOfThisBuild) {
  const std::string made = ASSAY_BINARY_DIR "/python/assay/generated";
  if (!IsDirectory(made)) GTEST_SKIP() << "this build has no Python package";
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string fresh = JoinPath(folder->path(), "generated");
  const Result<ChildReport> report =
      RunChild({{"python3", ASSAY_SOURCE_DIR "/src/python/generate", "flatc", fresh, kSchema,
                 kTestVectorSchema, kWorkerMessageSchema},
                "",
                {},
                0},
               "", {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->Describe(), "exit status 0") << report->errors;
  EXPECT_TRUE(ContentOf(made) == ContentOf(fresh)) << "stale: cmake --build makes it again";
}

// Returns the tables and enumerators, as flatc lists them, in the order of the file.
Json Definitions() {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  RunFlatc({"--jsonschema", "-o", folder->path(), kSchema});
  return Json::parse(*ReadTextFile(JoinPath(folder->path(), "tosa.schema.json")))["definitions"];
}

TEST(Schema, HasTheEnumeratorsOfTheCode) {
  const Json definitions = Definitions();
  std::vector<std::string> types = {"UNKNOWN"};
  for (const DType type : kAllTypes) {
    std::string name(TypeName(type));  // "i8" for INT8
    if (IsInteger(type)) name.replace(0, 1, "INT");
    std::transform(name.begin(), name.end(), name.begin(), ::toupper);
    types.push_back(name);
  }
  EXPECT_EQ(definitions["tosa_DType"]["enum"], Json(types));
  std::vector<std::string> operators;
  for (int op = 0; op <= kOperatorCount; ++op) {
    operators.emplace_back(OperatorName(static_cast<Op>(op)));
  }
  EXPECT_EQ(definitions["tosa_Op"]["enum"], Json(operators));
  const auto last = [&definitions](const char* name) {
    return definitions[name]["enum"].size() - 1;
  };
  EXPECT_EQ(last("tosa_ResizeMode"), WireEnumMax(AttributeId::kMode));
  EXPECT_EQ(last("tosa_NanPropagationMode"), WireEnumMax(AttributeId::kNanMode));
  EXPECT_EQ(last("tosa_RoundingMode"), WireEnumMax(AttributeId::kRoundingMode));
  EXPECT_EQ(last("tosa_DType"), WireEnumMax(AttributeId::kAccType));
}

// The schema shortens NEAREST_NEIGHBOR.
TEST(Schema, HasTheEnumeratorsOfTheSpecification) {
  const Json definitions = Definitions();
  const std::map<std::string, std::string> names = {
      {"resize_mode_t", "tosa_ResizeMode"},
      {"nan_propagation_mode_t", "tosa_NanPropagationMode"},
      {"rounding_mode_t", "tosa_RoundingMode"}};
  const Json spec = Json::parse(*ReadTextFile(ASSAY_SOURCE_DIR "/corpus/spec/tosa_1_0_2.json"));
  size_t compared = 0;
  for (const Json& enumeration : spec["enums"]) {
    const auto name = names.find(enumeration["name"]);
    if (name == names.end()) continue;
    ++compared;
    const Json& enumerators = definitions[name->second]["enum"];
    EXPECT_EQ(enumerators.size(), enumeration["values"].size() + 1) << name->second;
    for (const auto& value : enumeration["values"].items()) {
      const std::string written = enumerators.at(value.value().get<size_t>());
      EXPECT_TRUE(value.key().starts_with(written)) << value.key() << " " << written;
    }
  }
  EXPECT_EQ(compared, names.size());
}

TEST(Schema, HasTheAttributesOfTheCode) {
  const Json definitions = Definitions();
  const Json& tables = definitions["tosa_Attribute"]["enum"];
  ASSERT_EQ(tables.size(), static_cast<size_t>(kOperatorCount) + 1);
  for (const OperatorRow& row : AllOperators()) {
    const std::string table = tables[static_cast<size_t>(row.op)];
    std::vector<std::string> fields, expected;
    for (const auto& field : definitions["tosa_" + table]["properties"].items()) {
      fields.push_back(field.key());
    }
    for (const AttributeId id : WireFields(row.op)) expected.emplace_back(AttributeName(id));
    EXPECT_EQ(fields, expected) << table;
  }
}

// Returns the number, name, attribute table and fields of an operator in one line.
std::string LayoutOf(const Json& definitions, size_t op) {
  const std::string table = definitions["tosa_Attribute"]["enum"][op];
  std::string line = std::to_string(op) + ' ' +
                     definitions["tosa_Op"]["enum"][op].get<std::string>() + ' ' + table;
  for (const auto& field : definitions["tosa_" + table]["properties"].items()) {
    const Json& value = field.value();
    std::string kind = value[value.contains("$ref") ? "$ref" : "type"];
    kind = kind.substr(kind.rfind('/') + 1);
    if (kind == "array") kind = value["items"].value("maximum", 0) == 255 ? "bytes" : "integers";
    line += ' ' + field.key() + ':' + kind;
  }
  return line + '\n';
}

// The layout of the operators of 1.0 never changes, whatever corpus/spec has.
TEST(Schema, KeepsTheLayoutOfTosa10) {
  const Json definitions = Definitions();
  const std::string layout = *ReadTextFile(ASSAY_SOURCE_DIR "/tests/format/tosa_1_0_layout.txt");
  std::string made;
  for (size_t op = 1; op <= 75; ++op) made += LayoutOf(definitions, op);
  EXPECT_EQ(made, layout);
}

// An operator that corpus/spec gets from 1.1 has the number that 1.1 gives it.
TEST(Schema, NumbersOperatorsAsTosa11Does) {
  for (uint32_t op = 76; op <= static_cast<uint32_t>(kOperatorCount); ++op) {
    EXPECT_EQ(std::string(OperatorName(static_cast<Op>(op))) + " (of TOSA 1.1)",
              NewerOperatorText(op));
  }
  EXPECT_EQ(NewerOperatorText(96), "AVG_POOL2D_ADAPTIVE (of TOSA 1.1)");
}

}  // namespace
}  // namespace assay::schema_test
