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
  // minimum_u and maximum_u, or minimum_s and maximum_s. Reading rescale-unsigned-clip: below zero
  // clips to zero.
  int64_t low() const;
  int64_t high() const;

  const Signature& signature;
  bool scale32;
  RoundingMode rounding;
  bool per_channel, input_unsigned, output_unsigned;
  // Reading rescale-unsigned-zero-point: a zero point is read as its side is.
  int64_t input_zp, output_zp;
};

}  // namespace assay::ops
