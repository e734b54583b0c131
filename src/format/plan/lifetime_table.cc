// SPDX-License-Identifier: Apache-2.0
#include "lifetime_table.h"

#include <algorithm>
#include <map>
#include <vector>

#include "quoted.h"

namespace assay {
namespace {

class LifetimeTableReader {
 public:
  explicit LifetimeTableReader(const JsonPlace& document) : document_(document) {}

  Result<PlannedProblem> Read() {
    const auto known = document_.HasOnly(
        {"specs", "tensors", "alignment", "non_const_buffer_sizes", "arena_size", "id", "note"});
    if (!known) return known.error();
    const Result<int64_t> alignment = NumberAt(document_, {"alignment"}, 1, 1);
    if (!alignment) return alignment.error();
    const auto list = document_.Field({"specs", "tensors"});
    if (!list || !list->IsArray()) return document_.Problem("has no list of specs or tensors");
    for (size_t i = 0; i < list->size(); ++i) {
      const Result<Done> read = ReadTensor((*list)[i], i, *alignment);
      if (!read) return read.error();
    }
    const Result<Done> bases = ReadBases(*list);
    if (!bases) return bases.error();
    const Result<Done> sizes = ReadPoolSizes();
    if (!sizes) return sizes.error();
    if (has_offsets_) all_.plan = MemoryPlan{std::move(allocations_)};
    return std::move(all_);
  }

 private:
  static Result<int64_t> NumberAt(const JsonPlace& place, std::initializer_list<const char*> names,
                                  int64_t least, std::optional<int64_t> fallback = std::nullopt) {
    const auto field = place.Field(names);
    if (field) return field->Integer(least);
    if (fallback) return *fallback;
    return place.Problem("has no " + std::string(*names.begin()));
  }

  Result<Done> ReadTensor(const JsonPlace& place, size_t index, int64_t alignment) {
    const auto known = place.HasOnly(
        {"name", "tensor", "size", "allocated_memory", "life", "lifetime", "first", "first_node",
         "last", "last_node", "alignment", "mem_id", "offset", "mem_offset", "inplace_base"});
    if (!known) return known.error();
    BufferInfo buffer;
    const Result<std::string> name = NameOf(place, index);
    if (!name) return name.error();
    buffer.name_hint = *name;
    if (!buffers_.emplace(*name, index).second) return place.Problem("there are two of its name");
    const Result<int64_t> size = NumberAt(place, {"size", "allocated_memory"}, 0);
    if (!size) return size.error();
    buffer.size_bytes = *size;
    const Result<int64_t> own = NumberAt(place, {"alignment"}, 1, alignment);
    if (!own) return own.error();
    buffer.alignment = *own;
    const Result<LiveRange> live = LifetimeOf(place);
    if (!live) return live.error();
    buffer.live = {*live};
    const Result<int64_t> id = NumberAt(place, {"mem_id"}, 0, 1);
    if (!id) return id.error();
    const int32_t pool = PoolOf(*id);
    std::optional<PoolAllocation> allocation;
    if (const auto offset = place.Field({"offset", "mem_offset"})) {
      const Result<int64_t> number = offset->Integer();
      if (!number) return number.error();
      allocation = PoolAllocation{pool, *number};
      has_offsets_ = true;
    }
    if (place.Field({"mem_id"})) buffer.pool_candidates = {pool};
    all_.problem.buffers.push_back(std::move(buffer));
    allocations_.push_back(allocation);
    return Done{};
  }

  // Returns the name. TensorFlow Lite has numbers as names.
  static Result<std::string> NameOf(const JsonPlace& place, size_t index) {
    const auto name = place.Field({"name", "tensor"});
    if (!name) return std::to_string(index);
    if (!name->IsNumber()) return name->Text();
    const Result<int64_t> number = name->Integer();
    if (!number) return number.error();
    return std::to_string(*number);
  }

  // Returns the lifetime: the first and the last step, in execution order, that uses the tensor.
  static Result<LiveRange> LifetimeOf(const JsonPlace& place) {
    const auto both = place.Field({"life", "lifetime"});
    if (both && (!both->IsArray() || both->size() != 2))
      return both->Problem("is not [first, last]");
    const Result<int64_t> first =
        both ? (*both)[0].Integer() : NumberAt(place, {"first", "first_node"}, kLeast);
    if (!first) return first.error();
    const Result<int64_t> last =
        both ? (*both)[1].Integer() : NumberAt(place, {"last", "last_node"}, kLeast);
    if (!last) return last.error();
    LiveRange live{*first, 0};
    if (*last < *first || __builtin_add_overflow(*last, 1, &live.upper)) {
      return place.Problem("its lifetime ends at " + std::to_string(*last) + ", and begins at " +
                           std::to_string(*first));
    }
    return live;
  }

  int32_t PoolOf(int64_t id) {
    const auto [at, is_new] = pools_.emplace(id, static_cast<int32_t>(pools_.size()));
    if (is_new) all_.problem.pools.push_back({.name = std::to_string(id)});
    return at->second;
  }

  Result<Done> ReadPoolSizes() {
    if (const auto size = document_.Field({"arena_size"})) {
      const Result<int64_t> bytes = size->Integer(0);
      if (!bytes) return bytes.error();
      all_.problem.pools[static_cast<size_t>(PoolOf(1))].size_bytes = *bytes;
    }
    const auto sizes = document_.Field({"non_const_buffer_sizes"});
    for (auto& [id, pool] : pools_) {
      if (!sizes) break;
      if (!sizes->IsArray() || static_cast<size_t>(id) >= sizes->size()) {
        return sizes->Problem("has no size of mem_id " + std::to_string(id));
      }
      const Result<int64_t> bytes = (*sizes)[static_cast<size_t>(id)].Integer(0);
      if (!bytes) return bytes.error();
      all_.problem.pools[static_cast<size_t>(pool)].size_bytes = *bytes;
    }
    return Done{};
  }

  // Reads the bases of tensors that are computed in place. Such a tensor, at the address of its
  // base, may begin while the base is read for the last time. At that time, only the bytes of the
  // base that the tensor does not cover are still live.
  Result<Done> ReadBases(const JsonPlace& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto named = list[i].Field({"inplace_base"});
      if (!named) continue;
      const Result<std::string> name = named->Text();
      if (!name) return name.error();
      const auto found = buffers_.find(*name);
      if (found == buffers_.end()) return named->Problem("there is no tensor " + Quoted(*name));
      if (allocations_[i] && allocations_[i] == allocations_[found->second]) {
        Shorten(all_.problem.buffers[found->second], all_.problem.buffers[i]);
      }
    }
    return Done{};
  }

  static void Shorten(BufferInfo& base, const BufferInfo& in_place) {
    const int64_t tick = in_place.live[0].lower;
    LiveRange& life = base.live[0];
    if (base.live.size() != 1 || life.upper - 1 != tick) return;  // the base is also read later
    --life.upper;
    if (in_place.size_bytes < base.size_bytes) {
      base.live.push_back({tick, tick + 1, in_place.size_bytes, base.size_bytes});
    }
  }

  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

  const JsonPlace document_;
  PlannedProblem all_;
  std::vector<std::optional<PoolAllocation>> allocations_;
  bool has_offsets_ = false;
  std::map<int64_t, int32_t> pools_;  // by mem_id
  std::map<std::string, size_t> buffers_;
};

}  // namespace

Result<PlannedProblem> ReadLifetimeTable(const JsonPlace& document) {
  return LifetimeTableReader(document).Read();
}

}  // namespace assay
