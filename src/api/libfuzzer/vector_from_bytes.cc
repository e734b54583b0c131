// SPDX-License-Identifier: Apache-2.0
#include "vector_from_bytes.h"

#include <algorithm>

#include "branches_and_loops.h"
#include "grow_graph.h"
#include "vector_facts.h"

namespace assay {
namespace {

constexpr int64_t kOperatorsMax = 16;
// Small tensors need few bytes.
constexpr int64_t kElementsMax = 64;
constexpr int32_t kDimensionMax = 5;

const Generator kLibFuzzer = {
    .kind = "libfuzzer", .help = "", .version = 1, .targets = nullptr, .make = nullptr};

}  // namespace

GeneratorOptions OptionsWithin(const Target& target) {
  GeneratorOptions options;
  for (const FeatureRow& row : AllFeatures()) {
    if (target.features && !target.features->Contains(row.feature)) continue;
    options.target = options.target | Requirements{row.feature};
  }
  options.level = kLevel8K;
  options.types = target.types;
  options.elements_max = kElementsMax;
  options.dimension_max = kDimensionMax;
  if (target.limits.rank > 0) {
    options.rank_max =
        static_cast<int32_t>(std::min<int64_t>(target.limits.rank, options.rank_max));
  }
  options.type_rows.assign(kOperatorCount + 1, 0);
  for (const OperatorRow& row : AllOperators()) {
    const uint64_t rows = TypeRowsWithin(target, row.op);
    options.type_rows[static_cast<size_t>(row.op)] = rows;
    if (rows != 0) options.operators.push_back(row.op);
  }
  return options;
}

std::optional<TestVector> VectorFromBytes(std::span<const uint8_t> bytes,
                                          const GeneratorOptions& options, const Menu& menu) {
  if (menu.empty()) return std::nullopt;
  Choices choices(bytes);
  const ValueMode mode = choices.OneIn(4) ? ValueMode::kSpecial : ValueMode::kFinite;
  const int64_t operators = choices.Between(1, kOperatorsMax);
  const bool control_flow = choices.OneIn(8) && AllowsControlFlow(options);
  TestVector vector = GrowGraph(choices, options, menu, operators, mode, control_flow);
  if (vector.steps.empty()) return std::nullopt;
  Describe(vector, options, kLibFuzzer, 0, "");
  return vector;
}

}  // namespace assay
