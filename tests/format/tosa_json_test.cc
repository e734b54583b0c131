// SPDX-License-Identifier: Apache-2.0
#include "tosa_json.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "damaged_files.h"
#include "flatc.h"
#include "serialization.h"

namespace assay::tosa_json_test {
namespace {

std::vector<std::vector<uint8_t>> SampleFiles() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/corpus/examples")) {
    if (entry.path().extension() == ".tosa") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::vector<uint8_t>> files;
  for (const std::string& path : paths) files.push_back(*ReadFile(path));
  EXPECT_EQ(files.size(), 6u);
  files.push_back(MustSave(FullHandler()));
  return files;
}

Handler MustLoad(std::span<const uint8_t> bytes) {
  Handler handler;
  const Result<Done> loaded = handler.LoadTosaFlatbuffer(bytes, "test.tosa");
  EXPECT_TRUE(loaded) << loaded.error().message;
  return handler;
}

TEST(TosaJson, IsWhatFlatcPrintsAndReads) {
  const std::vector<std::vector<uint8_t>> files = SampleFiles();
  const std::vector<std::string> texts = TextsOfFlatc(files, kSchema, ".tosa");
  ASSERT_EQ(texts.size(), files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    const Result<std::string> text = TosaToJson(files[i], "test.tosa");
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, texts[i]);
    const Result<std::vector<uint8_t>> bytes = TosaFromJson(*text, "test.json");
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(*bytes, EncodeWithFlatc(*text, EditedSchema("", "")));
    EXPECT_TRUE(MustLoad(*bytes) == MustLoad(files[i]));
    EXPECT_EQ(*TosaToJson(*bytes, "again.tosa"), *text);
  }
}

TEST(TosaJson, IsOfTheHandlerToo) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  const std::string path = JoinPath(folder->path(), "graph.json");
  ASSERT_TRUE(FullHandler().SaveFileJson(path));
  Handler handler;
  const Result<Done> loaded = handler.LoadFileJson(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(handler == FullHandler());
}

TEST(TosaJson, GoesByAGivenSchema) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  const std::string path = JoinPath(folder->path(), "own.fbs");
  ASSERT_TRUE(WriteFileAtomically(path, EditedSchema("_patch: int32", "_fix: int32")));
  Handler handler;
  ASSERT_TRUE(handler.LoadFileSchema(path));
  ASSERT_TRUE(handler.LoadJson(R"({"version": {_major: 1, _minor: 0, _fix: 3}})", "x.json"));
  EXPECT_EQ(handler.GetVersion(), (SpecVersion{1, 0, 3, true}));
  EXPECT_EQ(*handler.SaveJson(),
            "{\n  \"version\": {\n    \"_major\": 1,\n    \"_minor\": 0,\n    \"_fix\": 3\n  },\n"
            "  \"regions\": [\n\n  ]\n}\n");
  // After an invalid schema the handler keeps the schema that it has.
  for (const auto& [text, message] :
       {std::pair("table A {", "line 1: expecting: identifier instead got: end of file"),
        std::pair("table A {} root_type A;", "is no schema of TOSA graphs"),
        std::pair("// nothing", "line 1: input file is empty")}) {
    ASSERT_TRUE(WriteFileAtomically(path, std::string_view(text)));
    const Result<Done> refused = handler.LoadFileSchema(path);
    ASSERT_FALSE(refused) << text;
    EXPECT_TRUE(IsOneLine(refused.error().message, path)) << refused.error().message;
    EXPECT_NE(refused.error().message.find(message), std::string::npos) << refused.error().message;
  }
  EXPECT_TRUE(handler.LoadJson(R"({"version": {_major: 1, _minor: 0, _fix: 3}})", "x.json"));
}

struct Refusal {
  std::string text;
  const char* message;
  Error::Kind kind = Error::Kind::kBadInput;
};

std::string InBlock(const std::string& fields) {
  return R"({"version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": false},
"regions": [{"name": "r", "blocks": [{"name": "b", )" +
         fields + "}]}]}";
}

std::vector<Refusal> Refusals() {
  const auto kUnsupported = Error::Kind::kUnsupported;
  return {
      {"", "line 1: input file is empty"},
      {"[]", "line 1: expecting: { instead got: ["},
      {"{}", "line 1: required field is missing: version in TosaGraph"},
      {R"({"version": {}})", "is of TOSA -1.-1.-1-draft; this build", kUnsupported},
      {R"({"version": {"_major": 0, "_minor": 80, "_patch": 0}})", "is of TOSA 0.80.0-draft",
       kUnsupported},
      {"{\"version\": {},\n\"colour\": 1}", "line 2: unknown field: colour"},
      {R"({"version": {}} {"version": {}})", "line 1: expecting: end of file instead got: {"},
      {R"({"version": {}} table T {})", "line 1: expecting: end of file instead got: table"},
      {"{\"version\": {\"_major\": 1e99}}",
       "line 1: Cannot assign token starting with 'float constant'"},
      {"{\"version\": {\"_major\": 4294967296}}",
       "constant does not fit [-2147483648; 2147483647]"},
      {"{\"version\": {\"_major\": 1, \"_major\": 1}}", "field set more than once: _major"},
      {"{ /* \" */ }", "line 1: a comment, which JSON does not have"},
      {std::string("{}\0{}", 5), "line 1: a zero byte"},
      {"{\"version", "line 1: a string that does not end"},
      {"{\"version\": {", "line 1: the end of the text inside of a list or table"},
      {"}", "line 1: a } too many"},
      {"{\"version\": {}, \"regions\": [{\"name\": \"\xff\xfe\"}]}", "illegal UTF-8 sequence"},
      {"{\"regions\": " + std::string(100, '['), "line 1: too many levels"},
      {InBlock(R"("operators": [{"op": "DIM"}])"), "line 2: unknown enum value: DIM"},
      {InBlock(R"("operators": [{"op": 79}])"),
       "region \"r\": block \"b\": operator 0: is DIM (of TOSA 1.1)", kUnsupported},
      {InBlock(R"("operators": [{"op": "ADD", "attribute": {}, "inputs": []}])"),
       "line 2: missing type field for this union value: attribute"},
      {InBlock(R"("operators": [{"op": "ADD", "attribute_type": "NONE", "attribute": {}}])"),
       "line 2: illegal type id for: attribute"},
      {InBlock(R"("operators": [{"op": "ADD", "attribute_type": "DimAttribute"}])"),
       "line 2: unknown enum value: DimAttribute"},
      {InBlock(R"("tensors": [{"data": [256]}])"), "constant does not fit"},
      {InBlock(R"("tensors": [{"name": "t", "offset": 4, "size": 4}])"),
       "a tensor's offset refers to data outside of it, which JSON has not"},
      {InBlock(R"("tensors": [{"name": "t", "offset": 999999, "size": 4}])"),
       "tensor \"t\": data is at offset 999999, beyond the end of the file"},
  };
}

TEST(TosaJson, RefusesByLineAndName) {
  for (const Refusal& refusal : Refusals()) {
    const Result<std::vector<uint8_t>> bytes = TosaFromJson(refusal.text, "bad.json");
    ASSERT_FALSE(bytes) << refusal.text;
    EXPECT_TRUE(IsOneLine(bytes.error().message, "bad.json")) << bytes.error().message;
    EXPECT_NE(bytes.error().message.find(refusal.message), std::string::npos)
        << bytes.error().message << "\nfor " << refusal.message;
    EXPECT_EQ(bytes.error().kind, refusal.kind) << bytes.error().message;
  }
}

TEST(TosaJson, RefusesLongNamesInAShortLine) {
  const std::string text = "{\"" + std::string(100'000, 'x') + "\": 1}";
  const Result<std::vector<uint8_t>> refused = TosaFromJson(text, "bad.json");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("bad.json: line 1: unknown field: xxx"));
  EXPECT_LT(refused.error().message.size(), 300u);
}

TEST(TosaJson, SurvivesDamage) {
  const std::string text = R"({version:{_major:1,_minor:0,_patch:0},regions:[{name:"r",blocks:[{)"
                           R"(operators:[{op:"TRANSPOSE",attribute_type:"TransposeAttribute",)"
                           R"(attribute:{perms:[1,0]}}],tensors:[{name:"\u00e4",data:[1]}]}]}]})";
  int read = 0;
  ForEachMutant({reinterpret_cast<const uint8_t*>(text.data()), text.size()},
                [&read](const std::vector<uint8_t>& mutant) {
                  const std::string bad(mutant.begin(), mutant.end());
                  const Result<std::vector<uint8_t>> bytes = TosaFromJson(bad, "bad.json");
                  if (bytes) {
                    ++read;
                  } else {
                    EXPECT_TRUE(IsOneLine(bytes.error().message, "bad.json"))
                        << bytes.error().message;
                  }
                });
  EXPECT_GT(read, 30);
}

TEST(TosaJson, BoundsItsMemory) {
  const std::string list = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
  const std::string text = InBlock(R"("tensors": [{"data": [)" + list + "]}]");
  // 32 elements and the 10 of the lists around them, and 197 characters that are not spaces: 240 *
  // 42 + 12 * 197 = 12444.
  ReadLimits limits;
  limits.memory_max = 12444;
  EXPECT_TRUE(TosaFromJson(text, "x.json", limits));
  limits.memory_max = 12443;
  const Result<std::vector<uint8_t>> refused = TosaFromJson(text, "x.json", limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "x.json: reading the JSON text takes more than 12443 bytes of memory, the limit");
  EXPECT_EQ(refused.error().kind, Error::Kind::kResource);

  const std::vector<uint8_t> bytes = MustSave(FullHandler());
  limits.memory_max = 1'000'000;
  const Result<std::string> long_text = TosaToJson(bytes, "x.tosa", limits);
  ASSERT_FALSE(long_text);
  EXPECT_EQ(long_text.error().message,
            "x.tosa: the JSON text takes more than 1000000 bytes of memory, the limit");
}

TEST(TosaJson, CannotSayNamesThatAreNoText) {
  Handler handler;
  handler.GetRegions().emplace_back("\xff\xfe");
  const Result<std::string> text = handler.SaveJson("x.json");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "x.json: cannot be JSON: a name or text in it is not UTF-8");
}

// Files on which FlatBuffers' generator would crash or lose content.
TEST(TosaJson, IsSafeOfOddFiles) {
  // The union's type is absent, but its table exists.
  const std::vector<uint8_t> untyped = EncodeWithFlatc(
      InBlock(R"("operators": [{"op": "CUSTOM", "attribute": {"axis": 1, "nan_mode": 1}}])"),
      EditedSchema("attribute: Attribute;", "none: ubyte; attribute: ArgMaxAttribute;"));
  const Result<std::string> text = TosaToJson(untyped, "x.tosa");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->find("attribute"), std::string::npos) << *text;

  // Data behind the FlatBuffer is written with its tensor.
  std::vector<uint8_t> outside = EncodeWithFlatc(
      InBlock(R"("tensors": [{"name": "t", "offset": 4096, "size": 2}])"), EditedSchema("", ""));
  outside.resize(4096);
  outside.insert(outside.end(), {7, 9});
  const Handler handler = MustLoad(outside);
  EXPECT_TRUE(std::ranges::equal(handler.GetRegions()[0].GetBlocks()[0].GetTensors()[0].GetData(),
                                 std::vector<uint8_t>{7, 9}));
  const Result<std::string> inside = TosaToJson(outside, "x.tosa");
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_EQ(inside->find("offset"), std::string::npos);
  EXPECT_TRUE(MustLoad(*TosaFromJson(*inside, "x.json")) == handler);
}

}  // namespace
}  // namespace assay::tosa_json_test
