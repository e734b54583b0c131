// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "damaged_files.h"
#include "files.h"
#include "serialization.h"

namespace assay::tosa_serialization_test {
namespace {

TEST(Serialization, KeepsAllThatAFileCanSay) {
  const Handler handler = FullHandler();
  const std::vector<uint8_t> bytes = MustSave(handler);
  Handler again;
  const Result<Done> loaded = again.LoadTosaFlatbuffer(bytes, "full.tosa");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(again == handler);
  EXPECT_EQ(MustSave(again), bytes);
}

TEST(Serialization, WritesAndReadsFiles) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  const std::string path = JoinPath(folder->path(), "full.tosa");
  ASSERT_TRUE(FullHandler().SaveFileTosaFlatbuffer(path));
  Handler again;
  ASSERT_TRUE(again.LoadFileTosaFlatbuffer(path));
  EXPECT_TRUE(again == FullHandler());
  // A failed load changes nothing.
  const Result<Done> missing = again.LoadFileTosaFlatbuffer(path + "x");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsOneLine(missing.error().message, path + "x")) << missing.error().message;
  EXPECT_TRUE(again == FullHandler());
}

TEST(Serialization, FindsByName) {
  Handler handler = FullHandler();
  EXPECT_EQ(handler.GetMainRegion()->GetName(), "first");
  EXPECT_EQ(handler.GetRegionByName("second"), &handler.GetRegions()[1]);
  EXPECT_EQ(handler.GetRegionByName("third"), nullptr);
  TosaSerializationRegion& region = handler.GetRegions()[2];
  const BasicBlock* block = region.GetBlockByName("odd");
  ASSERT_EQ(block, &region.GetBlocks()[0]);
  EXPECT_EQ(block->GetRegionName(), "first");
  EXPECT_EQ(region.GetBlockByName("main"), nullptr);
  EXPECT_EQ(block->GetTensorByName("state")->GetVariableName(), "net/state");
  EXPECT_EQ(block->GetTensorByName("s"), nullptr);
  EXPECT_EQ(block->GetShapeByName("s")->GetRank(), 3u);
  EXPECT_EQ(handler.GetMainBlock(), nullptr);
  EXPECT_EQ(handler.GetInputs(), Names());
  EXPECT_EQ(Handler().GetMainRegion(), nullptr);
  region.GetBlockByName("odd")->GetTensorByName("u")->SetName("v");
  EXPECT_EQ(block->GetTensorByName("u"), nullptr);
}

TEST(Serialization, ReadsAttributesByName) {
  const Handler handler = FullHandler();
  for (const TosaSerializationOperator& op :
       handler.GetRegions()[0].GetBlocks()[0].GetOperators()) {
    if (op.GetOp() != Op::kAvgPool2d || op.GetLocation().empty()) continue;
    EXPECT_EQ(op.GetAttributeType(), Op::kAvgPool2d);
    EXPECT_EQ(op.GetAttribute().Get<std::vector<int32_t>>(AttributeId::kKernel),
              (std::vector<int32_t>{-1, 2147483647}));
    EXPECT_EQ(op.GetAttribute().Get<uint32_t>(AttributeId::kAccType), 2u);
    EXPECT_EQ(op.GetAttribute().Find(AttributeId::kAxis), nullptr);
    return;
  }
  FAIL() << "no AVG_POOL2D";
}

// The rule of the library: the inputs of the block `main` are those of the graph, "excluding any
// constants".
TEST(Serialization, LeavesConstantsOutOfTheInputs) {
  Handler handler;
  TosaSerializationRegion& region = handler.GetRegions().emplace_back("main");
  region.AddBlock(BasicBlock("helper")).GetInputs() = {"x"};
  BasicBlock& main = region.AddBlock(BasicBlock("main"));
  BasicBlock::Tensor state("state", {1}, DType::kInt8, {1});
  state.SetVariable(true, "");
  main.GetTensors() = {{"in", {1}, DType::kInt8},
                       {"made", {1}, DType::kInt8},
                       {"data", {1}, DType::kInt8, {1}},
                       state};
  main.GetShapes() = {{"shape", 1, {1, 0, 0, 0, 0, 0, 0, 0}}, {"open", 1, {}}};
  main.GetOperators() = {{Op::kConst, {}, {"made"}}};
  main.GetInputs() = {"in", "made", "shape", "open", "data", "state"};
  main.GetOutputs() = {"in"};
  EXPECT_EQ(handler.GetInputs(), (Names{"in", "open", "state"}));
  EXPECT_EQ(handler.GetOutputs(), Names{"in"});
}

// A handler with content that a file can express, but TOSA 1.0 does not have.
struct Refusal {
  Handler handler;
  std::string message;
};

Handler WithVersion(const SpecVersion& version) {
  Handler handler;
  handler.SetVersion(version);
  return handler;
}

Handler WithBlock(BasicBlock block) {
  Handler handler;
  handler.GetRegions().emplace_back("r").AddBlock(std::move(block));
  return handler;
}

std::vector<Refusal> Refusals() {
  std::vector<Refusal> refusals = {
      {WithVersion({0, 80, 1, false}), "is of TOSA 0.80.1; this build reads 1.0, and what 1.1 has"},
      {WithVersion({0, 100, 0, true}), "is of TOSA 0.100.0-draft; this build"},
      {WithVersion({1, 2, 0, false}), "is of TOSA 1.2.0; this build"},
      {WithVersion({2, 0, 0, false}), "is of TOSA 2.0.0; this build"}};
  BasicBlock block("b");
  block.GetOperators() = {{static_cast<Op>(79), Attribute(), {}, {}}};
  refusals.push_back(
      {WithBlock(block), "region \"r\": block \"b\": operator 0: is DIM (of TOSA 1.1)"});
  block.GetOperators() = {{Op::kAbs, {}, {}}, {Op::kMaximum, {}, {}}};
  block.GetOperators()[1].GetAttribute().Set(AttributeId::kNanMode, uint32_t{3});
  refusals.push_back(
      {WithBlock(block), "operator 1: nan_mode is value 3, which TOSA 1.0 does not have"});
  block.GetOperators() = {{Op::kConv2d, {}, {}}};
  block.GetOperators()[0].GetAttribute().Set(AttributeId::kAccType, uint32_t{17});
  refusals.push_back({WithBlock(block), "operator 0: acc_type is INT64 (of TOSA 1.1)"});
  block = BasicBlock("b");
  block.GetTensors() = {{"t", {}, static_cast<DType>(18)}};
  refusals.push_back({WithBlock(block), "tensor \"t\": has MXINT8 (of TOSA 1.1)"});
  return refusals;
}

TEST(Serialization, RefusesOtherVersionsAndWhatTheyHave) {
  for (const Refusal& refusal : Refusals()) {
    Handler handler;
    const Result<Done> loaded = handler.LoadTosaFlatbuffer(MustSave(refusal.handler), "new.tosa");
    ASSERT_FALSE(loaded) << refusal.message;
    EXPECT_EQ(loaded.error().kind, Error::Kind::kUnsupported);
    EXPECT_TRUE(IsOneLine(loaded.error().message, "new.tosa")) << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(refusal.message), std::string::npos)
        << loaded.error().message;
  }
  for (const SpecVersion& version :
       {SpecVersion{1, 0, 0, false}, SpecVersion{1, 0, 7, true}, SpecVersion{1, 1, 0, true}}) {
    Handler handler;
    EXPECT_TRUE(handler.LoadTosaFlatbuffer(MustSave(WithVersion(version)), "x"));
    EXPECT_EQ(handler.GetVersion(), version);
  }
}

TEST(Serialization, SurvivesDamage) {
  int loaded = 0;
  ForEachMutant(MustSave(WithBlock(OddBlock())), [&loaded](const std::vector<uint8_t>& mutant) {
    Handler handler;
    const Result<Done> result = handler.LoadTosaFlatbuffer(mutant, "bad.tosa");
    if (!result) {
      EXPECT_TRUE(IsOneLine(result.error().message, "bad.tosa")) << result.error().message;
      return;
    }
    ++loaded;
    Handler again;
    EXPECT_TRUE(again.LoadTosaFlatbuffer(MustSave(handler), "again"));
    EXPECT_TRUE(again == handler);
  });
  EXPECT_GT(loaded, 1000);
}

TEST(Serialization, BoundsItsMemory) {
  ReadLimits limits;
  limits.memory_max = 1000;
  Handler handler(limits);
  const Result<Done> refused = handler.LoadTosaFlatbuffer(MustSave(FullHandler()), "x");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 1000 bytes of memory"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace assay::tosa_serialization_test
