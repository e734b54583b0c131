// SPDX-License-Identifier: Apache-2.0
// Measures a graph of 10,000 operators and 100 MB of constants. It is loaded and saved by the
// handler, which keeps its form, and as a Graph, which keeps its meaning. For comparison, measures
// its verification, also by the code that flatc generates, and a copy of its bytes. `peak_MiB` is
// the largest memory use beyond what the process had before.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tosa_file.h"
#include "tosa_generated.h"
#include "tosa_serialization_handler.h"
#include "verify_tosa.h"

namespace assay {
namespace {

using Block = TosaSerializationBasicBlock;

// Returns x = x + c, of 20,000 bytes, 5,000 times.
TosaSerializationHandler LargeGraph() {
  constexpr int32_t kElements = 5000;
  TosaSerializationHandler handler;
  Block& block = handler.GetRegions().emplace_back("main").AddBlock(Block("main"));
  block.GetTensors().emplace_back("x0", std::vector{kElements}, DType::kFp32);
  block.GetInputs() = {"x0"};
  for (int i = 0; i < 5000; ++i) {
    const std::string constant = "c" + std::to_string(i), from = "x" + std::to_string(i),
                      to = "x" + std::to_string(i + 1);
    block.GetTensors().emplace_back(constant, std::vector{kElements}, DType::kFp32,
                                    std::vector<uint8_t>(kElements * sizeof(float), 63));
    block.GetTensors().emplace_back(to, std::vector{kElements}, DType::kFp32);
    block.GetOperators().emplace_back(Op::kConst, Block::Names{}, Block::Names{constant});
    block.GetOperators().emplace_back(Op::kAdd, Block::Names{from, constant}, Block::Names{to});
  }
  block.GetOutputs() = {"x5000"};
  return handler;
}

const std::vector<uint8_t>& LargeFile() {
  static const std::vector<uint8_t> kFile = *LargeGraph().SaveTosaFlatbuffer();
  return kFile;
}

// Returns a line of /proc/self/status, in MiB. "VmRSS" is the memory of this process, "VmHWM" its
// maximum since the last reset.
double Memory(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which + ":")) return std::atof(line.c_str() + which.size() + 1) / 1024;
  }
  return 0;
}

// Runs `once` and reports bytes a second and memory.
template <class Function>
void Measure(benchmark::State& state, Function once) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the most
  const double before = Memory("VmRSS");
  benchmark::DoNotOptimize(once());
  state.counters["peak_MiB"] = std::max(0.0, Memory("VmHWM") - before);
  for (auto _ : state) benchmark::DoNotOptimize(once());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(LargeFile().size()));
}

void Copy(benchmark::State& state) {
  Measure(state, [to = std::vector<uint8_t>(LargeFile().size())]() mutable {
    std::memcpy(to.data(), LargeFile().data(), to.size());
    benchmark::ClobberMemory();
    return to[7];
  });
}

void Verify(benchmark::State& state) {
  Measure(state, [] { return bool(VerifyTosa(LargeFile(), "large")); });
}

void VerifyGenerated(benchmark::State& state) {
  Measure(state, [] {
    constexpr flatbuffers::uoffset_t kDepth = 64, kTables = 1'000'000;
    flatbuffers::Verifier verifier(LargeFile().data(), LargeFile().size(), kDepth, kTables);
    return tosa::VerifyTosaGraphBuffer(verifier);
  });
}

void LoadHandler(benchmark::State& state) {
  Measure(state, [] {
    TosaSerializationHandler handler;
    return bool(handler.LoadTosaFlatbuffer(LargeFile(), "large"));
  });
}

void SaveHandler(benchmark::State& state) {
  const TosaSerializationHandler handler = LargeGraph();
  Measure(state, [&handler] { return handler.SaveTosaFlatbuffer()->size(); });
}

void LoadGraph(benchmark::State& state) {
  Measure(state, [] { return ReadTosa(LargeFile(), "large", nullptr)->OperatorCount(); });
}

void SaveGraph(benchmark::State& state) {
  const Graph graph = *ReadTosa(LargeFile(), "large", nullptr);
  Measure(state, [&graph] { return WriteTosa(graph).size(); });
}

BENCHMARK(Copy)->Unit(benchmark::kMillisecond);
BENCHMARK(Verify)->Unit(benchmark::kMillisecond);
BENCHMARK(VerifyGenerated)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadHandler)->Unit(benchmark::kMillisecond);
BENCHMARK(SaveHandler)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadGraph)->Unit(benchmark::kMillisecond);
BENCHMARK(SaveGraph)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
