// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "architecture.h"
#include "generator.h"
#include "lattice_arithmetic.h"
#include "result.h"

namespace assay {

// One network: "mobilenet_v2@224,fp32,lattice".
struct NetworkRequest {
  const Architecture* architecture = nullptr;
  int32_t size = 0;
  DType type = DType::kFp32;  // fp32, fp16, bf16 or i8
  bool lattice = false;       // floats only

  std::string ToString() const;
};

// Reads "NAME", "NAME@SIZE", each with ",TYPE" and ",lattice" behind. The default is the least
// size, in fp32. Error kUsage for a text that names no network.
Result<NetworkRequest> ParseNetwork(const std::string& text);

// Returns every network in its small sizes, types and flavours that the options allow.
std::vector<NetworkRequest> SmallNetworks(const GeneratorOptions& options);

// Builds a network with weights and inputs from `random`. `walk` chooses the layer of a lattice
// network that has dense or wide weights: an even number dense, an odd one wide, and the layers in
// turn. Returns a vector with one graph and one step without expectation; nullopt if no exact
// lattice was found.
std::optional<TestVector> BuildNetwork(const NetworkRequest& request, const Level& level,
                                       uint64_t walk, Random random);

}  // namespace assay
