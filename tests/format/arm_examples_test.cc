// SPDX-License-Identifier: Apache-2.0
// Tests of the example networks of Arm's reference model, with its results
// (corpus/examples/arm/README.md).

#include <gtest/gtest.h>

#include <cmath>

#include "arm_directory.h"
#include "comparison.h"
#include "executor.h"

namespace assay::arm_examples_test {
namespace {

const char* const kExamples[] = {
    "test_add_1x4x4x4_f32_flatbuffer-tf",
    "test_add_1x4x4x4_f32_flatbuffer-tflite",
    "test_conv2d_1x1_1x32x32x8_f32_st11_padSAME_dilat11_flatbuffer-tf",
    "test_conv2d_1x1_1x32x32x8_f32_st11_padSAME_dilat11_flatbuffer-tflite",
    "test_conv2d_1x1_1x32x32x8_qi8_st11_padSAME_dilat11_flatbuffer-tflite",
    "test_lstm_stateful_13x21x3_f32_flatbuffer-tflite",
};

ArmTest Load(std::string_view name) {
  const std::string folder = std::string(ASSAY_SOURCE_DIR "/corpus/examples/arm/") + name.data();
  Result<ArmTest> test = ReadArmDirectory(folder, {}, nullptr);
  EXPECT_TRUE(test) << test.error().message;
  return std::move(*test);
}

double LargestDifference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.tensor_type(), b.tensor_type());
  double largest = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    largest = std::fmax(largest, std::fabs(a.Float(i) - b.Float(i)));
  }
  return largest;
}

// Every recorded output lies within the specification's bounds around Assay's result. Integers and
// ADD are the same bit by bit.
TEST(ArmExamples, LieWithinOurBounds) {
  for (const std::string_view name : kExamples) {
    ArmTest test = Load(name);
    const Outcome outcome = ExecuteVector(test.vector, {})[0];
    ASSERT_EQ(OutcomeName(outcome.kind), "valid") << name << ": " << outcome.rule;
    std::string reason;
    ASSERT_TRUE(Expect(test.vector, {}, &reason)) << name << ": " << reason;
    ASSERT_EQ(test.recorded.outputs.size(), outcome.outputs.size()) << name;
    for (size_t i = 0; i < outcome.outputs.size(); ++i) {
      const Tensor& recorded = test.recorded.outputs[i].value.value();
      const Expectation& expectation = test.vector.steps[0].outputs[i];
      const Comparison comparison = Compare(expectation, recorded);
      EXPECT_FALSE(comparison.Wrong()) << name << " " << comparison.position << ": expected "
                                       << comparison.expected << ", recorded " << comparison.got;
      const bool lstm = name.find("lstm") != std::string_view::npos;
      EXPECT_EQ(comparison.judged, recorded.elements()) << name;
      const bool exact = name.find("conv2d") == std::string_view::npos || !IsFloat(recorded.type());
      if (exact && !lstm) {
        EXPECT_EQ(outcome.outputs[i], recorded) << name;
      }
    }
  }
}

// The fp64 reference of a convolution equals that of the model's precise mode, to the last bit.
TEST(ArmExamples, HaveOurFp64Reference) {
  int compared = 0;
  for (const std::string_view name : kExamples) {
    ArmTest test = Load(name);
    std::string reason;
    ASSERT_TRUE(Expect(test.vector, {}, &reason)) << name << ": " << reason;
    const std::vector<double>& ours = test.vector.steps[0].outputs[0].reference;
    const std::vector<double>& precise = test.recorded.outputs[0].precise;
    if (!IsFloat(test.recorded.outputs[0].type.type)) continue;
    if (name.find("conv2d") == std::string_view::npos || precise.empty()) continue;
    EXPECT_EQ(ours, precise) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

// The results of two different evaluations of tanh and the logistic function, after 21 steps.
TEST(ArmExamples, HaveTheirStateAfterTheLoopOfTheLstm) {
  const ArmTest test = Load(kExamples[5]);
  const Outcome outcome = ExecuteVector(test.vector, {})[0];
  EXPECT_LT(LargestDifference(outcome.outputs[0], test.recorded.outputs[0].value.value()), 1e-6);
  ASSERT_EQ(test.recorded.variables.size(), 2u);
  for (const ArmRecord& variable : test.recorded.variables) {
    ASSERT_EQ(outcome.state.count(variable.name), 1u) << variable.name;
    EXPECT_LT(LargestDifference(outcome.state.at(variable.name), variable.value.value()), 1e-6);
  }
}

}  // namespace
}  // namespace assay::arm_examples_test
