// SPDX-License-Identifier: Apache-2.0
#include "fourier_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "comparison.h"
#include "fourier.h"

namespace assay {
namespace {

using ops::FourierAngle;
using ops::FourierDimensions;

// The factors of the cosine and of the sine of one angle, in units of the results.
struct Shares {
  double cos = 0;
  double sin = 0;
};

// Returns the errors of the coefficients of angle number k, of which `turn` make a circle. In fp32,
// the roundings of pi() and of the product add up to 2^-23 of the angle. cos() and sin() are
// rounded by 2^-24 of their results. The angle 0 is exact.
Shares CoefficientErrors(size_t k, double turn) {
  if (k == 0) return {};
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / turn;
  const double angle_error = angle * 0x1p-23;
  const double cos = std::fabs(Cos(angle));
  const double sin = std::fabs(Sin(angle));
  const double second_order = angle_error * angle_error / 2;
  return {angle_error * sin + second_order + 0x1p-24 * cos,
          angle_error * cos + second_order + 0x1p-24 * sin};
}

// Returns the numbers of each operand; nullopt if an operand is calculated.
std::optional<std::vector<std::vector<double>>> OperandsOf(const Block& main, const Operator& op,
                                                           const Step& step) {
  std::vector<std::vector<double>> operands;
  for (const TensorIndex input : op.inputs) {
    const auto at = std::find(main.inputs.begin(), main.inputs.end(), input);
    const Operator* producer = main.ProducerOf(input);
    if (at != main.inputs.end()) {
      operands.push_back(NumbersOf(step.inputs[static_cast<size_t>(at - main.inputs.begin())]));
    } else if (producer != nullptr && producer->op == Op::kConst) {
      operands.push_back(NumbersOf(producer->attributes.Value(AttributeId::kValues)));
    } else {
      return std::nullopt;
    }
  }
  return operands;
}

}  // namespace

FourierErrors FourierErrorsOf(const Graph& graph, const Step& step, size_t output) {
  const Block& main = *graph.Main();
  const Operator* op = main.ProducerOf(main.outputs[output]);
  if (op == nullptr || (op->op != Op::kFft2d && op->op != Op::kRfft2d)) return {};
  const auto known = OperandsOf(main, *op, step);
  // A calculated operand may have any value, so no sum of errors is too large.
  if (!known) return {.element = {}, .sum = std::numeric_limits<double>::infinity()};
  const std::vector<std::vector<double>>& operands = *known;
  const FourierDimensions dims(main.TypeOf(op->inputs[0]).shape);
  const int64_t width = main.TypeOf(main.outputs[output]).shape[2];
  const bool is_real = main.outputs[output] == op->outputs[0];
  const int64_t turn = std::max(dims.H, dims.W);
  const std::vector<double>& units = step.outputs[output].statistics->unit;
  FourierErrors errors;
  errors.element.reserve(units.size());
  std::vector<Shares> shares(static_cast<size_t>(2 * turn));
  for (int64_t n = 0; n < dims.N; ++n) {
    for (int64_t oy = 0; oy < dims.H; ++oy) {
      for (int64_t ox = 0; ox < width; ++ox) {
        const double unit = units[errors.element.size()];
        double magnitudes = 0;
        auto at = static_cast<size_t>(n * dims.H * dims.W);
        ForEachAngle(dims, oy, ox, [&](const FourierAngle& a) {
          const double real = operands[0][at];
          const double imag = operands.size() > 1 ? operands[1][at] : 0;
          ++at;
          magnitudes += std::fabs(real) + std::fabs(imag);
          if (unit == 0) return;
          Shares& share =
              shares[static_cast<size_t>(a.ay * (turn / dims.H) + a.ax * (turn / dims.W))];
          share.cos += (is_real ? real : imag) / unit;
          share.sin += (is_real ? imag : -real) / unit;
        });
        errors.element.push_back(ops::kWeightError * magnitudes);
      }
    }
  }
  for (size_t k = 0; k < shares.size(); ++k) {
    const Shares error = CoefficientErrors(k, static_cast<double>(turn));
    errors.sum += std::fabs(shares[k].cos) * error.cos + std::fabs(shares[k].sin) * error.sin;
  }
  return errors;
}

}  // namespace assay
