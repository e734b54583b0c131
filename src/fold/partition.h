#pragma once

#include <vector>

#include "dataflow.h"
#include "literal_values.h"
#include "size_policy.h"

namespace assay {

// Which operator of a main block runs in which stage, by what is demanded: a constant value that
// the entry uses is cached if it is small enough; otherwise the operator that makes it runs in the
// entry, too, which demands its operands. The stages before hold what cached values need, and
// nothing else. A value that the run-time stage uses of compile time is demanded in the same way.
struct Partition {
  std::vector<StageSet> went;           // by operator; literals with those that read them
  std::map<TensorIndex, Tensor> baked;  // all results of operators that become CONSTs
  // By stage, in an order that the graph's values alone determine, not the list of its operators.
  std::vector<TensorIndex> cached[kFoldStages];

  bool RunsIn(int32_t op, FoldStage stage) const {
    return went[static_cast<size_t>(op)].Has(stage);
  }
};
Partition PartitionByDemand(const Dataflow& flow, LiteralValues& literals, SizeRule& size,
                            FoldForm form, FoldFault fault = FoldFault::kNone);

}  // namespace assay
