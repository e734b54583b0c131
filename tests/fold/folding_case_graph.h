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

// A graph of a folding case (corpus/folding) as one of TOSA. Its operators are TOSA's but for
// attributes where TOSA has operands; MATMUL of rank 2 and GATHER along any axis, which
// dimensions of 1 or a RESHAPE make TOSA's; VARIABLE_READ and VARIABLE_WRITE without a VARIABLE;
// SPLIT2, which two SLICEs are; RESIZE2X, a bilinear RESIZE; and CUSTOM, a counter, of the domain
// below. TOSA has no i4 but in CONV2D and the like: it becomes i8. Tensors of size zero, which TOSA
// does not have, are left out with all that uses them.
struct CaseGraph {
  Graph graph;
  std::vector<Constness> arguments;
  std::vector<std::string> argument_names;
  std::set<std::string> helpers;     // tensors of operators that the case does not have
  std::vector<std::string> changed;  // what became something else, in words
};

inline constexpr char kCaseDomain[] = "assay.cases";

// Why a case cannot be one of TOSA.
struct NoCaseGraph {
  std::string reason;
};

// Throws NoCaseGraph, or what nlohmann::json throws for JSON of another form.
CaseGraph ReadCaseGraph(const nlohmann::json& test);

// A value of the file, in the given shape, or a random one: "smallint" has 0 to 5, and otherwise
// half the floating-point numbers are special.
Tensor CaseValue(const nlohmann::json& value, const TensorType& type, Random& random);

}  // namespace assay
