// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

#include "levels.h"
#include "numbered_checks.h"

namespace assay::ops {

int64_t DividedDimension(int64_t input1, int64_t input2) {
  if (input1 < 0 || input1 % input2 != 0) return 0;
  return input1 / input2 + 1;
}

Pooling::Pooling(const Attributes& attributes) {
  const auto& kernel = attributes.Ints(AttributeId::kKernel);
  const auto& stride = attributes.Ints(AttributeId::kStride);
  const auto& pad = attributes.Ints(AttributeId::kPad);
  kernel_y = kernel[0];
  kernel_x = kernel[1];
  stride_y = stride[0];
  stride_x = stride[1];
  pad_top = pad[0];
  pad_bottom = pad[1];
  pad_left = pad[2];
  pad_right = pad[3];
}

bool InferPooling(const Signature& s, std::vector<TensorType>& outputs) {
  const Pooling p(*s.attributes);
  const Shape& in = s.shape(0);
  if (in.rank() != 4 || p.stride_y < 1 || p.stride_x < 1) return false;
  const int64_t OH = DividedDimension(in[1] + p.pad_top + p.pad_bottom - p.kernel_y, p.stride_y);
  const int64_t OW = DividedDimension(in[2] + p.pad_left + p.pad_right - p.kernel_x, p.stride_x);
  const int64_t limit = MaximumInteger(DType::kInt32);
  if (OH < 1 || OW < 1 || OH > limit || OW > limit) return false;
  outputs.assign(1, {s.in(0), {in[0], static_cast<int32_t>(OH), static_cast<int32_t>(OW), in[3]}});
  return true;
}

void CheckPooling(const Signature& s, const Level& level, Judgement& j) {
  const Pooling p(*s.attributes);
  const Shape& in = s.shape(0);
  const Shape& to = s.out_shape();
  NumberedChecks checks(s.op, j);
  if (s.op == Op::kAvgPool2d) {
    checks.ErrorIf(s.in(0) != DType::kInt8 && !s.IsZero(1));
    checks.ErrorIf(s.in(0) != DType::kInt8 && !s.IsZero(2));
  }
  checks.LevelCheck(p.kernel_y <= level.max_kernel);
  checks.LevelCheck(p.kernel_x <= level.max_kernel);
  checks.LevelCheck(p.stride_y <= level.max_stride);
  checks.LevelCheck(p.stride_x <= level.max_stride);
  checks.LevelCheck(p.pad_top <= level.max_kernel);
  checks.LevelCheck(p.pad_bottom <= level.max_kernel);
  checks.LevelCheck(p.pad_left <= level.max_kernel);
  checks.LevelCheck(p.pad_right <= level.max_kernel);
  checks.ErrorIf(p.kernel_y < 1 || p.kernel_x < 1);
  checks.ErrorIf(p.stride_y < 1 || p.stride_x < 1);
  checks.ErrorIf(p.pad_top < 0 || p.pad_bottom < 0 || p.pad_left < 0 || p.pad_right < 0);
  checks.ErrorIf(p.pad_right >= p.kernel_x || p.pad_left >= p.kernel_x);
  checks.ErrorIf(p.pad_top >= p.kernel_y || p.pad_bottom >= p.kernel_y);
  if (p.stride_y < 1 || p.stride_x < 1) return;
  checks.DividedDimension(to[1], in[1] + p.pad_top + p.pad_bottom - p.kernel_y, p.stride_y);
  checks.DividedDimension(to[2], in[2] + p.pad_left + p.pad_right - p.kernel_x, p.stride_x);
}

}  // namespace assay::ops
