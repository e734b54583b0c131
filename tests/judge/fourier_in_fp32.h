// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace assay {

// Computes FFT2D of one image by its pseudocode, with fp32 for in_out_t. Returns the real values,
// then the imaginary ones.
inline std::array<std::vector<float>, 2> TransformInFp32(int H, int W, bool inverse,
                                                         const std::vector<float>& real,
                                                         const std::vector<float>& imag) {
  const auto pi = static_cast<float>(std::numbers::pi);
  const float sign_val = inverse ? -1.0F : 1.0F;
  const auto quotient = [](int a, int b) { return static_cast<float>(a) / static_cast<float>(b); };
  std::array<std::vector<float>, 2> out;
  for (int oy = 0; oy < H; ++oy) {
    for (int ox = 0; ox < W; ++ox) {
      float sum_real = 0, sum_imag = 0;
      for (int iy = 0; iy < H; ++iy) {
        for (int ix = 0; ix < W; ++ix) {
          const auto at = static_cast<size_t>(iy * W + ix);
          const float a = sign_val * 2 * pi * (quotient(iy * oy % H, H) + quotient(ix * ox % W, W));
          sum_real += real[at] * std::cos(a) + imag[at] * std::sin(a);
          sum_imag += -real[at] * std::sin(a) + imag[at] * std::cos(a);
        }
      }
      out[0].push_back(sum_real);
      out[1].push_back(sum_imag);
    }
  }
  return out;
}

}  // namespace assay
