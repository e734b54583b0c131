#include "graph_dot.h"

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

class Drawing {
 public:
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
    text_ += "  subgraph cluster_" + prefix_ + " {\n    label=" + Label(Quoted(block.name)) + ";\n";
    const std::vector<int32_t> producers = block.Producers();
    // Draws an ellipse for each tensor that no operator makes, and for each result of the block.
    for (size_t i = 0; i < block.tensors.size(); ++i) {
      const std::string label = DeclarationText(block, static_cast<TensorIndex>(i));
      if (producers[i] < 0) Node("t" + std::to_string(i), label, "ellipse");
    }
    for (size_t i = 0; i < block.operators.size(); ++i) DrawOperator(block, i, producers);
    for (size_t i = 0; i < block.outputs.size(); ++i) {
      const std::string node = "o" + std::to_string(i);
      Node(node, DeclarationText(block, block.outputs[i]), "ellipse");
      Arrow(Source(producers, block.outputs[i]), node, "");
    }
    text_ += "  }\n";
  }

  void DrawOperator(const Block& block, size_t number, const std::vector<int32_t>& producers) {
    const Operator& op = block.operators[number];
    std::string label(OperatorName(op.op));
    for (const auto& [id, value] : op.attributes.entries()) label += " " + AttributeText(id, value);
    const std::string node = "n" + std::to_string(number);
    Node(node, label, "box");
    for (TensorIndex input : op.inputs) {
      Arrow(Source(producers, input), node, DeclarationText(block, input));
    }
  }

  static std::string Source(const std::vector<int32_t>& producers, TensorIndex tensor) {
    const int32_t producer = producers[static_cast<size_t>(tensor)];
    return producer < 0 ? "t" + std::to_string(tensor) : "n" + std::to_string(producer);
  }

  void Node(const std::string& node, const std::string& label, const char* shape) {
    text_ += "    " + prefix_ + node + " [label=" + Label(label) + ", shape=" + shape + "];\n";
  }

  void Arrow(const std::string& from, const std::string& to, const std::string& label) {
    text_ += "    " + prefix_ + from + " -> " + prefix_ + to;
    if (!label.empty()) text_ += " [label=" + Label(label) + "]";
    text_ += ";\n";
  }

  std::string text_;
  std::string prefix_;  // of the block's nodes
  int block_ = 0;
};

}  // namespace

std::string GraphDot(const Graph& graph) { return Drawing().Draw(graph); }

}  // namespace assay
