// SPDX-License-Identifier: Apache-2.0
#include "lattice_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "float_format.h"

namespace assay {
namespace {

// The bits of a lattice in one type: exponents of the units of inputs, so that results have room in
// the type behind the one layer of more bits.
struct LatticeBits {
  int sparse_unit, dense_unit, wide_unit;
  int wide_bits;  // weights of the wide layer are 1 + j * 2^-wide_bits
  int coarser;    // is added with each attempt
};
LatticeBits BitsOf(DType type) {
  if (type == DType::kFp32) return {-15, -11, -5, 10, 2};
  if (type == DType::kFp16) return {-5, -3, -2, 3, 1};
  return {-2, 0, 0, 2, 1};
}

constexpr int kCandidates = 12;          // for one output channel
constexpr int kTries = 5;                // of a layer, with fewer or smaller weights each time
constexpr int32_t kPositionsMax = 1024;  // on which candidates are compared
constexpr int32_t kConnectionsMax = 16;  // of one sparse output channel
constexpr int32_t kDenseWeightMax = 6;

double RootMeanSquare(std::span<const double> elements) {
  double squares = 0;
  for (const double x : elements) squares += x * x;
  return std::sqrt(squares / static_cast<double>(elements.size()));
}

// Returns the value below which `share` of the elements lie; reorders them.
double Quantile(std::vector<double>& elements, double share) {
  const auto count = static_cast<double>(elements.size());
  const auto nth = elements.begin() + static_cast<std::ptrdiff_t>((count - 1) * share);
  std::nth_element(elements.begin(), nth, elements.end());
  return *nth;
}

double StandardDeviation(std::span<const double> elements) {
  const auto count = static_cast<double>(elements.size());
  const double mean = std::accumulate(elements.begin(), elements.end(), 0.0) / count;
  double squares = 0;
  for (const double x : elements) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / count);
}

// Returns the power of two that brings a root mean square to between 1 and 2.
double PowerToOne(double root_mean_square) {
  int exponent = 0;
  std::frexp(root_mean_square, &exponent);
  return std::ldexp(1.0, 1 - exponent);
}

}  // namespace

// Chooses the weights and biases of one layer. Keeps the layer's operands.
class LatticeArithmetic::Chooser {
 public:
  Chooser(LatticeArithmetic& lattice, const LinearLayer& layer)
      : lattice_(lattice),
        random_(lattice.random()),
        shape_(layer.shape),
        activation_(layer.activation),
        bounds_(lattice.BoundsOf(layer.activation)),
        x_(lattice.graph().ElementsOf(layer.x)),
        matmul_(layer.shape.op == Op::kMatmul) {
    if (layer.residual) residual_ = lattice.graph().ElementsOf(*layer.residual);
    result_type_ = matmul_ ? lattice.ProductType() : lattice.type();
    acc_type_ = matmul_ ? lattice.ProductType() : lattice.AccType(shape_);
    is_pool_ = shape_.is_pool();
    row_step_ = std::max(1, shape_.positions() / kPositionsMax);
    weight_count_ = static_cast<size_t>(layer.weight_shape.Elements());
    const LatticePlan& plan = lattice.plan_;
    if (lattice.layers() == plan.special_layer) style_ = plan.special;
  }

  // Returns false if there are no exact weights.
  bool Choose(Weights& weights) {
    const double unit = UnitOf(x_);
    if (unit == 0) return false;
    const int32_t wanted = Connections();
    for (int tries = 0; tries < kTries; ++tries) {
      connections_ = std::max(wanted >> tries, 1);
      dense_max_ = std::max(kDenseWeightMax >> tries, 1);
      SetWeightUnit();
      unit_ = unit * weight_unit_;
      if (ChooseAll(weights) && IsExact(weights)) return true;
    }
    return false;
  }

  // Returns true if these weights are exact.
  bool Holds(const Weights& weights) {
    unit_ = UnitOf(x_) * UnitOf(weights.weight);
    for (int32_t channel = 0; channel < shape_.out_channels; ++channel) {
      Candidate candidate;
      for (int32_t tap = 0; tap < shape_.taps(); ++tap) {
        const double w = weights.weight[shape_.WeightIndex(channel, tap)];
        if (w != 0) candidate.weights.emplace_back(tap, w);
      }
      Sum(channel, candidate, 1);
      if (!Inside(channel, weights.bias[static_cast<size_t>(channel)], 1)) return false;
    }
    return IsExact(weights);
  }

 private:
  struct Candidate {
    std::vector<std::pair<int32_t, double>> weights;  // by tap
    double bias = 0;
    std::optional<int64_t> inside;  // elements strictly inside the bounds
  };

  // Returns how many inputs a sparse output should read: so many that changes do not die out, and
  // so few that the range does not grow where no bound follows.
  int32_t Connections() {
    if (is_pool_) return shape_.taps();
    const int32_t in = shape_.depthwise() ? 1 : shape_.channels;
    // Every input channel gets into at least three outputs.
    const int32_t cover =
        shape_.depthwise() ? 1 : (3 * in + shape_.out_channels - 1) / shape_.out_channels;
    const bool bounded = bounds_.low <= bounds_.high && bounds_.high < 1e4;
    int32_t drawn = static_cast<int32_t>(bounded ? random_.Between(4, 8) : random_.Between(2, 3));
    if (!residual_.empty()) drawn = static_cast<int32_t>(random_.Between(3, 4));
    return std::min({std::max(drawn, cover), kConnectionsMax, shape_.taps()});
  }

  void SetWeightUnit() {
    weight_unit_ = 1;
    if (style_ == LatticeLayer::kWide) {
      weight_unit_ = std::ldexp(1.0, -BitsOf(lattice_.type()).wide_bits);
    } else if (style_ == LatticeLayer::kDense) {
      // The sums get about the range of the clamp.
      double spread = StandardDeviation(x_) * std::sqrt(shape_.taps()) * dense_max_ * 0.6;
      for (; spread > 4; spread /= 2) weight_unit_ /= 2;
    }
  }

  double DrawWeight() {
    const double sign = random_.OneIn(2) ? -1 : 1;
    switch (style_) {
      case LatticeLayer::kSparse:
        return sign;
      case LatticeLayer::kDense:
        return sign * static_cast<double>(random_.Between(1, dense_max_)) * weight_unit_;
      case LatticeLayer::kWide:
        return sign * (1 + static_cast<double>(
                               random_.Below(uint64_t{1} << BitsOf(lattice_.type()).wide_bits)) *
                               weight_unit_);
    }
    return sign;
  }

  // Returns the next input channel of the deck.
  int32_t Deal() {
    if (dealt_ == deck_.size()) {
      deck_.resize(static_cast<size_t>(shape_.depthwise() ? 1 : shape_.channels));
      std::iota(deck_.begin(), deck_.end(), 0);
      for (size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[random_.Below(i)]);
      dealt_ = 0;
    }
    return deck_[dealt_++];
  }

  Candidate Draw(std::span<const int32_t> inputs) {
    Candidate candidate;
    if (style_ == LatticeLayer::kDense || connections_ == shape_.taps()) {
      for (int32_t tap = 0; tap < shape_.taps(); ++tap) {
        candidate.weights.emplace_back(tap, DrawWeight());
      }
      return candidate;
    }
    const int32_t in = shape_.depthwise() ? 1 : shape_.channels;
    const auto places = static_cast<uint64_t>(shape_.taps() / in);
    for (const int32_t input : inputs) {
      const int32_t tap = static_cast<int32_t>(random_.Below(places)) * in + input;
      const bool is_used = std::ranges::any_of(
          candidate.weights, [&](const auto& weight) { return weight.first == tap; });
      if (!is_used) candidate.weights.emplace_back(tap, DrawWeight());
    }
    return candidate;
  }

  // Computes the sums of the products of a candidate, and of their magnitudes, at the positions of
  // every `step`th row, in order.
  void Sum(int32_t channel, const Candidate& candidate, int32_t step) {
    sums_.assign(static_cast<size_t>(shape_.positions()), 0);
    magnitudes_.assign(sums_.size(), 0);
    for (const auto& [tap, w] : candidate.weights) {
      shape_.ForEachMeeting(channel, tap, step, [&, weight = w](size_t position, size_t input) {
        const double product = weight * x_[input];
        sums_[position] += product;
        magnitudes_[position] += std::fabs(product);
      });
    }
    if (step == 1) return;
    const auto width = static_cast<size_t>(shape_.out_width);
    size_t kept = 0;
    for (int32_t row = 0; row < shape_.out_height; row += step) {
      for (size_t i = 0; i < width; ++i, ++kept) {
        sums_[kept] = sums_[static_cast<size_t>(row) * width + i];
        magnitudes_[kept] = magnitudes_[static_cast<size_t>(row) * width + i];
      }
    }
    sums_.resize(kept);
    magnitudes_.resize(kept);
  }

  // Returns what is added to the k-th of the sums before the activation, other than the bias.
  double ResidualAt(int32_t channel, size_t k, int32_t step) const {
    if (residual_.empty()) return 0;
    const auto width = static_cast<size_t>(shape_.out_width);
    const size_t position = k / width * static_cast<size_t>(step) * width + k % width;
    return residual_[position * static_cast<size_t>(shape_.out_channels) +
                     static_cast<size_t>(channel)];
  }

  // Chooses a bias that puts the median about half way between the bounds. Not quite there, because
  // the one element of a vector would then always be in the middle.
  double ChooseBias(int32_t channel, int32_t step) {
    const bool few = sums_.size() < 8;
    std::vector<double> before(sums_.size());
    for (size_t k = 0; k < sums_.size(); ++k) before[k] = sums_[k] + ResidualAt(channel, k, step);
    double bias = static_cast<double>(random_.Between(-7, 7)) / 4;
    if (activation_ == Activation::kRelu) {
      const double spread = StandardDeviation(before);
      bias = 0.3 * spread - Quantile(before, 0.5);
    } else if (bounds_.low <= bounds_.high) {
      const double aside = static_cast<double>(random_.Between(-16, 16)) / (few ? 48 : 128);
      bias = (bounds_.low + bounds_.high) / 2 + aside * (bounds_.high - bounds_.low) -
             Quantile(before, 0.5);
    }
    bias = RoundToType(result_type_, std::nearbyint(bias / unit_) * unit_);
    return bias == 0 ? unit_ : bias;
  }

  // Returns the number of elements strictly inside the bounds; none if any is not exact.
  std::optional<int64_t> Inside(int32_t channel, double bias, int32_t step) const {
    const double room = std::ldexp(unit_, FormatOf(acc_type_).fraction_bits + 1);
    int64_t inside = 0;
    for (size_t k = 0; k < sums_.size(); ++k) {
      const double sum = sums_[k] + bias, all = sum + ResidualAt(channel, k, step);
      const double magnitude = magnitudes_[k] + (matmul_ ? 0 : std::fabs(bias));
      if (magnitude > room || !IsValueOf(result_type_, sums_[k]) || !IsValueOf(result_type_, sum) ||
          !IsValueOf(lattice_.type(), sum) || !IsValueOf(lattice_.type(), all)) {
        return std::nullopt;
      }
      inside += all > bounds_.low && all < bounds_.high;
    }
    return inside;
  }

  bool ChooseAll(Weights& weights) {
    weights.weight.assign(weight_count_, 0);
    weights.bias.assign(static_cast<size_t>(shape_.out_channels), 0);
    std::vector<int32_t> inputs(static_cast<size_t>(connections_));
    for (int32_t channel = 0; channel < shape_.out_channels; ++channel) {
      for (int32_t& input : inputs) input = Deal();
      Candidate best;
      for (int i = 0; i < kCandidates; ++i) {
        Candidate candidate = Draw(inputs);
        Sum(channel, candidate, row_step_);
        candidate.bias = ChooseBias(channel, row_step_);
        candidate.inside = Inside(channel, candidate.bias, row_step_);
        if (candidate.inside > best.inside && row_step_ > 1) {
          Sum(channel, candidate, 1);
          if (!Inside(channel, candidate.bias, 1)) continue;
        }
        if (candidate.inside > best.inside) best = std::move(candidate);
      }
      if (!best.inside) return false;
      for (const auto& [tap, w] : best.weights)
        weights.weight[shape_.WeightIndex(channel, tap)] = w;
      weights.bias[static_cast<size_t>(channel)] = best.bias;
    }
    return true;
  }

  bool IsExact(const Weights& weights) const {
    const std::span<const double> bias =
        matmul_ ? std::span<const double>() : std::span(weights.bias);
    return IsExactDotProduct(shape_, x_, weights.weight, bias, acc_type_, result_type_);
  }

  LatticeArithmetic& lattice_;
  Random& random_;
  const DotShape& shape_;
  const Activation activation_;
  const Bounds bounds_;
  const std::vector<double> x_;
  const bool matmul_;
  bool is_pool_ = false;  // reads every element of a channel for its one output
  std::vector<double> residual_;
  DType result_type_, acc_type_;  // of the operator
  int32_t row_step_;              // of the rows on which candidates are compared
  size_t weight_count_;
  LatticeLayer style_ = LatticeLayer::kSparse;
  int32_t connections_ = 0;
  int32_t dense_max_ = 0;
  double weight_unit_ = 1, unit_ = 1;  // of weights and of sums
  std::vector<int32_t> deck_;
  size_t dealt_ = 0;
  std::vector<double> sums_, magnitudes_;  // of the last candidate
};

FloatArithmetic::Weights LatticeArithmetic::Choose(const LinearLayer& layer) {
  Weights weights;
  weights.weight.assign(static_cast<size_t>(layer.weight_shape.Elements()), 0);
  weights.bias.assign(static_cast<size_t>(layer.shape.out_channels), 0);
  failed_ = failed_ || !Chooser(*this, layer).Choose(weights);
  return weights;
}

void LatticeArithmetic::Reuse(const LinearLayer& layer) {
  const Weights weights = {graph().ElementsOf(*layer.shared->weight),
                           graph().ElementsOf(*layer.shared->bias)};
  failed_ = failed_ || !Chooser(*this, layer).Holds(weights);
}

FloatArithmetic::Bounds LatticeArithmetic::BoundsOf(Activation activation) const {
  switch (activation) {
    case Activation::kNone:
      return {1, 0};
    case Activation::kLinear:
      return {-6, 6};
    case Activation::kRelu:
      return {0, plan_.attempt == 0 ? FormatOf(type()).max : 8};
    case Activation::kRelu6:
    case Activation::kGelu:
      return {0, 6};
  }
  return {1, 0};
}

DType LatticeArithmetic::AccType(const DotShape& shape) const {
  const bool narrow = type() == DType::kFp16 && plan_.narrow_accumulator && !shape.is_pool();
  return narrow ? DType::kFp16 : DType::kFp32;
}

TensorIndex LatticeArithmetic::Input(const Shape& shape) {
  const LatticeBits bits = BitsOf(type());
  const int exponent = (plan_.special == LatticeLayer::kDense  ? bits.dense_unit
                        : plan_.special == LatticeLayer::kWide ? bits.wide_unit
                                                               : bits.sparse_unit) +
                       bits.coarser * plan_.attempt;
  const double unit = std::ldexp(1.0, exponent);
  const auto most = static_cast<int64_t>(4 / unit);
  std::vector<double> elements(static_cast<size_t>(shape.Elements()));
  for (double& x : elements) x = static_cast<double>(random().Between(-most, most)) * unit;
  return graph().AddInput(Tensor::FromFloats(type(), shape, elements));
}

// Averages where that is exact. Otherwise adds the elements and divides by a power of two, in a
// DEPTHWISE_CONV2D. Otherwise adds and subtracts them there.
TensorIndex LatticeArithmetic::GlobalPool(TensorIndex x) {
  const Shape in = graph().ShapeOf(x);
  LinearLayer layer = {{.op = Op::kDepthwiseConv2d},
                       x,
                       {in[1], in[2], in[3], 1},
                       {},
                       Activation::kNone,
                       {},
                       nullptr};
  DotShape& shape = layer.shape;
  shape.height = shape.kernel_height = in[1];
  shape.width = shape.kernel_width = in[2];
  shape.channels = shape.out_channels = in[3];
  layer.attributes = {{AttributeId::kPad, std::vector<int32_t>(4, 0)},
                      {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                      {AttributeId::kDilation, std::vector<int32_t>{1, 1}}};
  const auto count = static_cast<uint32_t>(in[1] * in[2]);
  const double weight = 1.0 / std::bit_ceil(count);
  const std::vector<double> weights(static_cast<size_t>(layer.weight_shape.Elements()), weight);
  const std::vector<double> bias(static_cast<size_t>(in[3]), 0);
  if (!IsExactDotProduct(shape, graph().ElementsOf(x), weights, bias, DType::kFp32, type())) {
    return CountedLinear(layer);
  }
  if (std::has_single_bit(count)) return AveragePool(x);
  const TensorIndex w =
      graph().AddConstant(Tensor::FromFloats(type(), layer.weight_shape, weights));
  const TensorIndex b = graph().AddConstant(Tensor::FromFloats(type(), {in[3]}, bias));
  return Apply(layer, w, b, DType::kFp32, type());
}

TensorIndex LatticeArithmetic::Steps(TensorIndex x, int steps) {
  const double scale = PowerToOne(RootMeanSquare(graph().ElementsOf(x)));
  const TensorIndex floor = graph().Add(Op::kFloor, {Scaled(x, scale * steps)});
  return steps == 1 ? floor : Scaled(floor, 1.0 / steps);
}

TensorIndex LatticeArithmetic::ExactMatMul(TensorIndex a, TensorIndex b) {
  const Shape& left = graph().ShapeOf(a);
  DotShape shape = {.op = Op::kMatmul};
  shape.batches = left[0];
  shape.height = shape.out_height = left[1];
  shape.channels = left[2];
  shape.out_channels = graph().ShapeOf(b)[2];
  const std::vector<double> x = graph().ElementsOf(a), y = graph().ElementsOf(b);
  // The results of bf16 are fp32. Behind MATMUL, CAST must not round them.
  failed_ = failed_ || !IsExactDotProduct(shape, x, y, {}, ProductType(), ProductType()) ||
            !IsExactDotProduct(shape, x, y, {}, DType::kFp32, type());
  return MatMul(a, b);
}

// Queries and keys become small integers, and weights of values 0, 1 or 2, because a product has
// the bits of both its factors.
TensorIndex LatticeArithmetic::Attend(TensorIndex q, TensorIndex k, TensorIndex v) {
  const double most = type() == DType::kBf16 && graph().ShapeOf(q)[2] > 28 ? 1 : 3;
  const TensorIndex queries = Clamp(Steps(q, 1), -most, most);
  const TensorIndex keys = Clamp(Steps(k, 1), -most, most);
  const TensorIndex scores = ExactMatMul(queries, Transpose(keys, {0, 2, 1}));
  std::vector<double> sorted = graph().ElementsOf(scores);
  double threshold = Quantile(sorted, 0.75);
  const auto few = static_cast<std::ptrdiff_t>(sorted.size() / 5);
  while (std::ranges::count_if(sorted, [&](double x) { return x > threshold; }) < few) --threshold;
  if (threshold == 0) threshold = -1;
  const TensorIndex weights =
      Clamp(Add(scores, Constant(type(), 3, -threshold)), 0, plan_.attempt == 0 ? 2 : 1);
  return ExactMatMul(weights, v);
}

TensorIndex LatticeArithmetic::ExactBinary(TensorIndex result, TensorIndex a, TensorIndex b,
                                           double (*expected)(double, double)) {
  const std::vector<double> x = graph().ElementsOf(a), y = graph().ElementsOf(b);
  const std::vector<double> z = graph().ElementsOf(result);
  for (size_t i = 0; i < z.size(); ++i) {
    const double exact = expected(x[x.size() == 1 ? 0 : i], y[y.size() == 1 ? 0 : i]);
    failed_ = failed_ || z[i] != exact || !IsValueOf(type(), exact);
  }
  return result;
}

TensorIndex LatticeArithmetic::Add(TensorIndex a, TensorIndex b) {
  return ExactBinary(FloatArithmetic::Add(a, b), a, b, [](double x, double y) { return x + y; });
}

TensorIndex LatticeArithmetic::Times(TensorIndex gate, TensorIndex x) {
  return ExactBinary(Mul(gate, x), gate, x, [](double a, double b) { return a * b; });
}

TensorIndex LatticeArithmetic::Complement(TensorIndex gate) {
  const TensorIndex one = Constant(type(), graph().ShapeOf(gate).rank(), 1);
  return ExactBinary(graph().Add(Op::kSub, {one, gate}), one, gate,
                     [](double x, double y) { return x - y; });
}

// Rounds down, because each step of a gate costs bits of the state: in quarters, halves or whole
// numbers.
TensorIndex LatticeArithmetic::Gate(TensorIndex x) {
  const int steps = type() == DType::kFp32 ? std::max(4 >> plan_.attempt, 1) : 1;
  const TensorIndex shift = Constant(type(), graph().ShapeOf(x).rank(), steps == 1 ? 1 : 0.5);
  return Clamp(Add(Steps(x, steps), shift), 0, 1);
}

std::vector<TensorIndex> LatticeArithmetic::Outputs(TensorIndex scores) {
  if (plan_.last == Op::kUnknown) return {scores};
  const double scale = PowerToOne(RootMeanSquare(graph().ElementsOf(scores)));
  return {scores, graph().Add(plan_.last, {Scaled(scores, scale)})};
}

}  // namespace assay
