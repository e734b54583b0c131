// SPDX-License-Identifier: Apache-2.0
#include "tosa_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "damaged_files.h"
#include "flatc.h"
#include "graph_text.h"
#include "operator_table.h"
#include "read_tosa.h"
#include "wire_fields.h"

namespace assay::tosa_file_test {
namespace {

const std::string kArmData = ASSAY_SOURCE_DIR "/../shared/data";

// Returns a value of the attribute that differs from the meaning of an absent field.
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

// Returns one operator with all of its operands and attributes. The types do not matter here.
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

// The schema names the fields, so this test finds a field that was written in another's place.
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

// Returns files of Arm's test generator, its TFLite converter and its example networks.
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
  // These two must be refused: they have an operand that no tensor declares.
  EXPECT_EQ(refused, (std::vector<std::string>{
                         "clz_ERRORIF_WrongOutputList_6_i32: block \"main\", operator 0 (CLZ): "
                         "output \"eiDummyOutput\" is not declared "
                         "(graph/ERROR_IF/undefined-tensor)",
                         "minimum_ERRORIF_WrongInputList_5x6x4_f32_modeI: block \"main\", operator "
                         "0 (MINIMUM): input \"eiDummyInput\" is not declared "
                         "(graph/ERROR_IF/undefined-tensor)"}));
}

// Makes the same comparison by another reader: the content that flatc reads from a file and from
// our copy of it. Left out are zeros behind the data, absent and empty lists, and the order of
// tables in a list.
nlohmann::json Normalized(nlohmann::json block) {
  for (const char* list : {"tensors", "shapes"}) {
    for (nlohmann::json& tensor : block[list]) {
      nlohmann::json& data = tensor["data"];
      while (!data.empty() && data.back() == 0) data.erase(data.size() - 1);
      for (const char* key : {"is_unranked", "variable"}) {
        if (tensor.value(key, false) == false) tensor.erase(key);
      }
      if (tensor.value("variable_name", "").empty()) tensor.erase("variable_name");
      if (tensor["shape"].empty()) tensor.erase("shape");
      if (data.empty()) tensor.erase("data");
    }
    std::sort(block[list].begin(), block[list].end(),
              [](const auto& a, const auto& b) { return a["name"] < b["name"]; });
  }
  for (nlohmann::json& op : block["operators"]) {
    for (const char* key : {"inputs", "outputs"}) op[key];
    for (const char* key : {"min_val", "max_val"}) {
      if (!op["attribute"].contains(key)) continue;
      nlohmann::json& data = op["attribute"][key];
      while (!data.empty() && data.back() == 0) data.erase(data.size() - 1);
    }
    // Arm writes IDENTITY with the (empty) table of the operators on variables.
    if (op["attribute"].empty()) op.erase("attribute_type");
    for (auto it = op["attribute"].begin(); it != op["attribute"].end();) {
      const bool is_default = *it == false || *it == 0;
      it = is_default ? op["attribute"].erase(it) : std::next(it);
    }
  }
  return block;
}

TEST(ArmFiles, SayTheSameAfterwardsToFlatc) {
  std::vector<std::vector<uint8_t>> before, after;
  std::vector<std::string> names;
  for (const std::string& file : ArmFiles()) {
    const auto bytes = ReadFile(file);
    std::vector<std::string> notes;
    const Result<Graph> graph = ReadTosa(*bytes, file, &notes);
    // A note other than on the version means that something is read differently.
    std::erase_if(notes, [](const std::string& note) { return note.ends_with("; read as 1.0"); });
    if (!graph || !notes.empty()) continue;
    before.push_back(*bytes);
    after.push_back(WriteTosa(*graph));
    names.push_back(file);
  }
  if (names.empty()) GTEST_SKIP() << "no files of Arm's under " << kArmData;
  EXPECT_GE(names.size(), 300u);
  const auto decoded_before = DecodeWithFlatc(before, kSchema, ".tosa");
  const auto decoded_after = DecodeWithFlatc(after, kSchema, ".tosa");
  ASSERT_EQ(decoded_before.size(), names.size());
  ASSERT_EQ(decoded_after.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(decoded_before[i]["version"], decoded_after[i]["version"]) << names[i];
    ASSERT_EQ(decoded_before[i]["regions"].size(), decoded_after[i]["regions"].size());
    for (size_t r = 0; r < decoded_before[i]["regions"].size(); ++r) {
      const auto& from = decoded_before[i]["regions"][r];
      const auto& to = decoded_after[i]["regions"][r];
      EXPECT_EQ(from["name"], to["name"]) << names[i];
      ASSERT_EQ(from["blocks"].size(), to["blocks"].size()) << names[i];
      for (size_t b = 0; b < from["blocks"].size(); ++b) {
        EXPECT_EQ(Normalized(from["blocks"][b]), Normalized(to["blocks"][b])) << names[i];
      }
    }
  }
}

// Returns a small graph with constants of the packed types, a shape, and a variable in both forms.
Graph MixedGraph() {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  const auto add = [&](const char* name, DType type, Shape shape) {
    TensorInfo info;
    info.name = name;
    info.type = {type, shape};
    block.tensors.push_back(info);
    return static_cast<TensorIndex>(block.tensors.size() - 1);
  };
  const auto constant = [&](const char* name, const Tensor& values) {
    const TensorIndex index = add(name, values.type(), values.shape());
    block.operators.push_back({values.type() == DType::kShape ? Op::kConstShape : Op::kConst,
                               {{AttributeId::kValues, values}},
                               {},
                               {index}});
    return index;
  };
  const TensorIndex in = add("in", DType::kInt8, {1, 4});
  block.inputs = {in};
  const int64_t nibbles[] = {-7, 7, -1, 0, 3};
  constant("i4", Tensor::FromIntegers(DType::kInt4, {5}, nibbles));
  const int64_t wide[] = {-140737488355328, 140737488355327, -1};
  constant("i48", Tensor::FromIntegers(DType::kInt48, {3}, wide));
  const int64_t flags[] = {1, 0, 1};
  constant("bool", Tensor::FromIntegers(DType::kBool, {3}, flags));
  const double floats[] = {1.5, -0.0};
  constant("fp16", Tensor::FromFloats(DType::kFp16, {2}, floats));
  const TensorIndex old_state = add("old_state", DType::kInt8, {2});
  block.tensors.back().variable = true;
  block.tensors.back().variable_name = "model/state";
  block.tensors.back().initial_value = Tensor::Splat(DType::kInt8, {2}, -5);
  const TensorIndex read = add("read", DType::kFp32, {});
  const TensorIndex out = add("out", DType::kInt8, {2, 2});
  const int64_t dims[] = {2, 2};
  const TensorIndex shape = constant("shape", Tensor::FromShape(dims));
  constant("no_dims", Tensor::FromShape({}));
  block.operators.push_back({Op::kReshape, {}, {in, shape}, {out}});
  const double initial[] = {0.25};
  block.operators.push_back(
      {Op::kVariable,
       {{AttributeId::kName, std::string("v")},
        {AttributeId::kType, static_cast<int32_t>(DType::kFp32)},
        {AttributeId::kVarShape, std::vector<int32_t>()},
        {AttributeId::kInitialValue, Tensor::FromFloats(DType::kFp32, {}, initial)}},
       {},
       {}});
  block.operators.push_back(
      {Op::kVariableRead, {{AttributeId::kName, std::string("v")}}, {}, {read}});
  block.operators.push_back(
      {Op::kVariableWrite, {{AttributeId::kName, std::string("v")}}, {read}, {}});
  block.operators.push_back({Op::kIdentity, {}, {old_state}, {old_state}});
  block.outputs = {out};
  graph.version = {1, 0, 2, false};
  return graph;
}

TEST(Tosa, KeepsPackedConstantsShapesAndVariables) {
  const Graph graph = MixedGraph();
  const std::vector<uint8_t> bytes = WriteTosa(graph);
  std::vector<std::string> notes;
  EXPECT_EQ(MustRead(bytes, &notes), graph) << GraphText(MustRead(bytes));
  EXPECT_EQ(notes, std::vector<std::string>());
  const nlohmann::json block =
      DecodeWithFlatc({bytes}, kSchema, ".tosa").at(0)["regions"][0]["blocks"][0];
  const auto data_of = [&](const char* list, const char* name) {
    for (const nlohmann::json& tensor : block[list]) {
      if (tensor["name"] == name) return tensor.value("data", nlohmann::json::array());
    }
    return nlohmann::json();
  };
  // Two i4 to a byte, the first in the low half; i48 in six bytes.
  EXPECT_EQ(data_of("tensors", "i4"), nlohmann::json({0x79, 0x0f, 0x03}));
  EXPECT_EQ(data_of("tensors", "i48"), nlohmann::json({0, 0, 0, 0, 0, 0x80, 255, 255, 255, 255, 255,
                                                       0x7f, 255, 255, 255, 255, 255, 255}));
  EXPECT_EQ(data_of("tensors", "bool"), nlohmann::json({1, 0, 1}));
  EXPECT_EQ(data_of("tensors", "fp16"), nlohmann::json({0, 0x3e, 0, 0x80}));
  EXPECT_EQ(data_of("tensors", "old_state"), nlohmann::json({251, 251}));
  EXPECT_EQ(data_of("tensors", "v"), nlohmann::json({0, 0, 0x80, 0x3e}));
  EXPECT_EQ(data_of("shapes", "shape"),
            nlohmann::json({2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
}

// Element data starts at a multiple of eight, as the schema requires.
TEST(Tosa, AlignsData) {
  std::vector<uint8_t> bytes = WriteTosa(MixedGraph());
  const std::vector<uint8_t> wide = {0, 0, 0, 0, 0, 0x80, 255, 255, 255, 255, 255, 0x7f};
  const auto at = std::search(bytes.begin(), bytes.end(), wide.begin(), wide.end());
  ASSERT_NE(at, bytes.end());
  EXPECT_EQ((at - bytes.begin()) % 8, 0);
}

// One variable is declared in two ways, and one is known only to its reader. Generators make such
// errors, so they have to be preserved.
TEST(Tosa, KeepsContradictingVariables) {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  TensorInfo info;
  info.name = "state";  // this name is taken, so the variable's tensor needs another one
  info.type = {DType::kInt16, {3}};
  block.tensors = {info};
  for (int32_t size : {1, 2, 2}) {
    block.operators.push_back({Op::kVariable,
                               {{AttributeId::kName, std::string("state")},
                                {AttributeId::kType, static_cast<int32_t>(DType::kInt8)},
                                {AttributeId::kVarShape, std::vector<int32_t>{size}}},
                               {},
                               {}});
  }
  for (const char* name : {"state", "unknown"}) {
    block.operators.push_back(
        {Op::kVariableRead, {{AttributeId::kName, std::string(name)}}, {}, {0}});
  }
  EXPECT_EQ(MustRead(WriteTosa(graph)), graph);
}

TEST(Tosa, RefusesWhatIsNoTosaFile) {
  const std::vector<uint8_t> bytes = WriteTosa(MixedGraph());
  for (size_t size : {size_t{0}, size_t{7}, size_t{40}}) {
    const Result<Graph> graph = ReadTosa({bytes.data(), size}, "x", nullptr);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().message, size < 8
                                         ? "x: offset 4: not a .tosa file: no identifier TOSA "
                                           "(files of early versions of TOSA have none)"
                                         : "x: the FlatBuffer is damaged, or not one of TOSA 1.0");
  }
  std::vector<uint8_t> other = bytes;
  other[4] = 'X';
  EXPECT_FALSE(ReadTosa(other, "x", nullptr));
}

TEST(Tosa, SurvivesDamage) {
  int64_t mutants = 0, refused = 0;
  Graph attributes = GraphOf(RowOf(Op::kClamp), 2);
  for (const Op op : {Op::kConv2d, Op::kRescale, Op::kCustom, Op::kWhileLoop, Op::kTranspose}) {
    Graph graph = GraphOf(RowOf(op), 2);
    graph.Main()->name = OperatorName(op);
    attributes.regions[0].blocks.push_back(*graph.regions[0].blocks.data());
  }
  for (const Graph& graph : {MixedGraph(), attributes}) {
    ForEachMutant(WriteTosa(graph), [&](const std::vector<uint8_t>& bytes) {
      ++mutants;
      const Result<Graph> read = ReadTosa(bytes, "mutant", nullptr);
      if (!read) {
        ++refused;
        ASSERT_TRUE(IsOneLine(read.error().message, "mutant")) << read.error().message;
        return;
      }
      EXPECT_FALSE(GraphText(*read).empty());
      const Result<Graph> again = ReadTosa(WriteTosa(*read), "again", nullptr);
      ASSERT_TRUE(again) << again.error().message << GraphText(*read);
      EXPECT_EQ(GraphText(*again), GraphText(*read));
    });
  }
  // An operator claims to have no attribute table, so the bytes of its table are not verified.
  std::vector<uint8_t> bare = WriteTosa(GraphOf(RowOf(Op::kAbs), 0));
  for (uint8_t& byte : bare) {
    if (byte != static_cast<uint8_t>(Op::kAbs)) continue;
    byte = 0;
    ForEachMutant(bare, [&](const std::vector<uint8_t>& bytes) {
      ++mutants;
      refused += !ReadTosa(bytes, "mutant", nullptr);
    });
    byte = static_cast<uint8_t>(Op::kAbs);
  }
  std::cout << mutants << " damaged files, " << refused << " refused\n";
}

}  // namespace
}  // namespace assay::tosa_file_test
