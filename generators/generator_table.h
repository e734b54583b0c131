// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "generator.h"

namespace assay {

std::span<const Generator* const> AllGenerators();

// Returns the generator of a kind; nullptr if no generator has that kind.
inline const Generator* GeneratorByKind(std::string_view kind) {
  for (const Generator* generator : AllGenerators()) {
    if (generator->kind == kind) return generator;
  }
  return nullptr;
}

}  // namespace assay
