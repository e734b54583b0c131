#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "executor.h"
#include "mutants.h"

namespace assay {

// The contexts of one vector: a context of its own for each number, unless a mutant mixes them up.
class MutantContexts {
 public:
  explicit MutantContexts(const Mutant* mutant)
      : twist_(mutant != nullptr ? mutant->twist : Twist::kNone) {}

  // The one that a step runs in.
  Context& Of(const Step& step);
  // The step has run.
  void Ran();

 private:
  using Key = std::pair<int32_t, int32_t>;  // the number, and what a mutant tells apart beside it
  Key KeyOf(const Step& step);
  void Leak();

  Twist twist_;
  std::map<Key, Context> contexts_;
  std::map<int32_t, int32_t> executions_;  // by context
  Context* current_ = nullptr;             // of the last step
  Context before_;                         // what that began with
};

}  // namespace assay
