// SPDX-License-Identifier: Apache-2.0
// Tests of Arm test directories, and of tensors of the main block that other blocks use.
#include "arm_directory.h"

#include <gtest/gtest.h>

#include <iostream>

#include "captures.h"
#include "damaged_files.h"
#include "files.h"
#include "graph_text.h"
#include "sample_vectors.h"
#include "tvec_file.h"
#include "vector_source.h"

namespace assay::arm_directory_test {
namespace {

const std::string kArmData = ASSAY_SOURCE_DIR "/../shared/data";

TEST(ArmDirectory, KeepsAStep) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  TestVector vector = FullVector();
  Block& block = *vector.graphs[1].Main();
  const TensorIndex state = Add(block, "w", DType::kInt4, {3});
  block.tensors[static_cast<size_t>(state)].variable = true;
  vector.steps[1].state_after.erase("a");
  vector.steps[1].state_before["w"] = Tensor::Splat(DType::kInt4, {3}, 2);
  ASSERT_TRUE(WriteArmDirectory(folder->path(), vector, 1));
  const Result<ArmTest> test = ReadArmDirectory(folder->path(), {true}, nullptr);
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_EQ(test->vector.graphs, std::vector<Graph>{vector.graphs[1]});
  ASSERT_EQ(test->vector.steps.size(), 1u);
  EXPECT_EQ(test->vector.steps[0].inputs, vector.steps[1].inputs);
  EXPECT_EQ(test->vector.steps[0].state_before, vector.steps[1].state_before);
  ASSERT_EQ(test->recorded.outputs.size(), 1u);
  EXPECT_EQ(test->recorded.outputs[0].value, vector.steps[1].outputs[0].value);
  ASSERT_EQ(test->recorded.variables.size(), 1u);
  EXPECT_EQ(test->recorded.variables[0].value, vector.steps[1].state_after["w"].value);
  EXPECT_FALSE(test->recorded.expected_failure);
  EXPECT_TRUE(ReadArmDirectory(folder->path(), {}, nullptr)->vector.steps[0].state_before.empty());
}

// Arm's model resolves a name to the first tensor of that name in any block.
TEST(ArmDirectory, HasNoNameInTwoBlocks) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  TestVector vector = FullVector();
  vector.steps[1].state_after.clear();
  Graph& graph = vector.graphs[1];
  Block inner;
  inner.name = "inner";
  Add(inner, "inner/in", DType::kInt8, {});
  Add(inner, "in", DType::kInt8, {});
  Add(inner, "own", DType::kInt8, {});
  for (Block* block : {graph.Main(), &inner}) {
    block->tensors[static_cast<size_t>(Add(*block, "w", DType::kInt4, {3}))].variable = true;
  }
  graph.regions.push_back({"inner", {inner}});
  graph.regions.push_back({"last", {inner}});
  graph.regions[2].blocks[0].name = "last";
  ASSERT_TRUE(WriteArmDirectory(folder->path(), vector, 1));
  const Result<ArmTest> test = ReadArmDirectory(folder->path(), {}, nullptr);
  ASSERT_TRUE(test) << test.error().message;
  std::string names;
  for (const Region& region : test->vector.graphs[0].regions) {
    for (const TensorInfo& tensor : region.blocks[0].tensors) names += tensor.name + " ";
  }
  EXPECT_EQ(names, "in out w inner/in inner/in' own w last/inner/in last/in last/own w ");
}

TEST(ArmDirectory, BlamesTheFile) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string& path = folder->path();
  ASSERT_TRUE(WriteArmDirectory(path, FullVector(), 1));
  const std::string good = *ReadTextFile(path + "/desc.json");
  const auto message_with = [&](const std::string& description) {
    EXPECT_TRUE(WriteFileAtomically(path + "/desc.json", description));
    const Result<ArmTest> test = ReadArmDirectory(path, {}, nullptr);
    return test ? "" : test.error().message;
  };
  EXPECT_EQ(message_with("[]"), path + "/desc.json: is no JSON object");
  EXPECT_EQ(message_with("{}"),
            path + "/desc.json: tosa_file is missing, or a field is of the wrong type");
  EXPECT_EQ(message_with(R"({"tosa_file": "test.tosa", "ifm_name": ["in"]})"),
            path + "/desc.json: names and files of inputs, outputs or variables do not match");
  EXPECT_EQ(message_with(R"({"tosa_file": "test.tosa"})"),
            path + "/desc.json: no file for input \"in\"");
  EXPECT_EQ(message_with(R"({"tosa_file": "none.tosa"})"),
            path + "/none.tosa: cannot open: No such file or directory");
  for (size_t size = 0; size < good.size() - 2; ++size) {
    EXPECT_TRUE(IsOneLine(message_with(good.substr(0, size)), path + "/desc.json"));
  }
  ASSERT_TRUE(WriteFileAtomically(path + "/input-0.npy", "x"));
  EXPECT_EQ(message_with(good), path + "/input-0.npy: offset 0: not a .npy file");
}

// All of Arm's own directories are read, and the recorded results have the types of the outputs.
TEST(ArmDirectory, ReadsWhatArmPublishes) {
  const Result<std::vector<std::string>> folders = ListVectors(kArmData);
  if (!folders) GTEST_SKIP() << "no test directories of Arm's under " << kArmData;
  int failures = 0, values = 0, precise = 0, bounds = 0, modes = 0, variables = 0;
  for (const std::string& folder : *folders) {
    const Result<ArmTest> test = ReadArmDirectory(folder, {}, nullptr);
    if (!test) {  // two of them, see tosa_file_test.cc
      EXPECT_NE(test.error().message.find("graph/ERROR_IF/undefined-tensor"), std::string::npos)
          << test.error().message;
      continue;
    }
    failures += test->recorded.expected_failure;
    variables += static_cast<int>(test->recorded.variables.size());
    for (const ArmRecord& record : test->recorded.outputs) {
      values += record.value.has_value();
      precise += !record.precise.empty();
      bounds += !record.bounds.empty();
      modes += !record.compliance.mode.empty();
      if (record.compliance.mode == "DOT_PRODUCT") {
        EXPECT_TRUE(record.compliance.parameters.contains("ksb")) << folder;
        EXPECT_FALSE(record.bounds.empty()) << folder;
      }
    }
    const std::vector<uint8_t> bytes = WriteTestVector(test->vector);
    const Result<TestVector> again = ReadTestVector(bytes, folder);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(WriteTestVector(*again), bytes) << folder;
  }
  std::cout << folders->size() << " directories: " << failures << " failures, " << values
            << " recorded outputs, " << precise << " in fp64, " << bounds << " with bounds, "
            << modes << " with a compliance mode, " << variables << " variables\n";
  EXPECT_EQ(failures, 37);
  EXPECT_EQ(modes, 256);
}

// main: x -> WHILE_LOOP(i) whose body adds a constant and x, both of main.
TEST(Captures, BecomeOperands) {
  Graph graph = EmptyGraph();
  graph.regions[0].blocks.emplace_back().name = "cond";
  graph.regions[0].blocks.emplace_back().name = "body";
  Block& main = graph.regions[0].blocks[0];
  Block& cond = graph.regions[0].blocks[1];
  Block& body = graph.regions[0].blocks[2];
  const TensorIndex x = Add(main, "x", DType::kInt32, {1});
  const TensorIndex i = Add(main, "i", DType::kInt32, {1});
  const TensorIndex c = Add(main, "c", DType::kInt32, {1});
  const TensorIndex out = Add(main, "out", DType::kInt32, {1});
  main.inputs = {x, i};
  main.outputs = {out};
  const int64_t ten[] = {10};
  main.operators = {{Op::kConst,
                     {{AttributeId::kValues, Tensor::FromIntegers(DType::kInt32, {1}, ten)}},
                     {},
                     {c}},
                    {Op::kWhileLoop,
                     {{AttributeId::kCondGraph, std::string("cond")},
                      {AttributeId::kBodyGraph, std::string("body")}},
                     {i},
                     {out}}};
  cond.inputs = {Add(cond, "i", DType::kInt32, {1})};
  const TensorIndex limit = Add(cond, "c", DType::kInt32, {1});
  cond.outputs = {Add(cond, "more", DType::kBool, {1})};
  cond.operators = {{Op::kGreater, {}, {limit, cond.inputs[0]}, {cond.outputs[0]}}};
  body.inputs = {Add(body, "i", DType::kInt32, {1})};
  const TensorIndex inner_x = Add(body, "x", DType::kInt32, {1});
  body.outputs = {Add(body, "next", DType::kInt32, {1})};
  body.operators = {{Op::kAdd, {}, {body.inputs[0], inner_x}, {body.outputs[0]}}};

  EXPECT_EQ(ResolveCaptures(graph), 2);
  EXPECT_EQ(GraphText(graph),
            "TOSA 1.0.0\n"
            "block \"main\" (%x:i32[1],%i:i32[1]) -> (%out:i32[1])\n"
            "  %c:i32[1] = CONST() values=i32[1]{10}\n"
            "  %out:i32[1],%x_after:i32[1] = WHILE_LOOP(%i,%x) body_graph=\"body\" "
            "cond_graph=\"cond\"\n"
            "block \"cond\" (%i:i32[1],%x:i32[1]) -> (%more:bool[1])\n"
            "  %c:i32[1] = CONST() values=i32[1]{10}\n"
            "  %more:bool[1] = GREATER(%c,%i)\n"
            "block \"body\" (%i:i32[1],%x:i32[1]) -> (%next:i32[1],%x:i32[1])\n"
            "  %next:i32[1] = ADD(%i,%x)\n");
  EXPECT_EQ(ResolveCaptures(graph), 0);
}

}  // namespace
}  // namespace assay::arm_directory_test
