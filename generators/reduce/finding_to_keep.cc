// SPDX-License-Identifier: Apache-2.0
#include "finding_to_keep.h"

#include <algorithm>

namespace assay {
namespace {

// Tells whether a NaN or an infinity is expected. (One that came back may be what lay in memory.)
bool IsSpecial(const Finding& finding) {
  const std::string& value = finding.expected;
  return value.find("nan") != value.npos || value.find("inf") != value.npos;
}

}  // namespace

bool FindingToKeep::Is(const Finding& smaller) const {
  if (smaller.violation != finding_.violation || smaller.rests_on != finding_.rests_on)
    return false;
  if (!std::ranges::includes(basis_.readings, smaller.readings)) return false;
  const std::string complaint = finding_.Complaint();
  if (!complaint.empty()) return smaller.Complaint() == complaint;
  if (smaller.violation != Violation::kValue && smaller.violation != Violation::kState) {
    return smaller.Signature() == finding_.Signature();
  }
  if (finding_.allowed == "exact" && smaller.allowed != "exact") return false;
  if (IsSpecial(smaller) && !IsSpecial(finding_)) return false;
  return smaller.rule == finding_.rule || std::ranges::binary_search(basis_.operators, smaller.op);
}

std::optional<size_t> FindingToKeep::In(const std::vector<Finding>& smaller) const {
  for (size_t i = 0; i < smaller.size(); ++i) {
    if ((i == 0 || smaller[i].follows.empty()) && Is(smaller[i])) return i;
  }
  return std::nullopt;
}

}  // namespace assay
