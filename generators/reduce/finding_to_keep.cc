// SPDX-License-Identifier: Apache-2.0
#include "finding_to_keep.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

// Tells whether a NaN or an infinity is expected. (One that came back may be what lay in memory.)
bool IsSpecial(const Finding& finding) {
  const std::string& value = finding.expected;
  return value.find("nan") != value.npos || value.find("inf") != value.npos;
}

// Tells whether a number is wrong by so much that no rounding explains it, or not a number at all.
bool IsGross(const Finding& finding) {
  const double expected = std::strtod(finding.expected.c_str(), nullptr);
  const double got = std::strtod(finding.got.c_str(), nullptr);
  return !(std::fabs(got - expected) <= std::fabs(expected) / 2);
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
  const bool loosens = finding_.allowed == "exact" && smaller.allowed != "exact";
  if (loosens && !(IsGross(finding_) && IsGross(smaller))) return false;
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
