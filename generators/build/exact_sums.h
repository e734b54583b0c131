// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operator.h"
#include "test_vector.h"
#include "types.h"

namespace assay {

// The geometry of a layer of dot products: on one image CONV2D, DEPTHWISE_CONV2D with one output
// channel for each input channel, or TRANSPOSE_CONV2D; or MATMUL (rows as `height`, width 1).
struct DotShape {
  Op op = Op::kConv2d;
  int32_t height = 1, width = 1, channels = 1;  // of the input
  int32_t out_height = 1, out_width = 1, out_channels = 1;
  int32_t kernel_height = 1, kernel_width = 1, stride = 1;
  int32_t pad_top = 0, pad_left = 0;
  int32_t batches = 1;  // of MATMUL, each with its own weights

  bool depthwise() const { return op == Op::kDepthwiseConv2d; }
  // Returns true if a kernel of the size of the image gives one output for each channel.
  bool is_pool() const { return depthwise() && positions() == 1; }
  int32_t positions() const { return out_height * out_width; }
  // Returns the number of taps of one output channel: kernel height x kernel width x channels.
  int32_t taps() const { return kernel_height * kernel_width * (depthwise() ? 1 : channels); }
  // Returns the position in the weight tensor of a tap of an output channel. Taps are numbered in
  // the order [kernel height, kernel width, channel].
  size_t WeightIndex(int32_t out_channel, int32_t tap) const;

  // Calls visit(position, input) for each output position in every `row_step`th row that the tap
  // reaches, with the index of the input element that it multiplies there.
  template <class Visit>
  void ForEachMeeting(int32_t out_channel, int32_t tap, int32_t row_step, Visit visit) const {
    const int32_t in_taps = depthwise() ? 1 : channels;
    const int32_t channel = depthwise() ? out_channel : tap % in_taps;
    const int32_t ky = tap / in_taps / kernel_width, kx = tap / in_taps % kernel_width;
    for (int32_t oy = 0; oy < out_height; oy += row_step) {
      const int32_t iy = InputAt(oy, ky, pad_top, height);
      if (iy < 0) continue;
      for (int32_t ox = 0; ox < out_width; ++ox) {
        const int32_t ix = InputAt(ox, kx, pad_left, width);
        if (ix < 0) continue;
        visit(static_cast<size_t>(oy) * static_cast<size_t>(out_width) + static_cast<size_t>(ox),
              (static_cast<size_t>(iy) * static_cast<size_t>(width) + static_cast<size_t>(ix)) *
                      static_cast<size_t>(channels) +
                  static_cast<size_t>(channel));
      }
    }
  }

 private:
  // Returns the row or column of the input that a tap reads for an output; -1 if it reads none.
  int32_t InputAt(int32_t out, int32_t k, int32_t pad, int32_t size) const {
    int32_t in = out * stride + k - pad;
    if (op == Op::kTransposeConv2d) {
      in = out - k - pad;
      if (in % stride != 0) return -1;
      in /= stride;
    }
    return in < size ? in : -1;
  }
};

// Returns the greatest power of two that divides every element; 0 if all are zero. The elements
// must be finite.
double UnitOf(std::span<const double> elements);

// Returns true if a floating-point type has the value, as zero or as a normal number.
bool IsValueOf(DType type, double value);

// Returns true if a layer is exact on these operands. This holds for every backend whose dot
// products are sums of their products, in any order, fused or not, in `acc_type` or wider types.
// With U the product of the units of `input` and `weight`, the layer is exact if
//   - U is a normal number of `acc_type`, and divides every bias;
//   - the sum of all magnitudes of one output, its bias included, is at most 2^p * U, with p the
//     number of significant bits of `acc_type`;
//   - every output is a value of `out_type`, with and without its bias.
// `bias` has one element for each output channel, or none. Returns false for an operand of zeros.
bool IsExactDotProduct(const DotShape& shape, std::span<const double> input,
                       std::span<const double> weight, std::span<const double> bias, DType acc_type,
                       DType out_type);

// Returns true if a vector of one step is valid, and every float of its first `outputs` outputs has
// one value for all backends of plain sums. The expectation of the vector is not used.
bool HasOneAnswer(TestVector vector, size_t outputs);

}  // namespace assay
