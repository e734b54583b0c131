// SPDX-License-Identifier: Apache-2.0
// Whole networks: MobileNetV2, ResNet, U-Net, transformers, LSTM, GRU and a keyword spotter. On
// natural weights, on a lattice where every sum is exact, and in i8.
#include "exact_sums.h"
#include "executor.h"
#include "network_request.h"
#include "recipe.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator network_generator;

namespace {

// Returns the networks that the options ask for: one, or all small ones.
std::vector<NetworkRequest> NetworksOf(const GeneratorOptions& options) {
  if (options.network.empty()) return SmallNetworks(options);
  const Result<NetworkRequest> request = ParseNetwork(options.network);
  return request ? std::vector<NetworkRequest>{*request} : std::vector<NetworkRequest>();
}

int64_t Targets(const GeneratorOptions& options) { return std::ssize(NetworksOf(options)); }

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const std::vector<NetworkRequest> networks = NetworksOf(options);
  if (networks.empty()) return std::nullopt;
  const NetworkRequest& request = networks[static_cast<size_t>(index % networks.size())];
  // The layer of more bits walks through the layers of a lattice network. It is another one in each
  // size and type.
  const uint64_t walk = index / networks.size() + index % networks.size();
  std::optional<TestVector> vector = BuildNetwork(
      request, options.level, walk,
      Random::For(options.seed, index, network_generator.kind, network_generator.version));
  if (!vector || !AllowsGraph(options, vector->graphs[0])) return std::nullopt;
  if (!Expect(*vector, {}) || vector->steps[0].expected != OutcomeKind::kValid) {
    return std::nullopt;
  }
  // The second output of a lattice network, if there is one, is inexact.
  if (request.lattice && !HasOneAnswer(*vector, 1)) return std::nullopt;
  Describe(*vector, options, network_generator, index, request.ToString());
  if (request.lattice) vector->tags.push_back("lattice");
  return vector;
}

}  // namespace

const Generator network_generator = {
    .kind = "network",
    .help = "whole networks in floats, in i8 and on a lattice where floats are exact",
    .version = 2,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators
