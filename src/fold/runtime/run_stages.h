#pragma once

#include <optional>
#include <span>
#include <vector>

#include "executor.h"
#include "folding.h"

namespace assay {

// The values of the cached tensors of a folding, in their order; nothing where none is there.
using CachedValues = std::vector<std::optional<Tensor>>;

// Runs one stage with the reference executor. `arguments` are those of the original graph, in the
// order of its inputs; the stage reads those that it takes, and no others. A stage of folding takes
// no part in the state of `context`; what it computes goes to `cached`, which grows to the size
// that it needs. The outputs are those of the stage. kUnsupported if a cached tensor that it reads
// is not there.
Outcome RunStage(const Folding& folding, FoldStage stage, Context& context,
                 std::span<const Tensor> arguments, CachedValues& cached,
                 const ExecutionOptions& options);

// The first execution in a context: all three stages, in their order, from the arguments alone;
// with `cached`, what is needed for later ones, which run the entry.
Outcome RunFolding(const Folding& folding, Context& context, std::span<const Tensor> arguments,
                   CachedValues& cached, const ExecutionOptions& options);

}  // namespace assay
