// MAX_POOL2D of i8, i16 and fp32.
#include "native_kernels.h"
#include "native_vectors.h"
#include "pooling.h"

namespace assay {
namespace {

using ops::InsideRange;
using ops::Pooling;

// out[c] = apply_max_s(out[c], x[c]).
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
    // Bytes may alias anything, these members among them.
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

template <class T>
bool MaxPool(const NativeCall& call) {
  const Pooling p(call.attributes());
  const Shape& from = call.signature.shape(0);
  const Shape& to = call.out_shape();
  const int64_t IH = from[1], IW = from[2], C = from[3];
  const bool ignore_nan = call.attributes().nan_mode() == NanMode::kIgnore;
  T* out = call.out<T>();
  for (int64_t n = 0; n < to[0]; ++n) {
    for (int64_t oy = 0; oy < to[1]; ++oy) {
      const int64_t iy = oy * p.stride_y - p.pad_top;
      const InsideRange rows(iy, p.kernel_y, 1, IH);
      for (int64_t ox = 0; ox < to[2]; ++ox, out += C) {
        const int64_t ix = ox * p.stride_x - p.pad_left;
        const InsideRange columns(ix, p.kernel_x, 1, IW);
        // Windows have an element, as padding is smaller than the kernel. Its first is compared
        // with itself.
        const T* const image = call.in<T>(0) + n * IH * IW * C;
        const auto pixel = [&](int64_t ky, int64_t kx) {
          return image + ((iy + ky) * IW + ix + kx) * C;
        };
        std::copy_n(pixel(rows.first, columns.first), C, out);
        for (int64_t ky = rows.first; ky < rows.last; ++ky) {
          for (int64_t kx = columns.first; kx < columns.last; ++kx) {
            RunWide(MaxChannels<T>{pixel(ky, kx), out, C, ignore_nan});
          }
        }
      }
    }
  }
  return true;
}

}  // namespace

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
