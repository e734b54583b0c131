// SPDX-License-Identifier: Apache-2.0
#include "control_flow_nests.h"

#include <set>
#include <utility>

#include "block_index.h"
#include "operator.h"

namespace assay {
namespace {

constexpr Op kNesting[] = {Op::kCondIf, Op::kWhileLoop};

std::string Inside(const std::string& around, Op op) {
  return (around.empty() ? "" : around + "/") + std::string(OperatorName(op));
}

// Finds the nests of the operators of a graph. A block is visited once for each nest that it is in,
// however many operators run it there.
class NestFinder {
 public:
  explicit NestFinder(const Graph& graph) : blocks_(graph) {
    if (const Block* main = graph.Main()) Add(*main, "", 0);
  }

  std::map<const Operator*, std::vector<std::string>> nests;

 private:
  // A block of a file may run itself. The limit of the depth ends that.
  void Add(const Block& block, const std::string& around, int depth) {
    if (depth == kNestDepthMax || !seen_.emplace(&block, around).second) return;
    for (const Operator& op : block.operators) {
      if (!IsControlFlow(op.op)) continue;
      const std::string nest = Inside(around, op.op);
      nests[&op].push_back(nest);
      for (const AttributeId id : kBlockAttributes) {
        if (const Block* callee = blocks_.Callee(op, id)) Add(*callee, nest, depth + 1);
      }
    }
  }

  const BlockIndex blocks_;
  std::set<std::pair<const Block*, std::string>> seen_;
};

}  // namespace

std::vector<std::string> AllNests() {
  std::vector<std::string> all;
  std::vector<std::string> deepest = {""};
  for (int depth = 1; depth <= kNestDepthMax; ++depth) {
    std::vector<std::string> deeper;
    for (const std::string& around : deepest) {
      for (const Op op : kNesting) deeper.push_back(Inside(around, op));
    }
    all.insert(all.end(), deeper.begin(), deeper.end());
    deepest = std::move(deeper);
  }
  return all;
}

std::map<const Operator*, std::vector<std::string>> NestsOf(const Graph& graph) {
  return std::move(NestFinder(graph).nests);
}

}  // namespace assay
