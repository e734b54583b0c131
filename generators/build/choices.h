// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "random.h"

namespace assay {

// A change of a case: the choice at `position` is `value` modulo the number of possibilities.
struct ChoiceEdit {
  uint64_t position = 0;  // among the choices of the case, from 0
  uint64_t value = 0;
  friend bool operator==(const ChoiceEdit&, const ChoiceEdit&) = default;
};

// The source of a generator's choices: a seed, or bytes that a fuzzer mutates. Every choice is
// taken modulo the number of possibilities, so that any bytes decode to a valid vector. After the
// last byte every further choice is the first possibility.
class Choices {
 public:
  // Makes the choices of a seed, except for edits, whose positions ascend. An edit changes no other
  // choice that the generator still asks for.
  explicit Choices(Random random, std::span<const ChoiceEdit> edits = {})
      : random_(random), edits_(edits) {}
  explicit Choices(std::span<const uint8_t> bytes) : random_(0), bytes_(bytes), from_bytes_(true) {}

  // Returns 64 bits.
  uint64_t Next() {
    if (from_bytes_) return Bytes(8);
    const uint64_t drawn = random_.Next();
    return EditHere().value_or(drawn);
  }

  // Calls draw(source), which takes many choices from a source like this one that can stay in
  // registers, and may be called again. For edits, these are one choice.
  template <class Draw>
  void Take(Draw draw) {
    if (from_bytes_) return draw(*this);
    draw(random_);
    if (const std::optional<uint64_t> seed = EditHere()) {
      Random fresh(*seed);
      draw(fresh);
    }
  }

  // Returns a number in [0, bound); bound >= 1.
  uint64_t Below(uint64_t bound) {
    if (!from_bytes_) {
      const uint64_t drawn = random_.Below(bound);
      const std::optional<uint64_t> edit = EditHere();
      return edit ? *edit % bound : drawn;
    }
    if (bound <= 1) return 0;
    return Bytes(bound <= 0x100 ? 1 : bound <= 0x10000 ? 2 : 8) % bound;
  }

  // Returns a number in [low, high], both inclusive.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (width == 0 ? Next() : Below(width)));
  }
  int32_t Between32(int32_t low, int32_t high) { return static_cast<int32_t>(Between(low, high)); }

  // Returns true once in `n` times on average; false after the last byte.
  bool OneIn(uint64_t n) { return Below(n) == n - 1; }

  // Returns any element of a non-empty range.
  template <class Range>
  const auto& Pick(const Range& range) {
    return range[static_cast<size_t>(Below(std::size(range)))];
  }

 private:
  uint64_t Bytes(size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count && !bytes_.empty(); ++i) {
      value |= static_cast<uint64_t>(bytes_.front()) << (8 * i);
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  // Goes to the next choice. Returns the edit of this one.
  std::optional<uint64_t> EditHere() {
    if (edits_.empty()) return std::nullopt;
    if (edits_.front().position != position_++) return std::nullopt;
    const uint64_t value = edits_.front().value;
    edits_ = edits_.subspan(1);
    return value;
  }

  Random random_;
  std::span<const ChoiceEdit> edits_;  // those to come
  uint64_t position_ = 0;              // of the next choice; counts only while there are edits
  std::span<const uint8_t> bytes_;
  bool from_bytes_ = false;
};

}  // namespace assay
