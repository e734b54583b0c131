// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "declarations.h"
#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// The verdict on a vector, with what the backend declares about its floating point.
struct DeclaredVerdict {
  // `findings` are of one kind: they rest on the specification alone (`rests_on` is ""), or on what
  // the backend declares. For a suspect they rest on what it does not declare, and `kind` is not
  // kDisagrees.
  Verdict verdict;
  std::string suspicion;  // one line: why the vector is a suspect; "" if it is none
};

// Returns a vector with the expectation under some declarations, or nothing if there is none.
using Expecting = std::function<std::optional<TestVector>(const Declarations&)>;

// Judges outcomes by the expectation of a vector.
using Judging = std::function<Verdict(const TestVector&, std::span<const Outcome>)>;

// Returns the function that lets the reference executor compute the expectation. `vector` must
// outlive it.
Expecting ExpectationUnder(const TestVector& vector);

// Tells whether a vector has the tag `lattice`.
bool IsLattice(const TestVector& vector);

// Tells whether a declaration can narrow an expectation of the vector: the specification alone does
// not determine every element of its outputs and variables. Integers and bools may follow from
// floats.
bool LeavesElementsOpen(const TestVector& vector);

// Judges the vector by the expectation that it has. If that finds no difference and leaves elements
// open, it is judged again by the expectation under `declared`, and a difference is a finding that
// names the declaration. So is a subnormal number that was kept or flushed against `declared`. A
// vector with the tag `lattice` is then judged as if `plain_sums` were declared as well. A
// difference makes it a suspect. `judging` is JudgeVector() or a part of it.
DeclaredVerdict JudgeAsDeclared(const TestVector& vector, std::span<const Outcome> outcomes,
                                const Declarations& declared, const Expecting& expecting,
                                const Judging& judging);
DeclaredVerdict JudgeAsDeclared(const TestVector& vector, std::span<const Outcome> outcomes,
                                const Declarations& declared, const Expecting& expecting);

}  // namespace assay
