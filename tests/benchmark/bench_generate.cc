// SPDX-License-Identifier: Apache-2.0
// Measures vectors a second: generated, evaluated and serialized; executed and judged. All figures
// are for one thread. Prints the mix of operators and the size of tensors as well, because the
// figures mean little without them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "backend_kind.h"
#include "generator_table.h"
#include "grow_graph.h"
#include "judge_vector.h"
#include "operator_facts.h"
#include "random.h"
#include "tosa_file.h"
#include "tvec_file.h"

namespace assay {
namespace {

GeneratorOptions Options() {
  GeneratorOptions options;
  options.seed = 1;
  options.level = kLevel8K;
  return options;
}

// The contents of the vectors of a benchmark.
struct Mix {
  std::array<int64_t, kOperatorCount + 1> operators{};
  int64_t graphs = 0, working = 0, tensors = 0, elements = 0, undecided = 0, judged = 0;

  void Add(const TestVector& vector) {
    for (const Graph& graph : vector.graphs) {
      ++graphs;
      const Block& main = *graph.Main();
      // Zero points, shifts and shapes are tensors, too, but they do not count for the size of a
      // graph.
      std::vector<char> parameter(main.tensors.size(), 0);
      for (const Operator& op : main.operators) {
        for (size_t i = 0; i < op.inputs.size() && i < 32; ++i) {
          if ((FactsOf(op.op).constant_inputs >> i & 1) != 0) {
            parameter[static_cast<size_t>(op.inputs[i])] = 1;
          }
        }
      }
      for (size_t i = 0; i < main.tensors.size(); ++i) {
        if (parameter[i] != 0) continue;
        ++tensors;
        elements += main.tensors[i].type.shape.Elements();
      }
      for (const Operator& op : main.operators) {
        ++operators[static_cast<size_t>(op.op)];
        working += !IsConstant(op.op);
      }
    }
    for (const Step& step : vector.steps) {
      for (const Expectation& output : step.outputs) {
        judged += output.value.elements();
        undecided += std::count_if(output.error.begin(), output.error.end(),
                                   [](double error) { return error != error; });
      }
    }
  }

  void Report(benchmark::State& state) const {
    const auto per = [](int64_t a, int64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    state.counters["operators/graph"] = per(working, graphs);
    state.counters["elements/tensor"] = per(elements, tensors);
    state.counters["undecided/output"] = per(undecided, judged);
  }

  void Print() const {
    std::vector<size_t> order;
    for (size_t i = 1; i < operators.size(); ++i) {
      if (operators[i] > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return operators[a] > operators[b]; });
    std::fprintf(stderr, "operator mix of %ld graphs:", static_cast<long>(graphs));
    for (const size_t i : order) {
      std::fprintf(stderr, " %s %.1f", std::string(OperatorName(static_cast<Op>(i))).c_str(),
                   static_cast<double>(operators[i]) / static_cast<double>(graphs));
    }
    std::fprintf(stderr, " (per graph)\n");
  }
};

// Measures graphs of 20 operators on all types: grown, evaluated in the bound domain, written as
// `.tosa`.
void GraphsOf20(benchmark::State& state) {
  GeneratorOptions options = Options();
  options.elements_max = 440;  // at least 64 elements on average
  const Menu menu(options);
  Mix mix;
  uint64_t index = 0;
  for (auto unused : state) {
    Choices choices(Random::For(1, index++, "bench", 1));
    const TestVector vector = GrowGraph(choices, options, menu, 20, ValueMode::kFinite, false);
    benchmark::DoNotOptimize(WriteTosa(vector.graphs[0]));
  }
  for (uint64_t i = 0; i < std::min<uint64_t>(index, 2'000); ++i) {
    Choices choices(Random::For(1, i, "bench", 1));
    mix.Add(GrowGraph(choices, options, menu, 20, ValueMode::kFinite, false));
  }
  state.SetItemsProcessed(static_cast<int64_t>(index));
  mix.Report(state);
  if (index > 1'000) mix.Print();
}

// Measures whole cases of a kind, described and written as `.tvec`.
void Cases(benchmark::State& state, const char* kind) {
  const GeneratorOptions options = Options();
  const Generator& generator = *GeneratorByKind(kind);
  uint64_t index = 0;
  for (auto unused : state) {
    const auto vector = generator.make(options, index++);
    if (vector) benchmark::DoNotOptimize(WriteTestVector(*vector));
  }
  Mix mix;
  for (uint64_t i = 0; i < std::min<uint64_t>(index, 2'000); ++i) {
    if (const auto vector = generator.make(options, i)) mix.Add(*vector);
  }
  state.SetItemsProcessed(static_cast<int64_t>(index));
  mix.Report(state);
}

// Measures vectors of one operator, made beforehand, run on the reference and judged by all
// oracles.
void ExecuteAndJudge(benchmark::State& state) {
  const GeneratorOptions options = Options();
  const Generator& generator = *GeneratorByKind("operator");
  std::vector<TestVector> vectors;
  Mix mix;
  for (uint64_t i = 0; i < 2'000; ++i) {
    auto vector = generator.make(options, 2 * i);
    if (!vector) continue;
    mix.Add(*vector);
    vectors.push_back(std::move(*vector));
  }
  auto backend = OpenBackend("reference", {});
  if (!backend) {
    state.SkipWithError(backend.error().message.c_str());
    return;
  }
  size_t next = 0;
  int64_t disagrees = 0;
  for (auto unused : state) {
    const TestVector& vector = vectors[next++ % vectors.size()];
    const auto outcomes = (*backend)->Run(vector);
    disagrees += JudgeVector(vector, *outcomes).kind == VerdictKind::kDisagrees;
  }
  state.SetItemsProcessed(static_cast<int64_t>(next));
  state.counters["disagrees"] = static_cast<double>(disagrees);
  mix.Report(state);
}

BENCHMARK(GraphsOf20);
BENCHMARK_CAPTURE(Cases, operator, "operator");
BENCHMARK_CAPTURE(Cases, graph, "graph");
BENCHMARK_CAPTURE(Cases, stateful, "stateful");
BENCHMARK(ExecuteAndJudge)->UseRealTime();

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
