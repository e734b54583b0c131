// SPDX-License-Identifier: Apache-2.0
// MiniMalloc's CSV (github.com/google/minimalloc, README.md), one buffer a row. ExecuTorch's and
// TensorFlow Lite's names for the columns are accepted as well.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "csv_rows.h"
#include "enum_names.h"
#include "planner_tables.h"
#include "quoted.h"
#include "read_budget.h"

namespace assay {
namespace {

enum Column { kId, kLower, kUpper, kSize, kAlignment, kHint, kGaps, kOffset, kPool, kColumns };

struct Heading {
  std::string_view name;
  Column column;
  bool inclusive = false;  // the last tick, not the one after it
};
constexpr Heading kHeadings[] = {
    {"id", kId},
    {"buffer", kId},
    {"buffer_id", kId},
    {"name", kId},
    {"tensor", kId},
    {"lower", kLower},
    {"start", kLower},
    {"begin", kLower},
    {"first", kLower},
    {"first_node", kLower},
    {"upper", kUpper},
    {"end", kUpper, true},
    {"last", kUpper, true},
    {"last_node", kUpper, true},
    {"size", kSize},
    {"allocated_memory", kSize},
    {"alignment", kAlignment},
    {"hint", kHint},
    {"gaps", kGaps},
    {"offset", kOffset},
    {"mem_offset", kOffset},
    {"mem_id", kPool},
    {"pool", kPool},
};
constexpr struct {
  Column column;
  std::string_view name;
} kRequired[] = {{kId, "id"}, {kLower, "lower"}, {kUpper, "upper"}, {kSize, "size"}};

const Heading* HeadingNamed(std::string_view name) {
  return FindRow(kHeadings, &Heading::name, name);
}

// Parses `l-u` or `l-u@wl:wu`: no byte is live in [l, u), or only those of the window.
std::optional<LiveRange> ParseGap(std::string_view text) {
  LiveRange gap{0, 0, 0, 0};
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](int64_t& number, char next) {
    const auto read = std::from_chars(at, end, number);
    at = read.ptr;
    if (read.ec != std::errc()) return false;
    if (next == '\0' || at == end || *at != next) return next == '\0';
    ++at;
    return true;
  };
  if (!take(gap.lower, '-') || !take(gap.upper, '\0')) return std::nullopt;
  if (at == end) return gap;
  if (*at++ != '@' || !take(gap.window_lower, ':') || !take(*gap.window_upper, '\0') || at != end) {
    return std::nullopt;
  }
  return gap;
}

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view name, const ReadLimits& limits)
      : rows_(text, name), name_(name), budget_(text.size(), limits.memory_max) {}

  Result<PlannedProblem> Read() {
    const Result<Done> header = ReadHeader();
    if (!header) return header.error();
    while (true) {
      const Result<bool> row = rows_.Next();
      if (!row) return row.error();
      if (!*row) break;
      const Result<Done> read = ReadBuffer();
      if (!read) return read.error();
    }
    PlannedProblem all;
    if (pools_.empty()) PoolNamed("memory");
    all.problem.buffers = std::move(buffers_);
    all.problem.pools = std::move(pools_);
    if (columns_[kOffset]) all.plan = MemoryPlan{std::move(allocations_)};
    const Result<Done> valid = ValidateProblem(all.problem);
    if (!valid) return BadInput(std::string(name_) + ": " + valid.error().message);
    return all;
  }

 private:
  using Field = CsvRows::Field;
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

  Result<Done> ReadHeader() {
    const Result<bool> row = rows_.Next();
    if (!row) return row.error();
    if (!*row) return BadInput(std::string(name_) + ": no header row");
    const std::vector<Field>& fields = rows_.fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].text.empty()) continue;  // a trailing comma
      const Heading* const heading = HeadingNamed(fields[i].text);
      if (heading == nullptr) {
        return rows_.Problem(fields[i].column, "no column is called " + Quoted(fields[i].text));
      }
      if (columns_[heading->column]) {
        return rows_.Problem(fields[i].column, "a second column says what another one does: " +
                                                   Quoted(heading->name));
      }
      columns_[heading->column] = i;
      inclusive_ = inclusive_ || heading->inclusive;
    }
    for (const auto& [column, needed] : kRequired) {
      if (!columns_[column]) return rows_.Problem(1, "no column " + Quoted(needed));
    }
    return Done{};
  }

  // Returns the row's field, empty if there is none. A column beyond the last field gets the
  // position of the row's end.
  Field FieldAt(Column column) const {
    const std::vector<Field>& fields = rows_.fields();
    if (columns_[column] && *columns_[column] < fields.size()) return fields[*columns_[column]];
    return {"", fields.back().column + fields.back().text.size()};
  }

  Result<int64_t> NumberAt(Column column, const char* what, int64_t least,
                           std::optional<int64_t> fallback = std::nullopt) const {
    const Field field = FieldAt(column);
    if (field.text.empty() && fallback) return *fallback;
    const Result<int64_t> number = WholeNumber(field.text);
    if (!number) return rows_.Problem(field.column, what + (": " + number.error().message));
    if (*number < least) {
      return rows_.Problem(field.column, what + (" " + std::to_string(*number) + " is less than ") +
                                             std::to_string(least));
    }
    return *number;
  }

  Result<std::string> Name() {
    const Field field = FieldAt(kId);
    if (field.text.empty()) return rows_.Problem(field.column, "no id");
    std::string name(field.text);
    const auto [other, is_new] = lines_.emplace(name, rows_.line());
    if (is_new) return name;
    return rows_.Problem(field.column, "id " + Quoted(name) + " stands in line " +
                                           std::to_string(other->second) + " already");
  }

  Result<Done> NothingBeyond() const {
    for (size_t i = 0; i < rows_.fields().size(); ++i) {
      const Field& field = rows_.fields()[i];
      if (field.text.empty()) continue;
      const bool has_heading = std::find(columns_.begin(), columns_.end(), i) != columns_.end();
      if (!has_heading) return rows_.Problem(field.column, "a field without a column's name");
    }
    return Done{};
  }

  Result<Done> ReadBuffer() {
    const Result<Done> complete = NothingBeyond();
    if (!complete) return complete.error();
    const Result<std::string> name = Name();
    if (!name) return name.error();
    const auto size = NumberAt(kSize, "size", 0);
    if (!size) return size.error();
    const auto alignment = NumberAt(kAlignment, "alignment", 1, 1);
    if (!alignment) return alignment.error();
    const auto hint = NumberAt(kHint, "hint", -1, -1);
    if (!hint) return hint.error();
    const auto live = LiveRanges(*size);
    if (!live) return live.error();
    BufferInfo buffer{
        .name_hint = *name,
        .size_bytes = *size,
        .alignment = *alignment,
        .live = *live,
    };
    const std::string_view pool_name = FieldAt(kPool).text;
    const int32_t pool = PoolNamed(pool_name.empty() ? "memory" : std::string(pool_name));
    if (!pool_name.empty()) buffer.pool_candidates = {pool};
    std::optional<PoolAllocation> allocation;
    if (!FieldAt(kOffset).text.empty()) {
      const auto offset = NumberAt(kOffset, "offset", kLeast);
      if (!offset) return offset.error();
      allocation = PoolAllocation{pool, *offset};
    }
    // The memory is charged twice: for a vector that grows, and for the name in lines_.
    if (!budget_.Charge(2 * (sizeof(buffer) + name->size()) + live->size() * sizeof(LiveRange))) {
      return Error{Error::Kind::kResource,
                   std::string(name_) + ": line " + std::to_string(rows_.line()) +
                       ": the buffers take more than " + std::to_string(budget_.bytes_max()) +
                       " bytes of memory, the limit memory_max"};
    }
    buffers_.push_back(std::move(buffer));
    allocations_.push_back(allocation);
    return Done{};
  }

  int32_t PoolNamed(const std::string& name) {
    const auto [at, is_new] = pool_indices_.emplace(name, static_cast<int32_t>(pools_.size()));
    if (is_new) pools_.push_back({.name = name});
    return at->second;
  }

  Result<std::vector<LiveRange>> LiveRanges(int64_t size) const {
    const auto lower = NumberAt(kLower, "lower", kLeast);
    if (!lower) return lower.error();
    auto upper = NumberAt(kUpper, inclusive_ ? "end" : "upper", kLeast);
    if (!upper) return upper.error();
    const Field field = FieldAt(kUpper);
    if (inclusive_ && __builtin_add_overflow(*upper, 1, &*upper)) {
      return rows_.Problem(field.column, "end is the last tick of all");
    }
    if (*upper < *lower) {
      return rows_.Problem(field.column, "the lifetime ends at " + std::string(field.text) +
                                             ", before it begins at " + std::to_string(*lower));
    }
    Result<std::vector<LiveRange>> gaps = Gaps({*lower, *upper}, size);
    if (!gaps) return gaps.error();
    std::vector<LiveRange> live;
    int64_t at = *lower;
    for (const LiveRange& gap : *gaps) {
      if (at < gap.lower) live.push_back({at, gap.lower});
      if (gap.lower < gap.upper && gap.window_lower < gap.window_upper) live.push_back(gap);
      at = gap.upper;
    }
    if (at < *upper) live.push_back({at, *upper});
    return live;
  }

  // Returns the gaps in the order of time.
  Result<std::vector<LiveRange>> Gaps(const LiveRange& life, int64_t size) const {
    const Field field = FieldAt(kGaps);
    std::vector<LiveRange> gaps;
    for (size_t at = 0; at < field.text.size();) {
      const size_t end = std::min(field.text.find_first_of(" \t", at), field.text.size());
      const std::string_view text = field.text.substr(at, end - at);
      if (!text.empty()) {
        const std::optional<LiveRange> gap = ParseGap(text);
        if (!gap) {
          return rows_.Problem(field.column + at,
                               "gap " + Quoted(text) + " is neither l-u nor l-u@wl:wu");
        }
        if (gap->lower > gap->upper || gap->lower < life.lower || gap->upper > life.upper) {
          return rows_.Problem(field.column + at,
                               "gap " + Quoted(text) + " is not in the lifetime");
        }
        if (gap->window_lower < 0 || gap->window_lower > gap->window_upper ||
            gap->window_upper > size) {
          return rows_.Problem(field.column + at,
                               "the window of gap " + Quoted(text) + " is not in the buffer");
        }
        gaps.push_back(*gap);
      }
      at = end + 1;
    }
    std::sort(gaps.begin(), gaps.end(), [](const LiveRange& a, const LiveRange& b) {
      return std::tie(a.lower, a.upper) < std::tie(b.lower, b.upper);
    });
    for (size_t i = 1; i < gaps.size(); ++i) {
      if (gaps[i].lower < gaps[i - 1].upper) {
        return rows_.Problem(field.column,
                             "two gaps overlap at tick " + std::to_string(gaps[i].lower));
      }
    }
    return gaps;
  }

  CsvRows rows_;
  std::string_view name_;
  ReadBudget budget_;
  std::array<std::optional<size_t>, kColumns> columns_;
  bool inclusive_ = false;
  std::unordered_map<std::string, size_t> lines_;  // of the names
  std::unordered_map<std::string, int32_t> pool_indices_;
  std::vector<PoolInfo> pools_;
  std::vector<BufferInfo> buffers_;
  std::vector<std::optional<PoolAllocation>> allocations_;
};

}  // namespace

Result<PlannedProblem> ReadMiniMalloc(std::string_view text, std::string_view name,
                                      const ReadLimits& limits) {
  return CsvReader(text, name, limits).Read();
}

}  // namespace assay
