// SPDX-License-Identifier: Apache-2.0
// AVG_POOL2D, and MAX_POOL2D of i8, i16 and fp32.
#include "pooling.h"

#include "native_elements.h"
#include "parallel.h"
#include "scaling.h"
#include "time_limit.h"

namespace assay {
namespace {

using ops::InsideRange;
using ops::Pooling;

// Computes out[c] = apply_max_s(out[c], x[c]).
template <class T>
struct MaxChannels {
  const T* x;
  T* out;
  int64_t channels;
  bool ignore_nan;

  [[gnu::always_inline]] void operator()() const {
    if constexpr (std::is_same_v<T, float>) {
      if (ignore_nan) {
        Pick([](float acc, float value)
                 __attribute__((always_inline)) { return (acc >= value) | (value != value); });
      } else {
        Pick([](float acc, float value)
                 __attribute__((always_inline)) { return (acc >= value) | (acc != acc); });
      }
    } else {
      Pick([](T acc, T value) __attribute__((always_inline)) { return acc >= value; });
    }
  }

 private:
  template <class F>
  [[gnu::always_inline]] void Pick(F keeps) const {
    // Pointers to bytes may alias these members, so they are copied first.
    const T* const from = x;
    T* const to = out;
    const int64_t count = channels;
    for (int64_t c = 0; c < count; ++c) {
      const T acc = to[c];
      const T value = from[c];
      to[c] = keeps(acc, value) ? acc : value;
    }
  }
};

// The part of a window that lies inside the image. It is not empty, because padding is smaller than
// the kernel.
template <class T>
struct Window {
  const T* first;  // the channels of its first pixel
  int64_t rows, columns;
  int64_t row_step, column_step;
  T* out;  // the channels of the result

  // Calls f with the channels of each pixel, in order.
  template <class F>
  void ForEachPixel(F f) const {
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) f(first + y * row_step + x * column_step);
    }
  }
};

// Computes windows in several threads. A part calls make_pool() for a function of its own, which it
// calls with each of its windows. The windows are on the elements of `image`.
template <class T, class MakePool>
void ForEachWindow(const NativeCall& call, const T* image, MakePool make_pool) {
  const Pooling p(call.attributes());
  const Shape& from = call.signature.shape(0);
  const Shape& to = call.out_shape();
  const int64_t IH = from[1], IW = from[2], C = from[3];
  const int64_t of_row = to[2] * C;
  const double nanoseconds =
      kNanosecondsOfElement * static_cast<double>(of_row * p.kernel_y * p.kernel_x);
  ForEachPart(int64_t{to[0]} * to[1], nanoseconds, [&](int64_t begin, int64_t end) {
    auto pool = make_pool();
    T* out = call.out<T>() + begin * of_row;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t iy = row % to[1] * p.stride_y - p.pad_top;
      const InsideRange rows(iy, p.kernel_y, 1, IH);
      for (int64_t ox = 0; ox < to[2]; ++ox, out += C) {
        const int64_t ix = ox * p.stride_x - p.pad_left;
        const InsideRange columns(ix, p.kernel_x, 1, IW);
        Spend((rows.size() * columns.size() + 1) * C);
        const int64_t first = (row / to[1] * IH + iy + rows.first) * IW + ix + columns.first;
        pool(Window<T>{image + first * C, rows.size(), columns.size(), IW * C, C, out});
      }
    }
  });
}

template <class T>
bool MaxPool(const NativeCall& call) {
  const int64_t C = call.out_shape()[3];
  const bool ignore_nan = call.attributes().nan_mode() == NanMode::kIgnore;
  const auto pool = [&](const Window<T>& window) {
    // The first pixel is compared with itself.
    std::copy_n(window.first, C, window.out);
    window.ForEachPixel([&](const T* pixel) {
      RunWide(MaxChannels<T>{pixel, window.out, C, ignore_nan});
    });
  };
  ForEachWindow(call, call.in<T>(0), [&] { return pool; });
  return true;
}

// Computes sums[c] += x[c].
template <class T, class Work>
struct AddChannels {
  const T* x;
  Work* sums;
  int64_t channels;

  [[gnu::always_inline]] void operator()() const {
    const T* const from = x;
    Work* const to = sums;
    for (int64_t c = 0, count = channels; c < count; ++c) to[c] += Loaded<Work>(from[c]);
  }
};

// Returns the average of the reals of a window from their sum.
struct RealAverage {
  explicit RealAverage(const NativeCall&) {}
  double operator()(double sum, int64_t count) const { return sum / static_cast<double>(count); }
};

// Returns the average of the integers of a window from their sum. Run() has checked that the
// windows are so small that any sum fits.
struct IntegerAverage {
  explicit IntegerAverage(const NativeCall& call)
      : input_zp(call.signature.ConstantInteger(1)),
        output_zp(call.signature.ConstantInteger(2)),
        low(MinimumInteger(call.signature.out())),
        high(MaximumInteger(call.signature.out())) {}

  int64_t operator()(int64_t sum, int64_t count) const {
    const ops::Scale scale = ops::ReciprocalScale(count);
    const int64_t round = int64_t{1} << (scale.shift - 1);
    const int64_t product = (sum - count * input_zp) * scale.multiplier;
    return std::clamp(((product + round) >> scale.shift) + output_zp, low, high);
  }

  int64_t input_zp, output_zp, low, high;
};

struct AvgPool {
  template <class T>
  static bool Run(const NativeCall& call) {
    using Work = std::conditional_t<kIsReal<T>, double, int32_t>;
    const Pooling p(call.attributes());
    // So many elements of i16, or of i8 less a zero point, have a sum inside i32.
    if (!kIsReal<T> && p.kernel_y * p.kernel_x > 65535) return false;
    const std::conditional_t<kIsReal<T>, RealAverage, IntegerAverage> average(call);
    const int64_t C = call.out_shape()[3];
    ForEachWindow(call, call.raw<T>(0), [&] {
      return
          [&, sums = std::vector<Work>(static_cast<size_t>(C))](const Window<T>& window) mutable {
            std::fill(sums.begin(), sums.end(), Work{0});
            window.ForEachPixel([&](const T* pixel) {
              RunWide(AddChannels<T, Work>{pixel, sums.data(), C});
            });
            std::transform(sums.begin(), sums.end(), window.out, [&](Work sum) {
              return Stored<T>(average(sum, window.rows * window.columns));
            });
          };
    });
    return true;
  }
  template <class T>
  static NativeKernel Of() {
    return Run<T>;
  }
};

}  // namespace

NativeKernel NativeAvgPool(const Signature& s) { return NumberKernel(s.in(0), AvgPool()); }

NativeKernel NativeMaxPool(const Signature& s) {
  switch (s.in(0)) {
    case DType::kInt8:
      return MaxPool<int8_t>;
    case DType::kInt16:
      return MaxPool<int16_t>;
    case DType::kFp32:
      return MaxPool<float>;
    default:
      return nullptr;
  }
}

}  // namespace assay
