// Data movement and CONST.
#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "check.h"
#include "native_kernels.h"
#include "operator_definition.h"

namespace assay {
namespace {

using ops::Run;

// Neighbours that are copied together, in tiles of a cache line each way.
constexpr size_t kRowsTogether = 64;
template <class T>
constexpr int64_t kTile = 64 / sizeof(T);

// Beyond some 8 KB memcpy may turn to string instructions, which take three times as long where
// both ends lie alike in their pages, as rows of one tensor and of another do.
constexpr size_t kPieceBytes = 4096;

// How many runs from the first on read neighbours of what the first reads, with the same step: rows
// of a transposed matrix.
size_t NeighboursOf(std::span<const Run> runs) {
  size_t count = 1;
  while (count < std::min(runs.size(), kRowsTogether)) {
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
    constexpr auto kPiece = static_cast<int64_t>(kPieceBytes / sizeof(T));
    for (int64_t i = 0; i < run.count; i += kPiece) {
      const auto piece = static_cast<size_t>(std::min(kPiece, run.count - i));
      std::memcpy(to + i, from + i, piece * sizeof(T));
    }
  } else if (run.step == 0) {
    std::fill_n(to, run.count, *from);
  } else {
    for (int64_t i = 0; i < run.count; ++i) to[i] = from[i * run.step];
  }
}

// A tile of a transposed matrix: columns of `to`, `step` apart in `from`, and rows, `length` apart
// in `to`.
template <class T>
void CopyTile(const T* from, int64_t step, int64_t rows, int64_t columns, int64_t length, T* to) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < columns; ++i) to[row * length + i] = from[i * step + row];
  }
}

using Four [[gnu::vector_size(16)]] = uint32_t;

// A whole tile, transposed four by four elements in registers: cache lines are read and written as
// a whole.
struct WholeTile {
  static constexpr int64_t kGroups = kTile<uint32_t> / 4;
  Four rows[kTile<uint32_t>][kGroups];

  WholeTile(const uint32_t* from, int64_t step) {
    for (int64_t column = 0; column < kGroups; ++column) {
      for (int64_t group = 0; group < kGroups; ++group) {
        Four in[4];
        for (int64_t i = 0; i < 4; ++i) {
          std::memcpy(&in[i], from + (4 * column + i) * step + 4 * group, sizeof(Four));
        }
        const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
        const Four low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
        const Four high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
        const Four high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
        rows[4 * group][column] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
        rows[4 * group + 1][column] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
        rows[4 * group + 2][column] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
        rows[4 * group + 3][column] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
      }
    }
  }
};

void CopyWholeTile(const uint32_t* from, int64_t step, int64_t length, bool past_caches,
                   uint32_t* to) {
  const WholeTile tile(from, step);
  for (const auto& row : tile.rows) {
#if defined(__SSE2__)
    if (past_caches) {
      for (int64_t i = 0; i < WholeTile::kGroups; ++i) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + 4 * i), std::bit_cast<__m128i>(row[i]));
      }
      to += length;
      continue;
    }
#endif
    std::memcpy(to, row, sizeof(row));
    to += length;
  }
}

template <class T>
void CopyWholeTile(const T* from, int64_t step, int64_t length, bool, T* to) {
  CopyTile(from, step, kTile<T>, kTile<T>, length, to);
}

// `rows` neighbours, the first one `first`.
template <class T>
void CopyTogether(const T* from, const Run& first, int64_t rows, bool past_caches, T* to) {
  const int64_t length = first.count;
  for (int64_t column = 0; column < length; column += kTile<T>) {
    const int64_t columns = std::min(kTile<T>, length - column);
    for (int64_t row = 0; row < rows; row += kTile<T>) {
      const T* const at = from + column * first.step + row;
      T* const tile = to + row * length + column;
      if (columns == kTile<T> && rows - row >= kTile<T>) {
        CopyWholeTile(at, first.step, length, past_caches, tile);
      } else {
        CopyTile(at, first.step, std::min(kTile<T>, rows - row), columns, length, tile);
      }
    }
  }
}

// Whether rows of so many bytes are better written past the caches: the output does not fit them,
// so nobody would find it there.
bool GoesPastCaches(const void* to, int64_t row_bytes, int64_t output_bytes) {
  constexpr int64_t kCacheBytes = int64_t{8} << 20;
  constexpr uintptr_t kAlignment = 16;
  return output_bytes >= kCacheBytes && reinterpret_cast<uintptr_t>(to) % kAlignment == 0 &&
         static_cast<uintptr_t>(row_bytes) % kAlignment == 0;
}

// Makes what was written past the caches visible before anything that is written later.
void FenceStores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

template <class T>
bool Move(const NativeCall& call) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  const int64_t output_bytes = call.out_shape().Elements() * kBytes;
  std::vector<Run> runs;
  runs.reserve(16);  // few tensors of test vectors have more
  ops::DefinitionOf(call.signature.op)->move(call.signature, runs);
  T* to = call.out<T>();
  int64_t left = call.out_shape().Elements();
  std::span<const T> operand;  // of the last run
  int32_t position = -1;
  for (size_t i = 0; i < runs.size();) {
    const Run& run = runs[i];
    if (run.operand != position) {
      position = run.operand;
      const auto size = static_cast<size_t>(call.inputs[static_cast<size_t>(position)]->size());
      operand = {call.in<T>(position), size};
    }
    const bool strided = run.step > 1 && run.count > 1;
    const size_t rows = strided ? NeighboursOf(std::span<const Run>(runs).subspan(i)) : 1;
    const int64_t elements = run.count * static_cast<int64_t>(rows);
    const int64_t last = run.first + (run.count - 1) * run.step;
    Check(std::min(run.first, last) >= 0 &&
              std::max(run.first, last) + static_cast<int64_t>(rows) <= std::ssize(operand) &&
              elements <= left,
          "a run within its operand and the output");
    const T* const from = operand.data() + run.first;
    if (rows == 1) {
      Copy(from, run, to);
    } else {
      CopyTogether(from, run, static_cast<int64_t>(rows),
                   GoesPastCaches(to, run.count * kBytes, output_bytes), to);
    }
    to += elements;
    left -= elements;
    i += rows;
  }
  Check(left == 0, "an origin of every output element");
  FenceStores();
  return true;
}

bool Constant(const NativeCall& call) {
  const ValueTensor values(call.attributes().Value(AttributeId::kValues));
  const auto bytes = values.tensor().bytes();
  std::copy(bytes.begin(), bytes.end(), call.output);
  return true;
}

}  // namespace

NativeKernel NativeMove(const Signature& s) {
  switch (ElementBytes(s.out())) {
    case 1:
      return Move<uint8_t>;
    case 2:
      return Move<uint16_t>;
    case 4:
      return Move<uint32_t>;
    default:
      return Move<uint64_t>;
  }
}

NativeKernel NativeConstant(const Signature&) { return Constant; }

}  // namespace assay
