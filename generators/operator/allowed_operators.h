// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipe.h"

namespace assay {

// One type row of an operator that has a recipe.
struct MenuEntry {
  Op op;
  int type_row;
  DType first;   // type of the first operand that need not be constant
  DType result;  // type of the first result
};

// The operators and type rows that the options allow, by the type of the first operand. Expensive
// operators, and those that end chains, come up less often.
class Menu {
 public:
  explicit Menu(const GeneratorOptions& options);

  bool empty() const { return all_.empty(); }
  // Returns an entry that reads a value of `type` first; any entry if none does.
  const MenuEntry& Pick(Choices& choices, DType type) const;
  const MenuEntry& PickAny(Choices& choices) const { return choices.Pick(all_); }
  // Returns true if the operator has a row that reads `type` first.
  bool Reads(Op op, DType type) const {
    return (reads_[static_cast<size_t>(op)] >> static_cast<uint32_t>(type) & 1) != 0;
  }
  // Returns an entry of an operator that reads `type` first and, unless `result` is kUnknown, gives
  // `result`. Returns null if the options allow none.
  const MenuEntry* Find(Choices& choices, Op op, DType type, DType result = DType::kUnknown) const;

 private:
  std::vector<MenuEntry> all_;  // repeated by weight
  std::array<std::vector<MenuEntry>, 16> by_type_;
  std::array<uint32_t, kOperatorCount + 1> reads_{};  // bit per DType
};

}  // namespace assay
