// SPDX-License-Identifier: Apache-2.0
#include "tvm_table.h"

#include <algorithm>
#include <map>
#include <vector>

#include "quoted.h"

namespace assay {
namespace {

class TvmTableReader {
 public:
  explicit TvmTableReader(const JsonPlace& document) : document_(document) {}

  Result<PlannedProblem> Read() {
    for (const auto step :
         {&TvmTableReader::ReadPools, &TvmTableReader::ReadBuffers, &TvmTableReader::ReadKinds,
          &TvmTableReader::ReadConflicts, &TvmTableReader::ReadOffsets}) {
      const Result<Done> done = (this->*step)();
      if (!done) return done.error();
    }
    return std::move(all_);
  }

 private:
  Result<Done> ReadPools() {
    const auto known = document_.HasOnly(
        {"id", "note", "memory_pressure", "alignment", "kind", "pools", "buffers", "offsets"});
    if (!known) return known.error();
    const auto pools = document_.Field({"pools"});
    if (!pools) return Done{};
    return pools->ForEachField(
        [&](const std::string& name, const JsonPlace& place) -> Result<Done> {
          const Result<int64_t> size = place.Integer(-1);
          if (!size) return size.error();
          AddPool(name, *size == -1 ? std::nullopt : std::optional(*size));
          return Done{};
        });
  }

  int32_t AddPool(const std::string& name, std::optional<int64_t> size) {
    const auto index = static_cast<int32_t>(all_.problem.pools.size());
    const auto [at, is_new] = pools_.emplace(name, index);
    if (is_new) all_.problem.pools.push_back({.name = name, .size_bytes = size});
    return at->second;
  }

  Result<Done> ReadBuffers() {
    const auto list = document_.Field({"buffers"});
    if (!list || !list->IsArray()) return document_.Problem("has no list of buffers");
    for (size_t i = 0; i < list->size(); ++i) {
      const Result<Done> read = ReadBuffer((*list)[i]);
      if (!read) return read.error();
    }
    if (all_.problem.pools.empty()) AddPool("memory", {});
    return Done{};
  }

  Result<Done> ReadBuffer(const JsonPlace& place) {
    const auto known = place.HasOnly({"name", "size", "align", "alignment", "pools", "conflicts",
                                      "const", "live_stmt_ranges", "pool", "offset"});
    if (!known) return known.error();
    BufferInfo buffer;
    const auto name = place.Field({"name"});
    const Result<std::string> text = name ? name->Text() : place.Problem("has no name");
    if (!text) return text.error();
    buffer.name_hint = *text;
    if (!buffers_.emplace(*text, static_cast<int32_t>(buffers_.size())).second) {
      return name->Problem("there are two of this name");
    }
    const auto size = place.Field({"size"});
    const Result<int64_t> bytes = size ? size->Integer(0) : place.Problem("has no size");
    if (!bytes) return bytes.error();
    buffer.size_bytes = *bytes;
    if (const auto alignment = place.Field({"align", "alignment"})) {
      const Result<int64_t> number = alignment->Integer(1);
      if (!number) return number.error();
      buffer.alignment = *number;
    }
    const Result<Done> candidates = ReadCandidates(place, buffer);
    if (!candidates) return candidates.error();
    const Result<Done> live = ReadLive(place, buffer);
    if (!live) return live.error();
    if (const auto field = place.Field({"const"})) {
      const Result<bool> constant = field->Truth();
      if (!constant) return constant.error();
      if (*constant) buffer.kind = BufferKind::kConstant;
    }
    all_.problem.buffers.push_back(std::move(buffer));
    return Done{};
  }

  // If the table lists no pools, a buffer's pools are of any size.
  Result<Done> ReadCandidates(const JsonPlace& place, BufferInfo& buffer) {
    const auto list = place.Field({"pools"});
    if (!list) return Done{};
    return list->ForEachElement([&](const JsonPlace& pool) -> Result<Done> {
      const Result<std::string> name = pool.Text();
      if (!name) return name.error();
      if (document_.Field({"pools"}) && pools_.count(*name) == 0) {
        return pool.Problem("there is no pool " + Quoted(*name));
      }
      buffer.pool_candidates.push_back(AddPool(*name, {}));
      return Done{};
    });
  }

  // Reads the first and last statements of live ranges.
  static Result<Done> ReadLive(const JsonPlace& place, BufferInfo& buffer) {
    const auto list = place.Field({"live_stmt_ranges"});
    if (!list) return Done{};
    const auto add = [&](const JsonPlace& range) -> Result<Done> {
      if (!range.IsArray() || range.size() != 2) return range.Problem("is not [first, last]");
      const Result<int64_t> first = range[0].Integer(0);
      if (!first) return first.error();
      const Result<int64_t> last = range[1].Integer(*first);
      if (!last) return last.error();
      if (*last == std::numeric_limits<int64_t>::max()) return range[1].Problem("is too large");
      buffer.live.push_back({*first, *last + 1});
      return Done{};
    };
    const Result<Done> read = list->ForEachElement(add);
    if (!read) return read.error();
    std::sort(buffer.live.begin(), buffer.live.end(),
              [](const LiveRange& a, const LiveRange& b) { return a.lower < b.lower; });
    return Done{};
  }

  Result<int32_t> BufferNamed(const JsonPlace& place) const {
    const Result<std::string> name = place.Text();
    if (!name) return name.error();
    const auto found = buffers_.find(*name);
    if (found == buffers_.end()) return place.Problem("there is no buffer " + Quoted(*name));
    return found->second;
  }

  // Makes inputs live from before the first statement, and outputs to after the last one.
  Result<Done> ReadKinds() {
    const auto kinds = document_.Field({"kind"});
    if (!kinds) return Done{};
    const Result<Done> read =
        kinds->ForEachField([&](const std::string& name, const JsonPlace& place) -> Result<Done> {
          const Result<std::string> text = place.Text();
          if (!text) return text.error();
          const std::optional<BufferKind> kind = BufferKindNamed(*text);
          if (!kind) return place.Problem(Quoted(*text) + " is no kind of buffer");
          const auto found = buffers_.find(name);
          // Some tables also name buffers that are not planned.
          if (found != buffers_.end()) {
            all_.problem.buffers[static_cast<size_t>(found->second)].kind = *kind;
          }
          return Done{};
        });
    if (!read) return read.error();
    LiveRange run{std::numeric_limits<int64_t>::max(), 0};
    for (const BufferInfo& buffer : all_.problem.buffers) {
      if (buffer.live.empty()) continue;
      run.lower = std::min(run.lower, buffer.live.front().lower);
      run.upper = std::max(run.upper, buffer.live.back().upper);
    }
    for (BufferInfo& buffer : all_.problem.buffers) {
      if (buffer.live.empty()) continue;
      if (buffer.kind == BufferKind::kInput) buffer.live.front().lower = run.lower;
      if (buffer.kind == BufferKind::kOutput) buffer.live.back().upper = run.upper;
    }
    return Done{};
  }

  // TVM's tables have conflicts of a buffer with itself, which are ignored.
  Result<Done> ReadConflicts() {
    const auto list = document_.Field({"buffers"});
    for (size_t i = 0; i < list->size(); ++i) {
      const auto conflicts = (*list)[i].Field({"conflicts"});
      if (!conflicts) continue;
      const auto add = [&](const JsonPlace& place) -> Result<Done> {
        const Result<int32_t> other = BufferNamed(place);
        if (!other) return other.error();
        if (*other != static_cast<int32_t>(i)) all_.problem.buffers[i].conflicts.push_back(*other);
        return Done{};
      };
      const Result<Done> read = conflicts->ForEachElement(add);
      if (!read) return read.error();
    }
    return Done{};
  }

  Result<Done> ReadOffsets() {
    const auto buffers = document_.Field({"buffers"});
    for (size_t i = 0; i < buffers->size(); ++i) {
      const JsonPlace row = (*buffers)[i];
      const auto offset = row.Field({"offset"});
      if (!offset) continue;
      const Result<Done> placed = Place(all_.problem.buffers[i].name_hint, *offset, row);
      if (!placed) return placed.error();
    }
    const auto offsets = document_.Field({"offsets"});
    if (!offsets) return Done{};
    Plan();
    return offsets->ForEachField(
        [&](const std::string& name, const JsonPlace& place) -> Result<Done> {
          const auto offset = place.IsNumber() ? place : place.Field({"byte_offset", "offset"});
          if (!offset) return place.Problem("has no byte_offset");
          return Place(name, *offset, place);
        });
  }

  MemoryPlan& Plan() {
    if (!all_.plan) all_.plan.emplace();
    all_.plan->allocations.resize(all_.problem.buffers.size());
    return *all_.plan;
  }

  // Places a buffer; `row` may name the pool.
  Result<Done> Place(const std::string& name, const JsonPlace& offset, const JsonPlace& row) {
    const Result<int64_t> number = offset.Integer();
    if (!number) return number.error();
    const auto found = buffers_.find(name);
    const Result<int32_t> pool =
        PoolOf(row, found == buffers_.end()
                        ? std::vector<int32_t>{}
                        : all_.problem.buffers[static_cast<size_t>(found->second)].pool_candidates);
    if (!pool) return pool.error();
    MemoryPlan& plan = Plan();
    auto* const at =
        found == buffers_.end() ? nullptr : &plan.allocations[static_cast<size_t>(found->second)];
    if (at == nullptr || *at) {
      const PoolInfo& info = all_.problem.pools[static_cast<size_t>(*pool)];
      plan.strays.push_back({name, info.name, *number});
    } else {
      *at = PoolAllocation{*pool, *number};
    }
    return Done{};
  }

  // Returns the named pool, or else the only candidate.
  Result<int32_t> PoolOf(const JsonPlace& row, const std::vector<int32_t>& candidates) const {
    if (const auto named = row.Field({"pool"})) {
      const Result<std::string> name = named->Text();
      if (!name) return name.error();
      const auto found = pools_.find(*name);
      if (found == pools_.end()) return named->Problem("there is no pool " + Quoted(*name));
      return found->second;
    }
    if (candidates.size() == 1) return candidates[0];
    if (candidates.empty() && all_.problem.pools.size() == 1) return 0;
    return row.Problem("does not say in which pool the offset is");
  }

  const JsonPlace document_;
  PlannedProblem all_;
  std::map<std::string, int32_t> pools_, buffers_;
};

}  // namespace

Result<PlannedProblem> ReadTvmTable(const JsonPlace& document) {
  return TvmTableReader(document).Read();
}

}  // namespace assay
