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
// they ran; a tensor is live from the tick that writes it to the last one that reads it, graph
// inputs from tick 0 on, outputs to the one behind all operators, constants and variables always.
// The plan's buffers are those of the tensors, called BLOCK/TENSOR or TENSOR; variables by their
// name; and scratch, BLOCK/INDEX.OPERATOR/NAME, live in its operator's tick (INDEX counts the
// block's operators as the file has them). Graph inputs and outputs may be the caller's; every
// other tensor needs a buffer of its own, but that a result without one lies where an operand of
// the same size does, if that is possible: of RESHAPE and IDENTITY, or read for the last time.
//
// Gives the problem by the graph, and the plan for it: rows that place nothing of the graph are
// strays. Error kUnsupported if the graph has control flow or does not run on the inputs.
Result<PlannedProblem> PlanByTrace(const Graph& graph, std::span<const Tensor> inputs,
                                   const PlannedProblem& planned);

}  // namespace assay
