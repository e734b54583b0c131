// SPDX-License-Identifier: Apache-2.0
// Data movement and CONST.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "check.h"
#include "native_kernels.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "parallel.h"

namespace assay {
namespace {

using ops::Run;

// The size of a block of neighbours that is copied together: bytes side by side in the operand, and
// columns of the output. The block fits a second-level cache.
constexpr size_t kBytesTogether = 8192;
constexpr int64_t kColumnsTogether = 64;
// The length of a cache line. A tile has this length in both directions.
constexpr size_t kLineBytes = 64;
template <class T>
constexpr int64_t kTile = kLineBytes / sizeof(T);
constexpr double kNanosecondsOfMove = 0.1;  // for an element

// Returns how many runs, counted from the first, read neighbours of the elements that the first
// reads, with the same step. Such runs are rows of a transposed matrix.
template <class T>
size_t NeighboursOf(std::span<const Run> runs) {
  size_t count = 1;
  while (count < std::min(runs.size(), kBytesTogether / sizeof(T))) {
    const Run& run = runs[count];
    const Run& before = runs[count - 1];
    if (run.operand != before.operand || run.count != before.count || run.step != before.step ||
        run.first != before.first + 1) {
      break;
    }
    ++count;
  }
  return count;
}

template <class T>
void Copy(const T* from, const Run& run, T* to) {
  if (run.step == 1) {
    // A copy of more than some 8 KB may use string instructions. These take three times as long if
    // both ends lie alike in their pages, which rows of two tensors often do.
    constexpr int64_t kPiece = 4096 / sizeof(T);
    for (int64_t i = 0; i < run.count; i += kPiece) {
      std::copy_n(from + i, std::min(kPiece, run.count - i), to + i);
    }
  } else if (run.step == 0) {
    std::fill_n(to, run.count, *from);
  } else if (run.step == -1) {
    std::reverse_copy(from - run.count + 1, from + 1, to);
  } else {
    for (int64_t i = 0; i < run.count; ++i) to[i] = from[i * run.step];
  }
}

// Copies a tile of a transposed matrix: columns of `to`, which are `step` apart in `from`, and
// rows, which are `length` apart in `to`.
template <class T>
void CopyTile(const T* from, int64_t step, int64_t rows, int64_t columns, int64_t length, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < columns; ++i) to[row * length + i] = from[i * step + row];
  }
}

template <class T>
using Lanes [[gnu::vector_size(16)]] = T;
template <class T>
constexpr int kLanes = 16 / sizeof(T);

// Returns the first halves of two vectors, or the second halves, in turns: a[0], b[0], a[1],
// b[1]...
template <class T, bool kSecond, int... k>
[[gnu::always_inline]] inline Lanes<T> Zipped(Lanes<T> a, Lanes<T> b,
                                              std::integer_sequence<int, k...>) {
  return __builtin_shufflevector(a, b, (k / 2 + k % 2 * kLanes<T> + kSecond * kLanes<T> / 2)...);
}

// Transposes a square. Zipping each row with the row half of them further on rotates, by one, the
// binary digits of an element's place. After all turns, row and column have changed places.
template <class T, int kTurns = kLanes<T>>
[[gnu::always_inline]] inline void Transpose(Lanes<T> (&rows)[kLanes<T>]) {
  if constexpr (kTurns > 1) {
    constexpr int kHalf = kLanes<T> / 2;
    constexpr std::make_integer_sequence<int, kLanes<T>> kEach;
    Lanes<T> zipped[kLanes<T>];
    for (int i = 0; i < kHalf; ++i) {
      zipped[2 * i] = Zipped<T, false>(rows[i], rows[i + kHalf], kEach);
      zipped[2 * i + 1] = Zipped<T, true>(rows[i], rows[i + kHalf], kEach);
    }
    std::copy(std::begin(zipped), std::end(zipped), rows);
    Transpose<T, kTurns / 2>(rows);
  }
}

// A whole tile, transposed in registers, so that cache lines are read and written as a whole.
template <class T>
struct WholeTile {
  static constexpr int kGroups = kLineBytes / 16;
  Lanes<T> rows[kTile<T>][kGroups];

  WholeTile(const T* from, int64_t step) {
    for (int column = 0; column < kGroups; ++column) {
      for (int group = 0; group < kGroups; ++group) {
        const T* const at = from + kLanes<T> * (column * step + group);
        Lanes<T> square[kLanes<T>];
        for (int i = 0; i < kLanes<T>; ++i) std::memcpy(&square[i], at + i * step, 16);
        Transpose<T>(square);
        for (int i = 0; i < kLanes<T>; ++i) rows[kLanes<T> * group + i][column] = square[i];
      }
    }
  }
};

// Copies whole pieces of 16 bytes past the caches. `to` must be a multiple of 16.
[[gnu::always_inline]] inline void WritePastCaches(const void* from, size_t bytes, void* to) {
#if defined(__SSE2__)
  const auto* const in = static_cast<const __m128i*>(from);
  auto* const out = static_cast<__m128i*>(to);
  for (size_t i = 0; i < bytes / 16; ++i) _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
#else
  std::memcpy(to, from, bytes);
#endif
}

// Makes bytes that were written past the caches visible before anything that is written later.
void FenceStores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Copies past the caches, except for cache lines that the copy covers only in part.
void CopyPastCaches(const void* from, size_t bytes, void* to) {
  const auto* in = static_cast<const uint8_t*>(from);
  auto* out = static_cast<uint8_t*>(to);
  const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % kLineBytes);
  const size_t lines = (bytes - head) / kLineBytes * kLineBytes;
  std::memcpy(out, in, head);
  WritePastCaches(in + head, lines, out + head);
  std::memcpy(out + head + lines, in + head + lines, bytes - head - lines);
}

template <class T>
void CopyWholeTile(const T* from, int64_t step, int64_t length, bool past_caches, T* to) {
  const WholeTile<T> tile(from, step);
  for (const auto& row : tile.rows) {
    if (past_caches) {
      WritePastCaches(row, kLineBytes, to);
    } else {
      std::memcpy(to, row, kLineBytes);
    }
    to += length;
  }
}

// Copies `rows` neighbours of `columns` elements each. The first elements of consecutive columns
// are `step` apart in `from`; rows are `length` apart in `to`.
template <class T>
void CopyTogether(const T* from, int64_t step, int64_t rows, int64_t columns, int64_t length,
                  bool past_caches, T* to) {
  for (int64_t row = 0; row < rows; row += kTile<T>) {
    for (int64_t column = 0; column < columns; column += kTile<T>) {
      const int64_t high = std::min(kTile<T>, rows - row);
      const int64_t wide = std::min(kTile<T>, columns - column);
      const T* const at = from + column * step + row;
      T* const tile = to + row * length + column;
      if (high == kTile<T> && wide == kTile<T>) {
        CopyWholeTile(at, step, length, past_caches, tile);
      } else {
        CopyTile(at, step, high, wide, length, tile);
      }
    }
  }
}

// An output that does not fit the caches is written past them, because nobody would find it there.
bool IsLarge(const NativeCall& call) {
  constexpr int64_t kCacheBytes = int64_t{8} << 20;
  return call.out_shape().Elements() * ElementBytes(call.signature.out()) >= kCacheBytes;
}

// The operands of a call. The NaNs of a large output are made canonical at the end.
template <class T>
struct Operands {
  explicit Operands(const NativeCall& call) {
    const bool large = IsLarge(call);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const bool moves = call.signature.inputs[i].type == call.signature.out();
      looks_for_nans |= large && !call.inputs[i]->is_canonical();
      const auto at = static_cast<int>(i);
      elements.emplace_back(!moves  ? nullptr
                            : large ? call.raw<T>(at)
                                    : call.in<T>(at),
                            moves ? static_cast<size_t>(call.inputs[i]->size()) : 0);
    }
  }
  std::vector<std::span<const T>> elements;  // of operands with the type of the output
  bool looks_for_nans = false;
};

// The output tensor, written element by element from element `first` on.
template <class T>
class Output {
 public:
  Output(const NativeCall& call, bool looks_for_nans, int64_t first)
      : call_(call),
        is_large_(IsLarge(call)),
        looks_for_nans_(looks_for_nans),
        to_(call.out<T>() + first) {
    StartPiece();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Append(const T* from, Run run) {
    if (!is_large_) {
      Copy(from, run, to_);
      to_ += run.count;
      return;
    }
    while (run.count > 0) {
      const int64_t count = std::min(run.count, kPiece - end_);
      if (count == kPiece && run.step == 1) {
        Write(from, count);
      } else {
        Copy(from, {run.operand, run.first, count, run.step}, piece_ + end_);
        end_ += count;
        if (end_ == kPiece) WritePiece();
      }
      from += count * run.step;
      run.count -= count;
    }
  }

  // Appends `rows` runs that are neighbours; `first` is the first of them.
  void AppendTogether(const T* from, const Run& first, int64_t rows) {
    WritePiece();
    const int64_t length = first.count;
    const bool past_caches = is_large_ && Misalignment(16) == 0 && length * kBytes % 16 == 0;
    for (int64_t column = 0; column < length; column += kColumnsTogether) {
      const T* const at = from + column * first.step;
      const int64_t columns = std::min(kColumnsTogether, length - column);
      for (int64_t i = 0; i < columns; ++i) LookForNans(at + i * first.step, rows);
      CopyTogether(at, first.step, rows, columns, length, past_caches, to_ + column);
    }
    to_ += rows * length;
    StartPiece();
  }

  // Returns true if there is a NaN in what was written, if it was to look for NaNs.
  bool Finish() {
    WritePiece();
    if (is_large_) FenceStores();
    return found_nan_;
  }

 private:
  static constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kPiece = 2048 / kBytes;

  int64_t Misalignment(size_t bytes) const {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(to_) % bytes);
  }
  void LookForNans(const T* from, int64_t count) {
    if (!looks_for_nans_) return;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(from);
    found_nan_ |= HasNan(call_.signature.out(), {bytes, static_cast<size_t>(count) * sizeof(T)});
  }
  void StartPiece() { begin_ = end_ = Misalignment(kLineBytes) / kBytes; }
  void Write(const T* from, int64_t count) {
    LookForNans(from, count);
    CopyPastCaches(from, static_cast<size_t>(count) * sizeof(T), to_);
    to_ += count;
  }
  void WritePiece() {
    Write(piece_ + begin_, end_ - begin_);
    StartPiece();
  }

  const NativeCall& call_;
  const bool is_large_, looks_for_nans_;
  bool found_nan_ = false;
  T* to_;  // the place of the next element
  // The next elements are gathered in piece_[begin_] to piece_[end_]. They lie a whole number of
  // cache lines away from their final place, so that the lines are written as a whole.
  alignas(kLineBytes) T piece_[kPiece];
  int64_t begin_, end_;
};

// Copies runs to the output from element `first` on. Returns true if there is a NaN to be made
// canonical.
template <class T>
bool MoveRuns(const NativeCall& call, const Operands<T>& operands, std::span<const Run> runs,
              int64_t first) {
  Output<T> output(call, operands.looks_for_nans, first);
  int64_t left = call.out_shape().Elements() - first;
  for (size_t i = 0; i < runs.size();) {
    const Run& run = runs[i];
    const std::span<const T> operand = operands.elements[static_cast<size_t>(run.operand)];
    const bool strided = run.step > 1 && run.count > 1;
    const auto rows = static_cast<int64_t>(strided ? NeighboursOf<T>(runs.subspan(i)) : 1);
    const int64_t last = run.first + (run.count - 1) * run.step;
    Check(std::min(run.first, last) >= 0 &&
              std::max(run.first, last) + rows <= std::ssize(operand) && run.count * rows <= left,
          "a run within its operand and the output");
    const T* const from = operand.data() + run.first;
    if (rows == 1) {
      output.Append(from, run);
    } else {
      output.AppendTogether(from, run, rows);
    }
    left -= run.count * rows;
    i += static_cast<size_t>(rows);
  }
  return output.Finish();
}

int64_t ElementsOf(std::span<const Run> runs) {
  return std::accumulate(runs.begin(), runs.end(), int64_t{0},
                         [](int64_t sum, const Run& run) { return sum + run.count; });
}

// Copies all runs, in several threads if the output is so large that it leaves the caches of a
// core.
template <class T>
void MoveAll(const NativeCall& call, std::span<const Run> runs) {
  const int64_t elements = call.out_shape().Elements();
  Check(ElementsOf(runs) == elements, "an origin of every output element");
  const Operands<T> operands(call);
  const int64_t count = std::ssize(runs);
  const int64_t groups = (count + kTile<T> - 1) / kTile<T>;
  const double nanoseconds =
      kNanosecondsOfMove * static_cast<double>(elements) / static_cast<double>(groups);
  std::atomic<bool> found_nan = false;
  ForEachPart(groups, nanoseconds, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin * kTile<T>);
    const auto last = static_cast<size_t>(std::min(end * kTile<T>, count));
    const int64_t before = ElementsOf(runs.first(first));
    if (MoveRuns(call, operands, runs.subspan(first, last - first), before)) found_nan = true;
  });
  const std::span<uint8_t> bytes(call.output, static_cast<size_t>(elements) * sizeof(T));
  if (found_nan) MakeNansCanonical(call.signature.out(), bytes);
}

// Sets the runs of a call. Returns false if only the template can compute the result.
using RunsOf = bool(const NativeCall& call, std::vector<Run>& runs);

bool RunsOfMove(const NativeCall& call, std::vector<Run>& runs) {
  ops::DefinitionOf(call.signature.op).move(call.signature, runs);
  return true;
}

// Appends, for each index k of batch n, row k of batch n of the values.
bool RunsOfGather(const NativeCall& call, std::vector<Run>& runs) {
  const Shape& values = call.signature.shape(0);
  const int64_t K = values[1], C = values[2];
  const int64_t W = call.signature.shape(1)[1];
  const int32_t* index = call.in<int32_t>(1);
  for (int64_t n = 0; n < values[0]; ++n) {
    for (int64_t w = 0; w < W; ++w) {
      const int64_t k = *index++;
      if (k < 0 || k >= K) return false;
      ops::AppendRun(runs, {0, (n * K + k) * C, C, 1});
    }
  }
  return true;
}

bool RunsOfScatter(const NativeCall& call, std::vector<Run>& runs) {
  const Shape& values = call.signature.shape(0);
  const int64_t K = values[1], C = values[2];
  const int64_t W = call.signature.shape(1)[1];
  const int32_t* index = call.in<int32_t>(1);
  std::vector<int64_t> origin(static_cast<size_t>(K));  // a row of the input, or -1
  for (int64_t n = 0; n < values[0]; ++n) {
    origin.assign(origin.size(), -1);
    for (int64_t w = 0; w < W; ++w) {
      const int64_t k = *index++;
      if (k < 0 || k >= K || origin[static_cast<size_t>(k)] >= 0) return false;
      origin[static_cast<size_t>(k)] = n * W + w;
    }
    for (int64_t k = 0; k < K; ++k) {
      const int64_t row = origin[static_cast<size_t>(k)];
      ops::AppendRun(runs, row < 0 ? Run{0, (n * K + k) * C, C, 1} : Run{2, row * C, C, 1});
    }
  }
  return true;
}

template <class T, RunsOf kRunsOf>
bool Move(const NativeCall& call) {
  std::vector<Run> runs;
  runs.reserve(16);  // few tensors of test vectors have more
  if (!kRunsOf(call, runs)) return false;
  MoveAll<T>(call, runs);
  return true;
}

template <RunsOf kRunsOf>
NativeKernel MoveKernel(DType type) {
  switch (ElementBytes(type)) {
    case 1:
      return Move<uint8_t, kRunsOf>;
    case 2:
      return Move<uint16_t, kRunsOf>;
    case 4:
      return Move<uint32_t, kRunsOf>;
    default:
      return Move<uint64_t, kRunsOf>;
  }
}

}  // namespace

NativeKernel NativeMove(const Signature& s) {
  switch (s.op) {
    case Op::kGather:
      return MoveKernel<RunsOfGather>(s.out());
    case Op::kScatter:
      return MoveKernel<RunsOfScatter>(s.out());
    default:
      if (ops::DefinitionOf(s.op).move == nullptr) return nullptr;
      return MoveKernel<RunsOfMove>(s.out());
  }
}

}  // namespace assay
