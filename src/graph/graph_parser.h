// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "graph.h"
#include "result.h"

namespace assay {

// Parses a graph that is written as text: what GraphText() writes in full (graph_text.h), or what a
// person types:
//
//   block main (%x:i32[1,4]) -> (%y)
//     %sum:i32[1,4] = ADD(%x,5)          # 5 is CONST() values=i32[1,1]{5}
//     %y:i32[2,2] = RESHAPE(%sum,[2,2])  # [2,2] is CONST_SHAPE() values=shape[2]{2,2}
//
// These parts may be left out:
// - the first line, `TOSA 1.0.0`, and the line of a region, `region main`;
// - a type, where the tensor has it elsewhere in the block;
// - quotes, around a word;
// - nan_mode=PROPAGATE, rounding_mode=SINGLE_ROUND, and attributes that are false.
//
// `%k = i8[2]{1,2}` is a CONST or, of a shape, a CONST_SHAPE. An operand may be a constant: a
// tensor, a list of numbers, or a number. A number has the type and the rank that the operator
// demands, which may be those of its other operands. A number may also stand for a tensor in an
// attribute, `min_val=-1`.
//
// The tensors of a block are in the order in which the text names them, its outputs last. `name` is
// that of the file. Error kBadInput says `NAME:LINE:COLUMN: what is wrong`. A graph that breaks
// rules of the specification is no error if it can be written. Refused are more than 2^24 tensors
// and operators, and more than 256 MiB of tensors that have one value for all elements.
Result<Graph> ParseGraph(std::string_view text, std::string_view name);

}  // namespace assay
