// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "declarations.h"
#include "result.h"

namespace assay {

// A declaration as people and protocols name it.
struct DeclarationRow {
  std::string_view name;  // "plain-sums"
  bool Declarations::*field;
  std::string_view what;  // a sentence without its subject, for help: "computes every ..."
};

std::span<const DeclarationRow> AllDeclarations();

// Returns the declarations with these names. Error kUsage for an unknown name, with the nearest
// names, and for two declarations that exclude each other.
Result<Declarations> DeclarationsNamed(std::span<const std::string> names);

// Returns the names of what is declared: "plain-sums, rounds-results"; "" for nothing.
std::string DeclarationNames(const Declarations& declarations);

// Returns what is declared in `a` or in `b`.
Declarations Union(Declarations a, const Declarations& b);

}  // namespace assay
