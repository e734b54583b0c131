// SPDX-License-Identifier: Apache-2.0
#include "graph_dot.h"

#include <algorithm>
#include <utility>

#include "graph_text.h"
#include "quoted.h"

namespace assay {
namespace {

// Returns text for a label. A quoted string of Graphviz has no escapes but those for `"` and `\`.
std::string Label(const std::string& text) {
  std::string label = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') label += '\\';
    label += c;
  }
  return label + '"';
}

// Tells for each operator of a block whether it is drawn.
std::vector<bool> DrawnIn(const Block& block, const DotOptions& options,
                          const std::vector<int32_t>& producers) {
  std::vector<bool> drawn(block.operators.size(), !options.distance);
  if (!options.distance) return drawn;
  for (size_t i = 0; i < drawn.size(); ++i) {
    drawn[i] = std::ranges::find(options.marked, &block.operators[i]) != options.marked.end();
  }
  for (int step = 0; step < *options.distance; ++step) {
    std::vector<bool> next = drawn;
    for (size_t i = 0; i < drawn.size(); ++i) {
      for (const TensorIndex input : block.operators[i].inputs) {
        const int32_t producer = producers[static_cast<size_t>(input)];
        if (producer < 0) continue;
        const auto from = static_cast<size_t>(producer);
        if (drawn[i]) next[from] = true;
        if (drawn[from]) next[i] = true;
      }
    }
    drawn = std::move(next);
  }
  return drawn;
}

class Drawing {
 public:
  explicit Drawing(const DotOptions& options) : options_(options) {}

  std::string Draw(const Graph& graph) {
    text_ =
        "digraph tosa {\n  graph [fontname=\"monospace\", fontsize=11];\n"
        "  node [shape=box, fontname=\"monospace\", fontsize=11, height=0.3];\n"
        "  edge [fontname=\"monospace\", fontsize=10, arrowsize=0.7];\n";
    for (const Block& block : graph.Blocks()) DrawBlock(block);
    return text_ + "}\n";
  }

 private:
  void DrawBlock(const Block& block) {
    prefix_ = "b" + std::to_string(block_++);
    producers_ = block.Producers();
    drawn_ = DrawnIn(block, options_, producers_);
    const auto count = std::ranges::count(drawn_, true);
    if (options_.distance && count == 0) return;
    std::string title = Quoted(block.name);
    if (count < std::ssize(drawn_)) {
      title += ", " + std::to_string(count) + " of " + std::to_string(drawn_.size()) + " operators";
    }
    text_ += "  subgraph cluster_" + prefix_ + " {\n    label=" + Label(title) + ";\n";
    DrawSources(block);
    for (size_t i = 0; i < block.operators.size(); ++i) {
      if (drawn_[i]) DrawOperator(block, i);
    }
    for (size_t i = 0; i < block.outputs.size(); ++i) {
      if (options_.distance && !HasDrawnProducer(block.outputs[i])) continue;
      const std::string node = "o" + std::to_string(i);
      Node(node, DeclarationText(block, block.outputs[i]), "ellipse");
      Arrow(Source(block.outputs[i]), node, "");
    }
    text_ += "  }\n";
  }

  // Draws an ellipse for each tensor that no drawn operator makes.
  void DrawSources(const Block& block) {
    std::vector<bool> used(block.tensors.size(), !options_.distance);
    for (size_t i = 0; i < block.operators.size(); ++i) {
      if (!drawn_[i]) continue;
      for (const TensorIndex input : block.operators[i].inputs) {
        used[static_cast<size_t>(input)] = true;
      }
    }
    for (size_t i = 0; i < block.tensors.size(); ++i) {
      const auto tensor = static_cast<TensorIndex>(i);
      if (!used[i] || HasDrawnProducer(tensor)) continue;
      Node("t" + std::to_string(i), DeclarationText(block, tensor),
           producers_[i] < 0 ? "ellipse" : "ellipse, style=dashed");
    }
  }

  void DrawOperator(const Block& block, size_t number) {
    const Operator& op = block.operators[number];
    std::string label(OperatorName(op.op));
    for (const auto& [id, value] : op.attributes.entries()) label += " " + AttributeText(id, value);
    const std::string node = "n" + std::to_string(number);
    const bool is_marked = std::ranges::find(options_.marked, &op) != options_.marked.end();
    Node(node, label, is_marked ? "box, penwidth=4, class=marked" : "box");
    for (TensorIndex input : op.inputs) Arrow(Source(input), node, DeclarationText(block, input));
  }

  bool HasDrawnProducer(TensorIndex tensor) const {
    const int32_t producer = producers_[static_cast<size_t>(tensor)];
    return producer >= 0 && drawn_[static_cast<size_t>(producer)];
  }

  std::string Source(TensorIndex tensor) const {
    if (!HasDrawnProducer(tensor)) return "t" + std::to_string(tensor);
    return "n" + std::to_string(producers_[static_cast<size_t>(tensor)]);
  }

  void Node(const std::string& node, const std::string& label, const char* shape) {
    text_ += "    " + prefix_ + node + " [label=" + Label(label) + ", shape=" + shape + "];\n";
  }

  void Arrow(const std::string& from, const std::string& to, const std::string& label) {
    text_ += "    " + prefix_ + from + " -> " + prefix_ + to;
    if (!label.empty()) text_ += " [label=" + Label(label) + "]";
    text_ += ";\n";
  }

  const DotOptions& options_;
  std::vector<int32_t> producers_;  // of the block's tensors
  std::vector<bool> drawn_;         // for each operator of the block
  std::string text_;
  std::string prefix_;  // of the block's nodes
  int block_ = 0;
};

}  // namespace

std::string GraphDot(const Graph& graph, const DotOptions& options) {
  return Drawing(options).Draw(graph);
}

}  // namespace assay
