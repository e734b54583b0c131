// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operator_table.h"
#include "tosa_serialization_handler.h"

namespace assay {

// Handlers for the tests of serialization.

using Attribute = TosaSerializationAttribute;
using BasicBlock = TosaSerializationBasicBlock;
using Handler = TosaSerializationHandler;
using Names = std::vector<std::string>;

// Returns a value of the field's kind that differs from an unset one.
inline Attribute::Value SomeValue(const Attribute::Value& unset) {
  struct Maker {
    Attribute::Value operator()(bool) const { return true; }
    Attribute::Value operator()(int32_t) const { return int32_t{-3}; }
    Attribute::Value operator()(uint32_t) const { return uint32_t{2}; }
    Attribute::Value operator()(const std::vector<int32_t>&) const {
      return std::vector<int32_t>{-1, 2147483647};
    }
    Attribute::Value operator()(const std::string&) const { return std::string("a\n\xc3\xa4"); }
    Attribute::Value operator()(const std::vector<uint8_t>&) const {
      return std::vector<uint8_t>{0, 255, 7};
    }
  };
  return std::visit(Maker(), unset);
}

// Returns a block with every operator, with its table unset and set.
inline BasicBlock EveryOperator() {
  BasicBlock block("every operator");
  for (const OperatorRow& row : AllOperators()) {
    block.GetOperators().emplace_back(row.op, Names{}, Names{});
    const Attribute unset(row.op);
    Attribute attribute = unset;
    for (const auto& [field, value] : unset.GetFields()) {
      attribute.Set(field, SomeValue(value));
    }
    block.GetOperators().emplace_back(row.op, attribute, Names{"x", "", "x"}, Names{"y"}, "from");
  }
  return block;
}

// Returns a block with content that a FlatBuffer can express, even if it has no meaning.
inline BasicBlock OddBlock() {
  BasicBlock block("odd");
  block.GetOperators() = {{Op::kUnknown, Attribute(), {"undeclared"}, {}},
                          {Op::kIdentity, Attribute(Op::kVariableRead), {"a"}, {"a"}},
                          {Op::kConv2d, Attribute(), {}, {}}};
  BasicBlock::Tensor unranked("u", {}, DType::kFp8e5m2);
  unranked.SetIsUnranked(true);
  BasicBlock::Tensor state("state", {2}, DType::kInt16, {1, 0, 2, 0});
  state.SetVariable(true, "net/state");
  block.GetTensors() = {{"a", {-1, 0}, DType::kUnknown},
                        {"a", {2147483647}, DType::kShape, {1}},
                        unranked,
                        state,
                        {"", {}, DType::kInt4, {}}};
  block.GetShapes() = {{"s", 3, {}}, {"t", 4294967295u, {1, 2, 3}}};
  block.GetInputs() = {"a", "a", "nowhere"};
  block.GetOutputs() = {"t"};
  return block;
}

inline Handler FullHandler() {
  Handler handler;
  handler.SetVersion({1, 1, 3, true});
  handler.GetRegions() = {TosaSerializationRegion("first"), TosaSerializationRegion("second"),
                          TosaSerializationRegion("first")};
  handler.GetRegions()[0].AddBlock(EveryOperator());
  handler.GetRegions()[2].AddBlock(OddBlock());
  handler.GetRegions()[2].AddBlock(BasicBlock("odd"));
  return handler;
}

inline std::vector<uint8_t> MustSave(const Handler& handler) {
  Result<std::vector<uint8_t>> bytes = handler.SaveTosaFlatbuffer();
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *bytes : std::vector<uint8_t>();
}

}  // namespace assay
