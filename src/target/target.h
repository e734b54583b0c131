// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "levels.h"
#include "operator_table.h"
#include "target_range.h"

namespace assay {

// Some types that an operator of a target may have. Everything that is given must hold.
struct TypeChoice {
  DType first = DType::kUnknown;     // the CharacteristicType(); kUnknown: any
  std::array<DType, 4> variables{};  // by type variable of the operator; kUnknown: any
  // The element types of the operands and results, in order. The last type of a list is also that
  // of all further tensors. kUnknown is any type; an empty list allows all.
  std::vector<DType> inputs = {}, outputs = {};
  std::vector<TargetRange> ranges = {};  // with these types

  friend bool operator==(const TypeChoice&, const TypeChoice&) = default;
};

// The ways in which a target takes one operator.
struct OperatorUses {
  std::vector<TypeChoice> types = {};    // one of them must fit; empty: any types
  std::vector<TargetRange> ranges = {};  // with all types
  std::vector<int> constants = {};       // the operands that must be compile-time constants

  friend bool operator==(const OperatorUses&, const OperatorUses&) = default;
};

// The largest graphs that a target takes. 0: no limit.
struct TargetLimits {
  int64_t rank = 0, dimension = 0, elements = 0;  // of every tensor
  int64_t constant_bytes = 0;                     // of all CONST and CONST_SHAPE of a graph
  int64_t graphs = 0;                             // of a vector
  int64_t nesting = 0;                            // of COND_IF and WHILE_LOOP

  friend bool operator==(const TargetLimits&, const TargetLimits&) = default;
};

// The part of the specification that a backend supports. README.md describes the file.
struct Target {
  std::string name;
  std::optional<Requirements> features = {};  // profiles and extensions; nothing: any
  std::string level = "none";                 // vectors of this level are taken; "none": of any
  // Nothing: all operators. CONST and CONST_SHAPE are operators like others here.
  std::optional<std::map<Op, OperatorUses>> operators = {};
  std::vector<DType> types = {};  // of tensors other than shapes; empty: all
  TargetLimits limits = {};
  bool control_flow = true, variables = true, variable_tensors = true;

  friend bool operator==(const Target&, const Target&) = default;
};

// Returns the uses of an operator; null if the target does not have it.
const OperatorUses* UsesOf(const Target& target, Op op);

// Returns the rows of an operator's type table that some operator within the target can have, as
// bits. Ranges are not considered.
uint64_t TypeRowsWithin(const Target& target, Op op);

// Returns true if some operator within the target may have this number.
bool MayBe(const Target& target, Op op, const Quantity& quantity, int64_t number);

}  // namespace assay
