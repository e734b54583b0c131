// SPDX-License-Identifier: Apache-2.0
#include "member.h"

namespace assay {

std::span<const Member> Ensemble() {
  using enum SumOrder;
  using enum SumPrecision;
  static constexpr Member kMembers[] = {
      {.name = "forward", .order = kForward, .precision = kAccumulator},
      {.name = "forward-fused", .order = kForward, .precision = kFused},
      {.name = "reverse", .order = kReverse, .precision = kAccumulator, .multiplies_padding = true},
      {.name = "reverse-fused-casts",
       .order = kReverse,
       .precision = kFused,
       .keeps = Keeps::kCasts,
       .multiplies_padding = true},
      {.name = "pairwise", .order = kPairwise, .precision = kAccumulator},
      {.name = "pairwise-double", .order = kPairwise, .precision = kDouble},
      {.name = "lanes8-fused", .order = kLanes8, .precision = kFused},
      {.name = "lanes16-fused", .order = kLanes16, .precision = kFused},
      {.name = "lanes8-flush", .order = kLanes8, .precision = kAccumulator, .flushes = true},
      {.name = "forward-fused-flush", .order = kForward, .precision = kFused, .flushes = true},
      {.name = "double-kept", .order = kForward, .precision = kDouble, .keeps = Keeps::kUnrounded},
      {.name = "lanes16-kept-fp32",
       .order = kLanes16,
       .precision = kFused,
       .keeps = Keeps::kInFp32},
      {.name = "forward-moved", .order = kForward, .precision = kAccumulator, .moves = true},
      {.name = "lanes8-double-moved", .order = kLanes8, .precision = kDouble, .moves = true},
      {.name = "pairwise-moved-casts",
       .order = kPairwise,
       .precision = kFused,
       .keeps = Keeps::kCasts,
       .moves = true},
  };
  return kMembers;
}

}  // namespace assay
