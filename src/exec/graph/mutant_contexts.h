// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "executor.h"
#include "mutants.h"

namespace assay {

// The contexts of one vector: one context for each number, unless a mutant mixes them up.
class MutantContexts {
 public:
  explicit MutantContexts(const Mutant* mutant)
      : twist_(mutant != nullptr ? mutant->twist : Twist::kNone) {}

  // Returns the context in which a step runs.
  Context& Of(const Step& step);
  // Records that the step has run.
  void Ran();

 private:
  using Key = std::pair<int32_t, int32_t>;  // the number, and what else a mutant distinguishes
  Key KeyOf(const Step& step);
  void Leak();

  Twist twist_;
  std::map<Key, Context> contexts_;
  std::map<int32_t, int32_t> executions_;  // by context
  Context* current_ = nullptr;             // of the last step
  Context before_;                         // its content before that step
};

}  // namespace assay
