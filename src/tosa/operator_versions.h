// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "operator_table.h"

namespace assay {

// The first version of the specification that has an operator, and those that have its type rows.
struct OperatorVersions {
  SpecVersion since;
  std::span<const SpecVersion> type_rows;
};

// Returns the versions of all operators, in the order of AllOperators().
std::span<const OperatorVersions> AllOperatorVersions();

// Not for kUnknown.
const OperatorVersions& VersionsOf(Op op);

}  // namespace assay
