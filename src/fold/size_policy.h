// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dataflow.h"

namespace assay {

// Returns the bytes of a tensor as Tensor stores it (bool and i4 take a byte each, i48 takes
// eight).
int64_t StoredBytes(const TensorType& type);

// Returns true if a tensor of `bytes` that is computed from constants of `root_bytes` may be
// cached.
bool Admits(const SizePolicy& policy, int64_t bytes, int64_t root_bytes);

// Applies a size policy to values. The roots of a value are the distinct arguments and CONSTs that
// it depends on other than through compile-time-constant operands.
class SizeRule {
 public:
  SizeRule(const Dataflow& flow, SizePolicy policy, FoldFault fault = FoldFault::kNone);

  // Returns true if the policy lets a value be cached.
  bool AdmitsValue(TensorIndex tensor);
  // Returns true if the policy lets a value of `bytes` that is computed from `from` be cached.
  bool AdmitsBytes(int64_t bytes, const std::vector<TensorIndex>& from);

 private:
  bool IsRoot(TensorIndex tensor) const;
  int64_t RootBytes(const std::vector<TensorIndex>& from);

  const Dataflow& flow_;
  const SizePolicy policy_;
  const FoldFault fault_;
  // The bytes of the roots of a tensor are at least `least_` and at most `most_`. These bounds
  // mostly decide.
  std::vector<int64_t> least_, most_;
  std::vector<int32_t> seen_;  // the number of the search that met a tensor last
  int32_t search_ = 0;
};

}  // namespace assay
