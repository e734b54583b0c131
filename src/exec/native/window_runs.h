// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "convolution.h"
#include "native_kernels.h"
#include "time_limit.h"

namespace assay {

// Kernel positions side by side that meet pixels side by side.
struct WindowRun {
  int64_t kernel, pixel;  // the first ones; pixels are counted over all images
  int64_t count;
};

// The windows of a convolution: for each output position the kernel positions that meet an element
// of the image, in order.
class WindowRuns {
 public:
  WindowRuns(const ops::Convolution& g, const Shape& to);

  // Returns the number of rows of output positions, over all planes and images.
  int64_t rows() const { return g_.N * out_planes_ * out_rows_; }
  // Returns the number of positions in a row.
  int64_t columns() const { return std::ssize(of_column_); }

  // Calls f(runs, taps) for each output position of some rows, in row-major order, with the number
  // of kernel positions in the runs. Spends the work of all output channels.
  template <class F>
  void ForEach(int64_t first_row, int64_t last_row, F f) const {
    const auto& [depth, height, width] = g_.axes;
    std::vector<ops::Tap> planes, rows;
    std::vector<WindowRun> runs;
    std::vector<WindowRun> lines;  // where each line of kernel and image begins
    for (int64_t row = first_row; row < last_row; ++row) {
      const int64_t n = row / out_rows_ / out_planes_;
      g_.InsideTaps(depth, row / out_rows_ % out_planes_, planes);
      g_.InsideTaps(height, row % out_rows_, rows);
      lines.clear();
      for (const ops::Tap& d : planes) {
        for (const ops::Tap& y : rows) {
          lines.push_back({(d.kernel * height.K + y.kernel) * width.K,
                           ((n * depth.I + d.image) * height.I + y.image) * width.I, 0});
        }
      }
      for (const std::vector<WindowRun>& columns : of_column_) {
        runs.resize(lines.size() * columns.size());
        WindowRun* next = runs.data();
        for (const WindowRun& line : lines) {
          for (const WindowRun& x : columns) {
            *next++ = {line.kernel + x.kernel, line.pixel + x.pixel, x.count};
          }
        }
        int64_t taps = 0;
        for (const WindowRun& x : columns) taps += x.count;
        taps *= std::ssize(lines);
        Spend((taps + 1) * g_.IC * g_.OC);
        f(std::span<const WindowRun>(runs), taps);
      }
    }
  }

 private:
  const ops::Convolution& g_;
  int64_t out_planes_, out_rows_;
  std::vector<std::vector<WindowRun>> of_column_;  // along the width, by output column
};

// Returns true unless the convolution sums integers and a sum might leave the accumulator, in some
// order.
bool ConvolutionStaysInRange(const NativeCall& call, const ops::Convolution& g);

}  // namespace assay
