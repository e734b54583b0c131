#pragma once

#include <string>

#include "graph.h"

namespace assay {

// Graphs for a person to read, one operator a line:
//
//   %out:i8[1,3] = TRANSPOSE(%in) perms=[1,0]
//   %0:i8[4] = CONST() values=i8[4]{1,2,3,4}
//
// Names that are more than letters, digits and `_./:-` are quoted: %"a b".

// "perms=[1,0]", "nan_mode=PROPAGATE", "name=\"state\"", "min_val=i8[]{-1}".
std::string AttributeText(AttributeId id, const AttributeValue& value);

// "i8[4]{1,2,3,4}"; elements beyond `elements_max` are left out: "i8[100]{1,2,...}".
std::string TensorText(const Tensor& tensor, int64_t elements_max = 8);

// "%in:i8[3,1]".
std::string DeclarationText(const Block& block, TensorIndex index);

// One operator, without a line end.
std::string OperatorText(const Block& block, const Operator& op);

// The block's name, operands and operators; every line ends.
std::string BlockText(const Block& block);

// All regions and blocks.
std::string GraphText(const Graph& graph);

}  // namespace assay
