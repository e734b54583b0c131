// SPDX-License-Identifier: Apache-2.0
#include "round_record.h"

#include <algorithm>
#include <set>
#include <utility>

#include "interrupt.h"
#include "reported_suspects.h"

namespace assay {

Result<Done> RoundRecord::Record(std::vector<CaseResult>& cases) {
  const Result<Done> recorded = RecordFindings(cases);
  return recorded && !Interrupted() ? RecordSuspects(cases) : recorded;
}

// A case counts for the first of its findings that the file of known failures does not name. It
// may name a finding as soon as that has been minimized, so cases are looked at until all count
// for the right one.
Result<Done> RoundRecord::RecordFindings(std::vector<CaseResult>& cases) {
  std::vector<size_t> open;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (int64_t* const skipped = SkippedLike(cases[i])) {
      ++*skipped;
      continue;
    }
    progress_.tally.Add(cases[i]);
    if (cases[i].state == CaseState::kDisagrees) open.push_back(i);
  }
  const std::vector<size_t> disagree = open;
  const KnownReports before(known_failures_, progress_.signatures, progress_.findings);
  for (const size_t i : open) before.PutNewFirst(cases[i]);
  while (!open.empty()) {
    FindingGrouper grouper(Representative::kFirst);
    for (const size_t i : open) grouper.Add(cases[i], static_cast<int64_t>(i));
    const Result<Done> recorded = RecordGroups(grouper.Suspicions());
    if (!recorded || Interrupted()) return recorded;
    const KnownReports now(known_failures_, progress_.signatures, progress_.findings);
    std::erase_if(open, [&](size_t i) { return !MoveToNew(now, cases[i]); });
  }
  for (const size_t i : disagree) {
    const std::string signature = cases[i].verdict.findings[0].Signature();
    progress_.tallies[progress_.signatures.at(signature)].Add(cases[i]);
  }
  return Done{};
}

// Returns the count of the cases that did not run for the same reason; null if the case ran.
int64_t* RoundRecord::SkippedLike(const CaseResult& result) {
  if (result.note == kOutsideNote) return &progress_.outside;
  return result.note == kInvalidNote ? &progress_.invalid : nullptr;
}

// Makes a case that has been recorded count for another finding, if that is new and its own is
// not. Returns true if it does.
bool RoundRecord::MoveToNew(const KnownReports& known, CaseResult& result) {
  const std::string signature = result.verdict.findings[0].Signature();
  if (!known.PutNewFirst(result)) return false;
  ReportedFinding& before = progress_.findings.at(progress_.signatures.at(signature));
  before.seen_with_new = std::min(before.seen_with_new + 1, before.seen);
  return true;
}

// Minimizes the groups that no earlier finding is for, and counts the others.
Result<Done> RoundRecord::RecordGroups(std::vector<Suspicion> groups) {
  std::vector<Suspicion> fresh;
  for (Suspicion& suspicion : groups) {
    if (ReportedFinding* known = Known(suspicion)) {
      known->seen += suspicion.seen;
      AddBlamed(FirstBlamedBy(suspicion), *known);
      continue;
    }
    suspicion.representative.case_index += progress_.next;
    for (Suspicion::Member& other : suspicion.others) other.case_index += progress_.next;
    fresh.push_back(std::move(suspicion));
  }
  if (fresh.empty()) return Done{};
  Result<WorkedUp> worked_up = WorkUp(fresh, plan_);
  if (!worked_up) return worked_up.error();
  for (size_t i = 0; i < fresh.size(); ++i) {
    progress_.signatures[fresh[i].representative.finding.Signature()] = worked_up->signatures[i];
  }
  std::vector<std::string> keys;
  for (WorkedUp::Entry& entry : worked_up->findings) {
    std::string key = KeyOf(entry.finding);
    if (Keep(std::move(entry))) keys.push_back(std::move(key));
  }
  std::vector<ReportedFinding> found;
  for (const std::string& key : keys) found.push_back(progress_.findings.at(key));
  if (!found.empty()) tell_(found);
  return Done{};
}

Result<Done> RoundRecord::RecordSuspects(const std::vector<CaseResult>& cases) {
  std::vector<SuspectGroup> fresh;
  for (SuspectGroup& group : GroupSuspects(cases)) {
    const auto known = progress_.suspects.find(group.signature);
    if (known != progress_.suspects.end() && known->second.repeats) {
      known->second.seen += group.seen;
      continue;
    }
    if (known != progress_.suspects.end()) group.seen += known->second.seen;
    group.case_index += progress_.next;
    fresh.push_back(std::move(group));
  }
  FindingPlan plan = plan_;
  plan.folder = suspects_;
  Result<std::vector<ReportedSuspect>> suspects = WorkUpSuspects(fresh, plan);
  if (!suspects) return suspects.error();
  for (ReportedSuspect& suspect : *suspects) {
    std::string signature = suspect.signature;
    progress_.suspects.insert_or_assign(std::move(signature), std::move(suspect));
  }
  return Done{};
}

// Returns the earlier finding for the suspicion. Returns null if there is none, or if it cannot
// be repeated.
ReportedFinding* RoundRecord::Known(const Suspicion& suspicion) {
  const auto signature = progress_.signatures.find(suspicion.representative.finding.Signature());
  if (signature == progress_.signatures.end()) return nullptr;
  const auto finding = progress_.findings.find(signature->second);
  const bool known = finding != progress_.findings.end() && finding->second.repeats;
  return known ? &finding->second : nullptr;
}

// Returns true if there was no finding with the same key.
bool RoundRecord::Keep(WorkedUp::Entry entry) {
  ReportedFinding& finding = entry.finding;
  const auto [known, is_new] = progress_.findings.try_emplace(KeyOf(finding), finding);
  if (!is_new) {
    finding.seen += known->second.seen;
    finding.seen_with_new = known->second.seen_with_new;
    const std::vector<OperatorUse> before = known->second.first_blamed;
    AddBlamed({before.begin(), before.end()}, finding);
    if (entry.superseded || (known->second.repeats && !finding.repeats)) {
      known->second.seen = finding.seen;
      known->second.first_blamed = finding.first_blamed;
    } else {
      known->second = std::move(finding);
    }
  }
  return is_new;
}

}  // namespace assay
