// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataflow.h"
#include "fold_graph.h"
#include "literal_values.h"
#include "partition.h"
#include "size_policy.h"

namespace assay {

// A graph, and the stages that its operators would go to. The graph must not change.
struct FoldAnalysis {
  FoldAnalysis(const Graph& graph, std::span<const Constness> arguments, const FoldOptions& options)
      : flow(graph, arguments, options.pure_domains, options.fault),
        literals(flow, options.execution),
        size(flow, options.policy, options.fault) {
    flow.Pin(literals.Failing());
    partition = PartitionByDemand(flow, literals, size, options.form, options.fault);
  }
  FoldAnalysis(const FoldAnalysis&) = delete;
  FoldAnalysis& operator=(const FoldAnalysis&) = delete;

  Dataflow flow;
  LiteralValues literals;
  SizeRule size;
  Partition partition;
};

}  // namespace assay
