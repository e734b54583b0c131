// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operator.h"
#include "tensor.h"

namespace assay {

// The value of one attribute:
// - bool;
// - i32, which also holds every enumeration, by its wire value, and DType;
// - a list of i32 (kernel, stride, pad, perms, var_shape...);
// - text (names of graphs and variables, CUSTOM's strings);
// - a tensor (CONST.values, CONST_SHAPE.values, VARIABLE.initial_value, and CLAMP.min_val / max_val
//   as rank-0 tensors of the input type).
using AttributeValue = std::variant<bool, int32_t, std::vector<int32_t>, std::string, Tensor>;

// The attributes of one operator, in the order of AttributeId. The operator's row says which ones
// it has (operator_table.h). The typed getters Check() that the attribute is there.
class Attributes {
 public:
  using Entry = std::pair<AttributeId, AttributeValue>;

  Attributes() = default;
  // Not inline, like those of Tensor.
  Attributes(const Attributes& other);
  Attributes& operator=(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();
  Attributes(std::initializer_list<Entry> entries);

  void Set(AttributeId id, AttributeValue value);
  void Remove(AttributeId id);
  const AttributeValue* Find(AttributeId id) const;
  bool Has(AttributeId id) const { return Find(id) != nullptr; }

  bool Flag(AttributeId id) const;
  int32_t Int(AttributeId id) const;
  const std::vector<int32_t>& Ints(AttributeId id) const;
  const std::string& Text(AttributeId id) const;
  const Tensor& Value(AttributeId id) const;

  NanMode nan_mode() const { return static_cast<NanMode>(Int(AttributeId::kNanMode)); }
  DType type(AttributeId id) const { return static_cast<DType>(Int(id)); }
  // Returns the type that `acc_type` or VARIABLE's `type` names, by which FindTypeRow() tells rows
  // apart; kUnknown if there is neither.
  DType named_type() const;

  const std::vector<Entry>& entries() const { return entries_; }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace assay
