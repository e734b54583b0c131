// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "declarations.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Everything that a backend declares about itself.
struct BackendDeclarations : Declarations {
  // The backend runs graphs without checking them, so it refuses none for which an ERROR_IF holds.
  // It supports no vector that demands a refusal. This changes no expectation of a vector.
  bool no_checks = false;
  friend bool operator==(const BackendDeclarations&, const BackendDeclarations&) = default;
};

// A declaration as people and protocols name it.
struct DeclarationRow {
  std::string_view name;  // "plain-sums"
  bool BackendDeclarations::*field;
  std::string_view what;  // a sentence without its subject, for help: "computes every ..."
};

std::span<const DeclarationRow> AllDeclarations();

// Returns the declarations with these names. Error kUsage for an unknown name, with the nearest
// names, and for two declarations that exclude each other.
Result<BackendDeclarations> DeclarationsNamed(std::span<const std::string> names);

// Returns the names of what is declared: "plain-sums, rounds-results"; "" for nothing.
std::string DeclarationNames(const BackendDeclarations& declarations);

// Returns the reason why a backend with these declarations does not support the vector, although it
// may have the operators: it checks no graphs, and a step demands a refusal. Returns "" otherwise.
std::string_view WhyBeyond(const BackendDeclarations& declarations, const TestVector& vector);

// Returns what is declared in `a` or in `b`.
BackendDeclarations Union(BackendDeclarations a, const BackendDeclarations& b);

}  // namespace assay
