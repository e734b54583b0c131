// SPDX-License-Identifier: Apache-2.0
// Tests of the rules of files. A change of one good file breaks each rule and no other.
#include "check_serialization.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check_graph.h"
#include "executor.h"
#include "tosa_file.h"
#include "tosa_json.h"

namespace assay::check_serialization_test {
namespace {

using Json = nlohmann::ordered_json;

// Returns y = cond ? state + (a + [1, 2]) : abs(a + [1, 2]). `state` is a variable that main
// declares and the block `then` reads.
Json GoodFile() {
  return Json::parse(R"({
    "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": false},
    "regions": [{"name": "main", "blocks": [
      {"name": "main", "inputs": ["cond", "a"], "outputs": ["z"],
       "operators": [
         {"op": "VARIABLE", "attribute_type": "VariableAttribute", "attribute": {},
          "outputs": ["state"]},
         {"op": "CONST", "attribute_type": "ConstAttribute", "attribute": {}, "outputs": ["c"]},
         {"op": "ADD", "attribute_type": "AddAttribute", "attribute": {},
          "inputs": ["a", "c"], "outputs": ["s"]},
         {"op": "COND_IF", "attribute_type": "CondIfAttribute",
          "attribute": {"then_graph": "then", "else_graph": "else"},
          "inputs": ["cond", "s"], "outputs": ["y"]},
         {"op": "CONST_SHAPE", "attribute_type": "ConstShapeAttribute", "attribute": {},
          "outputs": ["shape"]},
         {"op": "RESHAPE", "attribute_type": "ReshapeAttribute", "attribute": {},
          "inputs": ["y", "shape"], "outputs": ["z"]}],
       "tensors": [
         {"name": "cond", "shape": [1], "type": "BOOL"},
         {"name": "a", "shape": [2], "type": "FP32"},
         {"name": "c", "shape": [2], "type": "FP32", "data": [0,0,128,63, 0,0,0,64, 0,0]},
         {"name": "s", "shape": [2], "type": "FP32"},
         {"name": "y", "shape": [2], "type": "FP32"},
         {"name": "z", "shape": [2, 1], "type": "FP32"},
         {"name": "state", "shape": [2], "type": "FP32", "variable": true,
          "data": [0,0,32,65, 0,0,160,65]}],
       "shapes": [{"name": "shape", "rank": 2, "data": [2,0,0,0,0,0,0,0, 1,0,0,0,0,0,0,0]}]},
      {"name": "then", "inputs": ["x"], "outputs": ["o"],
       "operators": [
         {"op": "VARIABLE_READ", "attribute_type": "VariableReadAttribute", "attribute": {},
          "inputs": ["state"], "outputs": ["r"]},
         {"op": "ADD", "attribute_type": "AddAttribute", "attribute": {},
          "inputs": ["r", "x"], "outputs": ["o"]}],
       "tensors": [
         {"name": "x", "shape": [2], "type": "FP32"},
         {"name": "r", "shape": [2], "type": "FP32"},
         {"name": "o", "shape": [2], "type": "FP32"},
         {"name": "state", "shape": [2], "type": "FP32", "variable": true}]},
      {"name": "else", "inputs": ["x"], "outputs": ["o"],
       "operators": [
         {"op": "ABS", "attribute_type": "AbsAttribute", "attribute": {},
          "inputs": ["x"], "outputs": ["o"]}],
       "tensors": [
         {"name": "x", "shape": [2], "type": "FP32"},
         {"name": "o", "shape": [2], "type": "FP32"}]}]}]})");
}

std::vector<uint8_t> BytesOf(const Json& file) {
  const Result<std::vector<uint8_t>> bytes = TosaFromJson(file.dump(), "test.json");
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : std::vector<uint8_t>();
}

// Returns the rules that `assay check` names for a file, each followed by a space.
std::string RulesOf(const Json& file) {
  const std::vector<uint8_t> bytes = BytesOf(file);
  TosaSerializationHandler handler;
  EXPECT_TRUE(handler.LoadTosaFlatbuffer(bytes, "test.tosa"));
  std::vector<Breach> breaches = CheckSerialization(handler);
  if (const Result<Graph> graph = ReadTosa(bytes, "test.tosa", nullptr)) {
    for (const Breach& breach : CheckGraph(*graph, kLevel8K, {})) breaches.push_back(breach);
  }
  std::string rules;
  for (const Breach& breach : breaches) {
    EXPECT_TRUE(IsKnownRule(breach.rule)) << breach.rule;
    rules += breach.rule + " ";
  }
  return rules;
}

struct Change {
  const char* what;
  const char* path;   // JSON pointer of the value to replace, add or, without `value`, remove
  const char* value;  // the new value
  const char* rules;
};

constexpr Change kChanges[] = {
    {"main region", "/regions/0/name", "\"net\"", "graph/ERROR_IF/main-region "},
    {"main block", "/regions/0/blocks/0/name", "\"start\"", "graph/ERROR_IF/main-block "},
    {"a constant of the caller", "/regions/0/blocks/1/operators/1/inputs", R"(["r", "c"])",
     "graph/ERROR_IF/captured-tensor "},
    {"a result of the caller", "/regions/0/blocks/2/operators/0/inputs", R"(["s"])",
     "graph/ERROR_IF/captured-tensor "},
    {"a shape of the caller", "/regions/0/blocks/2/operators/0",
     R"({"op": "RESHAPE", "attribute_type": "ReshapeAttribute", "attribute": {},
         "inputs": ["x", "shape"], "outputs": ["o"]})",
     "graph/ERROR_IF/captured-tensor graph/ERROR_IF/compile-time-constant "},
    {"the condition comes first", "/regions/0/blocks/0/operators/3/inputs", R"(["s", "cond"])",
     "COND_IF/ERROR_IF/types COND_IF/ERROR_IF/6 COND_IF/ERROR_IF/2 COND_IF/ERROR_IF/3 "},
    {"no such block", "/regions/0/blocks/0/operators/3/attribute/then_graph", "\"when\"",
     "graph/ERROR_IF/unknown-region "},
    {"no attribute table", "/regions/0/blocks/0/operators/2",
     R"({"op": "ADD", "inputs": ["a", "c"], "outputs": ["s"]})", "graph/ERROR_IF/attribute-table "},
    {"another operator's table", "/regions/0/blocks/2/operators/0",
     R"({"op": "ABS", "attribute_type": "ReduceSumAttribute", "attribute": {},
         "inputs": ["x"], "outputs": ["o"]})",
     "graph/ERROR_IF/attribute-table "},
    {"too few bytes", "/regions/0/blocks/0/tensors/2/data", "[0,0,128,63, 0,0,0]",
     "graph/ERROR_IF/constant-data "},
    {"more than zeros behind", "/regions/0/blocks/0/tensors/2/data", "[0,0,128,63, 0,0,0,64, 0,1]",
     "graph/ERROR_IF/constant-data "},
    {"no data", "/regions/0/blocks/0/tensors/2/data", "[]", "graph/ERROR_IF/constant-data "},
    {"too few bytes of a shape", "/regions/0/blocks/0/shapes/0/data", "[2,0,0,0,0,0,0,0, 1]",
     "graph/ERROR_IF/constant-data "},
    {"too few bytes of a variable", "/regions/0/blocks/0/tensors/6/data", "[0,0,32,65]",
     "graph/ERROR_IF/constant-data "},
    {"a name twice", "/regions/0/blocks/0/tensors/-",
     R"({"name": "y", "shape": [2], "type": "FP32"})", "graph/ERROR_IF/unique-names "},
    {"a name of a tensor and a shape", "/regions/0/blocks/0/shapes/-",
     R"({"name": "a", "rank": 0})", "graph/ERROR_IF/unique-names "},
    {"no such name", "/regions/0/blocks/2/outputs", R"(["o", "nowhere"])",
     "graph/ERROR_IF/undefined-tensor "},
    {"a name that nothing uses", "/regions/0/blocks/2/tensors/-",
     R"({"name": "t", "shape": [1], "type": "INT8"})", "graph/ERROR_IF/unused-tensor "},
    {"a shape that nothing uses", "/regions/0/blocks/0/shapes/-", R"({"name": "t", "rank": 0})",
     "graph/ERROR_IF/unused-tensor "},
    {"no order of execution", "/regions/0/blocks/0/operators/2/inputs", R"(["s", "c"])",
     "graph/ERROR_IF/cycle "},
    {"unranked", "/regions/0/blocks/2/tensors/0/is_unranked", "true",
     "graph/ERROR_IF/unranked-tensor "},
    {"too many dimensions", "/regions/0/blocks/2/tensors/0/shape",
     "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
     "graph/LEVEL_CHECK/tensor-rank "},
    {"an unknown dimension", "/regions/0/blocks/0/tensors/5/shape", "[2, -1]",
     "RESHAPE/REQUIRE/tensor_size RESHAPE/ERROR_IF/arguments RESHAPE/ERROR_IF/1 "},
    {"no type", "/regions/0/blocks/2/tensors/0/type", "\"UNKNOWN\"",
     "graph/ERROR_IF/unknown-type "},
    {"no operator", "/regions/0/blocks/2/operators/0/op", "\"UNKNOWN\"",
     "graph/ERROR_IF/unknown-operator "},
    {"no variable", "/regions/0/blocks/1/tensors/3/variable", "false",
     "graph/ERROR_IF/variable-operand "},
};

TEST(CheckSerialization, NamesEachRuleOfAFile) {
  EXPECT_EQ(RulesOf(GoodFile()), "");
  for (const Change& change : kChanges) {
    Json file = GoodFile();
    file[Json::json_pointer(change.path)] = Json::parse(change.value);
    EXPECT_EQ(RulesOf(file), change.rules) << change.what;
  }
}

// The block `then` uses the variable of main: (2 + 1) + 10 = 13, (3 + 2) + 20 = 25.
TEST(CheckSerialization, GoesWithWhatExecutes) {
  Json file = GoodFile();
  const auto outputs = [&file] {
    TestVector vector;
    vector.graphs = {*ReadTosa(BytesOf(file), "test.tosa", nullptr)};
    vector.steps.resize(1);
    vector.steps[0].inputs = {Tensor::Splat(DType::kBool, {1}, 1),
                              Tensor::FromFloats(DType::kFp32, {2}, std::vector<double>{2, 3})};
    std::string reason;
    EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
    EXPECT_EQ(vector.steps[0].expected, OutcomeKind::kValid) << vector.steps[0].rule;
    return vector.steps[0].outputs.at(0).value;
  };
  const double expected[] = {13, 25};
  EXPECT_EQ(outputs(), Tensor::FromFloats(DType::kFp32, {2, 1}, expected));
  // A block that no operator names does not run. This one would never end.
  Json endless = file["regions"][0]["blocks"][2];
  endless["name"] = "main2";
  endless["operators"] = Json::parse(
      R"([{"op": "WHILE_LOOP", "attribute_type": "WhileLoopAttribute",
           "attribute": {"cond_graph": "main2", "body_graph": "main2"},
           "inputs": ["x"], "outputs": ["o"]}])");
  const auto region_of = [](const char* name, const Json& block) {
    return Json{{"name", name}, {"blocks", Json::array({block})}};
  };
  file["regions"][0]["blocks"].push_back(endless);
  file["regions"].push_back(region_of("other", endless));
  EXPECT_EQ(outputs(), Tensor::FromFloats(DType::kFp32, {2, 1}, expected));
  // A region's name means its first block (Arm's tools) if no block has that name (the library).
  file["regions"].push_back(region_of("then region", file["regions"][0]["blocks"][1]));
  file["regions"][0]["blocks"].erase(1);
  file["regions"][0]["blocks"][0]["operators"][3]["attribute"]["then_graph"] = "then region";
  EXPECT_EQ(outputs(), Tensor::FromFloats(DType::kFp32, {2, 1}, expected));
}

}  // namespace
}  // namespace assay::check_serialization_test
