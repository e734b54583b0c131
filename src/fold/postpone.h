// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "fold_graph.h"

namespace assay {

// A graph in which expanding operators have changed places with the element-wise operators after
// them. The element-wise operators are then computed on small tensors, whose results can be cached.
struct PostponedGraph {
  Graph graph;
  std::vector<Postponement> postponements;  // in order; empty if the graph is unchanged
};

// Postpones TILE, PAD, CONCAT, GATHER, RESIZE (nearest), widening CAST and the repetition of
// CONSTs. Both the expanding operator and the one after it must be constant and too large to be
// cached, and the exchange must be exact for all values.
//
// An expander E has E(x)[i] = x[phi(i)], or a constant c outside. An operator f computes each
// element from the elements of its operands at the same place alone. Then f(E(x), p) is E(f(x,
// p')), provided that
//   - p is the same wherever phi is (extent 1 on the axes that E touches, or repeating itself as E
//     does, or E of something itself);
//   - outside, f(c, p) is a known constant: PAD gets it as its pad_const;
//   - f cannot fail on elements of x that E drops;
//   - nothing else reads E(x), and E supports the type of f's result.
// A CAST that loses nothing changes places with operators that only choose among values or change
// their sign.
PostponedGraph PostponeExpanders(const Graph& graph, std::span<const Constness> arguments,
                                 const FoldOptions& options);

}  // namespace assay
