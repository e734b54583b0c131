// SPDX-License-Identifier: Apache-2.0
#include "tapped_outputs.h"

#include <utility>

namespace assay {

TestVector WithTapsAsOutputs(const TestVector& vector, const TapRequest& asked) {
  TestVector tapped = vector;
  for (size_t g = 0; g < asked.size(); ++g) {
    if (asked[g].empty()) continue;
    std::vector<TensorIndex>& outputs = tapped.graphs[g].Main()->outputs;
    outputs.insert(outputs.end(), asked[g].begin(), asked[g].end());
  }
  return tapped;
}

TappedRun TakeTapsFromOutputs(const TestVector& vector, const TapRequest& asked,
                              std::vector<Outcome> outcomes) {
  TappedRun run{std::move(outcomes), {}};
  run.taps.resize(run.outcomes.size());
  for (size_t i = 0; i < run.outcomes.size(); ++i) {
    const auto graph = static_cast<size_t>(vector.steps[i].graph);
    const Block* main = vector.graphs[graph].Main();
    std::vector<Tensor>& outputs = run.outcomes[i].outputs;
    if (main == nullptr || outputs.size() != main->outputs.size() + asked[graph].size()) continue;
    for (size_t k = 0; k < asked[graph].size(); ++k) {
      run.taps[i].emplace(asked[graph][k], std::move(outputs[main->outputs.size() + k]));
    }
    outputs.resize(main->outputs.size());
  }
  return run;
}

}  // namespace assay
