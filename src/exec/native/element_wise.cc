// SPDX-License-Identifier: Apache-2.0
// Element-wise operators: arithmetic and comparisons of i32 and floats, MUL, NEGATE and CLAMP of
// all integers, logic of integers and bool, SELECT of everything.
#include "element_wise.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "native_elements.h"
#include "parallel.h"

namespace assay {
namespace {

using ops::BroadcastStrides;

// Divides the output into rows along which every operand has one step, 0 or 1. Calls f(first output
// element, elements, offsets of the operands, their steps) for each row, or for parts of one long
// row, in several threads.
template <size_t kOperands, class F>
void ForEachRow(const Signature& s, F f) {
  const Shape& to = s.out_shape();
  std::array<BroadcastStrides, kOperands> strides = [&]<size_t... k>(std::index_sequence<k...>) {
    return std::array{BroadcastStrides(s.shape(static_cast<int>(k)), to)...};
  }
  (std::make_index_sequence<kOperands>());
  int64_t length = 1;
  std::array<int64_t, kOperands> steps{};
  int axis = to.rank() - 1;
  for (; axis >= 0; --axis) {
    if (to[axis] == 1) continue;
    bool goes_on = true;
    for (size_t k = 0; k < kOperands; ++k) {
      const int64_t stride = strides[k].stride[static_cast<size_t>(axis)];
      if (length == 1) steps[k] = stride;
      goes_on = goes_on && stride == steps[k] * length;
    }
    if (!goes_on) break;
    length *= to[axis];
  }
  const Shape rows(to.dims().first(static_cast<size_t>(axis + 1)));
  const int64_t count = rows.Elements();
  if (count == 1) {
    ForEachPart(length, kNanosecondsOfElement, [&](int64_t begin, int64_t end) {
      std::array<int64_t, kOperands> offsets = steps;
      for (int64_t& offset : offsets) offset *= begin;
      f(begin, end - begin, offsets, steps);
    });
    return;
  }
  ForEachPart(
      count, kNanosecondsOfElement * static_cast<double>(length), [&](int64_t begin, int64_t end) {
        ops::ForEachBroadcast(rows, strides, begin, end, [&](int64_t row, const auto& offsets) {
          f(row * length, length, offsets, steps);
        });
      });
}

// Returns an element in the type of the calculation. fp32 is enough for two fp32 operands: their
// sum, difference and product have the same bits as in fp64 rounded to fp32, because 53 bits are
// more than twice 24 and 2.
float Operand(float x) { return x; }
template <DType kType>
double Operand(Float16<kType> x) {
  return Real(x);
}
int32_t Operand(int32_t x) { return x; }

// Computes output[i] = f(a[i], b[i], bad) with broadcasting. Returns false if f has set a bit of
// `bad`.
template <class T, class Out, class F>
bool Binary(const NativeCall& call, F f) {
  const T* const in1 = call.raw<T>(0);
  const T* const in2 = call.raw<T>(1);
  Out* const out = call.out<Out>();
  std::atomic<uint32_t> bad = 0;
  ForEachRow<2>(
      call.signature, [&](int64_t first, int64_t length, const auto& offsets, const auto& steps) {
        const T* const a = in1 + offsets[0];
        const T* const b = in2 + offsets[1];
        Out* const to = out + first;
        uint32_t row = 0;
        const auto of = [&](T x, T y) { return Stored<Out>(f(Operand(x), Operand(y), row)); };
        if (steps[0] != 0 && steps[1] != 0) {
          for (int64_t i = 0; i < length; ++i) to[i] = of(a[i], b[i]);
        } else if (steps[0] != 0) {
          const T y = *b;
          for (int64_t i = 0; i < length; ++i) to[i] = of(a[i], y);
        } else {
          const T x = *a;
          for (int64_t i = 0; i < length; ++i) to[i] = of(x, b[i * steps[1]]);
        }
        if (row != 0) bad = row;
      });
  return bad == 0;
}

template <class T, class F>
bool Unary(const NativeCall& call, F f) {
  const T* const x = call.raw<T>(0);
  T* const out = call.out<T>();
  std::atomic<uint32_t> bad = 0;
  ForEachPart(call.out_shape().Elements(), kNanosecondsOfElement, [&](int64_t begin, int64_t end) {
    uint32_t part = 0;
    for (int64_t i = begin; i < end; ++i) out[i] = Stored<T>(f(Operand(x[i]), part));
    if (part != 0) bad = part;
  });
  return bad == 0;
}

int32_t Wrapped(uint32_t x) { return static_cast<int32_t>(x); }
uint32_t Word(int32_t x) { return static_cast<uint32_t>(x); }

struct Add {
  template <class Real>
  Real operator()(Real a, Real b, uint32_t&) const {
    return a + b;
  }
  int32_t operator()(int32_t a, int32_t b, uint32_t& bad) const {
    const uint32_t sum = Word(a) + Word(b);
    bad |= ((Word(a) ^ sum) & (Word(b) ^ sum)) >> 31;
    return Wrapped(sum);
  }
};

struct Sub {
  template <class Real>
  Real operator()(Real a, Real b, uint32_t&) const {
    return a - b;
  }
  int32_t operator()(int32_t a, int32_t b, uint32_t& bad) const {
    const uint32_t difference = Word(a) - Word(b);
    bad |= ((Word(a) ^ Word(b)) & (Word(a) ^ difference)) >> 31;
    return Wrapped(difference);
  }
};

// MUL; integers without a shift.
struct Mul {
  template <class Real>
  Real operator()(Real a, Real b, uint32_t&) const {
    return a * b;
  }
  int32_t operator()(int32_t a, int32_t b, uint32_t&) const { return Wrapped(Word(a) * Word(b)); }
};

struct ShiftedMul {
  int64_t shift;  // 1..63
  int32_t operator()(int32_t a, int32_t b, uint32_t& bad) const {
    const int64_t result = (((int64_t{a} * b) >> (shift - 1)) + 1) >> 1;
    bad |= static_cast<uint32_t>(result != static_cast<int32_t>(result));
    return static_cast<int32_t>(result);
  }
};

template <class T, class F>
bool Plain(const NativeCall& call) {
  return Binary<T, T>(call, F());
}

template <class T>
bool Multiply(const NativeCall& call) {
  if constexpr (kIsReal<T>) {
    return Binary<T, T>(call, Mul());
  } else {
    const int64_t shift = call.signature.ConstantInteger(2);
    if (std::is_same_v<T, int32_t> && shift != 0) {
      return Binary<T, int32_t>(call, ShiftedMul{shift});
    }
    return Binary<T, int32_t>(call, Mul());
  }
}

template <class T, bool kMaximum>
bool Pick(const NativeCall& call) {
  const Extreme<kMaximum> pick{call.attributes().nan_mode() == NanMode::kIgnore};
  return Binary<T, T>(call, [pick](auto a, auto b, uint32_t&) { return pick(a, b); });
}

template <class T, class Holds>
bool Compare(const NativeCall& call) {
  return Binary<T, uint8_t>(call, [](auto a, auto b, uint32_t&) { return Holds()(a, b); });
}

template <class T>
bool Abs(const NativeCall& call) {
  return Unary<T>(call, [](auto x, uint32_t& bad) {
    if constexpr (kIsReal<T>) {
      return std::fabs(x);
    } else {
      const uint32_t sign = Word(x >> 31);
      const uint32_t magnitude = (Word(x) ^ sign) - sign;
      bad |= magnitude >> 31;
      return Wrapped(magnitude);
    }
  });
}

template <class T, class F>
bool Combine(const NativeCall& call) {
  return Binary<T, T>(call, [](auto a, auto b, uint32_t&) { return F()(a, b); });
}

template <class T, class F>
bool Map(const NativeCall& call) {
  return Unary<T>(call, [](auto x, uint32_t&) { return F()(x); });
}

// LOGICAL_NOT of 0 and 1.
struct Opposite {
  int32_t operator()(int32_t x) const { return 1 - x; }
};

struct Upwards {
  template <class Real>
  Real operator()(Real x) const {
    return std::ceil(x);
  }
};

struct Downwards {
  template <class Real>
  Real operator()(Real x) const {
    return std::floor(x);
  }
};

// The result is rounded to fp64 first, like in the template.
struct Inverse {
  double operator()(double x) const { return 1.0 / x; }
};

template <class T>
bool Negate(const NativeCall& call) {
  if constexpr (kIsReal<T>) {
    return Map<T, std::negate<>>(call);
  } else {
    const int64_t input_zp = call.signature.ConstantInteger(1);
    const int64_t output_zp = call.signature.ConstantInteger(2);
    // Only i8 has zero points, so only -2^31 leaves i32.
    return Unary<T>(call, [=](int32_t x, uint32_t& bad) {
      const int64_t negative = input_zp - x;
      bad |= static_cast<uint32_t>(negative > MaximumInteger(DType::kInt32));
      return std::clamp<int64_t>(negative + output_zp, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max());
    });
  }
}

template <class T>
bool Clamp(const NativeCall& call) {
  const Tensor& low = call.attributes().Value(AttributeId::kMinVal);
  const Tensor& high = call.attributes().Value(AttributeId::kMaxVal);
  if constexpr (kIsReal<T>) {
    using Work = decltype(Operand(T()));
    const bool ignore_nan = call.attributes().nan_mode() == NanMode::kIgnore;
    return Unary<T>(call, [=, from = static_cast<Work>(low.Float(0)),
                           to = static_cast<Work>(high.Float(0))](Work x, uint32_t&) {
      return Extreme<false>{ignore_nan}(Extreme<true>{ignore_nan}(x, from), to);
    });
  } else {
    return Unary<T>(call, [from = low.Integer(0), to = high.Integer(0)](int64_t x, uint32_t&) {
      return std::clamp(x, from, to);
    });
  }
}

// T is float, or any type as wide as the elements.
template <class T>
bool Select(const NativeCall& call) {
  constexpr bool kReal = std::is_same_v<T, float>;
  const uint8_t* const condition = call.in<uint8_t>(0);
  const T* const on_true = kReal ? call.raw<T>(1) : call.in<T>(1);
  const T* const on_false = kReal ? call.raw<T>(2) : call.in<T>(2);
  T* const out = call.out<T>();
  const auto pick = [](uint8_t c, T x, T y) {
    const T picked = c != 0 ? x : y;
    if constexpr (kReal) {
      return Canonical(picked);
    } else {
      return picked;
    }
  };
  ForEachRow<3>(call.signature,
                [&](int64_t first, int64_t length, const auto& offsets, const auto& steps) {
                  const uint8_t* const c = condition + offsets[0];
                  const T* const a = on_true + offsets[1];
                  const T* const b = on_false + offsets[2];
                  T* const to = out + first;
                  if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1) {
                    for (int64_t i = 0; i < length; ++i) to[i] = pick(c[i], a[i], b[i]);
                  } else {
                    for (int64_t i = 0; i < length; ++i) {
                      to[i] = pick(c[i * steps[0]], a[i * steps[1]], b[i * steps[2]]);
                    }
                  }
                });
  return true;
}

NativeKernel SelectKernel(DType type) {
  if (type == DType::kFp32) return Select<float>;
  switch (ElementBytes(type)) {
    case 1:
      return Select<uint8_t>;
    case 2:
      return Select<uint16_t>;
    case 4:
      return Select<uint32_t>;
    default:
      return Select<uint64_t>;
  }
}

struct ElementWise {
  Op op;
  // T is int32_t or a float.
  template <class T>
  NativeKernel Of() const {
    switch (op) {
      case Op::kAbs:
        return Abs<T>;
      case Op::kAdd:
        return Plain<T, Add>;
      case Op::kClamp:
        return Clamp<T>;
      case Op::kEqual:
        return Compare<T, std::equal_to<>>;
      case Op::kGreater:
        return Compare<T, std::greater<>>;
      case Op::kGreaterEqual:
        return Compare<T, std::greater_equal<>>;
      case Op::kSub:
        return Plain<T, Sub>;
      case Op::kMul:
        return Multiply<T>;
      case Op::kMaximum:
        return Pick<T, true>;
      case Op::kMinimum:
        return Pick<T, false>;
      case Op::kNegate:
        return Negate<T>;
      default:
        return nullptr;
    }
  }
};

struct Rounding {
  Op op;
  // T is a float.
  template <class T>
  NativeKernel Of() const {
    switch (op) {
      case Op::kCeil:
        return Map<T, Upwards>;
      case Op::kFloor:
        return Map<T, Downwards>;
      case Op::kReciprocal:
        return Map<T, Inverse>;
      default:
        return nullptr;
    }
  }
};

struct Logic {
  Op op;
  template <class T>
  NativeKernel Of() const {
    if constexpr (!kIsReal<T>) {
      switch (op) {
        case Op::kBitwiseAnd:
        case Op::kLogicalAnd:
          return Combine<T, std::bit_and<>>;
        case Op::kBitwiseOr:
        case Op::kLogicalOr:
          return Combine<T, std::bit_or<>>;
        case Op::kBitwiseXor:
        case Op::kLogicalXor:
          return Combine<T, std::bit_xor<>>;
        case Op::kBitwiseNot:
          return Map<T, std::bit_not<>>;
        case Op::kLogicalNot:
          return Map<T, Opposite>;
        default:
          break;
      }
    }
    return nullptr;
  }
};

// Returns the kernel of an operator on T, an integer narrower than i32, or null.
template <class T>
NativeKernel NarrowKernel(Op op) {
  switch (op) {
    case Op::kClamp:
      return Clamp<T>;
    case Op::kMul:
      return Multiply<T>;
    case Op::kNegate:
      return Negate<T>;
    default:
      return nullptr;
  }
}

}  // namespace

NativeKernel NativeElementWise(const Signature& s) {
  if (s.op == Op::kSelect) return SelectKernel(s.out());
  const ElementWise kernel{s.op};
  switch (s.in(0)) {
    case DType::kInt8:
      return NarrowKernel<int8_t>(s.op);
    case DType::kInt16:
      return NarrowKernel<int16_t>(s.op);
    case DType::kInt32:
      return kernel.Of<int32_t>();
    default:
      return FloatKernel(s.in(0), kernel);
  }
}

NativeKernel NativeRounding(const Signature& s) { return FloatKernel(s.in(0), Rounding{s.op}); }

NativeKernel NativeLogic(const Signature& s) { return ElementKernel(s.in(0), Logic{s.op}); }

}  // namespace assay
