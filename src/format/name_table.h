#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// Names in the order of their positions, looked up by name. A file may have many: their hashes lie
// together, so that what is asked for is far from any cache once, not several times.
class NameTable {
 public:
  // Forgets all names and makes room for `count`.
  void Reset(size_t count) {
    names_.clear();
    names_.reserve(count);
    slots_.clear();
    Grow(count);
  }

  // Gives the next position to a name, whose text stays where it is; false if it has one.
  bool Add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size()) Grow(2 * names_.size() + 1);
    const uint32_t hash = HashOf(name);
    Slot& slot = slots_[SlotOf(name, hash)];
    if (slot.position >= 0) return false;
    slot = {hash, static_cast<TensorIndex>(names_.size())};
    names_.push_back(name);
    return true;
  }

  std::optional<TensorIndex> Find(std::string_view name) const {
    if (slots_.empty()) return std::nullopt;
    const TensorIndex position = slots_[SlotOf(name, HashOf(name))].position;
    return position < 0 ? std::nullopt : std::optional(position);
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    TensorIndex position = -1;  // none
  };

  static uint32_t HashOf(std::string_view name) {
    return static_cast<uint32_t>(std::hash<std::string_view>()(name));
  }

  // The slot of the name, or the free one where it belongs. At least half of them are free.
  size_t SlotOf(std::string_view name, uint32_t hash) const {
    for (size_t at = hash;; ++at) {
      const Slot& slot = slots_[at &= slots_.size() - 1];
      if (slot.position < 0) return at;
      if (slot.hash == hash && names_[static_cast<size_t>(slot.position)] == name) return at;
    }
  }

  // Makes room for `count` names.
  void Grow(size_t count) {
    size_t size = 8;
    while (size < 2 * count) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.position < 0) continue;
      size_t at = slot.hash;
      while (slots_[at &= size - 1].position >= 0) ++at;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::string_view> names_;
};

}  // namespace assay
