// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scaling.h"

namespace assay::ops {

// The attributes, zero points and scales of a RESCALE.
struct Rescaling {
  explicit Rescaling(const Signature& signature);

  int64_t channels() const { return signature.ConstantCount(1); }  // 1 if all have one scale
  Scale scale(int64_t channel) const {
    const auto c = static_cast<int>(channel);
    return {signature.ConstantInteger(1, c), signature.ConstantInteger(2, c)};
  }
  // Return minimum_u and maximum_u, or minimum_s and maximum_s. A value below zero clips to zero
  // (reading rescale-unsigned-clip).
  int64_t low() const;
  int64_t high() const;

  const Signature& signature;
  bool scale32;
  RoundingMode rounding;
  bool per_channel, input_unsigned, output_unsigned;
  // The zero points, each read with the signedness of its side (reading
  // rescale-unsigned-zero-point).
  int64_t input_zp, output_zp;
};

}  // namespace assay::ops
