// SPDX-License-Identifier: Apache-2.0
// Tests what the processes of assay-mlir-helper keep from one request to the next.
#include <gtest/gtest.h>

#include <cstdlib>

#include "mlir_client.h"
#include "mlir_helper.h"

namespace assay::mlir_processes_test {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

class MlirProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
    setenv("ASSAY_MLIR_HELPER", kHelper, 1);
    Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }

  Reply Ask(const Request& request) {
    Result<Reply> reply = client_->Ask(request);
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? std::move(*reply) : Reply();
  }

  // Returns the only result of the only call.
  std::string ResultOf(const Request& request) {
    const Reply reply = Ask(request);
    EXPECT_EQ(reply.stage, Stage::kOk) << reply.detail;
    return reply.stage == Stage::kOk ? reply.calls[0][0] : "";
  }

  std::unique_ptr<MlirClient> client_;
};

// Returns the address of a constant, which each compilation puts elsewhere.
Request AddressOfConstant(const std::string& name) {
  Request request;
  request.module = "memref.global \"private\" constant @" + name + R"( : memref<1xi64> = dense<1>
    func.func @main() -> tensor<i64> {
      %m = memref.get_global @)" +
                   name + R"( : memref<1xi64>
      %p = memref.extract_aligned_pointer_as_index %m : memref<1xi64> -> index
      %i = arith.index_cast %p : index to i64
      %r = tensor.from_elements %i : tensor<i64>
      return %r : tensor<i64> })";
  request.calls = {{}};
  return request;
}

TEST_F(MlirProcesses, KeepTheCodeOfModulesWithoutState) {
  Request request = AddressOfConstant("a");
  const std::string first = ResultOf(request);
  EXPECT_EQ(ResultOf(request), first);
  EXPECT_NE(ResultOf(AddressOfConstant("b")), first);
  EXPECT_EQ(ResultOf(request), first);
  request.optimization = 2;
  EXPECT_NE(ResultOf(request), first);
  request.optimization = 0;
  request.rewrite = "builtin.module(canonicalize)";
  EXPECT_NE(ResultOf(request), first);
  // Only the last few modules are kept.
  request.rewrite.clear();
  for (const char* name : {"c", "d", "e", "f"}) ResultOf(AddressOfConstant(name));
  EXPECT_NE(ResultOf(request), first);
}

TEST_F(MlirProcesses, KeepWhatTheRewriteHasDone) {
  Request request;
  request.module = R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %b = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>
    %r = tosa.abs %b : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32> })";
  request.rewrite = "builtin.module(func.func(cse,tosa-infer-shapes,canonicalize))";
  request.calls = {{std::string(8, '\0')}};
  const Reply first = Ask(request);
  ASSERT_EQ(first.stage, Stage::kOk) << first.detail;
  EXPECT_FALSE(first.applied.empty());
  const Reply second = Ask(request);
  EXPECT_EQ(second.applied, first.applied);
  EXPECT_EQ(second.rewritten, first.rewritten);
  EXPECT_EQ(second.calls, first.calls);
  EXPECT_EQ(second.phase, first.phase);
}

// A module with a counter starts anew with each request.
TEST_F(MlirProcesses, KeepNoState) {
  Request request;
  request.module = R"(memref.global "private" @count : memref<i64> = dense<0>
    func.func @main() -> tensor<i64> {
      %m = memref.get_global @count : memref<i64>
      %old = memref.load %m[] : memref<i64>
      %one = arith.constant 1 : i64
      %new = arith.addi %old, %one : i64
      memref.store %new, %m[] : memref<i64>
      %r = tensor.from_elements %new : tensor<i64>
      return %r : tensor<i64> })";
  request.calls = {{}, {}};
  for (int round = 0; round < 3; ++round) {
    const Reply reply = Ask(request);
    ASSERT_EQ(reply.stage, Stage::kOk) << reply.detail;
    EXPECT_EQ(reply.calls[0][0][0], 1);
    EXPECT_EQ(reply.calls[1][0][0], 2);
  }
}

// The reply to a failure does not depend on the requests before it.
TEST_F(MlirProcesses, BlameTheSameWhereverACaseFails) {
  Request good;
  good.module =
      "func.func @main() -> tensor<1xi8> {\n"
      "  %r = \"tosa.const\"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>\n"
      "  return %r : tensor<1xi8> }";
  good.calls = {{}};
  Request refused;
  refused.module = R"(func.func @main(%a: tensor<1xi8>) -> tensor<1xi8> {
    %r = tosa.custom %a {operator_name = "o", domain_name = "d", implementation_attrs = ""} : (tensor<1xi8>) -> tensor<1xi8>
    return %r : tensor<1xi8> })";
  refused.calls = {{std::string(1, '\0')}};
  const Reply alone = Ask(refused);
  EXPECT_EQ(alone.stage, Stage::kLowering) << alone.detail;
  EXPECT_NE(alone.detail.find("tosa.custom"), std::string::npos) << alone.detail;
  ResultOf(good);
  ResultOf(good);
  const Reply later = Ask(refused);
  EXPECT_EQ(later.stage, alone.stage);
  EXPECT_EQ(later.detail, alone.detail);
  EXPECT_EQ(later.pass, alone.pass);
  EXPECT_EQ(later.pattern, alone.pattern);
  EXPECT_EQ(later.operation, alone.operation);
}

}  // namespace
}  // namespace assay::mlir_processes_test
