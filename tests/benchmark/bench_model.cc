// SPDX-License-Identifier: Apache-2.0
// Plants forty faults in layers of networks, and counts those of which `assay model` names the
// layer: with the layer itself wrong, and with a fault that only graphs of several operators show.
//
//   bench_model [NETWORK...]
//
// Networks are named as in `assay gen --network`: mobilenet_v2@224,fp32. On a lattice network the
// backend declares plain sums.
// Prints for each network and fault the layer that was named, the runs of the backend, and seconds.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "generator_table.h"
#include "model_verdict.h"
#include "planted_fault.h"
#include "random.h"

namespace assay {
namespace {

constexpr int kFaultsOfEach = 10;  // of each network

struct Count {
  int planted = 0, named = 0, suspects = 0, missed = 0, elsewhere = 0;
  int64_t runs = 0, most_runs = 0;
  double seconds = 0;
};

std::optional<TestVector> Network(const std::string& name) {
  GeneratorOptions options;
  options.target = {Feature::kProInt, Feature::kProFp};
  options.level = kLevel8K;
  options.network = name;
  return GeneratorByKind("network")->make(options, 0);
}

// A network, without its expectation, and what its backend declares.
void MeasureNetwork(const std::string& name, bool plain_sums, int64_t operators_min, Count& all) {
  const std::optional<TestVector> network = Network(name);
  if (!network) return;
  const Block& main = MainOf(*network);
  const NeededPart part = PartNeededBy(main, main.outputs);
  const std::vector<Outcome> right = ExecuteVector(*network, {});
  Random random = Random::For(1, 0, name, 1);
  Count count;
  for (int tries = 0; count.planted < kFaultsOfEach && tries < 200; ++tries) {
    const Operator& op = main.operators[static_cast<size_t>(random.Pick(part.operators))];
    const LayerFault fault = random.Pick(kAllLayerFaults);
    const std::string tensor = main.tensors[static_cast<size_t>(op.outputs[0])].name;
    TestVector changed = *network;
    if (!PlantFault(fault, tensor, changed.graphs[0])) continue;
    // A fault that changes no output is none.
    if (ExecuteVector(changed, {})[0].outputs == right[0].outputs) continue;
    ++count.planted;
    FaultyBackend backend(fault, tensor, operators_min);
    BackendDeclarations declared;
    declared.plain_sums = plain_sums;
    backend.Declare(declared);
    const auto start = std::chrono::steady_clock::now();
    const Result<ModelVerdict> verdict = JudgeModel(backend, *network, name);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool found = verdict && verdict->wrong;
    const std::string layer = found ? verdict->layers[verdict->wrong->layer].name : "";
    const bool is_suspect = found && verdict->wrong->is_suspect;
    const bool is_named = layer == tensor;
    ++(!found       ? count.missed
       : !is_named  ? count.elsewhere
       : is_suspect ? count.suspects
                    : count.named);
    const int64_t runs = verdict ? verdict->runs : 0;
    count.runs += runs;
    count.most_runs = std::max(count.most_runs, runs);
    count.seconds += took.count();
    std::printf("  %-18s %-14s %-12s named %-12s %s, %ld runs, %.2f s\n",
                std::string(LayerFaultName(fault)).c_str(),
                std::string(OperatorName(op.op)).c_str(), tensor.c_str(), layer.c_str(),
                !found       ? "MISSED"
                : !is_named  ? "ANOTHER LAYER"
                : is_suspect ? "suspect"
                             : "finding",
                static_cast<long>(runs), took.count());
  }
  std::printf(
      "%-28s %s: %d planted, %d named by a finding, %d by a suspicion, %d another layer, %d "
      "missed; "
      "at most %ld runs, %.2f s each\n",
      name.c_str(), operators_min > 0 ? "together" : "alone", count.planted, count.named,
      count.suspects, count.elsewhere, count.missed, static_cast<long>(count.most_runs),
      count.seconds / std::max(1, count.planted));
  all.planted += count.planted;
  all.named += count.named;
  all.suspects += count.suspects;
  all.elsewhere += count.elsewhere;
  all.missed += count.missed;
  all.most_runs = std::max(all.most_runs, count.most_runs);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  std::vector<std::string> networks(argv + 1, argv + argc);
  if (networks.empty()) {
    networks = {"mobilenet_v2@32,i8", "mobilenet_v2@32,fp32,lattice", "resnet@32,i8",
                "resnet@32,fp32"};
  }
  for (const int64_t operators_min : {int64_t{0}, int64_t{8}}) {
    assay::Count all;
    for (const std::string& network : networks) {
      assay::MeasureNetwork(network, network.ends_with(",lattice"), operators_min, all);
    }
    std::printf(
        "%s: %d planted, %d named by a finding, %d by a suspicion, %d another, %d missed, "
        "at most %ld runs\n\n",
        operators_min > 0 ? "faults of graphs of 8 operators and more" : "faults of a layer",
        all.planted, all.named, all.suspects, all.elsewhere, all.missed,
        static_cast<long>(all.most_runs));
  }
}
