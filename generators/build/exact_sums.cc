// SPDX-License-Identifier: Apache-2.0
#include "exact_sums.h"

#include <algorithm>
#include <cmath>

#include "executor.h"
#include "float_format.h"
#include "lowest_bit.h"

namespace assay {

size_t DotShape::WeightIndex(int32_t out_channel, int32_t tap) const {
  const auto channel = static_cast<size_t>(out_channel), index = static_cast<size_t>(tap);
  if (depthwise() || op == Op::kMatmul) return index * static_cast<size_t>(out_channels) + channel;
  return channel * static_cast<size_t>(taps()) + index;
}

double UnitOf(std::span<const double> elements) {
  double unit = 0;
  for (const double x : elements) {
    if (x == 0) continue;
    unit = unit == 0 ? LowestSetBit(x) : std::min(unit, LowestSetBit(x));
  }
  return unit;
}

bool IsValueOf(DType type, double value) {
  return value == 0 || (std::fabs(value) >= FormatOf(type).normal_min && std::isfinite(value) &&
                        RoundToType(type, value) == value);
}

bool IsExactDotProduct(const DotShape& shape, std::span<const double> input,
                       std::span<const double> weight, std::span<const double> bias, DType acc_type,
                       DType out_type) {
  const double unit = UnitOf(input) * UnitOf(weight);
  const FloatFormat& acc = FormatOf(acc_type);
  if (unit < acc.normal_min) return false;
  const double room = std::ldexp(unit, acc.fraction_bits + 1);
  const auto batches = static_cast<size_t>(shape.batches);
  const size_t inputs = input.size() / batches, weights = weight.size() / batches;
  std::vector<double> sum(static_cast<size_t>(shape.positions()));
  std::vector<double> magnitude(sum.size());
  for (int32_t i = 0; i < shape.batches * shape.out_channels; ++i) {
    const int32_t channel = i % shape.out_channels;
    const auto batch = static_cast<size_t>(i / shape.out_channels);
    const double b = bias.empty() ? 0 : bias[static_cast<size_t>(channel)];
    if (std::fmod(b, unit) != 0) return false;
    std::ranges::fill(sum, 0);
    std::ranges::fill(magnitude, std::fabs(b));
    for (int32_t tap = 0; tap < shape.taps(); ++tap) {
      const double w = weight[batch * weights + shape.WeightIndex(channel, tap)];
      if (w == 0) continue;
      shape.ForEachMeeting(channel, tap, 1, [&](size_t position, size_t in) {
        const double product = w * input[batch * inputs + in];
        sum[position] += product;
        magnitude[position] += std::fabs(product);
      });
    }
    for (size_t k = 0; k < sum.size(); ++k) {
      // The products are converted to the output's type before the bias is added.
      if (magnitude[k] > room || !IsValueOf(out_type, sum[k]) || !IsValueOf(out_type, sum[k] + b)) {
        return false;
      }
    }
  }
  return true;
}

bool HasOneAnswer(TestVector vector, size_t outputs) {
  if (!Expect(vector, {.declarations = {.plain_sums = true}})) return false;
  const Step& step = vector.steps[0];
  if (step.expected != OutcomeKind::kValid) return false;
  return std::ranges::all_of(std::span(step.outputs).first(outputs),
                             [](const Expectation& output) { return output.error.empty(); });
}

}  // namespace assay
