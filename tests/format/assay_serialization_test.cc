// SPDX-License-Identifier: Apache-2.0
// Tests of the C interface of the serialization library: it gives the content of the C++ handler.
#include "assay_serialization.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tosa_serialization_handler.h"

namespace assay::assay_serialization_test {
namespace {

constexpr uint8_t kBytes[] = {1, 2, 3, 0};

// Returns a block with an operator of each kind of attribute, a constant, a variable and a shape.
std::vector<uint8_t> SampleFile() {
  TosaSerializationHandler handler;
  handler.SetVersion({1, 0, 1, false});
  TosaSerializationRegion& region = handler.GetRegions().emplace_back("first");
  TosaSerializationBasicBlock block("main");
  block.GetInputs() = {"x"};
  block.GetOutputs() = {"y", "x"};
  block.GetTensors().emplace_back("x", std::vector<int32_t>{2, 3}, DType::kInt8);
  TosaSerializationTensor variable("y", {}, DType::kInt16, {kBytes, kBytes + 4});
  variable.SetVariable(true, "state");
  block.GetTensors().push_back(variable);
  block.GetShapes().emplace_back("s", 1, std::vector<uint8_t>(8, 0));
  TosaSerializationOperator pool(Op::kAvgPool2d, {"x", "s"}, {"y"});
  pool.GetAttribute().Set(AttributeId::kKernel, std::vector<int32_t>{4, 5});
  pool.GetAttribute().Set(AttributeId::kAccType, uint32_t{5});
  block.GetOperators().push_back(pool);
  TosaSerializationOperator custom(Op::kCustom, {}, {});
  custom.GetAttribute().Set(AttributeId::kOperatorName, std::string("mine"));
  custom.GetAttribute().Set(AttributeId::kImplementationAttrs,
                            std::vector<uint8_t>(kBytes, kBytes + 4));
  block.GetOperators().push_back(custom);
  TosaSerializationOperator argmax(Op::kArgmax, {}, {});
  argmax.GetAttribute().Set(AttributeId::kAxis, int32_t{-2});
  block.GetOperators().push_back(argmax);
  TosaSerializationOperator shift(Op::kArithmeticRightShift, {}, {});
  shift.GetAttribute().Set(AttributeId::kRound, true);
  block.GetOperators().push_back(shift);
  region.AddBlock(block);
  const Result<std::vector<uint8_t>> bytes = handler.SaveTosaFlatbuffer();
  return *bytes;
}

class CInterface : public testing::Test {
 protected:
  CInterface() : file_(SampleFile()) {
    graph_ = assay_open_bytes(file_.data(), file_.size(), "sample", error_, sizeof(error_));
    file_.assign(file_.size(), 0xff);  // what was opened must not need the bytes any more
  }
  ~CInterface() override { assay_close(graph_); }
  const assay_block* Main() { return assay_graph_main_block(graph_); }
  assay_attribute Attribute(size_t op, size_t index) {
    assay_attribute attribute;
    EXPECT_TRUE(assay_operator_attribute(assay_block_operator(Main(), op), index, &attribute));
    return attribute;
  }

  std::vector<uint8_t> file_;
  char error_[200] = "";
  assay_graph* graph_;
};

TEST_F(CInterface, GivesVersionRegionsAndBlocks) {
  ASSERT_NE(graph_, nullptr) << error_;
  const assay_version version = assay_graph_version(graph_);
  EXPECT_EQ(version.major, 1);
  EXPECT_EQ(version.minor, 0);
  EXPECT_EQ(version.patch, 1);
  EXPECT_FALSE(version.draft);
  ASSERT_EQ(assay_graph_regions(graph_), 1u);
  const assay_region* region = assay_graph_region(graph_, 0);
  EXPECT_STREQ(assay_region_name(region), "first");
  ASSERT_EQ(assay_region_blocks(region), 1u);
  EXPECT_EQ(assay_region_block(region, 0), Main());
  EXPECT_STREQ(assay_block_name(Main()), "main");
  ASSERT_EQ(assay_block_inputs(Main()), 1u);
  EXPECT_STREQ(assay_block_input(Main(), 0), "x");
  ASSERT_EQ(assay_block_outputs(Main()), 2u);
  EXPECT_STREQ(assay_block_output(Main(), 1), "x");
}

TEST_F(CInterface, GivesTensorsAndShapes) {
  ASSERT_EQ(assay_block_tensors(Main()), 2u);
  const assay_tensor* x = assay_block_tensor(Main(), 0);
  EXPECT_STREQ(assay_tensor_name(x), "x");
  EXPECT_EQ(assay_tensor_dtype(x), 3u);
  EXPECT_STREQ(assay_tensor_dtype_name(x), "i8");
  ASSERT_EQ(assay_tensor_rank(x), 2u);
  EXPECT_EQ(assay_tensor_shape(x)[1], 3);
  EXPECT_FALSE(assay_tensor_is_variable(x));
  EXPECT_FALSE(assay_tensor_is_unranked(x));
  EXPECT_EQ(assay_tensor_data_size(x), 0u);
  const assay_tensor* y = assay_block_tensor_by_name(Main(), "y");
  ASSERT_EQ(y, assay_block_tensor(Main(), 1));
  EXPECT_TRUE(assay_tensor_is_variable(y));
  EXPECT_STREQ(assay_tensor_variable_name(y), "state");
  ASSERT_GE(assay_tensor_data_size(y), 4u);
  EXPECT_EQ(std::memcmp(assay_tensor_data(y), kBytes, 4), 0);
  ASSERT_EQ(assay_block_shapes(Main()), 1u);
  const assay_shape* shape = assay_block_shape_by_name(Main(), "s");
  ASSERT_EQ(shape, assay_block_shape(Main(), 0));
  EXPECT_STREQ(assay_shape_name(shape), "s");
  EXPECT_EQ(assay_shape_rank(shape), 1u);
  EXPECT_EQ(assay_shape_data_size(shape), 8u);
  EXPECT_EQ(assay_shape_data(shape)[7], 0);
}

TEST_F(CInterface, GivesOperators) {
  ASSERT_EQ(assay_block_operators(Main()), 4u);
  const assay_operator* pool = assay_block_operator(Main(), 0);
  EXPECT_EQ(assay_operator_op(pool), 2u);
  EXPECT_STREQ(assay_operator_name(pool), "AVG_POOL2D");
  ASSERT_EQ(assay_operator_inputs(pool), 2u);
  EXPECT_STREQ(assay_operator_input(pool, 1), "s");
  ASSERT_EQ(assay_operator_outputs(pool), 1u);
  EXPECT_STREQ(assay_operator_output(pool, 0), "y");
  EXPECT_STREQ(assay_operator_location(pool), "");
}

TEST_F(CInterface, GivesAttributesOfEveryKind) {
  // AVG_POOL2D has kernel, stride, pad and acc_type.
  EXPECT_EQ(assay_operator_attributes(assay_block_operator(Main(), 0)), 4u);
  const assay_attribute kernel = Attribute(0, 0);
  EXPECT_STREQ(kernel.name, "kernel");
  EXPECT_EQ(kernel.kind, ASSAY_ATTRIBUTE_INTS);
  ASSERT_EQ(kernel.size, 2u);
  EXPECT_EQ(kernel.ints[1], 5);
  const assay_attribute acc_type = Attribute(0, 3);
  EXPECT_STREQ(acc_type.name, "acc_type");
  EXPECT_EQ(acc_type.kind, ASSAY_ATTRIBUTE_ENUM);
  EXPECT_EQ(acc_type.number, 5);
  const assay_attribute name = Attribute(1, 0);
  EXPECT_EQ(name.kind, ASSAY_ATTRIBUTE_TEXT);
  EXPECT_STREQ(name.text, "mine");
  const assay_attribute bytes = Attribute(1, 2);
  EXPECT_EQ(bytes.kind, ASSAY_ATTRIBUTE_BYTES);
  ASSERT_EQ(bytes.size, 4u);
  EXPECT_EQ(std::memcmp(bytes.bytes, kBytes, 4), 0);
  const assay_attribute axis = Attribute(2, 0);
  EXPECT_EQ(axis.kind, ASSAY_ATTRIBUTE_INT);
  EXPECT_EQ(axis.number, -2);
  const assay_attribute round = Attribute(3, 0);
  EXPECT_EQ(round.kind, ASSAY_ATTRIBUTE_BOOL);
  EXPECT_EQ(round.number, 1);
}

TEST_F(CInterface, GivesNullForWhatIsNotThere) {
  EXPECT_EQ(assay_graph_region(graph_, 1), nullptr);
  EXPECT_EQ(assay_region_block(assay_graph_region(graph_, 0), 1), nullptr);
  EXPECT_EQ(assay_block_operator(Main(), 4), nullptr);
  EXPECT_EQ(assay_block_tensor(Main(), 2), nullptr);
  EXPECT_EQ(assay_block_shape(Main(), 1), nullptr);
  EXPECT_EQ(assay_block_input(Main(), 1), nullptr);
  EXPECT_EQ(assay_block_tensor_by_name(Main(), "s"), nullptr);
  EXPECT_EQ(assay_block_shape_by_name(Main(), "x"), nullptr);
  EXPECT_EQ(assay_operator_input(assay_block_operator(Main(), 1), 0), nullptr);
  assay_attribute attribute;
  EXPECT_FALSE(assay_operator_attribute(assay_block_operator(Main(), 2), 2, &attribute));
}

TEST(COpen, SaysInOneLineWhyNot) {
  char error[200] = "";
  EXPECT_EQ(assay_open_bytes("TOSA", 4, "few", error, sizeof(error)), nullptr);
  EXPECT_EQ(std::string(error).rfind("few: ", 0), 0u) << error;
  EXPECT_EQ(assay_open_file("/nowhere/x.tosa", error, sizeof(error)), nullptr);
  EXPECT_NE(std::string(error).find("/nowhere/x.tosa"), std::string::npos) << error;
  EXPECT_EQ(std::string(error).find('\n'), std::string::npos) << error;
}

TEST(COpen, CutsOffWhatDoesNotFit) {
  char error[4] = "zzz";
  EXPECT_EQ(assay_open_bytes("TOSA", 4, "few", error, 3), nullptr);
  EXPECT_STREQ(error, "fe");
  EXPECT_EQ(assay_open_bytes("TOSA", 4, "few", nullptr, 0), nullptr);
  EXPECT_EQ(assay_open_bytes(nullptr, 0, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(assay_open_file(nullptr, nullptr, 0), nullptr);
}

TEST(CNames, EndWithAZero) {
  for (uint32_t op = 0; op <= kOperatorCount; ++op) {
    const std::string_view name = OperatorName(static_cast<Op>(op));
    EXPECT_EQ(name.data()[name.size()], '\0');
  }
  for (const DType type : kAllTypes) {
    EXPECT_EQ(TypeName(type).data()[TypeName(type).size()], '\0');
  }
  for (int i = 0; i <= static_cast<int>(AttributeId::kVarShape); ++i) {
    const std::string_view name = AttributeName(static_cast<AttributeId>(i));
    EXPECT_EQ(name.data()[name.size()], '\0');
  }
}

}  // namespace
}  // namespace assay::assay_serialization_test
