// SPDX-License-Identifier: Apache-2.0
// Tests of target.json: what is written and read, and what is wrong with a file.
#include <gtest/gtest.h>

#include "files.h"
#include "target_file.h"

namespace assay::file_test {
namespace {

constexpr char kDevice[] = R"({
  "assay_target": 1,
  "name": "device",
  "profiles": ["PRO-INT"],
  "extensions": [],
  "level": "8K",
  "types": ["bool", "i8", "i32"],
  "limits": {"rank": 4, "dimension": 4096, "elements": 65536, "constant_bytes": 1000},
  "variables": false,
  "variable_tensors": false,
  "operators": {
    "CONV2D": {
      "types": [
        {"in_t": "i8", "weight_t": "i8", "ranges": {"stride": {"max": 2}}},
        {"inputs": ["i16", "any"], "outputs": ["i48"]}
      ],
      "ranges": {"pad": {"max": 7}, "local_bound": {"values": [false]}, "kernel": {"max": 8}},
      "constants": ["weight", "bias"]
    },
    "MAX_POOL2D": {"types": ["i8"], "ranges": {"nan_mode": {"values": ["PROPAGATE"]}}},
    "ADD": {},
    "TILE": {"ranges": {"multiples": {"min": 1, "max": 3}, "rank": {"values": [1, 2, 4]}}}
  }
}
)";

Result<Target> Read(std::string_view text) { return ReadTarget(text, "t.json"); }

TEST(TargetFile, IsReadFieldByField) {
  const Result<Target> target = Read(kDevice);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->name, "device");
  EXPECT_EQ(target->features, Requirements{Feature::kProInt});
  EXPECT_EQ(target->level, "8K");
  EXPECT_EQ(target->types, (std::vector{DType::kBool, DType::kInt8, DType::kInt32}));
  EXPECT_EQ(target->limits.constant_bytes, 1000);
  EXPECT_TRUE(target->control_flow);
  EXPECT_FALSE(target->variables);
  EXPECT_EQ(target->operators->size(), 6u) << "the four that are listed, CONST and CONST_SHAPE";
  const OperatorUses& convolution = target->operators->at(Op::kConv2d);
  EXPECT_EQ(convolution.constants, (std::vector{1, 2}));
  EXPECT_EQ(convolution.types[0].variables[0], DType::kInt8);
  EXPECT_EQ(convolution.types[1].inputs, (std::vector{DType::kInt16, DType::kUnknown}));
  EXPECT_EQ(target->operators->at(Op::kMaxPool2d).types[0].first, DType::kInt8);
}

TEST(TargetFile, IsWrittenInOneOrderAndReadBack) {
  const Result<Target> target = Read(kDevice);
  ASSERT_TRUE(target) << target.error().message;
  const std::string text = WriteTarget(*target);
  const Result<Target> again = Read(text);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(*again, *target) << text;
  EXPECT_EQ(WriteTarget(*again), text);
  const Target all;
  EXPECT_EQ(WriteTarget(all), "{\n  \"assay_target\": 1\n}\n");
  EXPECT_EQ(*Read(WriteTarget(all)), all);
}

// The files of the project are those that the writer writes.
TEST(TargetFile, OfTheProjectIsAsWritten) {
  const std::string folder = ASSAY_SOURCE_DIR "/corpus/targets";
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  ASSERT_TRUE(names) << names.error().message;
  int targets = 0;
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    const std::string text = *ReadTextFile(JoinPath(folder, name));
    const Result<Target> target = ReadTarget(text, name);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(WriteTarget(*target), text) << name;
    ++targets;
  }
  EXPECT_EQ(targets, 14);
  const Result<Target> integers = LoadTarget(JoinPath(folder, "pro-int.json"));
  EXPECT_EQ(TypeRowsWithin(*integers, Op::kConv2d), 1u);
  EXPECT_EQ(TypeRowsWithin(*integers, Op::kSin), 0u);
}

TEST(TargetFile, RefusesListsThatAreEmpty) {
  const auto message = [](const std::string& field) {
    const Result<Target> target = Read(R"({"assay_target": 1, )" + field + "}");
    return target ? "" : target.error().message;
  };
  const std::string empty = ": is empty; name at least one, or leave the field out";
  EXPECT_EQ(message(R"("types": [])"), "t.json: /types" + empty);
  EXPECT_EQ(message(R"("profiles": [])"), "t.json: /profiles" + empty);
  EXPECT_EQ(message(R"("profiles": [], "extensions": ["EXT-BF16"])"), "t.json: /profiles" + empty);
  const std::string add = R"("operators": {"CONV2D": )";
  EXPECT_EQ(message(add + R"({"constants": []}})"), "t.json: /operators/CONV2D/constants" + empty);
  EXPECT_EQ(message(add + R"({"ranges": {"stride": {"values": []}}}})"),
            "t.json: /operators/CONV2D/ranges/stride/values" + empty);
  EXPECT_EQ(message(add + R"({"types": [{"inputs": []}]}})"),
            "t.json: /operators/CONV2D/types/0/inputs" + empty);
  EXPECT_EQ(message(add + R"({"types": [{"outputs": []}]}})"),
            "t.json: /operators/CONV2D/types/0/outputs" + empty);
  EXPECT_EQ(message(R"("extensions": [])"), "") << "a target without extensions";
}

TEST(TargetFile, RefusesDoubledKeys) {
  const Result<Target> target = Read(R"({"assay_target": 1, "operators": {
    "ADD": {"types": ["i32"]},
    "ADD": {}}})");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().message,
            "t.json:3: /operators/ADD: is there twice; keep one of the two");
}

TEST(TargetFile, SaysWhatIsWrongAndWhere) {
  const auto with = [](const std::string& field) {
    return R"({"assay_target": 1, )" + field + "}";
  };
  const auto with_uses = [&](const std::string& uses) {
    return with(R"("operators": {"CONV2D": )" + uses + "}");
  };
  const struct {
    std::string text, error;
  } kCases[] = {
      {"", "is not a JSON object"},
      {"[1]", "is not a JSON object"},
      {"{}", "has no \"assay_target\", the version of the schema"},
      {R"({"assay_target": 2})", "/assay_target: version 2; this build reads version 1"},
      {R"({"assay_target": "1"})", "/assay_target: is not a whole number of 64 bits"},
      {with(R"("operator": {})"), "/operator: a field that is not known"},
      {with(R"("name": 3)"), "/name: is not a text"},
      {with(R"("level": "16K")"), "/level: is neither 8K nor none"},
      {with(R"("profiles": "PRO-INT")"), "/profiles: is not a list"},
      {with(R"("profiles": ["PRO-IN"])"),
       "/profiles/0: no profile is named 'PRO-IN'; the nearest are PRO-INT"},
      {with(R"("types": ["int8"])"), "/types/0: no type is named 'int8'; there are bool"},
      {with(R"("limits": {"ranks": 4})"),
       "/limits/ranks: no limit is named 'ranks'; the nearest is rank"},
      {with(R"("limits": {"rank": 0})"), "/limits/rank: 0 is less than 1"},
      {with(R"("limits": {"rank": 1e3})"), "/limits/rank: is not a whole number of 64 bits"},
      {with(R"("variables": 1)"), "/variables: is not true or false"},
      {with(R"("operators": ["ADD"])"), "/operators: is not an object"},
      {with(R"("operators": {"CONV": {}})"),
       "/operators/CONV: no operator is named 'CONV'; the nearest are CONV2D, CONV3D"},
      {with_uses("[]"), "/operators/CONV2D: is not an object"},
      {with_uses(R"({"kernel": 8})"), "/operators/CONV2D/kernel: a field that is not known"},
      {with_uses(R"({"types": []})"),
       "/operators/CONV2D/types: is empty; leave the operator out instead"},
      {with_uses(R"({"types": [{"in_tt": "i8"}]})"),
       "/operators/CONV2D/types/0/in_tt: no type variable of CONV2D is named 'in_tt'"},
      {with_uses(R"({"types": [{"in_t": "i8", "out_t": "fp32"}]})"),
       "/operators/CONV2D/types/0: no row of the type table of CONV2D has these types"},
      {with_uses(R"({"ranges": {"strides": {}}})"),
       "/operators/CONV2D/ranges/strides: no range of CONV2D is named 'strides'; the nearest is "
       "stride"},
      {with_uses(R"({"ranges": {"stride": {"most": 3}}})"),
       "/operators/CONV2D/ranges/stride/most: a field that is not known"},
      {with_uses(R"({"ranges": {"stride": {"min": 3, "max": 2}}})"),
       "/operators/CONV2D/ranges/stride: min is greater than max"},
      {with_uses(R"({"ranges": {"stride": {"max": "two"}}})"),
       "/operators/CONV2D/ranges/stride/max: is no value of stride"},
      {with_uses(R"({"constants": ["weights"]})"),
       "/operators/CONV2D/constants/0: no operand of CONV2D is named 'weights'; the nearest is "
       "weight"},
  };
  for (const auto& [text, error] : kCases) {
    const Result<Target> target = Read(text);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().kind, Error::Kind::kBadInput);
    EXPECT_EQ(target.error().message.find("t.json: " + error), 0u) << target.error().message;
    EXPECT_EQ(target.error().message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(LoadTarget("/no/target.json").error().kind, Error::Kind::kBadInput);
}

}  // namespace
}  // namespace assay::file_test
