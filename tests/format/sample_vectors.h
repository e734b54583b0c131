// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "test_vector.h"

namespace assay {

// Vectors for the tests of files.

inline TensorIndex Add(Block& block, const char* name, DType type, Shape shape) {
  TensorInfo info;
  info.name = name;
  info.type = {type, shape};
  block.tensors.push_back(info);
  return static_cast<TensorIndex>(block.tensors.size() - 1);
}

inline Graph AbsGraph(DType type) {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  block.inputs = {Add(block, "in", type, {2})};
  block.outputs = {Add(block, "out", type, {2})};
  block.operators.push_back({Op::kAbs, {}, {0}, {1}});
  return graph;
}

// Returns a record with something in every field, for graphs with one input, output and operator.
inline FoldRecord FullFoldRecord() {
  FoldRecord record;
  record.form = FoldForm::kRuntime;
  record.policy = {SizePolicyKind::kAbsolute, 12};
  record.original = 1;
  record.postponed = 0;
  record.stages = {FoldStageRecord{0, {{FoldSource::Kind::kArgument, 0}}, {0}},
                   FoldStageRecord{1, {{FoldSource::Kind::kArgument, 0}}, {1}},
                   FoldStageRecord{0, {{FoldSource::Kind::kCached, 1}}, {}}};
  record.cached = {{7, "a", {DType::kInt4, {2, 3}}, FoldStage::kCompileTime, 6},
                   {-8, "b", {DType::kFp32, {}}, FoldStage::kRuntime, 4}};
  StageSet twice;
  twice.Add(FoldStage::kRuntime);
  twice.Add(FoldStage::kEntry);
  record.certificate = {{{ExpanderKind::kPad, {"p"}, "r", {"i"}, {"c"}},
                         {ExpanderKind::kWideningCast, {"p", "q"}, "s", {}, {}}},
                        {twice},
                        {"m"}};
  return record;
}

// Returns a memory plan with something in every field.
inline PlanRecord FullPlanRecord() {
  PlanRecord record;
  record.planned.problem.pools = {
      {"sram", 1000, 64, 16, {{"c", PoolAccess::kReadWrite}, {"*", PoolAccess::kReadOnly}}},
      {"slow"}};
  record.planned.problem.buffers = {
      {"main/in", 16, 8, {{-3, 5}}, {1}, {1, 0}, {}, BufferKind::kInput},
      {"w", 32, 1, {{0, 2}, {4, 9, 8, 24}}, {}, {}, 64, BufferKind::kConstant},
      {"left out"}};
  record.planned.plan = MemoryPlan{{PoolAllocation{1, 8}, PoolAllocation{0, 64}, std::nullopt},
                                   {{"stray", "sram", -1}}};
  record.graph = 1;
  record.broken = "unknown";
  record.fault = "a fault";
  record.optimum = 48;
  return record;
}

// Returns a vector with something in every field.
inline TestVector FullVector() {
  TestVector vector;
  vector.name = "full";
  vector.spec = {1, 0, 2, true};
  vector.requirements = {"PRO-INT", "EXT-VARIABLE"};
  vector.level = "none";
  vector.graphs = {AbsGraph(DType::kInt32), AbsGraph(DType::kFp32)};
  vector.tags = {"first-error-wins"};
  vector.provenance = {uint64_t{1} << 63, 17, "graph", 3, "0.1.0", "a note"};
  const int64_t integers[] = {-2147483648, 5};
  const double floats[] = {-1.5, std::numeric_limits<double>::infinity()};
  Step first;
  first.context = 2;
  first.inputs = {Tensor::FromIntegers(DType::kInt32, {2}, integers)};
  first.expected = OutcomeKind::kUnpredictable;
  first.rule = "ABS/REQUIRE/apply_abs";
  first.state_before["v"] = Tensor::FromIntegers(DType::kInt48, {2}, integers);
  Step second;
  second.graph = 1;
  second.inputs = {Tensor::FromFloats(DType::kFp32, {2}, floats)};
  second.outputs = {{Tensor::FromFloats(DType::kFp32, {2}, floats),
                     {1.5, 0.1},
                     {0, 0x1p-25},
                     "r",
                     DotStatistics{{0, 0x1p-27}, 4, 3.2, 5}}};
  second.state_after["w"] = {Tensor::Splat(DType::kInt4, {3}, -7), {}, {}, "exact"};
  second.state_after["a"] = {Tensor::Splat(DType::kBool, {}, 1), {}, {}, "exact"};
  Step third;
  third.expected = OutcomeKind::kError;
  third.rule = "ABS/ERROR_IF/types";
  vector.steps = {first, second, third};
  vector.constness = {{1, {Constness::kRuntime}}};
  vector.folds = {FullFoldRecord()};
  vector.fold_pairs = {{0, 1, "x * 1 = x", false, "why"}};
  vector.plans = {FullPlanRecord(), {}};
  return vector;
}

}  // namespace assay
