// CONV2D, CONV3D, TRANSPOSE_CONV2D and DEPTHWISE_CONV2D.
#include "convolution.h"
#include "native_sums.h"

namespace assay {
namespace {

using ops::Convolution;
using ops::Tap;

// The operands of a convolution, less their zero points.
template <class Work>
struct Operands {
  explicit Operands(const NativeCall& call)
      : input(LoadOperand<Work>(call, 0, 3)),
        weight(LoadOperand<Work>(call, 1, 4)),
        bias(LoadOperand<Work>(call, 2, 2)),
        bias_step(call.signature.shape(2)[0] == 1 ? 0 : 1) {}

  bool StayInRange(const NativeCall& call, const Convolution& g) const {
    const DType out = call.signature.out();
    return IsFloat(out) ||
           StaysInRange(call.attributes().type(AttributeId::kAccType), out,
                        input.maximum * weight.maximum, g.KernelSize(), bias.maximum);
  }
  Work Bias(int64_t oc) const { return bias.elements[static_cast<size_t>(oc * bias_step)]; }

  WorkOperand<Work> input, weight, bias;
  int64_t bias_step;
};

// Computes convolutions with one group of channels. Takes a batch of output positions, and for
// these positions one panel of output channels after the other.
template <class Work, class Out>
class Positions {
 public:
  Positions(const NativeCall& call, const Convolution& g, const Operands<Work>& operands)
      : type_(call.signature.out()), g_(g), operands_(operands), out_(call.out<Out>()) {
    const int64_t KS = g.KernelSize();
    panels_.resize(
        static_cast<size_t>((g.OC + kLanes<Work> - 1) / kLanes<Work> * kLanes<Work> * KS));
    for (int64_t oc = 0; oc < g.OC; ++oc) {
      const Work* const from = operands.weight.elements.get() + oc * KS;
      Work* const to = panels_.data() + oc / kLanes<Work> * kLanes<Work> * KS + oc % kLanes<Work>;
      for (int64_t k = 0; k < KS; ++k) to[k * kLanes<Work>] = from[k];
    }
  }

  // Adds the next position, in row-major order.
  void Add(std::span<const Tap> taps) {
    if (starts_.size() == kBatch) Flush();
    const size_t start = runs_.size();
    for (const Tap& tap : taps) {
      // Taps side by side, in the kernel and in the image, are one run.
      const ProductRun run = {tap.image * g_.IC, tap.kernel * g_.IC, g_.IC};
      if (runs_.size() > start) {
        ProductRun& last = runs_.back();
        if (last.row + last.count == run.row && last.column + last.count == run.column) {
          last.count += run.count;
          continue;
        }
      }
      runs_.push_back(run);
    }
    starts_.push_back(start);
  }

  // Computes the positions that have been added.
  void Flush() {
    const size_t count = starts_.size();
    starts_.push_back(runs_.size());
    std::vector<const ProductRun*> runs(count);
    for (size_t i = 0; i < count; ++i) runs[i] = runs_.data() + starts_[i];
    std::vector<size_t> alike(count, 1);  // positions from this one on with the same columns
    for (size_t i = count; i-- > 1;) {
      if (SameColumns(i - 1, i)) alike[i - 1] = alike[i] + 1;
    }
    for (int64_t oc = 0; oc < g_.OC; oc += kLanes<Work>) {
      const Work* const panel = panels_.data() + oc * g_.KernelSize();
      for (size_t i = 0; i < count;) {
        Work sums[kRowsTogether * kLanes<Work>];
        const SumInputs<Work> in = {operands_.input.elements.get(), runs.data() + i,
                                    starts_[i + 1] - starts_[i], panel};
        const size_t rows = SumSomeRows(in, alike[i], static_cast<Work*>(sums));
        for (size_t row = 0; row < rows; ++row) Store(i + row, oc, sums + row * kLanes<Work>);
        i += rows;
      }
    }
    out_ += static_cast<int64_t>(count) * g_.OC;
    runs_.clear();
    starts_.clear();
  }

 private:
  static constexpr size_t kBatch = 64;

  bool SameColumns(size_t a, size_t b) const {
    const std::span<const ProductRun> runs(runs_);
    return std::equal(runs.begin() + static_cast<int64_t>(starts_[a]),
                      runs.begin() + static_cast<int64_t>(starts_[a + 1]),
                      runs.begin() + static_cast<int64_t>(starts_[b]),
                      runs.begin() + static_cast<int64_t>(starts_[b + 1]),
                      [](const ProductRun& x, const ProductRun& y) {
                        return x.column == y.column && x.count == y.count;
                      });
  }

  void Store(size_t position, int64_t oc, const Work* sums) const {
    Out* const to = out_ + static_cast<int64_t>(position) * g_.OC + oc;
    const int64_t lanes = std::min(kLanes<Work>, g_.OC - oc);
    for (int64_t j = 0; j < lanes; ++j) {
      to[j] = Finish<Work, Out>(type_, sums[j] + operands_.Bias(oc + j));
    }
  }

  DType type_;
  const Convolution& g_;
  const Operands<Work>& operands_;
  Out* out_;
  std::vector<Work> panels_;  // [OC / kLanes<Work>][KS][kLanes<Work>]
  std::vector<ProductRun> runs_;
  std::vector<size_t> starts_;  // of the runs of each position
};

struct ConvolutionFamily {
  template <class Work, class Out>
  static bool Run(const NativeCall& call) {
    const Convolution g(call.signature);
    const Operands<Work> operands(call);
    if (!operands.StayInRange(call, g)) return false;
    Positions<Work, Out> positions(call, g, operands);
    ForEachPosition(g, call.out_shape(), [&](std::span<const Tap> taps) { positions.Add(taps); });
    positions.Flush();
    return true;
  }
};

// Computes the sums of all channels at one position, tap by tap.
template <class Work>
struct SumChannels {
  std::span<const Tap> taps;
  const Work* image;   // [pixels][channels]
  const Work* weight;  // [kernel positions][channels][multiplier]
  int64_t channels, multiplier;
  Work* sums;  // [channels][multiplier]

  [[gnu::always_inline]] void operator()() const {
    const int64_t count = channels * multiplier;
    for (int64_t i = 0; i < count; ++i) sums[i] = 0;
    for (const Tap& tap : taps) {
      const Work* const x = image + tap.image * channels;
      const Work* const w = weight + tap.kernel * count;
      if (multiplier == 1) {
        for (int64_t i = 0; i < count; ++i) sums[i] += x[i] * w[i];
        continue;
      }
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t m = c * multiplier; m < (c + 1) * multiplier; ++m) sums[m] += x[c] * w[m];
      }
    }
  }
};

struct DepthwiseFamily {
  template <class Work, class Out>
  static bool Run(const NativeCall& call) {
    const Convolution g(call.signature);
    const Operands<Work> operands(call);
    if (!operands.StayInRange(call, g)) return false;
    const DType type = call.signature.out();
    std::vector<Work> sums(static_cast<size_t>(g.OC));
    Out* out = call.out<Out>();
    ForEachPosition(g, call.out_shape(), [&](std::span<const Tap> taps) {
      RunWide(SumChannels<Work>{taps, operands.input.elements.get(), operands.weight.elements.get(),
                                g.groups, g.OC / g.groups, sums.data()});
      for (int64_t oc = 0; oc < g.OC; ++oc) {
        out[oc] = Finish<Work, Out>(type, sums[static_cast<size_t>(oc)] + operands.Bias(oc));
      }
      out += g.OC;
    });
    return true;
  }
};

}  // namespace

NativeKernel NativeConvolution(const Signature& s) {
  return SumKernelOf<ConvolutionFamily>(s.out());
}

NativeKernel NativeDepthwise(const Signature& s) { return SumKernelOf<DepthwiseFamily>(s.out()); }

}  // namespace assay
