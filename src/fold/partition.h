// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dataflow.h"
#include "literal_values.h"
#include "size_policy.h"

namespace assay {

// The stages in which each operator of a main block runs. They follow from demand: a constant value
// that the entry uses is cached if it is small enough. Otherwise, the operator that makes it runs
// in the entry, too, and the entry demands its operands. The stages before the entry hold what
// cached values need, and nothing else. A compile-time value that the run-time stage uses is
// demanded in the same way.
struct Partition {
  std::vector<StageSet> went;           // by operator; a literal is in the stages that read it
  std::map<TensorIndex, Tensor> baked;  // all results of operators that become CONSTs
  // The cached tensors of each stage. Their order depends only on the values of the graph, not on
  // the list of its operators.
  std::vector<TensorIndex> cached[kFoldStages];

  bool RunsIn(int32_t op, FoldStage stage) const {
    return went[static_cast<size_t>(op)].Has(stage);
  }
};
Partition PartitionByDemand(const Dataflow& flow, LiteralValues& literals, SizeRule& size,
                            FoldForm form, FoldFault fault = FoldFault::kNone);

}  // namespace assay
