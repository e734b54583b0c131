// SPDX-License-Identifier: Apache-2.0
#include "run_changes.h"

#include <algorithm>

#include "version.h"

namespace assay {

namespace {

bool IsSame(const FindingGroup& group, const RunReport& run, const PastGroup& past) {
  return group.name == past.name || std::ranges::any_of(group.findings, [&](size_t i) {
           const std::string signature = run.findings[i].finding.Signature();
           return std::ranges::find(past.findings, signature) != past.findings.end();
         });
}

}  // namespace

bool IsNew(const FindingGroup& group, const RunReport& run) {
  return run.past.since && std::ranges::none_of(run.past.since->groups, [&](const PastGroup& past) {
           return IsSame(group, run, past);
         });
}

std::vector<PastGroup> GoneGroups(std::span<const FindingGroup> groups, const RunReport& run) {
  std::vector<PastGroup> gone;
  if (!run.past.since) return gone;
  for (const PastGroup& past : run.past.since->groups) {
    const bool is_there = std::ranges::any_of(
        groups, [&](const FindingGroup& group) { return IsSame(group, run, past); });
    if (!is_there) gone.push_back(past);
  }
  return gone;
}

std::vector<FindingGroup> NewFirst(std::vector<FindingGroup> groups, const RunReport& run) {
  std::stable_partition(groups.begin(), groups.end(),
                        [&run](const FindingGroup& group) { return IsNew(group, run); });
  return groups;
}

PastRun AsPastRun(const RunReport& run, const std::string& date) {
  PastRun past;
  past.date = date;
  past.assay = kToolkitVersion;
  past.title = run.title;
  past.cases = run.tally.cases;
  past.states = run.tally.states;
  for (const FindingGroup& group : GroupByCause(run.findings)) {
    if (!IsKnown(group, run.findings)) past.groups.push_back(group.name);
  }
  std::ranges::sort(past.groups);
  return past;
}

}  // namespace assay
