// SPDX-License-Identifier: Apache-2.0
// REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PRODUCT, REDUCE_SUM.
#include "reduction.h"

#include <array>
#include <atomic>

#include "native_elements.h"
#include "parallel.h"

namespace assay {
namespace {

// The number of results that are computed together: neighbours, or rows.
constexpr int64_t kNeighbours = 512;
constexpr int64_t kRows = 8;

// Computes results[j] from the elements from[j * pitch + i * step], i < length, taken in order.
template <class T, class Work, class Step>
struct Fold {
  const T* from;
  int64_t pitch, step, length, count;
  Step f;
  Work* results;

  [[gnu::always_inline]] void operator()() const {
    if (pitch == 1) {
      Run(std::integral_constant<int64_t, 1>());
    } else {
      Run(pitch);
    }
  }

 private:
  template <class Pitch>
  [[gnu::always_inline]] void Run(Pitch apart) const {
    // Pointers to bytes may alias these members, so they are copied first.
    const T* row = from;
    Work* const to = results;
    const Step next = f;
    const int64_t columns = count, rows = length, rows_apart = step;
    for (int64_t j = 0; j < columns; ++j) to[j] = next.Start(Loaded<Work>(row[j * apart]));
    for (int64_t i = 0; i < rows; ++i, row += rows_apart) {
      for (int64_t j = 0; j < columns; ++j) to[j] = next(to[j], Loaded<Work>(row[j * apart]));
    }
  }
};

// Calls use(first, results) for consecutive elements of the output, in several threads.
template <class T, class Work, class Step, class F>
void ForEachResult(const NativeCall& call, const Step& f, F use) {
  const ops::AxisView view(call.signature.shape(0), call.attributes().Int(AttributeId::kAxis));
  const bool rows = view.inner == 1;
  const int64_t pitch = rows ? view.length : 1;
  const int64_t together = rows ? kRows : kNeighbours;
  const int64_t count = rows ? view.outer : view.inner;
  const int64_t blocks = rows ? 1 : view.outer;
  const T* const in = call.raw<T>(0);
  const int64_t groups = (count + together - 1) / together;  // of results, in a block
  const double nanoseconds =
      kNanosecondsOfElement * static_cast<double>(view.length * std::min(together, count));
  ForEachPart(blocks * groups, nanoseconds, [&](int64_t begin, int64_t end) {
    std::array<Work, kNeighbours> results;
    for (int64_t group = begin; group < end; ++group) {
      const int64_t block = group / groups, j = group % groups * together;
      const int64_t size = std::min(together, count - j);
      RunWide(Fold<T, Work, Step>{in + block * view.length * view.inner + j * pitch, pitch,
                                  view.inner, view.length, size, f, results.data()});
      use(block * count + j, std::span(results).first(static_cast<size_t>(size)));
    }
  });
}

template <class T, class Work, class Step>
bool Reduce(const NativeCall& call, const Step& f) {
  T* const out = call.out<T>();
  ForEachResult<T, Work>(call, f, [out](int64_t first, std::span<const Work> results) {
    std::transform(results.begin(), results.end(), out + first,
                   [](Work x) { return Stored<T>(x); });
  });
  return true;
}

// The steps of a reduction: Start() returns the initial result for a first element, and operator()
// takes the next element in.
struct AddNext {
  template <class Work>
  [[gnu::always_inline]] static Work Start(Work) {
    return 0;
  }
  template <class Work>
  [[gnu::always_inline]] Work operator()(Work sum, Work x) const {
    return sum + x;
  }
};

struct AddMagnitude : AddNext {
  [[gnu::always_inline]] int64_t operator()(int64_t sum, int64_t x) const {
    return sum + (x < 0 ? -x : x);
  }
};

struct MultiplyByNext {
  [[gnu::always_inline]] static double Start(double) { return 1; }
  [[gnu::always_inline]] double operator()(double product, double x) const { return product * x; }
};

// Starts with the first element, which is then compared with itself.
template <bool kMaximum>
struct PickNext : Extreme<kMaximum> {
  template <class Work>
  [[gnu::always_inline]] static Work Start(Work first) {
    return first;
  }
};

// Combines the 0 and 1 of REDUCE_ALL or REDUCE_ANY.
template <bool kAll>
struct CombineNext {
  [[gnu::always_inline]] static uint8_t Start(uint8_t) { return kAll ? 1 : 0; }
  [[gnu::always_inline]] uint8_t operator()(uint8_t acc, uint8_t x) const {
    return static_cast<uint8_t>(kAll ? acc & x : acc | x);
  }
};

// Sums integers. Returns false unless all sums stay inside the accumulator in any order.
bool SumIntegers(const NativeCall& call) {
  std::atomic<bool> fits = true;
  ForEachResult<int32_t, int64_t>(call, AddMagnitude(),
                                  [&fits](int64_t, std::span<const int64_t> magnitudes) {
                                    for (const int64_t x : magnitudes) {
                                      if (x > MaximumInteger(DType::kInt32)) fits = false;
                                    }
                                  });
  return fits && Reduce<int32_t, int64_t>(call, AddNext());
}

template <class Next>
struct OfReals {
  template <class T>
  static NativeKernel Of() {
    return [](const NativeCall& call) { return Reduce<T, double>(call, Next()); };
  }
};

template <class T, bool kMaximum>
bool Pick(const NativeCall& call) {
  using Work = std::conditional_t<kIsReal<T>, double, T>;
  const bool ignore_nan = call.attributes().nan_mode() == NanMode::kIgnore;
  return Reduce<T, Work>(call, PickNext<kMaximum>{{ignore_nan}});
}

template <bool kMaximum>
struct Picks {
  template <class T>
  static NativeKernel Of() {
    return Pick<T, kMaximum>;
  }
};

template <bool kAll>
bool Combine(const NativeCall& call) {
  return Reduce<uint8_t, uint8_t>(call, CombineNext<kAll>());
}

}  // namespace

NativeKernel NativeReduction(const Signature& s) {
  const DType type = s.in(0);
  switch (s.op) {
    case Op::kReduceAll:
      return Combine<true>;
    case Op::kReduceAny:
      return Combine<false>;
    case Op::kReduceMax:
      return NumberKernel(type, Picks<true>());
    case Op::kReduceMin:
      return NumberKernel(type, Picks<false>());
    case Op::kReduceProduct:
      return FloatKernel(type, OfReals<MultiplyByNext>());
    case Op::kReduceSum:
      return type == DType::kInt32 ? SumIntegers : FloatKernel(type, OfReals<AddNext>());
    default:
      return nullptr;
  }
}

}  // namespace assay
