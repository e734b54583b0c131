// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "campaign.h"
#include "operator.h"

namespace assay {

// The rows of operators' type tables that a target asks a campaign for, and those of them that its
// vectors run.
class AskedRows {
 public:
  using Row = std::pair<Op, int32_t>;  // the position of a type row of the operator

  // Asks for nothing if the campaign has no target (`--op`, `--type`, `--target`).
  explicit AskedRows(const Campaign& campaign);

  void Add(const Row& row) {
    if (asked_.contains(row)) reached_.insert(row);
  }
  // Returns one line that says how many were reached. `all_cases` is the number of cases that reach
  // what the kinds cover systematically, and `cases` that of the campaign.
  std::string Line(int64_t cases, int64_t all_cases) const;

 private:
  std::set<Row> asked_, reached_;
};

}  // namespace assay
