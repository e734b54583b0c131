#pragma once

#include <span>
#include <vector>

#include "fold_graph.h"

namespace assay {

// A graph in which expanding operators changed places with the element-wise ones after them, so
// that these are computed on small tensors and can be cached.
struct PostponedGraph {
  Graph graph;
  std::vector<Postponement> postponements;  // in their order; none: the graph is the one given
};

// Postpones TILE, PAD, CONCAT, GATHER, RESIZE (nearest), widening CAST and the repetition of
// CONSTs, as long as an expanding operator and the one after it are constant, too large to be
// cached, and the exchange is exact for all values: E(x)[i] is x[phi(i)], or a constant c outside;
// f computes each element from the elements of its operands at the same place alone. Then f(E(x),
// p) is E(f(x, p')), provided that
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
