#include "run_changes.h"

#include <algorithm>

#include "version.h"

namespace assay {

bool IsNew(const FindingGroup& group, const RunReport& run) {
  if (!run.past.since) return false;
  return std::ranges::find(run.past.since->groups, group.name, &PastGroup::name) ==
         run.past.since->groups.end();
}

std::vector<PastGroup> GoneGroups(std::span<const FindingGroup> groups, const RunReport& run) {
  std::vector<PastGroup> gone;
  if (!run.past.since) return gone;
  for (const PastGroup& past : run.past.since->groups) {
    const bool is_there = std::ranges::find(groups, past.name, &FindingGroup::name) != groups.end();
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
