// SPDX-License-Identifier: Apache-2.0
// Tests the kernels of assay_kernel.h, which models in C call.
#include "assay_kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace assay::assay_kernel_test {
namespace {

// One call of the kernels. It is ADD on i32 unless a test changes it.
struct AddCall {
  assay_kernel_status Run() {
    const assay_kernel_call call = {name, nullptr, 0, inputs, 2, &output, 1, nullptr, 0};
    return assay_kernel_run(&call, &report);
  }
  const char* name = "ADD";
  int32_t shape[1] = {2};
  alignas(4) uint8_t bytes[21] = {0, 1, 0, 0, 0, 255, 255, 255, 255};
  assay_kernel_input inputs[2] = {{bytes + 1, ASSAY_KERNEL_I32, 1, shape},
                                  {bytes + 1, ASSAY_KERNEL_I32, 1, shape}};
  assay_kernel_output output = {bytes + 1, ASSAY_KERNEL_I32, 1, shape};
  assay_kernel_report report = {""};
};

// {1, -1} + {1, -1} is computed at odd addresses, with the result over the operands.
TEST(Kernel, WorksAtAnyAddress) {
  AddCall add;
  EXPECT_EQ(add.Run(), ASSAY_KERNEL_OK);
  const uint8_t sums[] = {0, 2, 0, 0, 0, 254, 255, 255, 255, 0};
  EXPECT_EQ(std::memcmp(add.bytes, sums, sizeof sums), 0);
}

TEST(Kernel, SaysWhyItDoesNot) {
  AddCall add;
  int32_t other[1] = {1};
  add.output.shape = other;
  EXPECT_EQ(add.Run(), ASSAY_KERNEL_ERROR);
  EXPECT_STREQ(add.report.reason, "ADD: breaks ADD/ERROR_IF/1");
  for (const char* const name : {"FOO", "CONST", "WHILE_LOOP", "CUSTOM"}) {
    AddCall unknown;
    unknown.name = name;
    EXPECT_EQ(unknown.Run(), ASSAY_KERNEL_UNSUPPORTED);
    EXPECT_EQ(unknown.report.reason, "\"" + std::string(name) + "\" is no operator with a kernel");
  }
  AddCall odd;
  odd.inputs[0].type = 99;
  EXPECT_EQ(odd.Run(), ASSAY_KERNEL_UNSUPPORTED);
  EXPECT_STREQ(odd.report.reason, "ADD: an input of unknown type or rank");
}

// An index beyond the values is a REQUIRE of GATHER.
TEST(Kernel, ChecksElements) {
  const int32_t shape[3] = {1, 2, 1}, at[2] = {1, 1};
  const int32_t values[2] = {7, 8}, index = 2;
  int32_t result = -1;
  const assay_kernel_input inputs[2] = {{values, ASSAY_KERNEL_I32, 3, shape},
                                        {&index, ASSAY_KERNEL_I32, 2, at}};
  const int32_t one[3] = {1, 1, 1};
  const assay_kernel_output output = {&result, ASSAY_KERNEL_I32, 3, one};
  const assay_kernel_call call = {"GATHER", nullptr, 0, inputs, 2, &output, 1, nullptr, 0};
  assay_kernel_report report;
  EXPECT_EQ(assay_kernel_run(&call, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "GATHER: breaks GATHER/REQUIRE/1");
  EXPECT_EQ(result, -1);
  EXPECT_EQ(assay_kernel_run(&call, nullptr), ASSAY_KERNEL_UNPREDICTABLE);
}

TEST(Kernel, KeepsTheRulesOfVariables) {
  uint8_t state = 0;
  int32_t data = 0, value = 5;
  const assay_kernel_variable variable = {"v", &state, &data, 4};
  assay_kernel_report report;
  EXPECT_EQ(assay_kernel_read(&variable, &value, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE_READ/REQUIRE/1");
  EXPECT_EQ(assay_kernel_write(&variable, &value, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE_WRITE/REQUIRE/1");
  EXPECT_EQ(assay_kernel_declare(&variable, nullptr, &report), ASSAY_KERNEL_OK);
  EXPECT_EQ(assay_kernel_read(&variable, &value, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE_READ/REQUIRE/2");
  EXPECT_EQ(assay_kernel_declare(&variable, nullptr, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE/REQUIRE/3");
  EXPECT_EQ(assay_kernel_write(&variable, &value, &report), ASSAY_KERNEL_OK);
  assay_kernel_begin(&state, 1);
  EXPECT_EQ(assay_kernel_write(&variable, &value, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE_WRITE/REQUIRE/2");
  const int32_t initial = 9;  // of a variable that is there already
  EXPECT_EQ(assay_kernel_declare(&variable, &initial, &report), ASSAY_KERNEL_OK);
  value = 0;
  EXPECT_EQ(assay_kernel_read(&variable, &value, &report), ASSAY_KERNEL_OK);
  EXPECT_EQ(value, 5);
}

// Tests tensors with variable=true.
TEST(Kernel, GivesVariablesTheirInitialValueOnce) {
  uint8_t state = 0;
  int32_t data = 0;
  const int32_t initial = 9;
  const assay_kernel_variable variable = {"v", &state, &data, 4};
  assay_kernel_report report;
  EXPECT_EQ(assay_kernel_use(&variable, nullptr, &report), ASSAY_KERNEL_UNPREDICTABLE);
  EXPECT_STREQ(report.reason, "variable \"v\": breaks VARIABLE_READ/REQUIRE/2");
  EXPECT_EQ(assay_kernel_use(&variable, &initial, &report), ASSAY_KERNEL_OK);
  EXPECT_EQ(data, 9);
  data = 3;
  EXPECT_EQ(assay_kernel_use(&variable, &initial, &report), ASSAY_KERNEL_OK);
  EXPECT_EQ(data, 3);
  state = 0;
  assay_kernel_written(&variable);
  EXPECT_EQ(assay_kernel_use(&variable, &initial, &report), ASSAY_KERNEL_OK);
  EXPECT_EQ(data, 3);
}

}  // namespace
}  // namespace assay::assay_kernel_test
