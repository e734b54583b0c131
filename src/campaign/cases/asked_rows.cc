// SPDX-License-Identifier: Apache-2.0
#include "asked_rows.h"

#include "operator_table.h"

namespace assay {

AskedRows::AskedRows(const Campaign& campaign) {
  const GeneratorOptions& options = campaign.options;
  if (options.type_rows.empty()) return;
  for (const OperatorRow& row : AllOperators()) {
    if (IsConstant(row.op)) continue;  // a part of other operators' vectors
    for (size_t i = 0; i < row.type_rows.size(); ++i) {
      if (!options.AllowsRow(row.op, i) || !IsSupported(row.type_rows[i], options.target)) continue;
      asked_.emplace(row.op, static_cast<int32_t>(i));
    }
  }
}

std::string AskedRows::Line(int64_t cases, int64_t all_cases) const {
  std::set<Op> left_out;
  for (const Row& row : asked_) left_out.insert(row.first);
  for (const Row& row : reached_) left_out.erase(row.first);
  std::string line = "type rows asked for: " + std::to_string(reached_.size()) + " of " +
                     std::to_string(asked_.size()) + " reached";
  if (!left_out.empty()) {
    line += ", no vector of " + std::string(OperatorName(*left_out.begin()));
    if (left_out.size() > 1) {
      line += " and " + std::to_string(left_out.size() - 1) + " more operators";
    }
  }
  if (reached_.size() == asked_.size() || cases >= all_cases) return line;
  return line + "; a larger --count reaches more, and no --count makes " +
         std::to_string(all_cases) + " cases, which reach all that these kinds can";
}

}  // namespace assay
