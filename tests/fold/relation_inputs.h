// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "folding_relations.h"

namespace assay {

// Inputs of a subject; its graph is valid on all of them. If no others are found, they are the
// same.
struct RelationInputs {
  std::vector<Tensor> some;
  std::vector<Tensor> varied;          // others that vary
  std::vector<Tensor> other_weights;   // and other run-time constants
  std::vector<Tensor> other_compiled;  // and other compile-time constants
};

// Returns inputs, or nothing if the graph is not valid on any that are tried. Another `seed` gives
// others.
std::optional<RelationInputs> ChooseInputs(const FoldSubject& subject, int seed);

bool IsValidOn(const FoldSubject& subject, std::span<const Tensor> inputs);

}  // namespace assay
