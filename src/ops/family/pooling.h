// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "operator_definition.h"
#include "time_limit.h"

namespace assay::ops {

// Returns idiv_check(input1, input2) + 1, an output dimension. Returns 0 if input1 is no multiple
// of input2, or if the result is no dimension. input2 must be at least 1.
int64_t DividedDimension(int64_t input1, int64_t input2);

// The attributes of a pooling operator.
struct Pooling {
  explicit Pooling(const Attributes& attributes);
  int64_t kernel_y, kernel_x, stride_y, stride_x;
  int64_t pad_top, pad_bottom, pad_left, pad_right;
};

// The kernel positions of one row (or column) that lie inside the image: first..last-1 of `count`
// positions. The positions start at image index `start` and are `dilation` apart.
struct InsideRange {
  InsideRange(int64_t start, int64_t count, int64_t dilation, int64_t image) {
    first = start < 0 ? std::min(count, (-start + dilation - 1) / dilation) : 0;
    last = start < image ? std::min(count, (image - 1 - start) / dilation + 1) : 0;
    last = std::max(first, last);
  }
  int64_t first, last;
  int64_t size() const { return last - first; }
};

bool InferPooling(const Signature& signature, std::vector<TensorType>& outputs);

// The checks of AVG_POOL2D and MAX_POOL2D.
void CheckPooling(const Signature& signature, const Level& level, Judgement& judgement);

// Computes output[n,oy,ox,c] = f(elements), with the elements of the window that lie inside the
// image, in the order of ky, kx.
template <class D, class F>
void Pool(D& d, const Call<D>& call, std::span<const typename D::Element> input, F f) {
  using Element = typename D::Element;
  const Pooling p(call.attributes());
  const Shape& in = call.shape();
  const Shape& to = call.out_shape();
  const int64_t IH = in[1], IW = in[2], C = in[3];
  const DType type = call.out();
  auto& out = call.output();
  std::vector<Element> window(
      static_cast<size_t>(std::min(p.kernel_y, IH) * std::min(p.kernel_x, IW)));
  size_t position = 0;
  for (int64_t n = 0; n < to[0]; ++n) {
    for (int64_t oy = 0; oy < to[1]; ++oy) {
      const int64_t iy = oy * p.stride_y - p.pad_top;
      const InsideRange rows(iy, p.kernel_y, 1, IH);
      for (int64_t ox = 0; ox < to[2]; ++ox) {
        const int64_t ix = ox * p.stride_x - p.pad_left;
        const InsideRange columns(ix, p.kernel_x, 1, IW);
        Spend((rows.size() * columns.size() + 1) * C);
        for (int64_t c = 0; c < C; ++c) {
          size_t count = 0;
          for (int64_t ky = rows.first; ky < rows.last; ++ky) {
            const int64_t row = ((n * IH + iy + ky) * IW + ix) * C + c;
            for (int64_t kx = columns.first; kx < columns.last; ++kx) {
              window[count++] = input[static_cast<size_t>(row + kx * C)];
            }
          }
          out[position++] = d.Store(type, f(std::span<const Element>(window).first(count)));
        }
      }
    }
  }
}

}  // namespace assay::ops
