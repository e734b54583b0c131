#pragma once

#include <optional>
#include <span>
#include <vector>

#include "folding_relations.h"

namespace assay {

// Inputs of a subject, on all of which its graph is valid. Where no others are found they are the
// same.
struct RelationInputs {
  std::vector<Tensor> some;
  std::vector<Tensor> varied;          // others that vary
  std::vector<Tensor> other_weights;   // and other run-time constants
  std::vector<Tensor> other_compiled;  // and other compile-time constants
};

// Nothing if the graph is valid on none that are tried; `seed` gives others.
std::optional<RelationInputs> ChooseInputs(const FoldSubject& subject, int seed);

bool IsValidOn(const FoldSubject& subject, std::span<const Tensor> inputs);

}  // namespace assay
