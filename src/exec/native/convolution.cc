// SPDX-License-Identifier: Apache-2.0
// CONV2D, CONV3D and TRANSPOSE_CONV2D.
#include "convolution.h"

#include <numeric>

#include "dense_sums.h"
#include "native_sums.h"
#include "transpose_groups.h"
#include "window_runs.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

using ops::Convolution;

// The operands of a convolution in the form in which they are summed.
template <class Arithmetic>
class Operands {
 public:
  using Work = typename Arithmetic::Work;
  using Sum = typename Arithmetic::Sum;

  Operands(const NativeCall& call, const Convolution& g)
      : layout(g.KernelSize(), g.OC), size_(g.KernelSize()), weight_(call, 1, 4) {
    const OperandReader input_reader(call, 0, 3);
    input = input_reader.template ReadAll<Work>(input_reader.count() / g.IC, g.IC);
    const OperandReader bias_reader(call, 2, 2);
    bias.resize(static_cast<size_t>(g.OC));
    bias_reader.Read(ElementRows{0, 0, 1, bias_reader.count()}, bias.data(), 0);
    if (bias_reader.count() == 1) std::fill(bias.begin(), bias.end(), bias[0]);
  }

  // Returns the number of products of one sum.
  int64_t size() const { return size_; }

  // Makes all panels. That pays if several parts of a convolution need them.
  void MakePanels() {
    panels_ = std::make_unique_for_overwrite<Work[]>(layout.RoomForAll());
    ForEachPart(layout.count(), static_cast<double>(layout.Room()),
                [&](int64_t begin, int64_t end) {
                  for (int64_t p = begin; p < end; ++p)
                    MakePanel(p, panels_.get() + layout.Start(p));
                });
  }

  // Returns a panel, which may be made in `room`.
  const Work* Panel(int64_t p, std::vector<Work>& room) const {
    if (panels_ != nullptr) return panels_.get() + layout.Start(p);
    room.resize(layout.Room());
    MakePanel(p, room.data());
    return room.data();
  }

  const PanelLayout<Arithmetic> layout;
  std::unique_ptr<Work[]> input;  // [pixels][IC]
  std::vector<Sum> bias;          // [OC]

 private:
  // The products that a lane adds at a time, as one element.
  using Group = std::conditional_t<Arithmetic::kTogether == 1, Work, Sum>;
  static_assert(sizeof(Group) == Arithmetic::kTogether * sizeof(Work));

  // Transposes the weights of the panel's channels, in blocks that fit the first cache.
  void MakePanel(int64_t p, Work* panel) const {
    constexpr int64_t kTogether = Arithmetic::kTogether;
    constexpr int64_t kBlock = 32;  // groups
    alignas(64) Work block[kLanesMost * kBlock * kTogether] = {};
    Group* const to = reinterpret_cast<Group*>(panel);
    const int64_t lanes = layout.Lanes(p), columns = layout.Columns(p);
    for (int64_t first = 0; first < size_; first += kBlock * kTogether) {
      const int64_t count = std::min(kBlock * kTogether, size_ - first);
      if (count % kTogether != 0) std::fill(std::begin(block), std::end(block), Work{0});
      weight_.Read(ElementRows{layout.FirstColumn(p) * size_ + first, size_, columns, count}, block,
                   kBlock * kTogether);
      RunAnyWidth(TransposeSquares<Group>{reinterpret_cast<const Group*>(block), kBlock,
                                          (count + kTogether - 1) / kTogether, lanes / 8,
                                          to + first / kTogether * lanes, lanes});
    }
  }

  const int64_t size_;
  const OperandReader weight_;
  std::unique_ptr<Work[]> panels_;
};

// Some output positions, and which of them have the same columns. (Kernel positions in the padding
// are left out, because a weight there may be infinite or NaN.)
class RealPositions {
 public:
  static constexpr size_t kMost = 1024;

  RealPositions(const Operands<RealSums>& operands, int64_t channels)
      : operands_(operands), channels_(channels) {}

  size_t size() const { return starts_.size(); }

  void Add(std::span<const WindowRun> window, int64_t) {
    starts_.push_back(runs_.size());
    for (const WindowRun& run : window) {
      runs_.push_back({run.pixel * channels_, run.kernel * channels_, run.count * channels_});
    }
  }

  void Clear() {
    runs_.clear();
    starts_.clear();
  }

  // Divides the positions into groups with the same columns.
  void Group() {
    groups_.clear();
    for (size_t i = 0; i < size(); ++i) {
      // Most positions are like the one before, or like one that is not long ago.
      const auto group = std::find_if(groups_.rbegin(), groups_.rend(), [&](const auto& positions) {
        return std::ranges::equal(RunsOf(positions[0]), RunsOf(i), [](auto& x, auto& y) {
          return x.column == y.column && x.count == y.count;
        });
      });
      group == groups_.rend() ? groups_.push_back({i}) : group->push_back(i);
    }
  }

  // Calls use(positions, sums) for groups of positions, with the sums of a panel's lanes.
  template <class Use>
  void ForEachSums(const double* panel, int64_t lanes, Use use) const {
    double sums[kRowsAtOnce * kLanesMost];
    const ProductRun* runs[kRowsAtOnce];
    for (const std::vector<size_t>& group : groups_) {
      for (std::span rest = group; !rest.empty();) {
        const auto some = rest.first(std::min<size_t>(kRowsAtOnce, rest.size()));
        for (size_t i = 0; i < some.size(); ++i) runs[i] = RunsOf(some[i]).data();
        const size_t run_count = RunsOf(some[0]).size();
        SumReals(instructions_, {operands_.input.get(), runs, run_count, panel, lanes, sums},
                 some.size());
        use(some, sums);
        rest = rest.subspan(some.size());
      }
    }
  }

 private:
  std::span<const ProductRun> RunsOf(size_t position) const {
    const size_t end = position + 1 < size() ? starts_[position + 1] : runs_.size();
    return std::span(runs_).subspan(starts_[position], end - starts_[position]);
  }

  const Operands<RealSums>& operands_;
  const int64_t channels_;
  const DotInstructions instructions_ = BestDotInstructions();
  std::vector<ProductRun> runs_;
  std::vector<size_t> starts_;  // of the runs of each position
  std::vector<std::vector<size_t>> groups_;
};

// The same for integers, whose windows are gathered, with zeros for the padding.
class IntegerPositions {
 public:
  static constexpr size_t kMost = 256;

  IntegerPositions(const Operands<IntegerSums>& operands, int64_t channels)
      : operands_(operands),
        channels_(channels),
        windows_(kMost * static_cast<size_t>(operands.layout.pitch())),
        positions_(kMost) {
    std::iota(positions_.begin(), positions_.end(), size_t{0});
  }

  size_t size() const { return size_; }

  void Add(std::span<const WindowRun> window, int64_t taps) {
    const int64_t pitch = operands_.layout.pitch();
    int16_t* const to = windows_.data() + static_cast<int64_t>(size_++) * pitch;
    // The elements behind the last product are always zero.
    if (taps * channels_ < operands_.size()) std::fill_n(to, operands_.size(), int16_t{0});
#if defined(__x86_64__)
    if (instructions_ == DotInstructions::kAvx512) return GatherAvx512(window, to);
#endif
    for (const WindowRun& run : window) {
      Copy(operands_.input.get() + run.pixel * channels_, run.count * channels_,
           to + run.kernel * channels_);
    }
  }

  void Clear() { size_ = 0; }
  void Group() {}

  template <class Use>
  void ForEachSums(const int16_t* panel, int64_t lanes, Use use) const {
    int32_t sums[kRowsAtOnce * kLanesMost];
    const int64_t pitch = operands_.layout.pitch();
    for (std::span rest = std::span(positions_).first(size_); !rest.empty();) {
      const auto some = rest.first(std::min<size_t>(kRowsAtOnce, rest.size()));
      const int16_t* const from = windows_.data() + static_cast<int64_t>(some[0]) * pitch;
      SumIntegers(instructions_, {from, pitch, pitch / 2, panel, lanes, sums}, some.size());
      use(some, sums);
      rest = rest.subspan(some.size());
    }
  }

 private:
#if defined(__x86_64__)
  // Copies all runs. Short ones take one load and one store each.
  [[gnu::target("avx512f,avx512bw")]] void GatherAvx512(std::span<const WindowRun> window,
                                                        int16_t* to) const {
    constexpr int64_t kEach = 32;
    const int16_t* const image = operands_.input.get();
    for (const WindowRun& run : window) {
      const int16_t* const from = image + run.pixel * channels_;
      int16_t* const out = to + run.kernel * channels_;
      const int64_t count = run.count * channels_;
      for (int64_t i = 0; i < count; i += kEach) {
        const int64_t rest = count - i;
        const auto which = static_cast<__mmask32>(rest < kEach ? (1u << rest) - 1 : ~0u);
        _mm512_mask_storeu_epi16(out + i, which, _mm512_maskz_loadu_epi16(which, from + i));
      }
    }
  }
#endif

  // Copies a run. Most runs are short, and copied in less time than a call takes.
  static void Copy(const int16_t* from, int64_t count, int16_t* to) {
    constexpr int64_t kEach = 16;
    if (count >= 8 * kEach) {
      std::memcpy(to, from, static_cast<size_t>(count) * sizeof(int16_t));
      return;
    }
    int64_t i = 0;
    for (; i + kEach <= count; i += kEach) std::memcpy(to + i, from + i, kEach * sizeof(int16_t));
    for (; i + 4 <= count; i += 4) std::memcpy(to + i, from + i, 4 * sizeof(int16_t));
    for (; i < count; ++i) to[i] = from[i];
  }

  const Operands<IntegerSums>& operands_;
  const int64_t channels_;
  const DotInstructions instructions_ = BestDotInstructions();
  std::vector<int16_t> windows_;   // [positions][pitch]
  std::vector<size_t> positions_;  // 0, 1, 2...
  size_t size_ = 0;
};

template <class Arithmetic>
using PositionsOf =
    std::conditional_t<std::is_same_v<Arithmetic, RealSums>, RealPositions, IntegerPositions>;

// Computes convolutions with one group of channels. Takes a batch of output positions, and for
// these positions one panel of output channels after the other.
template <class Arithmetic, class Out>
class ConvolutionParts {
 public:
  ConvolutionParts(const NativeCall& call, const Convolution& g)
      : call_(call), g_(g), windows_(g, call.out_shape()), operands_(call, g) {}

  void RunAll() {
    const int64_t rows = windows_.rows(), panels = operands_.layout.count();
    const double nanoseconds = Arithmetic::kNanosecondsOfProduct *
                               static_cast<double>(call_.out_shape().Elements() * g_.KernelSize());
    // Few positions are computed panel by panel, which needs every panel once.
    const bool few = rows * windows_.columns() <= int64_t{PositionsOf<Arithmetic>::kMost};
    if (few && panels >= std::min<int64_t>(Threads(), rows)) {
      ForEachPart(panels, nanoseconds / static_cast<double>(panels),
                  [&](int64_t begin, int64_t end) { Run(0, rows, begin, end); });
      return;
    }
    operands_.MakePanels();
    ForEachPart(rows, nanoseconds / static_cast<double>(rows),
                [&](int64_t begin, int64_t end) { Run(begin, end, 0, panels); });
  }

 private:
  // Computes rows of output positions, for some of the panels.
  void Run(int64_t first_row, int64_t last_row, int64_t first_panel, int64_t last_panel) const {
    PositionsOf<Arithmetic> positions(operands_, g_.IC);
    std::vector<typename Arithmetic::Work> room;
    Out* out = call_.out<Out>() + first_row * windows_.columns() * g_.OC;
    const auto compute = [&] {
      positions.Group();
      for (int64_t p = first_panel; p < last_panel; ++p) {
        Compute(positions, p, operands_.Panel(p, room), out);
      }
      out += static_cast<int64_t>(positions.size()) * g_.OC;
      positions.Clear();
    };
    windows_.ForEach(first_row, last_row, [&](std::span<const WindowRun> window, int64_t taps) {
      positions.Add(window, taps);
      if (positions.size() == PositionsOf<Arithmetic>::kMost) compute();
    });
    compute();
  }

  void Compute(const PositionsOf<Arithmetic>& positions, int64_t p,
               const typename Arithmetic::Work* panel, Out* out) const {
    using Sum = typename Arithmetic::Sum;
    const int64_t first = operands_.layout.FirstColumn(p), lanes = operands_.layout.Lanes(p);
    positions.ForEachSums(panel, lanes, [&](std::span<const size_t> some, const Sum* sums) {
      Out* to[kRowsAtOnce];
      for (size_t i = 0; i < some.size(); ++i) {
        to[i] = out + static_cast<int64_t>(some[i]) * g_.OC + first;
      }
      Finish(call_.signature.out(),
             FinishedRows<Sum, Out>{sums, std::ssize(some), lanes, operands_.bias.data() + first,
                                    operands_.layout.Columns(p), to});
    });
  }

  const NativeCall& call_;
  const Convolution& g_;
  const WindowRuns windows_;
  Operands<Arithmetic> operands_;
};

// Computes a convolution with one output position, which uses each weight once. The weights would
// be in panels for nothing.
template <class Arithmetic, class Out>
class OnePosition {
 public:
  using Work = typename Arithmetic::Work;
  using Sum = typename Arithmetic::Sum;

  // The window must not meet padding, where a weight may be infinite or NaN.
  static bool IsFor(const NativeCall& call, const Convolution& g) {
    const DType type = call.signature.in(1);
    if (IsFloat(type) != std::is_same_v<Work, double> || !DenseSums::IsFor(type)) return false;
    if (g.OC < DenseSums::kTogether) return false;
    const WindowRuns windows(g, call.out_shape());
    if (windows.rows() * windows.columns() != 1) return false;
    bool inside = false;
    windows.ForEach(0, 1, [&](auto, int64_t taps) { inside = taps == g.KernelPositions(); });
    return inside;
  }

  OnePosition(const NativeCall& call, const Convolution& g)
      : call_(call),
        g_(g),
        weight_(call, 1, 4),
        window_(static_cast<size_t>((g.KernelSize() + kUnit - 1) / kUnit * kUnit)),
        bias_(static_cast<size_t>(g.OC)) {
    const OperandReader image(call, 0, 3), bias(call, 2, 2);
    WindowRuns(g, call.out_shape()).ForEach(0, 1, [&](auto runs, int64_t) {
      for (const WindowRun& run : runs) {
        image.Read(ElementRows{run.pixel * g.IC, 0, 1, run.count * g.IC},
                   window_.data() + run.kernel * g.IC, 0);
      }
    });
    bias.Read(ElementRows{0, 0, 1, bias.count()}, bias_.data(), 0);
    if (bias.count() == 1) std::fill(bias_.begin(), bias_.end(), bias_[0]);
  }

  void RunAll() const {
    constexpr double kNanosecondsOfProduct = 0.1;
    constexpr int64_t kTogether = DenseSums::kTogether;
    ForEachPart((g_.OC + kTogether - 1) / kTogether,
                kNanosecondsOfProduct * static_cast<double>(kTogether * g_.KernelSize()),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) Run(i * kTogether);
                });
  }

 private:
  static constexpr int64_t kUnit = 32;  // of the vector of integers

  // Computes the output channels from `first` on. The last ones are computed with some before them.
  void Run(int64_t first) const {
    const int64_t from = std::min(first, g_.OC - DenseSums::kTogether);
    const int64_t size = g_.KernelSize();
    Spend(size * DenseSums::kTogether);
    Sum sums[DenseSums::kTogether];
    if constexpr (std::is_same_v<Work, double>) {
      const uint8_t* const rows = weight_.bytes() + from * size * ElementBytes(weight_.type());
      DenseSums::OfRows(weight_.type(), rows, size, window_.data(), size, sums);
    } else {
      const auto* const rows = reinterpret_cast<const int8_t*>(weight_.bytes()) + from * size;
      DenseSums::OfRows(rows, size, static_cast<int16_t>(weight_.zero_point()), window_.data(),
                        size, sums);
    }
    Out* const to = call_.out<Out>() + first;
    const int64_t columns = from + DenseSums::kTogether - first;
    Finish(call_.signature.out(), FinishedRows<Sum, Out>{sums + (first - from), 1, columns,
                                                         bias_.data() + first, columns, &to});
  }

  const NativeCall& call_;
  const Convolution& g_;
  const OperandReader weight_;
  std::vector<Work> window_;
  std::vector<Sum> bias_;
};

struct ConvolutionFamily {
  template <class Arithmetic, class Out>
  static bool Run(const NativeCall& call) {
    const Convolution g(call.signature);
    if (!ConvolutionStaysInRange(call, g)) return false;
    if (OnePosition<Arithmetic, Out>::IsFor(call, g)) {
      OnePosition<Arithmetic, Out>(call, g).RunAll();
      return true;
    }
    ConvolutionParts<Arithmetic, Out>(call, g).RunAll();
    return true;
  }
};

}  // namespace

NativeKernel NativeConvolution(const Signature& s) {
  return SumKernelOf<ConvolutionFamily>(s.out());
}

}  // namespace assay
