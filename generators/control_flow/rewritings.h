// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generator_options.h"
#include "test_vector.h"

namespace assay {

// The ways in which compilers rewrite control flow. None of them changes a result.
enum class Rewriting : uint8_t {
  kInlined,   // each step runs a graph of its own, which does what that step did: no control flow
  kPeeled,    // the first round of every loop comes before it, in a COND_IF
  kUnrolled,  // an outermost loop does two rounds in one, the second in a COND_IF; where that
              // nests too deep, a graph for each step has its rounds one after the other
  kIfConverted,  // both branches of every COND_IF are computed, and SELECT takes the result
};

// Returns "inlined", "peeled", "unrolled" or "if-converted".
std::string_view RewritingName(Rewriting rewriting);

// Returns the depth to which the control-flow operators of a graph nest; 0 if there are none.
// Blocks that nothing runs do not count.
int NestingDepth(const Graph& graph);

// Returns the vector with all graphs that have control flow rewritten. The graphs must be valid in
// all steps, and the vector must have its expectations (Expect()): kInlined looks up there what
// variables hold. The expectations of the result are not computed. The result of kIfConverted is
// not valid if a branch that no step takes breaks a REQUIRE. Returns nullopt if a graph has values
// that the options do not allow.
std::optional<TestVector> Rewrite(const TestVector& vector, Rewriting rewriting,
                                  const GeneratorOptions& options);

}  // namespace assay
