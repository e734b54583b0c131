// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "enum_names.h"
#include "formats.h"
#include "planned_json.h"
#include "quoted.h"

namespace assay {
namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;

// The place of the parser in the document: the object or list that it is in.
enum class Place : uint8_t {
  kFile,
  kDocument,
  kPools,
  kPool,
  kTargets,
  kBuffers,
  kBuffer,
  kLive,
  kRange,
  kConflicts,
  kCandidates,
  kPlan,
  kAllocation,
};

enum class Kind : uint8_t { kText, kNumber, kObject, kList };

// A field of an object, or the elements of a list (key ""), or any field of an object ("*").
struct Row {
  Place place;
  std::string_view key;
  Kind kind;
  Place opens = Place::kFile;  // the place of the object or list
  bool required = false;
};

constexpr Row kRows[] = {
    {Place::kFile, "", Kind::kObject, Place::kDocument},
    {Place::kDocument, "format", Kind::kText, Place::kFile, true},
    {Place::kDocument, "version", Kind::kNumber, Place::kFile, true},
    {Place::kDocument, "pools", Kind::kList, Place::kPools, true},
    {Place::kDocument, "buffers", Kind::kList, Place::kBuffers, true},
    {Place::kDocument, "plan", Kind::kList, Place::kPlan},
    {Place::kPools, "", Kind::kObject, Place::kPool},
    {Place::kPool, "name", Kind::kText, Place::kFile, true},
    {Place::kPool, "size_bytes", Kind::kNumber},
    {Place::kPool, "alignment", Kind::kNumber},
    {Place::kPool, "offset", Kind::kNumber},
    {Place::kPool, "targets", Kind::kObject, Place::kTargets},
    {Place::kTargets, "*", Kind::kText},
    {Place::kBuffers, "", Kind::kObject, Place::kBuffer},
    {Place::kBuffer, "name", Kind::kText, Place::kFile, true},
    {Place::kBuffer, "size_bytes", Kind::kNumber, Place::kFile, true},
    {Place::kBuffer, "alignment", Kind::kNumber},
    {Place::kBuffer, "kind", Kind::kText},
    {Place::kBuffer, "live", Kind::kList, Place::kLive},
    {Place::kBuffer, "conflicts", Kind::kList, Place::kConflicts},
    {Place::kBuffer, "pool_candidates", Kind::kList, Place::kCandidates},
    {Place::kBuffer, "fixed_offset", Kind::kNumber},
    {Place::kLive, "", Kind::kList, Place::kRange},
    {Place::kRange, "", Kind::kNumber},
    {Place::kConflicts, "", Kind::kText},
    {Place::kCandidates, "", Kind::kText},
    {Place::kPlan, "", Kind::kObject, Place::kAllocation},
    {Place::kAllocation, "buffer", Kind::kText, Place::kFile, true},
    {Place::kAllocation, "pool", Kind::kText, Place::kFile, true},
    {Place::kAllocation, "offset", Kind::kNumber, Place::kFile, true},
};

// Returns the range of the rows of a place, which are consecutive.
constexpr std::pair<size_t, size_t> RowsOf(Place place) {
  size_t first = 0;
  while (kRows[first].place != place) ++first;
  size_t last = first;
  while (last < std::size(kRows) && kRows[last].place == place) ++last;
  return {first, last};
}

const Row* RowFor(Place place, std::string_view key) {
  const auto [first, last] = RowsOf(place);
  for (size_t i = first; i < last; ++i) {
    if (kRows[i].key == key || kRows[i].key == "*") return &kRows[i];
  }
  return nullptr;
}

std::string_view NameOf(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"a text", "an integer", "an object",
                                                      "a list"};
  return EntryOf(kNames, kind);
}

// Adds to a problem what the parser reads. Names of buffers and pools are recorded. They are
// resolved at the end, when all of them are known.
class PlannedJsonReader : public Sax {
 public:
  explicit PlannedJsonReader(std::string_view text) : text_(text) { Enter(Place::kFile); }

  // Returns the first error, or nothing.
  const std::optional<Error>& error() const { return error_; }

  // Call it after the last character.
  Result<PlannedProblem> Finish() {
    if (!ResolveAll()) return *error_;
    const Result<Done> valid = ValidateProblem(planned_.problem);
    if (!valid) return valid.error();
    return std::move(planned_);
  }

  bool key(string_t& key) override {
    Level& level = levels_.back();
    level.row = RowFor(level.place, key);
    level.key = key;
    if (level.row == nullptr) return Fail("a field that plans do not have");
    const uint64_t bit = uint64_t{1} << (level.row - kRows);
    if (level.row->key == "*" ? HasTarget(key) : (level.seen & bit) != 0) {
      return Fail("is there twice");
    }
    level.seen |= bit;
    return true;
  }

  bool string(string_t& text) override { return Expect(Kind::kText) && Take(text); }
  bool number_integer(number_integer_t number) override {
    return Expect(Kind::kNumber) && Take(number);
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (!Expect(Kind::kNumber)) return false;
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Fail("is beyond 64 bits");
    }
    return Take(static_cast<int64_t>(number));
  }
  bool number_float(number_float_t, const string_t& digits) override {
    return Fail(digits + " is no integer of 64 bits");
  }
  bool boolean(bool) override { return Mismatch(); }
  bool null() override { return Mismatch(); }
  bool binary(binary_t&) override { return Mismatch(); }

  bool start_object(size_t) override { return Expect(Kind::kObject) && Open(); }
  bool start_array(size_t) override { return Expect(Kind::kList) && Open(); }

  bool end_object() override {
    const Level& level = levels_.back();
    const auto [first, last] = RowsOf(level.place);
    for (size_t i = first; i < last; ++i) {
      if (kRows[i].required && (level.seen >> i & 1) == 0) {
        levels_.back().key.clear();
        return Fail("has no field " + std::string(kRows[i].key));
      }
    }
    return Close();
  }
  bool end_array() override {
    if (levels_.back().place == Place::kRange && !TakeRange()) return false;
    return Close();
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // Positions count from one, and may be one past the end.
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    const size_t start = before.rfind('\n');
    const size_t column =
        start == std::string_view::npos ? before.size() : before.size() - start - 1;
    error_ = BadInput("line " + std::to_string(line + 1) + ", column " +
                      std::to_string(column + 1) + ": is no JSON");
    return false;
  }

 private:
  struct Level {
    Place place = Place::kFile;
    const Row* row = nullptr;  // of the next value
    std::string key;           // of an object: the next field
    size_t elements = 0;       // of a list: the number so far
    uint64_t seen = 0;         // of an object: the rows that have occurred
  };

  // A name and its position: the buffer or allocation, and the element.
  struct Name {
    size_t owner = 0;
    size_t element = 0;
    std::string name;
  };

  struct Allocation {
    std::string buffer, pool;
    int64_t offset = 0;
  };

  void Enter(Place place) {
    Level& level = levels_.emplace_back();
    level.place = place;
    level.row = RowFor(place, "");
  }

  static bool IsList(Place place) {
    const Row* row = RowFor(place, "");
    return row != nullptr && row->key.empty();
  }

  // Returns the JSON pointer of the next value.
  std::string Pointer() const {
    std::string pointer;
    for (const Level& level : levels_) {
      if (level.place == Place::kFile) continue;
      if (IsList(level.place)) {
        pointer += "/" + std::to_string(level.elements);
      } else if (!level.key.empty()) {
        pointer += "/" + Plain(level.key);
      }
    }
    return pointer.empty() ? "the document" : pointer;
  }

  // Returns a key, which may be any text: unchanged if it looks like one of ours, quoted otherwise.
  static std::string Plain(const std::string& key) {
    const bool plain = std::all_of(key.begin(), key.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    return plain && key.size() <= 80 ? key : Quoted(key);
  }

  bool Fail(const std::string& what, Error::Kind kind = Error::Kind::kBadInput) {
    return FailAt(Pointer(), what, kind);
  }
  bool FailAt(const std::string& pointer, const std::string& what,
              Error::Kind kind = Error::Kind::kBadInput) {
    error_ = Error{kind, pointer + ": " + what};
    return false;
  }
  bool Mismatch() { return Fail("is not " + std::string(NameOf(levels_.back().row->kind))); }
  bool Expect(Kind kind) {
    if (levels_.back().row->kind != kind) return Mismatch();
    if (++values_ > kPlanValuesMax) return Fail("more than is read", Error::Kind::kResource);
    return true;
  }

  bool Open() {
    const Place place = levels_.back().row->opens;
    PlannedProblem& planned = planned_;
    if (place == Place::kPool) planned.problem.pools.emplace_back();
    if (place == Place::kBuffer) planned.problem.buffers.emplace_back();
    if (place == Place::kAllocation) allocations_.emplace_back();
    if (place == Place::kPlan) planned.plan.emplace();
    if (place == Place::kRange) range_.clear();
    Enter(place);
    return true;
  }

  bool Close() {
    levels_.pop_back();
    return Next();
  }

  bool Next() {
    ++levels_.back().elements;
    return true;
  }

  bool Take(std::string& text) {
    return TakeText(levels_.back().place, levels_.back().row->key, text) && Next();
  }

  bool TakeText(Place place, std::string_view key, std::string& text) {
    auto& [buffers, pools] = planned_.problem;
    if (place == Place::kDocument) {
      return text == formats::kPlan.name ||
             Fail("is not \"" + std::string(formats::kPlan.name) + "\"");
    }
    if (place == Place::kPool) {
      pools.back().name = std::move(text);
    } else if (place == Place::kTargets) {
      const auto access = PoolAccessNamed(text);
      if (!access) return Fail("is neither \"rw\" nor \"ro\"");
      pools.back().targets.push_back({levels_.back().key, *access});
    } else if (place == Place::kConflicts) {
      conflicts_.push_back({buffers.size() - 1, levels_.back().elements, std::move(text)});
    } else if (place == Place::kCandidates) {
      candidates_.push_back({buffers.size() - 1, levels_.back().elements, std::move(text)});
    } else if (place == Place::kAllocation) {
      (key == "buffer" ? allocations_.back().buffer : allocations_.back().pool) = std::move(text);
    } else if (key == "kind") {
      const auto kind = BufferKindNamed(text);
      if (!kind) return Fail("is no kind of buffer");
      buffers.back().kind = *kind;
    } else {
      buffers.back().name_hint = std::move(text);
    }
    return true;
  }

  bool Take(int64_t number) {
    return TakeNumber(levels_.back().place, levels_.back().row->key, number) && Next();
  }

  bool TakeNumber(Place place, std::string_view key, int64_t number) {
    auto& [buffers, pools] = planned_.problem;
    if (place == Place::kDocument) {
      return number == formats::kPlan.version ||
             Fail("is " + std::to_string(number) + "; this build reads " +
                      std::to_string(formats::kPlan.version),
                  Error::Kind::kUnsupported);
    }
    if (place == Place::kRange) {
      if (range_.size() == 4) return Fail("is one too many; a live range has two or four");
      range_.push_back(number);
    } else if (place == Place::kAllocation) {
      allocations_.back().offset = number;
    } else if (key == "size_bytes" && place == Place::kPool) {
      if (number != -1) pools.back().size_bytes = number;
    } else if (key == "size_bytes") {
      buffers.back().size_bytes = number;
    } else if (key == "alignment") {
      (place == Place::kPool ? pools.back().alignment : buffers.back().alignment) = number;
    } else if (key == "offset") {
      pools.back().offset = number;
    } else {
      buffers.back().fixed_offset = number;
    }
    return true;
  }

  bool TakeRange() {
    LiveRange range;
    if (range_.size() != 2 && range_.size() != 4) {
      levels_.pop_back();
      return Fail("a live range has two or four numbers");
    }
    range.lower = range_[0];
    range.upper = range_[1];
    if (range_.size() == 4) {
      range.window_lower = range_[2];
      if (range_[3] != -1) range.window_upper = range_[3];
    }
    planned_.problem.buffers.back().live.push_back(range);
    return true;
  }

  bool HasTarget(const std::string& target) const {
    const auto& targets = planned_.problem.pools.back().targets;
    return std::any_of(targets.begin(), targets.end(),
                       [&](const TargetAccess& access) { return access.target == target; });
  }

  using Indices = std::unordered_map<std::string_view, int32_t>;

  template <class Rows, class Name>
  static Indices IndicesOf(const Rows& rows, Name name) {
    Indices indices;
    indices.reserve(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      indices.emplace(name(rows[i]), static_cast<int32_t>(i));
    return indices;
  }

  // Returns the index of `name`. Fails at `pointer` if there is no such name.
  std::optional<int32_t> Resolve(const Indices& indices, const std::string& name,
                                 const std::string& pointer) {
    const auto found = indices.find(name);
    if (found != indices.end()) return found->second;
    FailAt(pointer, "there is no " + Quoted(name));
    return std::nullopt;
  }

  bool ResolveLists(const Indices& indices, const std::vector<Name>& names,
                    std::vector<int32_t> BufferInfo::*list, std::string_view field) {
    for (const Name& name : names) {
      const auto index = Resolve(indices, name.name,
                                 "/buffers/" + std::to_string(name.owner) + "/" +
                                     std::string(field) + "/" + std::to_string(name.element));
      if (!index) return false;
      (planned_.problem.buffers[name.owner].*list).push_back(*index);
    }
    return true;
  }

  // A row that places an unknown buffer, or a buffer again, is kept as a stray.
  bool ResolveAllocations(const Indices& buffers, const Indices& pools) {
    if (!planned_.plan) return true;
    MemoryPlan& plan = *planned_.plan;
    plan.allocations.resize(planned_.problem.buffers.size());
    for (size_t i = 0; i < allocations_.size(); ++i) {
      Allocation& row = allocations_[i];
      const auto pool = Resolve(pools, row.pool, "/plan/" + std::to_string(i) + "/pool");
      if (!pool) return false;
      const auto buffer = buffers.find(row.buffer);
      auto* place = buffer == buffers.end()
                        ? nullptr
                        : &plan.allocations[static_cast<size_t>(buffer->second)];
      if (place == nullptr || *place) {
        plan.strays.push_back({std::move(row.buffer), std::move(row.pool), row.offset});
      } else {
        *place = {*pool, row.offset};
      }
    }
    return true;
  }

  bool ResolveAll() {
    const auto& [rows, pools] = planned_.problem;
    const Indices pool_indices =
        IndicesOf(pools, [](const PoolInfo& p) { return std::string_view(p.name); });
    const Indices buffer_indices =
        IndicesOf(rows, [](const BufferInfo& b) { return std::string_view(b.name_hint); });
    return ResolveLists(buffer_indices, conflicts_, &BufferInfo::conflicts, "conflicts") &&
           ResolveLists(pool_indices, candidates_, &BufferInfo::pool_candidates,
                        "pool_candidates") &&
           ResolveAllocations(buffer_indices, pool_indices);
  }

  const std::string_view text_;
  std::vector<Level> levels_;
  std::vector<int64_t> range_;
  std::vector<Name> conflicts_, candidates_;
  std::vector<Allocation> allocations_;
  size_t values_ = 0;
  PlannedProblem planned_;
  std::optional<Error> error_;
};

}  // namespace

Result<PlannedProblem> ParsePlanJson(std::string_view text, std::string_view name) {
  PlannedJsonReader reader(text);
  const auto named = [&](Error error) {
    error.message = std::string(name) + ": " + error.message;
    return error;
  };
  if (!nlohmann::json::sax_parse(text, &reader)) return named(*reader.error());
  Result<PlannedProblem> planned = reader.Finish();
  if (!planned) return named(planned.error());
  return planned;
}

}  // namespace assay
