// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules.h"
#include "target.h"

namespace assay {

// Tells which items of coverage a vector can reach that is inside all of some targets. Items that
// no field of a target excludes on its own count as inside.
class TargetItems {
 public:
  // The targets outlive the object.
  explicit TargetItems(std::span<const Target> targets);

  bool Has(Op op) const { return rows_[static_cast<size_t>(op)] != 0 || targets_.empty(); }
  bool HasRow(Op op, size_t row) const {
    return (rows_[static_cast<size_t>(op)] >> row & 1) != 0 || targets_.empty();
  }
  // Returns true if a row within the targets gives the argument this type.
  bool HasType(Op op, const ArgumentRow& argument, DType type) const;
  // Returns true for a class of shapes, as ShapeClassesOf() names it ("rank 3").
  bool HasShapeClass(Op op, std::string_view name) const;
  // Returns true for a class of an attribute or a constant, as ClassesOf() names it.
  bool HasClass(Op op, const ArgumentRow& argument, std::string_view name) const;
  // Returns true if a vector can break a rule of an operator.
  bool HasRule(const Rule& rule) const;
  // Returns true for a nest of control flow ("COND_IF/WHILE_LOOP").
  bool HasNest(std::string_view nest) const;

 private:
  void LeaveUsefulConstants();
  // Returns true if an attribute or constant can be at the limit of level 8K.
  bool MayBeAtLimit(Op op, const Quantity& quantity, std::string_view name) const;
  bool MayBeInAll(Op op, const Quantity& quantity, int64_t number) const;

  std::span<const Target> targets_;
  std::vector<uint64_t> rows_;  // by operator
};

}  // namespace assay
