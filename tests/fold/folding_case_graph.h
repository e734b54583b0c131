// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "folding.h"
#include "graph.h"
#include "random.h"

namespace assay {

// A graph of a folding case (corpus/folding) as a graph of TOSA. A case has TOSA's operators with
// these differences:
// - Attributes take the place of some operands.
// - MATMUL has rank 2, and GATHER goes along any axis. Dimensions of 1 or a RESHAPE make them fit
//   TOSA.
// - VARIABLE_READ and VARIABLE_WRITE need no VARIABLE.
// - SPLIT2 becomes two SLICEs, and RESIZE2X a bilinear RESIZE.
// - CUSTOM is a counter, of the domain below.
// - i4 becomes i8, because TOSA has i4 only in CONV2D and similar operators.
// - TOSA has no tensors of size zero. They are left out with everything that uses them.
struct CaseGraph {
  Graph graph;
  std::vector<Constness> arguments;
  std::vector<std::string> argument_names;
  std::set<std::string> helpers;     // tensors of operators that the case does not have
  std::vector<std::string> changed;  // descriptions of what was replaced
};

inline constexpr char kCaseDomain[] = "assay.cases";

// The reason why a case cannot be a graph of TOSA.
struct NoCaseGraph {
  std::string reason;
};

// Converts a case. Throws NoCaseGraph, or an exception of nlohmann::json if the JSON has another
// form.
CaseGraph ReadCaseGraph(const nlohmann::json& test);

// Returns a value of the file in the given shape, or a random one: "smallint" has 0 to 5, and
// otherwise half the floating-point numbers are special.
Tensor CaseValue(const nlohmann::json& value, const TensorType& type, Random& random);

}  // namespace assay
