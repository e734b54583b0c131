// SPDX-License-Identifier: Apache-2.0
// Tests of the reader of `.tosa` files: the content that it accepts, and the messages with which it
// refuses other content. flatc makes the files from JSON, also by schemas with more content than
// ours.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "block_builder.h"
#include "damaged_files.h"
#include "flatc.h"
#include "graph_text.h"
#include "packing.h"
#include "read_tosa.h"
#include "tosa_serialization_handler.h"

namespace assay::tosa_reader_test {
namespace {

struct Refusal {
  const char* path;     // JSON pointer of the replaced value in a good file
  const char* value;    // the new value
  const char* message;  // text of the error
  Error::Kind kind = Error::Kind::kBadInput;
  const char* schema_from = "";  // edit of the schema that the file is made with
  const char* schema_to = "";
};

constexpr auto kUnsupported = Error::Kind::kUnsupported;

constexpr Refusal kRefusals[] = {
    {"/version/_minor", "2", "is of TOSA 1.2.0; this build reads 1.0", kUnsupported},
    {"/version", R"({"_major":0,"_minor":80,"_patch":1,"_draft":false})",
     "is of TOSA 0.80.1; this build", kUnsupported},
    {"/version", "{}", "is of TOSA -1.-1.-1-draft; this build", kUnsupported},
    {"/regions/0/blocks/0/operators/0/op", "79", "operator 0 (UNKNOWN): is DIM (of TOSA 1.1)",
     kUnsupported},
    {"/regions/0/blocks/0/operators/0/op", "200", "is operator 200", kUnsupported},
    {"/regions/0/blocks/0/operators/0/op", "0", "operator 0 (UNKNOWN): has no operator"},
    {"/regions/0/blocks/0/operators/0/op", "\"ARGMAX\"",
     "operator 0 (ARGMAX): has the attribute table of CLAMP"},
    {"/regions/0/blocks/0/operators/0", R"({"op":"CLAMP","inputs":["a"],"outputs":["b"]})",
     "(CLAMP): has no attribute table"},
    {"/regions/0/blocks/0/operators/0/attribute/nan_mode", "3",
     "nan_mode is value 3, which TOSA 1.0 does not have", kUnsupported},
    {"/regions/0/blocks/0/operators/0/attribute/min_val", "[1]",
     "operator 0 (CLAMP): min_val: data has 1 bytes, too few for i16[]"},
    {"/regions/0/blocks/0/operators/0/inputs", R"(["x\n"])",
     "input \"x\\x0a\" is not declared (graph/ERROR_IF/undefined-tensor)"},
    {"/regions/0/blocks/0/outputs", R"(["y"])", "block \"main\": output \"y\" is not declared"},
    {"/regions/0/blocks/0/tensors/1/name", "\"a\"", "tensor \"a\" is there twice"},
    {"/regions/0/blocks/0/shapes/0/name", "\"a\"", "tensor \"a\" is there twice"},
    {"/regions/0/blocks/0/shapes/0/rank", "4294967295", "tensor \"s\" has rank 4294967295"},
    {"/regions/0/blocks/0/shapes/0/rank", "3", "tensor \"s\": data has 16 bytes, too few"},
    {"/regions/0/blocks/0/tensors/0/type", "17", "tensor \"a\" has INT64 (of TOSA 1.1)",
     kUnsupported},
    {"/regions/0/blocks/0/tensors/0/type", "0", "tensor \"a\" has no type"},
    {"/regions/0/blocks/0/tensors/0/is_unranked", "true", "tensor \"a\" is unranked", kUnsupported},
    {"/regions/0/blocks/0/tensors/0/shape",
     "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
     "tensor \"a\" has rank 33, above 32"},
    {"/regions/0/blocks/0/tensors/2/data", "[1,8]",
     "operator 1 (CONST): tensor \"c\": element 2 is -8, no value of i4"},
    {"/regions/0/blocks/0/tensors/2/data", "[1]",
     "tensor \"c\": data has 1 bytes, too few for i4[3]"},
    {"/regions/0/blocks/0/tensors/2/data", "[]",
     "tensor \"c\": data has 0 bytes, too few for i4[3]"},
    {"/regions/0/blocks/0/tensors/2/shape", "[2147483647,2147483647,2147483647]",
     "data has 2 bytes, too few for i4[2147483647,2147483647,2147483647]"},
    {"/regions/0/blocks/0/tensors/3/data", "[1]", "tensor \"v\": data has 1 bytes, too few"},
    {"/regions/0/blocks/0/operators/3/outputs", R"(["a"])",
     "operator 3 (VARIABLE): its first output has to be the tensor, with variable=true"},
    {"/regions/0/blocks/0/operators/3/outputs", "[]", "(VARIABLE): its first output has to be"},
    // Files of a schema with more content than ours.
    {"/regions/0/extra", "7", "TosaRegion table has field 2", kUnsupported,
     "blocks: [TosaBasicBlock];", "blocks: [TosaBasicBlock]; extra: int32;"},
    {"/extra", "7", "TosaGraph table has field 2", kUnsupported, "regions: [TosaRegion];",
     "regions: [TosaRegion]; extra: int32;"},
    {"/regions/0/blocks/0/tensors/1/extra", "7", "TosaTensor table has field 9", kUnsupported,
     "size: ulong;", "size: ulong; extra: int32;"},
    {"/regions/0/blocks/0/operators/0/attribute/extra", "7",
     "operator 0 (CLAMP): attribute table has field 3", kUnsupported,
     "max_val: [ubyte] (force_align: 8);\n  nan_mode: NanPropagationMode;",
     "max_val: [ubyte] (force_align: 8);\n  nan_mode: NanPropagationMode; extra: int32;"},
    {"/regions/0/blocks/0/operators/1/attribute/extra", "7",
     "operator 1 (CONST): attribute table has field 0", kUnsupported, "table ConstAttribute {}",
     "table ConstAttribute { extra: int32; }"},
    {"/regions/0/blocks/0/operators/1/attribute_type", "\"AvgPool2dAdaptiveAttribute\"",
     "(CONST): has the attribute table of AVG_POOL2D_ADAPTIVE (of TOSA 1.1)", kUnsupported,
     "\n}\n\n// The version",
     ", AvgPool2dAdaptiveAttribute = 96\n}\ntable AvgPool2dAdaptiveAttribute {}\n\n// The version"},
};

nlohmann::ordered_json GoodFile() {
  return nlohmann::ordered_json::parse(R"({
    "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": false},
    "regions": [{"name": "main", "blocks": [{"name": "main",
      "operators": [
        {"op": "CLAMP", "attribute_type": "ClampAttribute",
         "attribute": {"min_val": [254, 255], "max_val": [1, 2, 0, 0], "nan_mode": "IGNORE"},
         "inputs": ["a"], "outputs": ["b"]},
        {"op": "CONST", "attribute_type": "ConstAttribute", "attribute": {}, "outputs": ["c"]},
        {"op": "CONST_SHAPE", "attribute_type": "ConstShapeAttribute", "attribute": {},
         "outputs": ["s"]},
        {"op": "VARIABLE", "attribute_type": "VariableAttribute", "attribute": {},
         "outputs": ["v"]}],
      "tensors": [
        {"name": "a", "shape": [2], "type": "INT16"},
        {"name": "b", "shape": [2], "type": "INT16"},
        {"name": "c", "shape": [3], "type": "INT4", "data": [1, 7]},
        {"name": "v", "shape": [1], "type": "INT16", "data": [1, 0], "variable": true}],
      "inputs": ["a"], "outputs": ["b"],
      "shapes": [{"name": "s", "rank": 2, "data": [1,0,0,0,0,0,0,0, 2,0,0,0,0,0,0,0]}]}]}]})");
}

TEST(TosaReader, RefusesByName) {
  EXPECT_EQ(GraphText(MustRead(EncodeWithFlatc(GoodFile().dump(), EditedSchema("", "")))),
            "TOSA 1.0.0\n"
            "block \"main\" (%a:i16[2]) -> (%b:i16[2])\n"
            "  %b:i16[2] = CLAMP(%a) max_val=i16[]{513} min_val=i16[]{-2} nan_mode=IGNORE\n"
            "  %c:i4[3] = CONST() values=i4[3]{1,0,7}\n"
            "  %s:shape[2] = CONST_SHAPE() values=shape[2]{1,2}\n"
            "  VARIABLE() initial_value=i16[1]{1} name=\"v\" type=i16 var_shape=[1]\n");
  for (const Refusal& refusal : kRefusals) {
    nlohmann::ordered_json file = GoodFile();
    file[nlohmann::ordered_json::json_pointer(refusal.path)] =
        nlohmann::ordered_json::parse(refusal.value);
    const std::vector<uint8_t> bytes =
        EncodeWithFlatc(file.dump(), EditedSchema(refusal.schema_from, refusal.schema_to));
    const Result<Graph> graph = ReadTosa(bytes, "bad.tosa", nullptr);
    ASSERT_FALSE(graph) << refusal.path << " " << refusal.value;
    EXPECT_TRUE(IsOneLine(graph.error().message, "bad.tosa")) << graph.error().message;
    EXPECT_NE(graph.error().message.find(refusal.message), std::string::npos)
        << graph.error().message << "\nfor " << refusal.message;
    EXPECT_EQ(graph.error().kind, refusal.kind) << graph.error().message;
    // The handler also refuses content that the schema does not have.
    if (*refusal.schema_from == '\0') continue;
    TosaSerializationHandler handler;
    const Result<Done> loaded = handler.LoadTosaFlatbuffer(bytes, "bad.tosa");
    ASSERT_FALSE(loaded) << refusal.message;
    EXPECT_TRUE(IsOneLine(loaded.error().message, "bad.tosa")) << loaded.error().message;
    EXPECT_EQ(loaded.error().kind, kUnsupported) << loaded.error().message;
  }
}

TEST(TosaReader, ReadsWhatNewerVersionsHaveOfIt) {
  nlohmann::ordered_json file = GoodFile();
  file["version"] = {{"_major", 1}, {"_minor", 1}, {"_patch", 0}};
  file["software_version"] = {{"_major", 2026}};
  std::string text = EditedSchema("regions: [TosaRegion];",
                                  "regions: [TosaRegion]; software_version: SoftwareVersion;");
  text += "table SoftwareVersion { _major: int32 = -1; }";
  std::vector<std::string> notes;
  const std::vector<uint8_t> bytes = EncodeWithFlatc(file.dump(), text);
  const Graph graph = MustRead(bytes, &notes);
  EXPECT_EQ(graph.OperatorCount(), 4);
  EXPECT_EQ(graph.version, (SpecVersion{1, 1, 0, true}));
  EXPECT_EQ(notes, std::vector<std::string>{"test.tosa: is of TOSA 1.1.0-draft; read as 1.0"});
  TosaSerializationHandler handler;
  EXPECT_TRUE(handler.LoadTosaFlatbuffer(bytes, "test.tosa"));
  EXPECT_EQ(handler.GetVersion(), graph.version);
  EXPECT_EQ(handler.GetMainBlock()->GetOperators().size(), 4u);
}

// If the tensors of a file share one long name, the content takes more memory than the file has
// bytes.
TEST(TosaReader, BoundsItsMemory) {
  Graph graph = EmptyGraph();
  graph.regions[0].blocks.clear();
  for (int i = 0; i < 2000; ++i) graph.regions[0].blocks.emplace_back().name = "b";
  const std::vector<uint8_t> bytes = WriteTosa(graph);
  EXPECT_TRUE(ReadTosa(bytes, "x", nullptr));
  ReadLimits limits;
  limits.memory_max = 100'000;
  const Result<Graph> refused = ReadTosa(bytes, "x", nullptr, limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "x: the content takes more than 100000 bytes of memory, the limit for this file");
}

// A graph with two tensors, one of them a shape, and one operator.
TEST(TosaReader, NamesTheLimitThatAFileIsBeyond) {
  Graph graph = EmptyGraph();
  Block& main = graph.regions[0].blocks[0];
  main.tensors.push_back({"t", {DType::kInt8, {1}}, false, "", {}});
  main.tensors.push_back({"s", {DType::kShape, {1}}, false, "", {}});
  main.operators.push_back({Op::kAbs, {}, {0}, {0}});
  const std::vector<uint8_t> bytes = WriteTosa(graph);
  const auto size = static_cast<int64_t>(bytes.size());
  // The eight tables: the graph, its version, region, block, tensor, shape, operator and attribute.
  const ReadLimits enough = {
      .file_max = size, .tables_max = 8, .tensors_max = 2, .operators_max = 1};
  EXPECT_TRUE(ReadTosa(bytes, "x", nullptr, enough));
  const auto refusal = [&](int64_t ReadLimits::*limit) {
    ReadLimits limits = enough;
    limits.*limit -= 1;
    const Result<Graph> read = ReadTosa(bytes, "x", nullptr, limits);
    return read ? "read" : read.error().message;
  };
  EXPECT_EQ(refusal(&ReadLimits::file_max),
            "x: is beyond the limit file_max of " + std::to_string(size - 1));
  EXPECT_EQ(refusal(&ReadLimits::tensors_max), "x: is beyond the limit tensors_max of 1");
  EXPECT_EQ(refusal(&ReadLimits::operators_max), "x: is beyond the limit operators_max of 0");
  EXPECT_EQ(refusal(&ReadLimits::tables_max),
            "x: the FlatBuffer is damaged, or not one of TOSA 1.0, or is beyond the limit "
            "tables_max of 7");
}

TEST(TosaReader, RefusesAVariableWithoutAName) {
  TosaSerializationHandler file;
  TosaSerializationBasicBlock block("main");
  block.GetTensors().emplace_back("", std::vector<int32_t>{1}, DType::kInt8);
  block.GetTensors()[0].SetVariable(true, "");
  block.GetTensors().emplace_back("t", std::vector<int32_t>{1}, DType::kInt8);
  block.GetOperators().emplace_back(Op::kVariableRead, std::vector<std::string>{""},
                                    std::vector<std::string>{"t"});
  file.GetRegions().emplace_back("main").AddBlock(block);
  const Result<Graph> refused = ReadTosa(*file.SaveTosaFlatbuffer(), "x", nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "x: block \"main\", operator 0 (VARIABLE_READ): the tensor that names the variable has "
            "no name");
}

// Two graphs that differ in a location only are equal, but their files are not.
TEST(TosaReader, KeepsLocations) {
  const Graph graph = MustRead(EncodeWithFlatc(GoodFile().dump(), EditedSchema("", "")));
  Graph placed = graph;
  placed.Main()->operators[1].location = "block1/\"conv\"";
  EXPECT_EQ(placed, graph);
  const std::vector<uint8_t> bytes = WriteTosa(placed);
  EXPECT_NE(bytes, WriteTosa(graph));
  const Graph again = MustRead(bytes);
  EXPECT_EQ(again.Main()->operators[0].location, "");
  EXPECT_EQ(again.Main()->operators[1].location, "block1/\"conv\"");
  EXPECT_EQ(WriteTosa(again), bytes);
  placed.Main()->operators[1].location.clear();
  EXPECT_EQ(WriteTosa(placed), WriteTosa(graph));
  TosaSerializationHandler handler;  // the reader of the content has the same location
  ASSERT_TRUE(handler.LoadTosaFlatbuffer(bytes, "test.tosa"));
  EXPECT_EQ(handler.GetMainBlock()->GetOperators()[1].GetLocation(), "block1/\"conv\"");
}

// The tables of other versions do not pass the verifier of this one. The version does.
TEST(TosaReader, NamesTheVersionOfFilesThatItCannotVerify) {
  const auto refusal = [](int major, bool draft) {
    nlohmann::ordered_json file = GoodFile();
    file["version"] = {{"_major", major}, {"_minor", 0}, {"_patch", 0}, {"_draft", draft}};
    file["regions"][0]["name"] = 2147483647;  // no offset of a text
    const std::string schema =
        EditedSchema("table TosaRegion {\n  name: string;", "table TosaRegion {\n  name: uint64;");
    const Result<Graph> graph = ReadTosa(EncodeWithFlatc(file.dump(), schema), "x", nullptr);
    return graph ? "read" : graph.error().message;
  };
  EXPECT_EQ(refusal(0, false), "x: is of TOSA 0.0.0; this build reads 1.0, and what 1.1 has of it");
  EXPECT_EQ(refusal(1, true),
            "x: the FlatBuffer is damaged, or of an early draft of TOSA 1.0.0-draft, whose tables "
            "differ");
  EXPECT_EQ(refusal(1, false), "x: the FlatBuffer is damaged, or not one of TOSA 1.0");
}

// Drafts changed under one number.
TEST(TosaReader, SaysWhatDraftsMayBe) {
  nlohmann::ordered_json file = GoodFile();
  file["version"]["_draft"] = true;
  file["regions"][0]["blocks"][0]["operators"][0]["op"] = 0;
  const Result<Graph> graph =
      ReadTosa(EncodeWithFlatc(file.dump(), EditedSchema("", "")), "x", nullptr);
  ASSERT_FALSE(graph);
  EXPECT_TRUE(graph.error().message.ends_with(
      "has no operator; operators and tables of a draft of TOSA may differ"))
      << graph.error().message;
}

// Files above 2 GiB have data behind the FlatBuffer.
TEST(TosaReader, FindsDataByOffset) {
  nlohmann::ordered_json file = GoodFile();
  nlohmann::ordered_json& tensor = file["regions"][0]["blocks"][0]["tensors"][2];
  tensor.erase("data");
  tensor["offset"] = 4096;
  tensor["size"] = 2;
  std::vector<uint8_t> bytes = EncodeWithFlatc(file.dump(), EditedSchema("", ""));
  const Result<Graph> refused = ReadTosa(bytes, "x", nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "x: block \"main\": tensor \"c\": data is at offset 4096, beyond the end of the file");
  bytes.resize(4096);
  bytes.insert(bytes.end(), {0x1f, 0x03});
  const Graph graph = MustRead(bytes);
  const int64_t expected[] = {-1, 1, 3};
  EXPECT_EQ(graph.Main()->operators[1].attributes.Value(AttributeId::kValues),
            Tensor::FromIntegers(DType::kInt4, {3}, expected));
}

// Returns where the values of the only constant of a graph of such bytes lie in them; -1 if they
// are a copy. `shift` moves the bytes away from an aligned address.
int64_t PlaceOfConstant(const std::string& constant, size_t shift) {
  BlockBuilder b;
  b.Outputs({b.Constant(constant)});
  const std::vector<uint8_t> written = WriteTosa(GraphOf({b.block}));
  std::vector<uint8_t> moved(shift, 0);
  moved.insert(moved.end(), written.begin(), written.end());
  SharedBytes shared = SharedBytesOf(moved);
  shared.bytes = shared.bytes.subspan(shift);
  const Result<Graph> graph = ReadTosa(shared, "x", nullptr);
  EXPECT_TRUE(graph);
  const Tensor& values = graph->Main()->operators[0].attributes.Value(AttributeId::kValues);
  EXPECT_EQ(values, b.block.operators[0].attributes.Value(AttributeId::kValues));
  const int64_t place = values.bytes().data() - shared.bytes.data();
  return place >= 0 && place < std::ssize(shared.bytes) ? place : -1;
}

// Writers other than ours may put data at any place.
TEST(TosaReader, CopiesConstantsAtOddPlaces) {
  const SharedBytes shared = SharedBytesOf(std::vector<uint8_t>(10000, 1));
  for (const size_t shift : {0u, 1u, 2u, 4u}) {
    const std::span<const uint8_t> bytes = shared.bytes.subspan(shift, 8000);
    EXPECT_EQ(IsShared(DType::kFp32, bytes), shift % 4 == 0);
    EXPECT_EQ(IsShared(DType::kFp16, bytes), shift % 2 == 0);
    const Result<Tensor> tensor = Unpack(DType::kFp32, {2000}, bytes, shared.owner);
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->bytes().data() == bytes.data(), shift % 4 == 0);
    EXPECT_TRUE(std::ranges::equal(tensor->bytes(), bytes));
  }
  EXPECT_FALSE(Unpack(DType::kFp32, {2001}, shared.bytes.first(8000), shared.owner));
}

TEST(TosaReader, SharesLargeAlignedConstants) {
  EXPECT_GT(PlaceOfConstant("fp32[2000]{1.5}", 0), 0);
  EXPECT_GT(PlaceOfConstant("i8[5000]{3}", 0), 0);
  EXPECT_EQ(PlaceOfConstant("fp32[2000]{1.5}", 1), -1);
  EXPECT_EQ(PlaceOfConstant("fp32[20]{1.5}", 0), -1);
  for (const char* packed : {"i4[20000]{3}", "bool[5000]{true}", "i48[2000]{7}"}) {
    EXPECT_EQ(PlaceOfConstant(packed, 0), -1) << packed;
  }
}

}  // namespace
}  // namespace assay::tosa_reader_test
