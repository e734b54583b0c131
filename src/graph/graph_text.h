// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph.h"

namespace assay {

// Graphs for a person to read, one operator a line:
//
//   %out:i8[1,3] = TRANSPOSE(%in) perms=[1,0]
//   %0:i8[4] = CONST() values=i8[4]{1,2,3,4}
//
// Names with other characters than letters, digits and `_./:-` are quoted: %"a b".

// Returns "perms=[1,0]", "nan_mode=PROPAGATE", "name=\"state\"" or "min_val=i8[]{-1}".
std::string AttributeText(AttributeId id, const AttributeValue& value);

// Returns "i8[4]{1,2,3,4}". Elements beyond `elements_max` are left out: "i8[100]{1,2,...}".
std::string TensorText(const Tensor& tensor, int64_t elements_max = 8);

// Returns "%in:i8[3,1]".
std::string DeclarationText(const Block& block, TensorIndex index);

// Returns one operator, without a line end.
std::string OperatorText(const Block& block, const Operator& op);

// Returns the block's name, operands and operators. Every line has a line end.
std::string BlockText(const Block& block);

// Returns all regions and blocks.
std::string GraphText(const Graph& graph);

}  // namespace assay
