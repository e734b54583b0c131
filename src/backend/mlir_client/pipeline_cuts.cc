// SPDX-License-Identifier: Apache-2.0
#include "pipeline_cuts.h"

namespace assay {
namespace {

constexpr std::string_view kModule = "builtin.module(";

// Returns the passes of `builtin.module(...)`.
std::string_view Inside(std::string_view pipeline) {
  if (!pipeline.starts_with(kModule)) return pipeline;
  pipeline.remove_prefix(kModule.size());
  pipeline.remove_suffix(pipeline.ends_with(')') ? 1 : 0);
  return pipeline;
}

}  // namespace

std::vector<PipelineCut> CutsOf(std::string_view pipeline) {
  std::vector<PipelineCut> cuts;
  size_t nested = 0, braces = 0, start = 0;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const char c = pipeline[i];
    if (c == '{') ++braces;
    if (c == '}' && braces > 0) --braces;
    if (braces > 0 || (c != '(' && c != ')' && c != ',')) continue;
    const std::string_view pass = pipeline.substr(start, i - start);
    start = i + 1;
    if (c != '(' && !pass.empty()) {
      cuts.push_back({std::string(pass.substr(0, pass.find('{'))),
                      std::string(pipeline.substr(0, i)) + std::string(nested, ')')});
    }
    if (c == '(') ++nested;
    if (c == ')' && nested > 0) --nested;
  }
  return cuts;
}

std::string JoinPipelines(std::string_view first, std::string_view second) {
  const std::string_view a = Inside(first), b = Inside(second);
  const bool both = !a.empty() && !b.empty();
  return std::string(kModule) + std::string(a) + (both ? "," : "") + std::string(b) + ")";
}

}  // namespace assay
