// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "pooling.h"
#include "time_limit.h"
#include "zero_point.h"

namespace assay::ops {

// One spatial axis of a convolution. I, K and the attributes are named as in the pseudocode,
// without their d, y or x. The padding of TRANSPOSE_CONV2D is that of the output.
struct ConvolutionAxis {
  int64_t I = 1, K = 1;
  int64_t stride = 1, dilation = 1;
  int64_t pad_before = 0, pad_after = 0;

  // Returns the number that idiv_check divides by the stride.
  int64_t Span() const { return I - 1 + pad_before + pad_after - (K - 1) * dilation; }
  // Returns the output dimension of TRANSPOSE_CONV2D.
  int64_t TransposedSize() const { return (I - 1) * stride + pad_before + pad_after + K; }
};

// A kernel position that meets an element of the image, as a pair of indices. The indices count
// along one axis, or over all axes together.
struct Tap {
  int64_t kernel, image;
};

// The attributes and dimensions of CONV2D, CONV3D, DEPTHWISE_CONV2D or TRANSPOSE_CONV2D, each as a
// convolution over depth, height and width. The two-dimensional operators have the depth 1.
// DEPTHWISE_CONV2D has one group for each input channel; the others have one group.
class Convolution {
 public:
  // Reads a signature whose operands 0 and 1 have the ranks, and whose attributes have the lengths,
  // of the Arguments table.
  explicit Convolution(const Signature& signature);

  // Returns the axes that the operator has: height and width, for CONV3D depth before them.
  std::span<const ConvolutionAxis> spatial() const {
    return std::span<const ConvolutionAxis>(axes).last(rank);
  }
  // The number of kernel positions, and the same times the channels of a group (KS).
  int64_t KernelPositions() const { return axes[0].K * axes[1].K * axes[2].K; }
  int64_t KernelSize() const { return KernelPositions() * IC; }

  // Replaces `taps` with the taps of output index `out` along an axis, by ascending kernel index.
  void InsideTaps(const ConvolutionAxis& axis, int64_t out, std::vector<Tap>& taps) const;

  std::array<ConvolutionAxis, 3> axes;  // depth, height, width
  size_t rank;                          // of spatial()
  int64_t N, groups;
  int64_t IC, OC;  // channels of a group of the input; all channels of the output
  bool transposed;
};

// Sets the output of any of the four operators. Returns false if no output shape exists.
bool InferConvolution(const Signature& signature, std::vector<TensorType>& outputs);

// The checks of any of the four operators.
void CheckConvolution(const Signature& signature, const Level& level, Judgement& judgement);

// Returns the rule for the dot products of a convolution. KS counts the whole kernel, also where it
// meets padding.
template <class D>
DotRule RuleOfConvolution(D& d, const Call<D>& call, const Convolution& g, const char* overflow) {
  DotRule rule;
  rule.in_type = call.in(0);
  rule.weight_type = call.in(1);
  rule.acc_type = call.attributes().type(AttributeId::kAccType);
  rule.out_type = call.out();
  rule.kernel_size = g.KernelSize();
  rule.overflow = overflow;
  const bool local_bound = call.attributes().Has(AttributeId::kLocalBound) &&
                           call.attributes().Flag(AttributeId::kLocalBound);
  if (!IsFloat(rule.in_type)) return rule;
  const auto& input = *call.input(0).elements;
  if (!local_bound) rule.input_maximum = d.MaximumMagnitude(rule.in_type, input);
  rule.quantum =
      d.Quantum(rule.in_type, input) * d.Quantum(rule.weight_type, *call.input(1).elements);
  return rule;
}

// Visits the output positions in row-major order. Calls f(taps) with the taps of the position, by
// ascending kernel position; their images are pixels, counted over all images.
template <class F>
void ForEachPosition(const Convolution& g, const Shape& to, F f) {
  const auto [depth, height, width] = g.axes;
  const auto out = [&](size_t axis) {  // of an axis of three
    return axis + g.rank < 3 ? 1 : to[static_cast<int>(axis + g.rank) - 2];
  };
  std::vector<Tap> planes, rows, columns, taps;
  columns.reserve(static_cast<size_t>(std::min(width.K, width.I)));
  for (int64_t n = 0; n < g.N; ++n) {
    for (int64_t od = 0; od < out(0); ++od) {
      g.InsideTaps(depth, od, planes);
      for (int64_t oy = 0; oy < out(1); ++oy) {
        g.InsideTaps(height, oy, rows);
        for (int64_t ox = 0; ox < out(2); ++ox) {
          g.InsideTaps(width, ox, columns);
          taps.clear();
          for (const Tap& d : planes) {
            for (const Tap& y : rows) {
              const int64_t kernel_row = (d.kernel * height.K + y.kernel) * width.K;
              const int64_t row = ((n * depth.I + d.image) * height.I + y.image) * width.I;
              for (const Tap& x : columns) taps.push_back({kernel_row + x.kernel, row + x.image});
            }
          }
          Spend((std::ssize(taps) + 1) * g.IC * g.OC);
          f(std::span<const Tap>(taps));
        }
      }
    }
  }
}

// A buffer of at most `most` elements, refilled for each dot product.
template <class Element>
class Gathered {
 public:
  explicit Gathered(int64_t most) : elements_(static_cast<size_t>(most)) {}
  void Clear() { count_ = 0; }
  // Appends elements[start], ..., `count` of them. (A loop copies few channels faster than a call
  // does, and most tensors have few.)
  void Append(std::span<const Element> elements, int64_t start, int64_t count) {
    const Element* from = elements.data() + start;
    for (int64_t i = 0; i < count; ++i) elements_[count_++] = from[i];
  }
  std::span<const Element> elements() const { return std::span(elements_).first(count_); }

 private:
  std::vector<Element> elements_;
  size_t count_ = 0;
};

// Does the same as Convolve() for one group and finite weights, faster: several windows are
// computed together.
inline void ConvolveBalls(BallDomain& d, const Call<BallDomain>& call, const Convolution& g,
                          std::span<const Ball> input, std::span<const Ball> weight,
                          const DotRule& rule) {
  // So many that the products take some milliseconds, which is enough for several threads.
  const int64_t together = std::clamp<int64_t>((1 << 22) / (g.KernelSize() * g.OC), 32, 1024);
  const std::span<const Ball> bias = *call.input(2).elements;
  const auto size = static_cast<size_t>(g.KernelSize()), OC = static_cast<size_t>(g.OC);
  const BallColumns columns(weight, size, OC, size, 1);
  BallRows windows(size, static_cast<size_t>(together), d.BoundOfAll(rule));
  size_t at = 0;
  const auto compute = [&] {
    const size_t count = windows.count() * OC;
    d.Dots(rule, windows, columns, bias, std::span(call.output()).subspan(at, count));
    at += count;
    windows.Clear();
  };
  const auto channels = static_cast<size_t>(g.IC);
  ForEachPosition(g, call.out_shape(), [&](std::span<const Tap> taps) {
    auto tap = taps.begin();
    for (int64_t position = 0; position < g.KernelPositions(); ++position) {
      const bool in_image = tap != taps.end() && tap->kernel == position;
      in_image
          ? windows.Append(input.subspan(static_cast<size_t>(tap++->image) * channels, channels))
          : windows.AppendPadding(channels);
    }
    if (windows.count() == static_cast<size_t>(together)) compute();
  });
  compute();
}

// Computes output[n,od,oy,ox,oc]. `input` and `weight` have no zero points any more; `weight` is in
// the order [OC][kd,ky,kx][IC]. The dot product leaves out kernel positions that meet no element of
// the image, and receives the weights there separately. `overflow` is the rule of apply_add_s.
template <class D>
void Convolve(D& d, const Call<D>& call, const Convolution& g,
              std::span<const typename D::Element> input,
              std::span<const typename D::Element> weight, const char* overflow) {
  using Element = typename D::Element;
  const DotRule rule = RuleOfConvolution(d, call, g, overflow);
  if constexpr (std::is_same_v<D, BallDomain>) {
    const auto is_finite = [](const Ball& x) { return std::isfinite(x.outer); };
    if (g.groups == 1 && std::ranges::all_of(weight, is_finite)) {
      return ConvolveBalls(d, call, g, input, weight, rule);
    }
  }
  const std::span<const Element> bias = *call.input(2).elements;
  const size_t bias_step = bias.size() == 1 ? 0 : 1;
  const int64_t positions = g.KernelPositions();
  const int64_t KS = g.KernelSize();
  const int64_t OC = g.OC / g.groups;  // of a group
  Gathered<Element> data(KS);
  Gathered<Element> inside(KS);
  Gathered<Element> padding(KS);
  size_t at = 0;
  ForEachPosition(g, call.out_shape(), [&](std::span<const Tap> taps) {
    for (int64_t group = 0; group < g.groups; ++group) {
      data.Clear();
      for (const Tap& tap : taps) {
        data.Append(input, (tap.image * g.groups + group) * g.IC, g.IC);
      }
      for (int64_t oc = group * OC; oc < (group + 1) * OC; ++oc) {
        std::span<const Element> weights =
            weight.subspan(static_cast<size_t>(oc * KS), static_cast<size_t>(KS));
        inside.Clear();
        padding.Clear();
        if (std::ssize(taps) < positions) {
          auto tap = taps.begin();
          for (int64_t position = 0; position < positions; ++position) {
            const bool in_image = tap != taps.end() && tap->kernel == position;
            (in_image ? inside : padding).Append(weights, position * g.IC, g.IC);
            if (in_image) ++tap;
          }
          weights = inside.elements();
        }
        call.output()[at++] =
            d.Store(rule.out_type, d.Dot(rule, data.elements(), weights, padding.elements(),
                                         &bias[static_cast<size_t>(oc) * bias_step]));
      }
    }
  });
}

// Calls Convolve() after subtracting zero points, for weights that are already in its order.
template <class D>
void ConvolveByChannel(D& d, const Call<D>& call, const char* overflow) {
  std::vector<typename D::Element> input_storage;
  std::vector<typename D::Element> weight_storage;
  const auto input = LessZeroPoint(d, call, 0, 3, input_storage);
  const auto weight = LessZeroPoint(d, call, 1, 4, weight_storage);
  Convolve(d, call, Convolution(call.signature), input, weight, overflow);
}

}  // namespace assay::ops
