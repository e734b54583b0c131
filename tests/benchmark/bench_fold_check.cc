// SPDX-License-Identifier: Apache-2.0
// Measures how many pairs of graphs CheckFold() decides, and in what time, without a certificate
// and without comparing them as graphs. The pairs are those of the `fold` generator, half of them
// wrong, with up to 4,096 elements a tensor. Pairs that normalisation makes one graph are left out.
// Usage: bench_fold_check [PAIRS [SEED]]. Exit status 1 if a verdict is wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "equal_graphs.h"
#include "generator_table.h"
#include "isomorphic_graphs.h"
#include "operator_definition.h"
#include "operator_set.h"

namespace assay {
namespace {

struct Row {
  int64_t pairs = 0, decided = 0, wrong = 0;
  std::vector<double> milliseconds;
};

double PercentileOf(std::vector<double> numbers, size_t percent) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  return numbers[(numbers.size() - 1) * percent / 100];
}

// Returns true if an operator computes with floats. Data movement is no arithmetic.
bool ComputesFloats(const Graph& graph) {
  const Block& main = *graph.Main();
  return std::ranges::any_of(main.operators, [&](const Operator& op) {
    return ops::DefinitionOf(op.op).move == nullptr && op.op != Op::kConst &&
           std::ranges::any_of(op.inputs,
                               [&](TensorIndex input) { return IsFloat(main.TypeOf(input).type); });
  });
}

void Print(const std::string& name, const Row& row) {
  const auto count = static_cast<double>(row.pairs);
  std::printf("%-28s %6ld %6ld %6.1f %% %6ld %9.2f %9.2f %9.2f\n", name.c_str(), row.pairs,
              row.decided, 100 * static_cast<double>(row.decided) / count, row.wrong,
              PercentileOf(row.milliseconds, 50), PercentileOf(row.milliseconds, 95),
              PercentileOf(row.milliseconds, 100));
}

int Run(int64_t pairs, uint64_t seed) {
  GeneratorOptions options;
  options.seed = seed;
  options.level = kLevel8K;
  options.elements_max = 4096;
  options.dimension_max = 64;
  const Generator& generator = *GeneratorByKind("fold");
  FoldCheckOptions check;
  check.structural = false;
  check.prove = true;
  std::map<std::string, Row> rows;
  std::map<std::string, int64_t> reasons;
  int64_t wrong = 0, same_graph = 0;
  for (int64_t index = 0; index < pairs; ++index) {
    const auto vector = generator.make(options, static_cast<uint64_t>(index));
    if (!vector) continue;
    const Graph &before = vector->graphs[0], &after = vector->graphs[1];
    if (AreIsomorphic(before, after)) {
      ++same_graph;
      continue;
    }
    const std::clock_t start = std::clock();
    const FoldVerdict verdict = CheckFold(before, after, check);
    const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const FoldPair& pair = vector->fold_pairs[0];
    const bool floats = ComputesFloats(before) || ComputesFloats(after);
    const std::string title = vector->name.substr(vector->name.find('-', 5) + 1);
    const auto right = pair.equal ? FoldVerdictKind::kEqual : FoldVerdictKind::kDifferent;
    const bool decided = verdict.kind != FoldVerdictKind::kUndecided;
    for (const std::string& name : {title, std::string(floats ? "floats" : "integers and moves"),
                                    std::string(pair.equal ? "equal" : "different")}) {
      Row& row = rows[name];
      ++row.pairs;
      row.decided += decided;
      row.wrong += decided && verdict.kind != right;
      row.milliseconds.push_back(milliseconds);
    }
    if (!decided) ++reasons[title + ": " + pair.law + ": " + verdict.reason.substr(0, 90)];
    if (decided && verdict.kind != right) {
      ++wrong;
      std::printf("WRONG: %s, %s: %s\n", vector->name.c_str(), pair.law.c_str(),
                  std::string(FoldVerdictName(verdict.kind)).c_str());
    }
  }
  std::printf("%-28s %6s %6s %8s %6s %9s %9s %9s\n", "", "pairs", "decide", "", "wrong",
              "median ms", "95 %", "max");
  for (const auto& [name, row] : rows) Print(name, row);
  std::printf("%ld more are one graph after normalisation\n", same_graph);
  for (const auto& [reason, count] : reasons) {
    std::printf("undecided %4ld  %s\n", count, reason.c_str());
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int64_t pairs = argc > 1 ? std::atoll(argv[1]) : 1000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return assay::Run(pairs, seed);
}
