// SPDX-License-Identifier: Apache-2.0
#include "draw_finding.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "child_process.h"
#include "graph_dot.h"

namespace assay {
namespace {

constexpr int64_t kDrawnOperatorsMax = 60;
// The distance from a blamed operator up to which the operators of a larger graph are drawn.
constexpr int kDrawnDistance = 2;

// Returns the operators of a graph that a finding blames: the producer of the wrong output, else
// all operators of its kind and type; none if the finding names no single operator.
std::vector<const Operator*> MarkedIn(const Graph& graph, const Finding& finding) {
  std::vector<const Operator*> marked;
  if (finding.op == Op::kUnknown) return marked;
  const Block* main = graph.Main();
  const std::optional<TensorIndex> wrong =
      main == nullptr || finding.tensor.empty() ? std::nullopt : main->FindTensor(finding.tensor);
  const Operator* producer = wrong ? main->ProducerOf(*wrong) : nullptr;
  if (producer != nullptr) return {producer};
  for (const auto& [block, op] : graph.Operators()) {
    if (op.op == finding.op && CharacteristicType(block, op) == finding.type) {
      marked.push_back(&op);
    }
  }
  return marked;
}

}  // namespace

std::string DrawFinding(const TestVector& vector, const Finding& finding) {
  int64_t operators = 0;
  for (const Graph& graph : vector.graphs) operators += graph.OperatorCount();
  const bool large = operators > kDrawnOperatorsMax;
  std::string all;
  for (const Graph& graph : vector.graphs) {
    DotOptions options{MarkedIn(graph, finding), std::nullopt};
    if (large && options.marked.empty()) continue;
    if (large) options.distance = kDrawnDistance;
    const Result<ChildReport> report =
        RunChild({{"dot", "-Tsvg"}, "", {}, 10}, GraphDot(graph, options), {20, size_t{4} << 20});
    if (!report || report->Describe() != "exit status 0" || report->truncated) return "";
    all += report->output.substr(std::min(report->output.find("<svg"), report->output.size()));
  }
  return all;
}

}  // namespace assay
