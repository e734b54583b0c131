// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "graph.h"

namespace assay {

// Returns the tensor that a VARIABLE_READ gives or a VARIABLE_WRITE takes; none for other
// operators.
std::optional<TensorIndex> VariableValue(const Operator& op);
// Returns true if two operators name the same variable.
bool SameVariable(const Operator& a, const Operator& b);

// The axes of the tensors of a block that can only change together. These are the axes that an
// operator's Arguments table gives the same name, or that are equal where it says "the same shape"
// or "broadcasts". TRANSPOSE, RESHAPE and ARGMAX, which move axes, are known by name.
class DimensionClasses {
 public:
  explicit DimensionClasses(const Block& block);

  // Returns the number of the class of an axis.
  int32_t ClassOf(TensorIndex tensor, int axis) const;

  struct Class {
    int32_t id;
    int32_t size;  // of the dimensions
  };
  // Returns the classes of the axes of inputs, constants and variables that are longer than 1,
  // longest first.
  std::vector<Class> Shrinkable() const;

 private:
  int32_t Find(int32_t node) const;
  void Join(TensorIndex a, int axis_a, TensorIndex b, int axis_b);
  void JoinBySymbols(const Operator& op);
  void JoinByShapes(const Operator& op);
  void JoinVariables();

  const Block& block_;
  std::vector<int32_t> first_;           // node of axis 0 of each tensor
  mutable std::vector<int32_t> parent_;  // halved while searching
};

}  // namespace assay
