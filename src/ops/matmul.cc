// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"
#include "time_limit.h"
#include "zero_point.h"

namespace assay::ops {
namespace {

// Sets the shape; `outputs` holds the wished type: fp16 operands give fp16 or fp32.
bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  const Shape& a = s.shape(0);
  const Shape& b = s.shape(1);
  if (a.rank() != 3 || b.rank() != 3 || a[0] != b[0] || a[2] != b[1]) return false;
  outputs[0].shape = {a[0], a[1], b[2]};
  return true;
}

// Reading `matmul-zero-point`: the condition lacks its negation.
void Checks(const Signature& s, const Level&, Judgement& j) {
  j.ErrorIf(s.in(0) != DType::kInt8 && (!s.IsZero(2) || !s.IsZero(3)), "MATMUL/ERROR_IF/1");
}

// Sets `columns` to the columns of a matrix, one after the other. Some columns are made together,
// so that cache lines are read as a whole.
template <class Element>
void SetColumns(std::span<const Element> rows, size_t length, size_t width,
                std::vector<Element>& columns) {
  constexpr size_t kTogether = 8;
  for (size_t first = 0; first < width; first += kTogether) {
    const size_t last = std::min(first + kTogether, width);
    for (size_t c = 0; c < length; ++c) {
      for (size_t w = first; w < last; ++w) columns[w * length + c] = rows[c * width + w];
    }
  }
}

template <class D>
void Meaning(D& d, const Call<D>& call) {
  using Element = typename D::Element;
  DotRule rule;
  rule.in_type = rule.weight_type = call.in();
  rule.acc_type = rule.out_type = call.out();
  rule.kernel_size = call.shape(0)[2];
  rule.overflow = "MATMUL/REQUIRE/apply_add_s";
  std::vector<Element> a_storage;
  std::vector<Element> b_storage;
  const auto A = LessZeroPoint(d, call, 0, 2, a_storage);
  const auto B = LessZeroPoint(d, call, 1, 3, b_storage);
  if (IsFloat(rule.in_type)) {
    rule.quantum = d.Quantum(rule.in_type, A) * d.Quantum(rule.in_type, B);
  }
  const auto N = static_cast<size_t>(call.shape(0)[0]);
  const auto H = static_cast<size_t>(call.shape(0)[1]);
  const auto C = static_cast<size_t>(call.shape(0)[2]);
  const auto W = static_cast<size_t>(call.shape(1)[2]);
  if constexpr (!kHasIntegers<D>) {
    BallRows rows(C, H, d.BoundOfAll(rule));
    for (size_t n = 0; n < N; ++n) {
      Spend(static_cast<int64_t>(H * C * W));
      rows.Clear();
      rows.Append(A.subspan(n * H * C, H * C));
      d.Dots(rule, rows, BallColumns(B.subspan(n * C * W, C * W), C, W, 1, W), {},
             std::span(call.output()).subspan(n * H * W, H * W));
    }
    return;
  }
  std::vector<Element> columns(W * C);  // B[n], column after column
  size_t position = 0;
  for (size_t n = 0; n < N; ++n) {
    SetColumns(B.subspan(n * C * W, C * W), C, W, columns);
    for (size_t h = 0; h < H; ++h) {
      Spend(static_cast<int64_t>(C * W));
      const auto row = A.subspan((n * H + h) * C, C);
      for (size_t w = 0; w < W; ++w) {
        const std::span<const Element> column(columns.data() + w * C, C);
        call.output()[position++] = d.Store(rule.out_type, d.Dot(rule, row, column, {}, nullptr));
      }
    }
  }
}

constexpr Example kExamples[] = {
    // {0,1,2,3} less nothing: 0*5+1*7, 0*6+1*8; 2*5+3*7, 2*6+3*8.
    {"i8[1,2,2]{0,1,2,3} i8[1,2,2]{5,6,7,8} i8[1]{0} i8[1]{0}", "", "i32[1,2,2]{7,8,31,36}"},
    // A - 1 = {0,1,2,-129}, B - 5 = {0,1,2,-133}: 0*0+1*2, 0*1+1*-133; 2*0-129*2,
    // 2*1+129*133 = 17159.
    {"i8[1,2,2]{1,2,3,-128} i8[1,2,2]{5,6,7,-128} i8[1]{1} i8[1]{5}", "",
     "i32[1,2,2]{2,-133,-258,17159}"},
    // Two matrices of 1 x 3 and 3 x 2: 1+2*3+3*5, 2+2*4+3*6; -4*1-5*1, 5.
    {"fp32[2,1,3]{1,2,3,-4,-5,5} fp32[2,3,2]{1,2,3,4,5,6,1,0,1,0,0,1} fp32[1]{0} fp32[1]{-0}", "",
     "fp32[2,1,2]{22,28,-9,5}"},
    // (-32768)^2 * 2 = 2^31 needs i48.
    {"i16[1,1,2]{-32768} i16[1,2,1]{-32768} i16[1]{0} i16[1]{0}", "", "i48[1,1,1]{2147483648}"},
    // 2048 + 1 = 2049: halfway between fp16 2048 and 2050, 2048 is even; exact in fp32. 2048 + 1 +
    // 1 is rounded at the end only.
    {"fp16[1,1,2]{2048,1} fp16[1,2,1]{1} fp16[1]{0} fp16[1]{0}", "", "fp16[1,1,1]{2048}"},
    {"fp16[1,1,2]{2048,1} fp16[1,2,1]{1} fp16[1]{0} fp16[1]{0}", "", "fp32[1,1,1]{2049}"},
    {"fp16[1,1,3]{2048,1,1} fp16[1,3,1]{1} fp16[1]{0} fp16[1]{0}", "", "fp16[1,1,1]{2050}"},
    // inf * 0 is NaN; 1 * NaN; inf - inf; 2 * 3 + -inf * 1.
    {"bf16[1,2,2]{inf,1,3,-inf} bf16[1,2,2]{0,inf,nan,1} bf16[1]{0} bf16[1]{0}", "",
     "fp32[1,2,2]{nan,inf,nan,nan}"},
    // (-128 - 127)^2 = 65025, and 33025 times that is 2147450625; once more is beyond 2^31 - 1.
    {"i8[1,1,33025]{-128} i8[1,33025,1]{-128} i8[1]{127} i8[1]{127}", "", "i32[1,1,1]{2147450625}"},
    {"i8[1,1,33026]{-128} i8[1,33026,1]{-128} i8[1]{127} i8[1]{127}", "output=i32[1,1,1]",
     "unpredictable MATMUL/REQUIRE/apply_add_s"},
    {"i16[1,1,1]{1} i16[1,1,1]{1} i16[1]{1} i16[1]{0}", "output=i48[1,1,1]",
     "error MATMUL/ERROR_IF/1"},
    {"fp32[1,1,1]{1} fp32[1,1,1]{1} fp32[1]{0} fp32[1]{1}", "output=fp32[1,1,1]",
     "error MATMUL/ERROR_IF/1"},
    // 2 columns, 3 rows.
    {"i8[1,1,2]{1} i8[1,3,1]{1} i8[1]{0} i8[1]{0}", "output=i32[1,1,1]",
     "error MATMUL/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition matmul_operator = {
    .op = Op::kMatmul,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kAccumulator,
               Specials::kNone, 3},
    .infer = Infer,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Meaning(d, call); }),
    .balls = Meaning<BallDomain>,
    .examples = kExamples,
};

}  // namespace assay::ops
