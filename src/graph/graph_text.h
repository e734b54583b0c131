// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "graph.h"

namespace assay {

// Graphs as text, one operator a line:
//
//   %out:i8[1,3] = TRANSPOSE(%in) perms=[1,0]
//   %0:i8[4] = CONST() values=i8[4]{1,2,3,4}
//
// Names with other characters than letters, digits and `_./:-` are quoted: %"a b".

// The part of long values that a text has.
enum class TextForm : uint8_t {
  kShort,  // for a person to read: 8 elements of a tensor, 80 characters in quotes
  kFull,   // everything, which ParseGraph() (graph_parser.h) reads
};

// Returns "perms=[1,0]", "nan_mode=PROPAGATE", "name=\"state\"" or "min_val=i8[]{-1}".
std::string AttributeText(AttributeId id, const AttributeValue& value,
                          TextForm form = TextForm::kShort);

// Returns "i8[4]{1,2,3,4}". Elements beyond `elements_max` are left out: "i8[100]{1,2,...}".
std::string TensorText(const Tensor& tensor, int64_t elements_max = 8);

// Does the same for the short form. From the full form, ParseTensor() makes the same bytes. If more
// than 8 elements are equal, it has one of them: "i8[100]{0}". A NaN that is not the canonical one
// is in hexadecimal, "0x7fc00001".
std::string TensorText(const Tensor& tensor, TextForm form);

// Returns "%in:i8[3,1]".
std::string DeclarationText(const Block& block, TensorIndex index,
                            TextForm form = TextForm::kShort);

// Returns one operator, without a line end.
std::string OperatorText(const Block& block, const Operator& op, TextForm form = TextForm::kShort);

// Returns the block's name, operands, tensors that no operator makes, and operators. Every line has
// a line end.
std::string BlockText(const Block& block, TextForm form = TextForm::kShort);

// Returns the version, and all regions and blocks.
std::string GraphText(const Graph& graph, TextForm form = TextForm::kShort);

}  // namespace assay
