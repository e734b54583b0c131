// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "graph.h"
#include "memory_plan.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// Builds the problem that a graph poses to a plan, from the reads and writes of an execution. It
// uses nobody else's liveness analysis, and no table's lifetimes, sizes or conflicts.
//
// The graph is run with these inputs. Each operator takes a tick, from 1 on in the order in which
// they ran, and so does the end of each block. A tensor is live from the tick that writes it to the
// last one that reads it. Graph inputs are live from tick 0 on, outputs to the tick behind all
// operators, constants and variables always. The plan's buffers are those of the tensors, called
// BLOCK/TENSOR or TENSOR; variables by their name; and scratch, BLOCK/INDEX.OPERATOR/NAME. Scratch
// is live in its operator's tick; INDEX counts the block's operators in the order of the file.
// Graph inputs and outputs may be the caller's. Every other tensor needs a buffer of its own, with
// one exception: a result without one lies where an operand of the same size does, if possible. It
// is possible for RESHAPE and IDENTITY, and for an operand that is read for the last time.
//
// The blocks of control flow follow the tick of their operator, whether or not they ran: both
// branches of a COND_IF one after the other, or a loop's condition and body. BLOCK is REGION.BLOCK
// outside of the main region. Their inputs have buffers of their own, or lie where the operands do.
// Their outputs are copied to the operator's results when they end. A loop carries its results; the
// operands are copied to them first. A value that it carries outlives the condition, and is written
// again at the end of the body.
//
// Returns the problem of the graph, and the plan for it: rows that place nothing of the graph are
// strays. Returns an error kUnsupported if the graph does not run on the inputs, and kResource if
// its blocks run each other too often.
Result<PlannedProblem> PlanByTrace(const Graph& graph, std::span<const Tensor> inputs,
                                   const PlannedProblem& planned);

}  // namespace assay
