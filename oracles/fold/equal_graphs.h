// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "executor.h"
#include "test_vector.h"

namespace assay {

enum class FoldVerdictKind : uint8_t { kEqual, kDifferent, kUndecided };

// The argument that two graphs are equal for all inputs. Each argument includes those before it.
enum class FoldArgument : uint8_t {
  kNone,
  kIsomorphic,   // they differ only in names, order, dead code, copies and IDENTITY
  kTerms,        // every element of every output is the same term over the elements of the inputs
  kEnumeration,  // or two terms that agree for all values of the few bits that they read
  kSolver,       // or two terms for which Z3 proves that no values make them differ
};

// The conditions under which two graphs count as equal.
enum class FoldMode : uint8_t {
  kExact,    // bit by bit: any NaN is any NaN, but -0 is not 0, and subnormals are kept
  kBounded,  // AFTER's outputs lie within what the specification admits for BEFORE's
};

struct FoldCheckOptions {
  FoldMode mode = FoldMode::kExact;
  bool structural = true;  // look for an isomorphism
  bool prove = false;      // take long for an argument over terms, with Z3 at its end
  int runs = 39;           // inputs to try the graphs on before special values; 0: try none at all
  ExecutionOptions execution;
  uint32_t effort_max = 2'000'000;  // of one question to Z3; a tenth of it without `prove`
};

// The verdict on a pair of graphs, and the work that it took.
struct FoldVerdict {
  FoldVerdictKind kind = FoldVerdictKind::kUndecided;
  FoldArgument argument = FoldArgument::kNone;  // kEqual only
  std::string reason;                           // one line; why undecided, or what differs
  bool cut_short = false;                       // kUndecided only: `prove` may decide it
  // kDifferent only: BEFORE and AFTER on the same inputs, each in a context of its own, with the
  // results of the reference. Every step replays; some pair of steps differs.
  std::optional<TestVector> counterexample;

  int64_t runs = 0;       // inputs on which BEFORE was valid
  int64_t elements = 0;   // of outputs (and variables) that terms were compared for
  int64_t classes = 0;    // kinds of pairs of terms that had to be decided
  int64_t questions = 0;  // asked of Z3
};

// Checks that AFTER does what BEFORE does for all inputs on which BEFORE is valid. For graphs with
// variables it checks all sequences of invocations. AFTER must be valid there as well, with equal
// outputs and variables. Inputs and outputs correspond by position. The graphs may come from
// anywhere. Whatever the shapes, every special value of an input is tried, and every pair of
// special values of two inputs (FoldInputs), as far as 2^24 elements of tensors go; a run
// counts as 2^12 more.
//
// kDifferent has been replayed on the reference executor; kEqual rests on an argument; all else is
// kUndecided. The same graphs and options give the same verdict.
FoldVerdict CheckFold(const Graph& before, const Graph& after, const FoldCheckOptions& options);

// Returns "equal for all inputs", "different" or "undecided".
std::string_view FoldVerdictName(FoldVerdictKind kind);

// Returns a description of an argument: "the graphs are isomorphic after normalisation"...
std::string_view FoldArgumentText(FoldArgument argument);

}  // namespace assay
