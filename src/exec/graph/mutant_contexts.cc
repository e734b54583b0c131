// SPDX-License-Identifier: Apache-2.0
#include "mutant_contexts.h"

namespace assay {

MutantContexts::Key MutantContexts::KeyOf(const Step& step) {
  switch (twist_) {
    case Twist::kContextsShared:
      return {0, 0};
    case Twist::kTwoContexts:
      return {step.context % 2, 0};
    case Twist::kVariablesOfGraph:
      return {step.context, step.graph};
    case Twist::kTwoBuffers:
      return {step.context, executions_[step.context]++ % 2};
    default:
      return {step.context, 0};
  }
}

Context& MutantContexts::Of(const Step& step) {
  const Key key = KeyOf(step);
  const auto [at, is_new] = contexts_.try_emplace(key);
  Context& context = at->second;
  if (is_new && twist_ == Twist::kTwoBuffers && key.second == 1) {
    context = contexts_[{key.first, 0}];
  }
  if (is_new && twist_ == Twist::kContextReused && current_ != nullptr) context = *current_;
  if (twist_ == Twist::kForgets) context.variables.clear();
  current_ = &context;
  if (twist_ == Twist::kWritesLeak) before_ = context;
  return context;
}

void MutantContexts::Ran() {
  if (twist_ == Twist::kWritesLeak) Leak();
  if (twist_ == Twist::kForgetsUndeclared) {
    std::erase_if(current_->variables, [](const auto& entry) { return !entry.second.seen; });
  }
}

// Copies what the step has changed to all contexts that know the variable.
void MutantContexts::Leak() {
  for (const auto& [name, variable] : current_->variables) {
    const auto was = before_.variables.find(name);
    if (was == before_.variables.end() || !variable.is_written) continue;
    if (was->second.is_written && was->second.value.tensor() == variable.value.tensor()) continue;
    for (auto& [key, context] : contexts_) {
      const auto other = context.variables.find(name);
      if (&context == current_ || other == context.variables.end()) continue;
      if (other->second.value.type() == variable.value.type()) other->second = variable;
    }
  }
}

}  // namespace assay
