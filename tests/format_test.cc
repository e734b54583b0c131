#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "child.h"
#include "files.h"
#include "graph_text.h"
#include "operator_table.h"
#include "tosa_file.h"
#include "wire_fields.h"

namespace assay {
namespace {

const std::string kSchema = ASSAY_SOURCE_DIR "/src/format/tosa.fbs";
const std::string kArmData = ASSAY_SOURCE_DIR "/../shared/data";

// A value of the attribute that differs from what an absent field means.
AttributeValue SomeValue(AttributeId id, int variant) {
  switch (WireKindOf(id)) {
    case WireKind::kNone:
      break;
    case WireKind::kFlag:
      return variant % 2 == 0;
    case WireKind::kInt:
      return -3 + variant;
    case WireKind::kEnum:
      return static_cast<int32_t>(static_cast<uint32_t>(variant) % (WireEnumMax(id) + 1));
    case WireKind::kInts:
      return std::vector<int32_t>{variant, -1, 2147483647, static_cast<int32_t>(id)};
    case WireKind::kText:
      return std::string("text ") + std::string(AttributeName(id));
    case WireKind::kBytes:
      return std::string("\0\xff\n\"", 4);
    case WireKind::kElement:
      return Tensor::Splat(DType::kInt16, {}, id == AttributeId::kMinVal ? -30000 : 2 + variant);
  }
  if (id == AttributeId::kName) return std::string("state");
  if (id == AttributeId::kType) return static_cast<int32_t>(DType::kInt16);
  if (id == AttributeId::kVarShape) return std::vector<int32_t>{2};
  const int64_t values[] = {variant, -7};
  return Tensor::FromIntegers(
      id == AttributeId::kValues && variant == 99 ? DType::kShape : DType::kInt16, {2}, values);
}

// One operator with all of its operands and attributes; the types do not matter here.
Graph GraphOf(const OperatorRow& row, int variant) {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  Operator op;
  op.op = row.op;
  const bool is_shape = row.op == Op::kConstShape;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction == Direction::kAttribute) {
      op.attributes.Set(*argument.attribute,
                        SomeValue(*argument.attribute, is_shape ? 99 : variant));
      continue;
    }
    const auto index = static_cast<TensorIndex>(block.tensors.size());
    TensorInfo info;
    info.name = argument.name;
    info.type = {is_shape ? DType::kShape : DType::kInt16, {2}};
    block.tensors.push_back(info);
    const bool is_input = argument.direction == Direction::kInput;
    (is_input ? op.inputs : op.outputs).push_back(index);
    (is_input ? block.inputs : block.outputs).push_back(index);
  }
  block.operators.push_back(op);
  return graph;
}

Graph MustRead(std::span<const uint8_t> bytes, std::vector<std::string>* notes = nullptr) {
  Result<Graph> graph = ReadTosa(bytes, "test.tosa", notes);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? *graph : Graph();
}

// What flatc makes of files by a schema: one JSON value per file.
std::vector<nlohmann::json> DecodeWithFlatc(const std::vector<std::vector<uint8_t>>& files,
                                            const std::string& schema, const char* extension) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  if (!folder) return {};
  ChildCommand command;
  command.argv = {"flatc", "--json",       "--strict-json", "--raw-binary",
                  "-o",    folder->path(), schema,          "--"};
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = JoinPath(folder->path(), std::to_string(i) + extension);
    EXPECT_TRUE(WriteFileAtomically(path, files[i]));
    command.argv.push_back(path);
  }
  const Result<ChildReport> report = RunChild(command, "", {});
  EXPECT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->Describe(), "exit status 0") << report->output << report->errors;
  std::vector<nlohmann::json> decoded;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto text = ReadTextFile(JoinPath(folder->path(), std::to_string(i) + ".json"));
    EXPECT_TRUE(text);
    if (text) decoded.push_back(nlohmann::json::parse(*text, nullptr, false));
  }
  return decoded;
}

TEST(WireFields, AreTheAttributesOfTheOperator) {
  for (const OperatorRow& row : AllOperators()) {
    std::set<AttributeId> expected;
    for (const ArgumentRow& argument : row.arguments) {
      if (!argument.attribute || WireKindOf(*argument.attribute) == WireKind::kNone) continue;
      expected.insert(*argument.attribute);
    }
    const auto fields = WireFields(row.op);
    EXPECT_EQ(std::set<AttributeId>(fields.begin(), fields.end()), expected) << row.name;
    EXPECT_EQ(fields.size(), expected.size()) << row.name;
  }
}

TEST(Tosa, KeepsEveryAttributeOfEveryOperator) {
  for (const OperatorRow& row : AllOperators()) {
    for (int variant = 0; variant < 13; ++variant) {
      const Graph graph = GraphOf(row, variant);
      const std::vector<uint8_t> bytes = WriteTosa(graph);
      const Graph again = MustRead(bytes);
      EXPECT_EQ(again, graph) << GraphText(graph) << GraphText(again);
      EXPECT_EQ(WriteTosa(again), bytes) << row.name;
    }
  }
}

// The schema names the fields, so a field that stands in another's place shows here.
TEST(Tosa, IsReadByFlatcWithTheSchema) {
  std::vector<std::vector<uint8_t>> files;
  for (const OperatorRow& row : AllOperators()) files.push_back(WriteTosa(GraphOf(row, 2)));
  const std::vector<nlohmann::json> decoded = DecodeWithFlatc(files, kSchema, ".tosa");
  ASSERT_EQ(decoded.size(), AllOperators().size());
  for (size_t i = 0; i < decoded.size(); ++i) {
    const OperatorRow& row = AllOperators()[i];
    const Graph graph = GraphOf(row, 2);
    const nlohmann::json& op = decoded[i]["regions"][0]["blocks"][0]["operators"][0];
    EXPECT_EQ(op["op"], row.name);
    std::string table = op["attribute_type"];  // "AvgPool2dAttribute" for AVG_POOL2D
    std::string name(row.name);
    std::erase(name, '_');
    std::transform(table.begin(), table.end(), table.begin(), ::toupper);
    EXPECT_EQ(table, name + "ATTRIBUTE");
    for (AttributeId id : WireFields(row.op)) {
      const nlohmann::json& value = op["attribute"][std::string(AttributeName(id))];
      const AttributeValue& expected = *graph.Main()->operators[0].attributes.Find(id);
      const std::string where = std::string(row.name) + " " + AttributeText(id, expected);
      switch (WireKindOf(id)) {
        case WireKind::kFlag:
          EXPECT_EQ(value, std::get<bool>(expected)) << where;
          break;
        case WireKind::kInt:
          EXPECT_EQ(value, std::get<int32_t>(expected)) << where;
          break;
        case WireKind::kInts:
          EXPECT_EQ(value, std::get<std::vector<int32_t>>(expected)) << where;
          break;
        case WireKind::kText:
          EXPECT_EQ(value, std::get<std::string>(expected)) << where;
          break;
        case WireKind::kEnum:  // names of enumerators, as GraphText writes them
          EXPECT_TRUE(value.is_string()) << where << " " << value;
          if (id != AttributeId::kAccType) {
            EXPECT_EQ(where, std::string(row.name) + " " + std::string(AttributeName(id)) + "=" +
                                 value.get<std::string>());
          }
          break;
        case WireKind::kBytes:
        case WireKind::kElement:
          EXPECT_TRUE(value.is_array()) << where << " " << value;
          break;
        case WireKind::kNone:
          break;
      }
    }
  }
}

// Files of Arm's test generator, its TFLite converter and its example networks.
std::vector<std::string> ArmFiles() {
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kArmData, code)) {
    if (entry.path().extension() == ".tosa") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ArmFiles, AreReadAndWrittenAgain) {
  const std::vector<std::string> files = ArmFiles();
  if (files.empty()) GTEST_SKIP() << "no files of Arm's under " << kArmData;
  std::vector<std::string> refused;
  for (const std::string& file : files) {
    const auto bytes = ReadFile(file);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<Graph> graph = ReadTosa(*bytes, std::string(FileNameOf(FolderOf(file))), nullptr);
    if (!graph) {
      refused.push_back(graph.error().message);
      continue;
    }
    const std::vector<uint8_t> written = WriteTosa(*graph);
    const Graph again = MustRead(written);
    EXPECT_EQ(WriteTosa(again), written) << file;
    EXPECT_EQ(again.OperatorCount(), graph->OperatorCount()) << file;
  }
  // These two are made to be refused: an operand that no tensor declares.
  EXPECT_EQ(refused, (std::vector<std::string>{
                         "clz_ERRORIF_WrongOutputList_6_i32: block \"main\", operator 0 (CLZ): "
                         "output \"eiDummyOutput\" is not declared "
                         "(graph/ERROR_IF/undefined-tensor)",
                         "minimum_ERRORIF_WrongInputList_5x6x4_f32_modeI: block \"main\", operator "
                         "0 (MINIMUM): input \"eiDummyInput\" is not declared "
                         "(graph/ERROR_IF/undefined-tensor)"}));
}

}  // namespace
}  // namespace assay
