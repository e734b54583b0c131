// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files.h"
#include "generator_options.h"
#include "result.h"
#include "target.h"
#include "test_vector.h"

namespace assay {

// The options that name a target: a file, and shortcuts that make one in memory.
struct TargetOptions {
  std::string file;
  std::vector<std::string> operators, types;
  int64_t rank_max = 0, elements_max = 0;  // 0: no limit
  OnceReadText text;                       // of the file

  bool HasShortcuts() const {
    return !operators.empty() || !types.empty() || rank_max > 0 || elements_max > 0;
  }
  bool IsGiven() const { return !file.empty() || HasShortcuts(); }
};
// Returns the options as words of a command line: " --target t.json --op CONV2D"; "" if none is
// given.
std::string TargetWords(const TargetOptions& options);

// The targets that options name. A vector must be inside all of them.
class ChosenTargets {
 public:
  // Takes every vector.
  ChosenTargets() = default;
  // Takes every vector if no option is given. Error kUsage for a shortcut with an unknown name, and
  // if no operator is inside all targets.
  // Errors of LoadTarget().
  static Result<ChosenTargets> Make(const TargetOptions& options);

  bool TakesAll() const { return targets_.empty(); }
  bool Takes(const TestVector& vector) const;
  // Returns the reasons why the vector is outside, one line each.
  std::vector<std::string> WhyNot(const TestVector& vector) const;
  const std::vector<Target>& targets() const { return targets_; }
  // Returns a SHA-256 of what the targets are, for the identity of a suite.
  std::string Hash() const;

  // Restricts what generators choose, as far as they can be told. Vectors that they make may still
  // be outside. Error kUsage if nothing is left to choose.
  Result<Done> Restrict(GeneratorOptions& options) const;

 private:
  std::vector<Target> targets_;
};

// Returns a target from the shortcuts. Error kUsage for an unknown name.
Result<Target> TargetOfShortcuts(const TargetOptions& options);

}  // namespace assay
