// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The beginning of a pass pipeline, up to and including one pass.
struct PipelineCut {
  std::string pass;      // its command line name
  std::string pipeline;  // `builtin.module(...)`
};

// Returns the pipeline `builtin.module(...)` cut after each of its passes, in order. The last one
// is the pipeline itself.
std::vector<PipelineCut> CutsOf(std::string_view pipeline);

// Returns a pipeline of the passes of two pipelines `builtin.module(...)`, of which the first may
// be "".
std::string JoinPipelines(std::string_view first, std::string_view second);

}  // namespace assay
