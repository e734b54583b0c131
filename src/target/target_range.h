// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// A number of an operator that a target limits:
//
//   an attribute  a bool (0 or 1), an integer, an enumeration, or each element of a list: "stride"
//   a constant    each element of a compile-time constant operand, where it is known: "multiples"
//   kernel        each side of the kernel: the attribute, or the dimensions KD, KH, KW of an
//   operand rank          the greatest rank of the operands and results that are no shapes
//   dimension     each dimension of these
//   elements      the number of elements of each of these
struct Quantity {
  enum class Kind : uint8_t { kAttribute, kConstant, kKernel, kRank, kDimension, kElements };
  Kind kind = Kind::kRank;
  AttributeId attribute{};  // of kAttribute
  int operand = 0;          // the position of the operand, of kConstant

  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// The numbers that a quantity may be: those of `values`, or from `min` to `max` if it is empty.
struct TargetRange {
  Quantity quantity;
  int64_t min = INT64_MIN, max = INT64_MAX;
  std::vector<int64_t> values = {};

  bool Holds(int64_t number) const;
  friend bool operator==(const TargetRange&, const TargetRange&) = default;
};

// Returns the quantities that an operator has, in a fixed order, and the name of one of them.
std::vector<Quantity> QuantitiesOf(Op op);
std::string NameOf(Op op, const Quantity& quantity);

// Returns the numbers of a quantity of an operator. Returns nothing if the operator has no such
// number, or if the number is not known before the graph runs.
std::optional<std::vector<int64_t>> Measure(const Block& block, const Operator& op,
                                            const Quantity& quantity);

// Returns a number as people write it: "8"; "PROPAGATE" or "true" if the attribute has names.
std::string NumberText(Op op, const Quantity& quantity, int64_t number);
// Returns the number that a name of an enumeration, a type or a truth value means.
std::optional<int64_t> NumberByName(Op op, const Quantity& quantity, std::string_view name);

// Returns "at most 8", "from 1 to 8" or "only 1, 2".
std::string RangeText(Op op, const TargetRange& range);

}  // namespace assay
