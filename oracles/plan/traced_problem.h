#pragma once

#include <span>

#include "graph.h"
#include "memory_plan.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// What a plan has to hold of a graph, by what an execution of it reads and writes: nobody's
// liveness is trusted, nor any table's lifetimes, sizes or conflicts.
//
// The graph is run with these inputs. Each operator takes a tick, from 1 on in the order in which
// they ran, and so does the end of each block; a tensor is live from the tick that writes it to the
// last one that reads it, graph inputs from tick 0 on, outputs to the one behind all operators,
// constants and variables always. The plan's buffers are those of the tensors, called BLOCK/TENSOR
// or TENSOR; variables by their name; and scratch, BLOCK/INDEX.OPERATOR/NAME, live in its
// operator's tick (INDEX counts the block's operators as the file has them). Graph inputs and
// outputs may be the caller's; every other tensor needs a buffer of its own, but that a result
// without one lies where an operand of the same size does, if that is possible: of RESHAPE and
// IDENTITY, or read for the last time.
//
// The blocks of control flow follow the tick of their operator, both branches of a COND_IF one
// after the other, and a loop's condition and body, whether or not they ran: BLOCK is REGION.BLOCK
// outside of the main region. Their inputs have buffers of their own, or lie where the operands do;
// their outputs are copied to the operator's results when they end. A loop carries its results,
// which the operands are copied to first; a value that it carries outlives the condition, and is
// written again at the end of the body.
//
// Gives the problem by the graph, and the plan for it: rows that place nothing of the graph are
// strays. Error kUnsupported if the graph does not run on the inputs, kResource if its blocks run
// each other too often.
Result<PlannedProblem> PlanByTrace(const Graph& graph, std::span<const Tensor> inputs,
                                   const PlannedProblem& planned);

}  // namespace assay
