// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "block_builder.h"
#include "certified_folding.h"
#include "dataflow.h"
#include "fold_graph.h"
#include "folded_module.h"

// Helpers for tests of folded graphs: a folding as one line of text, and a comparison of results.
namespace assay::testing {

inline constexpr Constness kVarying = Constness::kVarying, kRuntime = Constness::kRuntime,
                           kCompileTime = Constness::kCompileTime;
inline constexpr FoldStage kAll[] = {FoldStage::kCompileTime, FoldStage::kRuntime,
                                     FoldStage::kEntry};

inline TensorIndex Negate(BlockBuilder& b, TensorIndex x, std::string_view type,
                          std::string_view zero = "fp32[1]{0}") {
  const TensorIndex zero_in = b.Constant(zero), zero_out = b.Constant(zero);
  return b.Add(Op::kNegate, {x, zero_in, zero_out}, type);
}

inline TensorIndex Tile(BlockBuilder& b, TensorIndex x, std::string_view multiples,
                        std::string_view type) {
  const TensorIndex times = b.Constant(multiples);
  return b.Add(Op::kTile, {x, times}, type);
}

inline Folding Folded(const Graph& graph, std::vector<Constness> arguments,
                      FoldOptions options = {}) {
  const Result<Folding> folding = FoldGraph(graph, arguments, options);
  EXPECT_TRUE(folding) << (folding ? "" : folding.error().message);
  if (!folding) return {{graph, graph, graph, graph}, {}, {}};
  FoldCertificateOptions check;
  check.execution = options.execution;
  check.pure_domains = options.pure_domains;
  for (const FoldFlaw& flaw : FlawsOf(*folding, check)) {
    ADD_FAILURE() << flaw.rule << " " << flaw.where;
  }
  return *folding;
}

// Returns the operators of a stage, without CONSTs: "TILE ADD".
inline std::string Operators(const Folding& folding, FoldStage stage) {
  std::string text;
  for (const Operator& op : folding.stage(stage).Main()->operators) {
    if (IsConstant(op.op)) continue;
    text += (text.empty() ? "" : " ") + std::string(OperatorName(op.op));
  }
  return text;
}

// Returns "compile-time operators | run-time operators | operators of the entry; cached types".
inline std::string TextOf(const Folding& folding) {
  std::string text;
  for (const FoldStage stage : kAll) {
    text += (stage == FoldStage::kCompileTime ? "" : " | ") + Operators(folding, stage);
  }
  text += ";";
  for (const CachedTensor& cached : folding.record.cached) text += " " + cached.type.ToString();
  return text;
}

inline std::unique_ptr<FoldedModule> Loaded(const Folding& folding,
                                            const std::vector<Tensor>& inputs,
                                            const ExecutionOptions& options = {}) {
  return std::move(
      FoldedModule::Load(folding, ViewsOf(inputs), std::make_shared<ConstantCache>(), options)
          .value());
}

// Executes the original and the folding, and then both with other varying inputs, for which only
// the entry runs. Compares nothing if the original is not valid.
inline void ExpectToAgree(const Folding& folding, const std::vector<Tensor>& inputs,
                          const ExecutionOptions& options = {}) {
  Context original;
  FoldContext folded;
  const auto expect = [&](const Outcome& wanted, const Outcome& got) {
    ASSERT_EQ(OutcomeName(wanted.kind), OutcomeName(got.kind)) << got.rule << " " << got.message;
    EXPECT_EQ(wanted.outputs, got.outputs);
    EXPECT_EQ(wanted.state, got.state);
  };
  const Outcome first = Execute(original, folding.original(), inputs, options);
  if (first.kind != OutcomeKind::kValid) return;
  const std::unique_ptr<FoldedModule> module = Loaded(folding, inputs, options);
  expect(first, OutcomeOf(module->Run(folded, ViewsOf(inputs), options)));
  std::vector<Tensor> others = inputs;
  for (size_t i = 0; i < others.size(); ++i) {  // turned round, so that integers stay in range
    if (folding.arguments[i] != kVarying) continue;
    const auto width = static_cast<size_t>(ElementBytes(others[i].type()));
    std::vector<uint8_t> bytes(others[i].bytes().begin(), others[i].bytes().end());
    std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end());
    others[i] = Tensor::FromBytes(others[i].type(), others[i].shape(), std::move(bytes));
  }
  const Outcome second = Execute(original, folding.original(), others, options);
  if (second.kind != OutcomeKind::kValid) return;
  expect(second, OutcomeOf(module->Run(folded, ViewsOf(others), options)));
}

inline std::vector<Tensor> Tensors(const std::vector<std::string_view>& texts) {
  std::vector<Tensor> tensors;
  for (const std::string_view text : texts) tensors.push_back(TensorOf(text));
  return tensors;
}

}  // namespace assay::testing
