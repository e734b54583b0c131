// SPDX-License-Identifier: Apache-2.0
// MATMUL.
#include <mutex>
#include <utility>

#include "dense_sums.h"
#include "native_sums.h"
#include "time_limit.h"

namespace assay {
namespace {

// The dimensions, named like in the pseudocode.
struct MatmulDimensions {
  explicit MatmulDimensions(const Signature& s)
      : N(s.shape(0)[0]), H(s.shape(0)[1]), C(s.shape(0)[2]), W(s.shape(1)[2]) {}
  int64_t N, H, C, W;
};

// Interleaves pairs of rows: element [c][j] goes to panel[c / 2][j][c % 2]. A last row alone is
// interleaved with the zeros that are there.
struct InterleaveRows {
  const int16_t* rows;  // [count][columns]
  int64_t count, columns;
  int16_t* panel;
  int64_t lanes;

  [[gnu::always_inline]] void operator()() const {
    const int64_t width = columns;
    int64_t c = 0;
    for (; c + 1 < count; c += 2) {
      const int16_t* const first = rows + c * width;
      const int16_t* const second = first + width;
      int16_t* const to = panel + c * lanes;
      for (int64_t j = 0; j < width; ++j) {
        to[2 * j] = first[j];
        to[2 * j + 1] = second[j];
      }
    }
    if (c == count) return;
    for (int64_t j = 0; j < width; ++j) panel[c * lanes + 2 * j] = rows[c * width + j];
  }
};

// Computes some rows of a matrix of the result, in the columns of one panel of B, one after the
// other. So the panel stays in a cache. Each thread converts the rows of A that it needs: to read
// what another core has just written takes longer.
template <class Arithmetic, class Out>
class MatmulBlocks {
 public:
  using Work = typename Arithmetic::Work;
  using Sum = typename Arithmetic::Sum;
  static constexpr int64_t kTogether = Arithmetic::kTogether;

  explicit MatmulBlocks(const NativeCall& call)
      : size_(call.signature),
        layout_(size_.C, size_.W),
        A_(call, 0, 2),
        B_(call, 1, 3),
        type_(call.signature.out()),
        out_(call.out<Out>()),
        zeros_(static_cast<size_t>(kLanesMost)) {
    // Blocks of rows read the panel anew, so there are not more of them than threads need.
    const int64_t panels = std::max<int64_t>(size_.N * layout_.count(), 1);
    const int64_t wanted = Threads() == 1 ? 1 : (kBlocksOfThread * Threads() + panels - 1) / panels;
    rows_ = std::max((size_.H + wanted - 1) / wanted, kRowsAtOnce);
    blocks_ = (size_.H + rows_ - 1) / rows_;
  }

  int64_t count() const { return size_.N * layout_.count() * blocks_; }
  double Nanoseconds() const {
    return Arithmetic::kNanosecondsOfProduct *
           static_cast<double>(rows_ * size_.C * layout_.Columns(0));
  }

  void Run(int64_t begin, int64_t end) {
    std::unique_ptr<Room> room = TakeRoom();
    for (int64_t block = begin; block < end; ++block) {
      const int64_t n = block / blocks_ / layout_.count();
      const int64_t p = block / blocks_ % layout_.count();
      if (std::exchange(room->filled, block / blocks_) != block / blocks_) {
        FillPanel(n, p, room->panel.get());
      }
      const int64_t first = block % blocks_ * rows_, last = std::min(first + rows_, size_.H);
      ConvertRows(n, first, last, *room);
      Multiply(n, p, *room, first, last);
    }
    const std::lock_guard lock(mutex_);
    rooms_.push_back(std::move(room));
  }

 private:
  static constexpr int64_t kBlocksOfThread = 4;

  // The operands as a thread multiplies them.
  struct Room {
    std::unique_ptr<Work[]> panel, rows;  // of B; of A, [H][pitch]
    int64_t filled = -1;                  // the number of the panel
    int64_t n = -1;                       // the matrix of the rows
    std::vector<char> converted;          // blocks of rows
  };

  // Returns what a part that has ended has left, or a new room.
  std::unique_ptr<Room> TakeRoom() {
    const std::lock_guard lock(mutex_);
    if (!rooms_.empty()) {
      std::unique_ptr<Room> room = std::move(rooms_.back());
      rooms_.pop_back();
      return room;
    }
    auto room = std::make_unique<Room>();
    room->panel = std::make_unique_for_overwrite<Work[]>(layout_.Room());
    room->rows =
        std::make_unique_for_overwrite<Work[]>(static_cast<size_t>(size_.H * layout_.pitch()));
    return room;
  }

  void ConvertRows(int64_t n, int64_t begin, int64_t end, Room& room) const {
    if (std::exchange(room.n, n) != n) room.converted.assign(static_cast<size_t>(blocks_), 0);
    if (std::exchange(room.converted[static_cast<size_t>(begin / rows_)], 1) != 0) return;
    const int64_t pitch = layout_.pitch();
    A_.Read(ElementRows{(n * size_.H + begin) * size_.C, size_.C, end - begin, size_.C},
            room.rows.get() + begin * pitch, pitch);
    for (int64_t row = begin; row < end && size_.C < pitch; ++row) {
      std::fill_n(room.rows.get() + row * pitch + size_.C, pitch - size_.C, Work{0});
    }
  }

  void FillPanel(int64_t n, int64_t p, Work* panel) const {
    const int64_t lanes = layout_.Lanes(p), columns = layout_.Columns(p);
    const int64_t first = n * size_.C * size_.W + layout_.FirstColumn(p);
    if constexpr (kTogether == 1) {
      if (columns < lanes) std::fill_n(panel, size_.C * lanes, Work{0});
      B_.Read(ElementRows{first, size_.W, size_.C, columns}, panel, lanes);
    } else {
      if (columns < lanes || size_.C % kTogether != 0) {
        std::fill_n(panel, layout_.pitch() * lanes, Work{0});
      }
      const auto rows =
          std::make_unique_for_overwrite<Work[]>(static_cast<size_t>(size_.C * columns));
      B_.Read(ElementRows{first, size_.W, size_.C, columns}, rows.get(), columns);
      RunAnyWidth(InterleaveRows{rows.get(), size_.C, columns, panel, lanes});
    }
  }

  void Multiply(int64_t n, int64_t p, const Room& room, int64_t begin, int64_t end) const {
    Sum sums[kRowsAtOnce * kLanesMost];
    const int64_t lanes = layout_.Lanes(p), columns = layout_.Columns(p);
    for (int64_t h = begin; h < end; h += kRowsAtOnce) {
      const int64_t rows = std::min(kRowsAtOnce, end - h);
      Spend(rows * size_.C * columns);
      SumRows(room.rows.get() + h * layout_.pitch(), room.panel.get(), lanes, rows, sums);
      Out* to[kRowsAtOnce];
      for (int64_t row = 0; row < rows; ++row) {
        to[row] = out_ + (n * size_.H + h + row) * size_.W + layout_.FirstColumn(p);
      }
      Finish(type_, FinishedRows<Sum, Out>{sums, rows, lanes, zeros_.data(), columns, to});
    }
  }

  void SumRows(const Work* from, const Work* panel, int64_t lanes, int64_t rows, Sum* sums) const {
    if constexpr (std::is_same_v<Work, double>) {
      ProductRun runs[kRowsAtOnce];
      const ProductRun* runs_of[kRowsAtOnce];
      for (int64_t row = 0; row < rows; ++row) {
        runs[row] = {row * layout_.pitch(), 0, size_.C};
        runs_of[row] = &runs[row];
      }
      SumReals(instructions_, {from, runs_of, 1, panel, lanes, sums}, static_cast<size_t>(rows));
    } else {
      SumIntegers(instructions_,
                  {from, layout_.pitch(), layout_.pitch() / kTogether, panel, lanes, sums},
                  static_cast<size_t>(rows));
    }
  }

  const MatmulDimensions size_;
  const PanelLayout<Arithmetic> layout_;
  const OperandReader A_, B_;
  const DType type_;
  Out* const out_;
  const std::vector<Sum> zeros_;
  const DotInstructions instructions_ = BestDotInstructions();
  int64_t rows_, blocks_;  // of a block; of a panel
  std::mutex mutex_;
  std::vector<std::unique_ptr<Room>> rooms_;  // that no part uses
};

// Computes products of one row with a matrix, which would be in panels for nothing.
template <class Arithmetic, class Out>
class OneRow {
 public:
  using Work = typename Arithmetic::Work;
  using Sum = typename Arithmetic::Sum;

  static bool IsFor(const NativeCall& call) {
    const DType type = call.signature.in(1);
    return MatmulDimensions(call.signature).H == 1 && DenseSums::IsFor(type) &&
           IsFloat(type) == std::is_same_v<Work, double>;
  }

  explicit OneRow(const NativeCall& call)
      : size_(call.signature),
        blocks_((size_.W + DenseSums::kColumns - 1) / DenseSums::kColumns),
        pitch_((size_.C + Arithmetic::kTogether - 1) / Arithmetic::kTogether *
               Arithmetic::kTogether),
        A_(OperandReader(call, 0, 2).template ReadAll<Work>(size_.N, pitch_)),
        B_(call, 1, 3),
        type_(call.signature.out()),
        out_(call.out<Out>()) {}

  int64_t count() const { return size_.N * blocks_; }
  double Nanoseconds() const {
    return kNanosecondsOfProduct * static_cast<double>(size_.C * DenseSums::kColumns);
  }

  void Run(int64_t begin, int64_t end) const {
    const Sum zeros[DenseSums::kColumns] = {};
    Sum sums[DenseSums::kColumns];
    for (int64_t block = begin; block < end; ++block) {
      const int64_t n = block / blocks_, first = block % blocks_ * DenseSums::kColumns;
      const int64_t columns = std::min(DenseSums::kColumns, size_.W - first);
      Spend(size_.C * columns);
      const int64_t matrix = n * size_.C * size_.W + first;
      const Work* const row = A_.get() + n * pitch_;
      if constexpr (std::is_same_v<Work, double>) {
        const uint8_t* const from = B_.bytes() + matrix * ElementBytes(B_.type());
        DenseSums::OfColumns(B_.type(), from, size_.W, row, size_.C, columns, sums);
      } else {
        const auto* const from = reinterpret_cast<const int8_t*>(B_.bytes()) + matrix;
        const auto zero_point = static_cast<int16_t>(B_.zero_point());
        DenseSums::OfColumns(from, size_.W, zero_point, row, size_.C, columns, sums);
      }
      Out* const to = out_ + n * size_.W + first;
      Finish(type_, FinishedRows<Sum, Out>{sums, 1, DenseSums::kColumns, zeros, columns, &to});
    }
  }

 private:
  static constexpr double kNanosecondsOfProduct = 0.1;

  const MatmulDimensions size_;
  const int64_t blocks_, pitch_;
  const std::unique_ptr<Work[]> A_;  // [N][pitch]
  const OperandReader B_;
  const DType type_;
  Out* const out_;
};

struct MatmulFamily {
  template <class Arithmetic, class Out>
  static bool Run(const NativeCall& call) {
    const DType type = call.signature.out();
    if (!IsFloat(type)) {
      const OperandReader a(call, 0, 2), b(call, 1, 3);
      const auto stays = [&](double largest_product) {
        return StaysInRange(type, type, largest_product, call.signature.shape(0)[2], 0);
      };
      if (!stays(a.Bound() * b.Bound()) && !stays(a.Maximum() * b.Maximum())) return false;
    }
    if (OneRow<Arithmetic, Out>::IsFor(call)) {
      const OneRow<Arithmetic, Out> row(call);
      ForEachPart(row.count(), row.Nanoseconds(),
                  [&](int64_t begin, int64_t end) { row.Run(begin, end); });
      return true;
    }
    MatmulBlocks<Arithmetic, Out> blocks(call);
    ForEachPart(blocks.count(), blocks.Nanoseconds(),
                [&](int64_t begin, int64_t end) { blocks.Run(begin, end); });
    return true;
  }
};

}  // namespace

NativeKernel NativeMatmul(const Signature& s) { return SumKernelOf<MatmulFamily>(s.out()); }

}  // namespace assay
