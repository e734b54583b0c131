// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "convolution.h"
#include "native_kernels.h"

namespace assay {

// DEPTHWISE_CONV2D with a kernel of 3 by 3, stride and dilation 1 and one output channel for each
// channel of the image. It takes some channels along a row of output positions and reads them from
// the tensor itself, so that each element is loaded and converted once for each line of the kernel.
class Depthwise3x3 {
 public:
  // Returns true if the operator is of this kind, no weight is infinite or NaN (so that padding can
  // be zeros), and this machine has the instructions of DotInstructions::kAvx512.
  static bool IsFor(const NativeCall& call, const ops::Convolution& g);

  // No sum of integers may leave int32.
  Depthwise3x3(const NativeCall& call, const ops::Convolution& g);

  // Returns the number of rows of output positions, over all images.
  int64_t rows() const;
  // Computes some rows.
  void Run(int64_t begin, int64_t end) const;

 private:
  const NativeCall& call_;
  const ops::Convolution& g_;
  int64_t out_height_, out_width_;
  std::vector<double> reals_;      // the weights, [9][channels]
  std::vector<int16_t> integers_;  // the same
  std::vector<double> real_bias_;  // [channels]
  std::vector<int32_t> bias_;      // the same
  std::vector<uint8_t> padding_;   // a line of the image, of zeros
};

}  // namespace assay
