// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>

#include "graph.h"

namespace assay {

// The blocks of a graph by the names that COND_IF and WHILE_LOOP use. It finds the same block as
// Graph::FindBlock(), in a time that does not grow with the graph. It is valid as long as no region
// or block of the graph is added, moved, removed or renamed.
class BlockIndex {
 public:
  explicit BlockIndex(const Graph& graph);

  const Block* Find(std::string_view name) const;
  // Returns the block that an attribute of the operator names; null if there is none.
  const Block* Callee(const Operator& op, AttributeId attribute) const;

 private:
  std::unordered_map<std::string_view, const Block*> blocks_;
};

}  // namespace assay
