// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// A table that finds the position of a name. A file may have so many names that the table is not in
// a cache. So hashes are stored together, and one loop enters all names of a file. The processor
// proceeds to the next name there while it waits for the slot of the last.
class NameTable {
 public:
  // Forgets all names and makes room for `count`.
  void Reset(size_t count) {
    names_.clear();
    names_.reserve(count);
    slots_.clear();
    entered_ = 0;
  }

  // Gives the next position to a name, whose text must stay in place. Enter() makes it known.
  void Append(std::string_view name) { names_.push_back(name); }

  // Makes the appended names known. Returns the first name that has two positions, if any.
  std::optional<std::string_view> Enter() {
    if (2 * names_.size() > slots_.size()) Grow();
    for (; entered_ < names_.size(); ++entered_) {
      const std::string_view name = names_[entered_];
      const uint32_t hash = HashOf(name);
      Slot& slot = slots_[SlotOf(name, hash)];
      if (slot.position >= 0) return name;
      slot = {hash, static_cast<TensorIndex>(entered_)};
    }
    return std::nullopt;
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

  // Returns the slot of the name, or the free slot for it. At least half of the slots are free.
  size_t SlotOf(std::string_view name, uint32_t hash) const {
    for (size_t at = hash;; ++at) {
      const Slot& slot = slots_[at &= slots_.size() - 1];
      if (slot.position < 0) return at;
      if (slot.hash == hash && names_[static_cast<size_t>(slot.position)] == name) return at;
    }
  }

  // Makes slots for at least twice the number of appended names.
  void Grow() {
    size_t size = 8;
    while (size < 2 * names_.size()) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.position < 0) continue;
      size_t at = slot.hash;
      while (slots_[at &= size - 1].position >= 0) ++at;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // the size is a power of two
  std::vector<std::string_view> names_;
  size_t entered_ = 0;  // the number of known names
};

}  // namespace assay
