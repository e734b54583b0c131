// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "mapped_file.h"
#include "read_limits.h"
#include "result.h"

namespace assay {

// `.tosa` files: TOSA graphs as FlatBuffers (tosa.fbs).
//
// Some content of a Graph is stored elsewhere in the file:
// - The elements of CONST and CONST_SHAPE belong to their output tensor. CLAMP's bounds are bytes
//   of its first input's type. So values of another type or shape than their tensor are not
//   preserved.
// - Tensors of type kShape have a list of their own, behind the other tensors. A block whose shapes
//   do not come last in Block::tensors is read back in another order.
// - The attribute tables of VARIABLE, VARIABLE_READ and VARIABLE_WRITE are empty. Their variable is
//   an operand instead, an entry of the block's tensors with `variable=true`: VARIABLE()->(v),
//   VARIABLE_READ(v)->(output1), VARIABLE_WRITE(input1)->(v). The entry's variable_name (or its
//   name, if that is empty) is the attribute `name`. Its type, shape and data are `type`,
//   `var_shape` and `initial_value`. Reading turns such entries into attributes, and writing makes
//   them again. An entry that has data, but no VARIABLE in its block, stays a tensor with an
//   initial_value.
// - A name that a block uses but does not declare is, with a note, that of a tensor of the first
//   block (Arm's test generator and TFLite converter let bodies of loops use surrounding tensors).
//   It is then declared in both blocks, but produced in one: see ResolveCaptures() in captures.h.
// - The location of an operator is written if it is not empty. So files of graphs without locations
//   have no trace of them.

// Reads the graph in `bytes`, which come from a file called `name`. In the result, all indices are
// valid, names of tensors are unique in their block, and constants have their values. The rules say
// whether the graph has a meaning. Operators keep their order. Files of 1.0.x are read, and those
// of 1.1 that have nothing newer than 1.0 (with a note). An Error is one line, `NAME: block "main",
// operator 3 (ADD): what is wrong`. It is kUnsupported for other versions and their operators,
// types and fields, and for unranked tensors, else kBadInput. `notes` gets a line for everything
// that was ignored; it may be null.
Result<Graph> ReadTosa(std::span<const uint8_t> bytes, std::string_view name,
                       std::vector<std::string>* notes, const ReadLimits& limits = {});
// Does the same. Large constants of the graph share the bytes.
Result<Graph> ReadTosa(const SharedBytes& bytes, std::string_view name,
                       std::vector<std::string>* notes, const ReadLimits& limits = {});

// Returns the bytes of a graph, the same for equal graphs with equal locations. The graph's indices
// must be valid and its attributes must have the kinds in their rows.
std::vector<uint8_t> WriteTosa(const Graph& graph);

}  // namespace assay
