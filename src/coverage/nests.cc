#include "nests.h"

#include "operator.h"

namespace assay {
namespace {

using Nests = std::map<const Operator*, std::vector<std::string>>;

constexpr Op kNesting[] = {Op::kCondIf, Op::kWhileLoop};

std::string Inside(const std::string& around, Op op) {
  return (around.empty() ? "" : around + "/") + std::string(OperatorName(op));
}

// What a file holds may run itself: the depth ends that.
void AddNests(const Graph& graph, const Block& block, const std::string& around, int depth,
              Nests& nests) {
  if (depth == kNestDepthMax) return;
  for (const Operator& op : block.operators) {
    if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) continue;
    const std::string nest = Inside(around, op.op);
    nests[&op].push_back(nest);
    for (const AttributeId id : {AttributeId::kThenGraph, AttributeId::kElseGraph,
                                 AttributeId::kCondGraph, AttributeId::kBodyGraph}) {
      if (!op.attributes.Has(id)) continue;
      const Block* callee = graph.FindBlock(op.attributes.Text(id));
      if (callee != nullptr) AddNests(graph, *callee, nest, depth + 1, nests);
    }
  }
}

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
  Nests nests;
  if (const Block* main = graph.Main()) AddNests(graph, *main, "", 0, nests);
  return nests;
}

}  // namespace assay
