// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "graph.h"
#include "result.h"

namespace assay::spirv {

// Returns the value of an OpGraphConstantARM by its number.
using ConstantSource = std::function<Result<Tensor>(uint32_t number, const TensorType& type)>;

// Reads a module with one graph as WriteModule() writes them. Tensors without a name, or with a
// name that another one has, are called "%7" after their id. Writing the graph again gives the same
// words. Error kBadInput, which begins with a word or an id ("%7: ..."), for everything else;
// errors of `constants`.
Result<Graph> ReadModule(std::span<const uint32_t> words, const ConstantSource& constants);

}  // namespace assay::spirv
