#include "fast_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "convolution.h"

namespace assay {
namespace {

using ops::Convolution;
using ops::Tap;

// Sums of products in fp64, kLanes output channels at a time, each in the order of the pseudocode.
// Integers are exact in it: sums stay below 2^47.
constexpr int64_t kLanes = 8;

struct Operand {
  std::vector<double> elements;  // less the zero point
  double maximum = 0;            // largest magnitude, integers only
};

Operand Convert(const Call<ValueDomain>& call, int input, int zero_point) {
  const auto& elements = *call.input(input).elements;
  Operand operand;
  operand.elements.resize(elements.size());
  if (IsFloat(call.in(input))) {
    for (size_t i = 0; i < elements.size(); ++i) operand.elements[i] = elements[i].real();
    return operand;
  }
  const int64_t zero = call.input(zero_point)[0].integer();
  for (size_t i = 0; i < elements.size(); ++i) {
    operand.elements[i] = static_cast<double>(elements[i].integer() - zero);
    operand.maximum = std::max(operand.maximum, std::fabs(operand.elements[i]));
  }
  return operand;
}

// Whether no sum of `count` products and a bias can leave the accumulator or the output, whatever
// the order.
bool StaysInRange(DType acc_type, DType out_type, const Operand& a, const Operand& b, size_t count,
                  double bias) {
  if (IsFloat(out_type)) return true;
  const double largest = a.maximum * b.maximum * static_cast<double>(count) + bias;
  return largest <=
         static_cast<double>(std::min(MaximumInteger(acc_type), MaximumInteger(out_type)));
}

// Two lanes; g++ and clang keep them in one register, and no flag has to ask for it.
using Pair = double __attribute__((vector_size(16)));

Pair Load(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof(pair));
  return pair;
}

// sums[j] += a[k] * panel[k][j] for k in order.
void Accumulate(const double* a, const double* panel, int64_t count, double* sums) {
  Pair sum0 = Load(sums), sum1 = Load(sums + 2), sum2 = Load(sums + 4), sum3 = Load(sums + 6);
  for (int64_t k = 0; k < count; ++k, panel += kLanes) {
    const Pair x = {a[k], a[k]};
    sum0 += x * Load(panel);
    sum1 += x * Load(panel + 2);
    sum2 += x * Load(panel + 4);
    sum3 += x * Load(panel + 6);
  }
  std::memcpy(sums, &sum0, sizeof(sum0));
  std::memcpy(sums + 2, &sum1, sizeof(sum1));
  std::memcpy(sums + 4, &sum2, sizeof(sum2));
  std::memcpy(sums + 6, &sum3, sizeof(sum3));
}

Scalar Finish(const ValueDomain& d, DType type, double sum) {
  return IsFloat(type) ? d.Store(type, Scalar::OfFloat(sum))
                       : Scalar::OfInteger(static_cast<int64_t>(sum));
}

double Number(DType type, Scalar x) {
  return IsFloat(type) ? x.real() : static_cast<double>(x.integer());
}

bool Matmul(const Call<ValueDomain>& call, const ValueDomain& d) {
  const int64_t N = call.shape(0)[0], H = call.shape(0)[1];
  const int64_t C = call.shape(0)[2], W = call.shape(1)[2];
  const DType type = call.out();
  const Operand A = Convert(call, 0, 2);
  const Operand B = Convert(call, 1, 3);
  if (!StaysInRange(type, type, A, B, static_cast<size_t>(C), 0)) return false;
  std::vector<double> panel(static_cast<size_t>(C * kLanes));
  Scalar* const out = call.output().data();
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t w = 0; w < W; w += kLanes) {
      const int64_t lanes = std::min(kLanes, W - w);
      for (int64_t c = 0; c < C; ++c) {
        std::copy_n(B.elements.data() + (n * C + c) * W + w, lanes, panel.data() + c * kLanes);
      }
      for (int64_t h = 0; h < H; ++h) {
        double sums[kLanes] = {};
        Accumulate(A.elements.data() + (n * H + h) * C, panel.data(), C, sums);
        for (int64_t j = 0; j < lanes; ++j) {
          out[(n * H + h) * W + w + j] = Finish(d, type, sums[j]);
        }
      }
    }
  }
  return true;
}

// Operators with one group of channels.
bool Convolve(const Call<ValueDomain>& call, const ValueDomain& d) {
  const Convolution g(call.signature);
  const int64_t KS = g.KernelSize();
  const DType type = call.out();
  const Operand input = Convert(call, 0, 3);
  const Operand weight = Convert(call, 1, 4);
  const auto& bias = *call.input(2).elements;
  double largest_bias = 0;
  for (const Scalar x : bias) largest_bias = std::max(largest_bias, std::fabs(Number(type, x)));
  if (!StaysInRange(call.attributes().type(AttributeId::kAccType), type, input, weight,
                    static_cast<size_t>(KS), largest_bias)) {
    return false;
  }
  std::vector<double> panel(static_cast<size_t>(KS * kLanes));
  for (int64_t oc = 0; oc < g.OC; oc += kLanes) {
    const int64_t lanes = std::min(kLanes, g.OC - oc);
    double biases[kLanes] = {};
    for (int64_t j = 0; j < lanes; ++j) {
      biases[j] = Number(type, bias.size() == 1 ? bias[0] : bias[static_cast<size_t>(oc + j)]);
      const double* const channel = weight.elements.data() + (oc + j) * KS;
      for (int64_t k = 0; k < KS; ++k) panel[static_cast<size_t>(k * kLanes + j)] = channel[k];
    }
    Scalar* out = call.output().data() + oc;
    ForEachPosition(g, call.out_shape(), [&](std::span<const Tap> taps) {
      double sums[kLanes] = {};
      for (size_t i = 0, next; i < taps.size(); i = next) {
        // Taps side by side, in the kernel and in the image, are one run.
        for (next = i + 1; next < taps.size(); ++next) {
          const auto step = static_cast<int64_t>(next - i);
          if (taps[next].kernel != taps[i].kernel + step) break;
          if (taps[next].image != taps[i].image + step) break;
        }
        Accumulate(input.elements.data() + taps[i].image * g.IC,
                   panel.data() + taps[i].kernel * g.IC * kLanes,
                   static_cast<int64_t>(next - i) * g.IC, sums);
      }
      for (int64_t j = 0; j < lanes; ++j) out[j] = Finish(d, type, sums[j] + biases[j]);
      out += g.OC;
    });
  }
  return true;
}

}  // namespace

bool RunFastKernel(const Call<ValueDomain>& call, ValueDomain& d) {
  if (d.fault() != Fault::kNone) return false;
  switch (call.signature.op) {
    case Op::kMatmul:
      return Matmul(call, d);
    case Op::kConv2d:
    case Op::kConv3d:
    case Op::kTransposeConv2d:
      return Convolve(call, d);
    default:
      return false;
  }
}

}  // namespace assay
