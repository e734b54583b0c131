// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "backend.h"
#include "block_builder.h"

namespace assay {

// A counter in each context: VARIABLE v = {10,20}, then v = v + input; the output is the new v.
inline Graph Counter() {
  BlockBuilder b;
  const TensorIndex input = b.Input("fp32[2]");
  b.Append(Op::kVariable, {}, {},
           {{AttributeId::kName, std::string("v")},
            {AttributeId::kVarShape, std::vector<int32_t>{2}},
            {AttributeId::kType, static_cast<int32_t>(DType::kFp32)},
            {AttributeId::kInitialValue, TensorOf("fp32[2]{10,20}")}});
  const Attributes v = {{AttributeId::kName, std::string("v")}};
  const TensorIndex before = b.Add(Op::kVariableRead, {}, "fp32[2]", v);
  const TensorIndex after = b.Add(Op::kAdd, {before, input}, "fp32[2]");
  b.Append(Op::kVariableWrite, {after}, {}, v);
  b.Outputs({after});
  return GraphOf({b.block});
}

// Context 0 computes {10,20} + {1,2} twice. Context 1 does the same from the start, in between.
inline TestVector TwoCounters() {
  TestVector vector;
  vector.name = "two counters";
  vector.graphs = {Counter()};
  const auto step = [&vector](int32_t context, std::string_view sum) {
    Step& added = vector.steps.emplace_back();
    added.context = context;
    added.inputs = {TensorOf("fp32[2]{1,2}")};
    added.outputs = {{TensorOf(sum), {}, {}, "exact"}};
    added.state_after["v"] = added.outputs[0];
  };
  step(0, "fp32[2]{11,22}");
  step(1, "fp32[2]{11,22}");
  step(0, "fp32[2]{12,24}");
  return vector;
}

// Returns the outcomes of a backend for a vector that it supports.
inline std::vector<Outcome> OutcomesOf(Backend& backend, const TestVector& vector = TwoCounters()) {
  EXPECT_EQ(backend.WhyUnsupported(vector), "");
  Result<std::vector<Outcome>> outcomes = backend.Run(vector);
  EXPECT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_EQ(outcomes->size(), vector.steps.size());
  return *outcomes;
}

}  // namespace assay
