// SPDX-License-Identifier: Apache-2.0
#include "apply_known.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "finding_groups.h"

namespace assay {
namespace {

std::string Vectors(int64_t count) {
  return std::to_string(count) + (count == 1 ? " vector" : " vectors");
}

// Returns the place of a finding that was not worked up.
GroupPlace PlaceOf(const Finding& finding) {
  ReportedFinding alone;
  alone.finding = finding;
  return PlacesInGroups({alone})[0];
}

// Tells whether an entry could have matched a case that agrees.
bool IsAbout(const KnownFailure& entry, const CaseResult& result) {
  const bool any_operator = entry.op == Op::kUnknown && entry.operators.empty();
  if (any_operator && entry.vector.empty()) return false;
  if (!entry.vector.empty() && !HasPattern(result.vector, entry.vector)) return false;
  return any_operator || std::ranges::any_of(result.operators, [&](const OperatorUse& use) {
           return (entry.op == Op::kUnknown || use.op == entry.op) &&
                  (entry.type == DType::kUnknown || use.type == entry.type) && entry.Takes(use);
         });
}

class Marker {
 public:
  Marker(const KnownFailures& known, RunReport& run)
      : known_(known), run_(run), used_(known.entries().size(), 0), agree_(used_) {}

  // Counts a case that agrees for the entries that could have matched it.
  void Count(const CaseResult& result) {
    if (result.state != CaseState::kAgrees) return;
    for (size_t i = 0; i < agree_.size(); ++i) {
      agree_[i] += IsAbout(known_.entries()[i], result) ? 1 : 0;
    }
  }

  void Mark(CaseResult& result, const std::map<std::string, GroupPlace>& places) {
    const auto entry = MarkKnown(known_, places, result);
    if (entry) ++used_[*entry];
  }

  // Marks a reported finding by what an entry says of it, wherever its vectors are.
  void Mark(ReportedFinding& reported, const GroupPlace& place) {
    const auto entry = known_.Match(reported.finding, place, "");
    if (!entry) return;
    ++used_[*entry];
    reported.known = known_.entries()[*entry].Why();
  }

  // Tells of each finding that is not known if an entry names its group.
  void MarkBeside(const std::vector<GroupPlace>& places) {
    for (size_t i = 0; i < places.size(); ++i) {
      const KnownFailure* const entry = known_.Naming(places[i].group);
      if (entry == nullptr || !run_.findings[i].known.empty()) continue;
      run_.findings[i].known_beside =
          (entry->operators.empty() ? entry->Title() : entry->OperatorsText()) + " (" +
          entry->Why() + ")";
    }
  }

  void AddNotes(const std::string& file) {
    run_.known.file = file;
    run_.known.today = known_.today();
    for (size_t i = 0; i < used_.size(); ++i) {
      const KnownFailure& entry = known_.entries()[i];
      const std::string name = "entry " + std::to_string(i + 1) + ", " + entry.Title() + ", ";
      if (known_.IsExpired(i)) {
        run_.known.notes.push_back(name + "has ended on " + entry.until + " and matches nothing");
      } else if (known_.IsForBackend(i) && used_[i] == 0) {
        const int64_t agree = agree_[i];
        run_.known.notes.push_back(
            name + "matches nothing" +
            (agree > 0 ? "; it passes now: " + Vectors(agree) + " agree" : ""));
      }
    }
  }

 private:
  const KnownFailures& known_;
  RunReport& run_;
  std::vector<int64_t> used_, agree_;  // by entry
};

}  // namespace

std::optional<size_t> MarkKnown(const KnownFailures& known,
                                const std::map<std::string, GroupPlace>& places,
                                CaseResult& result) {
  std::optional<size_t> first;
  for (const Finding& finding : result.verdict.findings) {
    if (!finding.follows.empty()) continue;
    const auto place = places.find(finding.Signature());
    const auto entry = known.Match(
        finding, place == places.end() ? PlaceOf(finding) : place->second, result.vector);
    if (!entry) return std::nullopt;
    if (!first) first = entry;
  }
  if (!first) return std::nullopt;
  result.state = CaseState::kKnown;
  result.note = known.entries()[*first].Why();
  return first;
}

KnownReports::KnownReports(const KnownFailures& known,
                           const std::map<std::string, std::string>& signatures,
                           const std::map<std::string, ReportedFinding>& findings)
    : signatures_(signatures) {
  if (!known.is_given()) return;
  std::vector<ReportedFinding> list;
  for (const auto& [key, reported] : findings) list.push_back(reported);
  const std::vector<GroupPlace> places = PlacesInGroups(list);
  for (size_t i = 0; i < list.size(); ++i) {
    if (known.Match(list[i].finding, places[i], "")) known_.insert(KeyOf(list[i]));
  }
}

bool KnownReports::IsKnown(const Finding& finding) const {
  const auto key = signatures_.find(finding.Signature());
  return key != signatures_.end() && known_.contains(key->second);
}

bool KnownReports::PutNewFirst(CaseResult& result) const {
  std::vector<Finding>& findings = result.verdict.findings;
  if (result.state != CaseState::kDisagrees || !IsKnown(findings[0])) return false;
  for (size_t i = 1; i < findings.size(); ++i) {
    if (!findings[i].follows.empty() || IsKnown(findings[i])) continue;
    PutFirst(i, findings);
    return true;
  }
  return false;
}

KnownSignatures::KnownSignatures(const std::vector<Suspicion>& suspicions,
                                 const WorkedUp& worked_up, const RunReport& run) {
  places_ = PlacesInGroups(run.findings);
  std::map<std::string, size_t> by_key;
  for (size_t i = 0; i < run.findings.size(); ++i) by_key.emplace(KeyOf(run.findings[i]), i);
  for (size_t i = 0; i < suspicions.size(); ++i) {
    const auto found = by_key.find(worked_up.signatures[i]);
    if (found == by_key.end()) continue;
    const std::string signature = suspicions[i].representative.finding.Signature();
    by_signature_[signature] = places_[found->second];
    reported_[signature] = found->second;
  }
}

Result<Done> ApplyKnown(const KnownFailures& known, const KnownSignatures& signatures,
                        RunReport& run) {
  if (!known.is_given()) return Done{};
  Marker marker(known, run);
  const auto& by_signature = signatures.by_signature();
  const auto& reported = signatures.reported();
  std::vector<int64_t> known_cases(run.findings.size()), new_cases(run.findings.size());
  std::vector<std::string> reasons(run.findings.size());
  const auto mark = [&](CaseResult& result) {
    marker.Count(result);
    if (result.state != CaseState::kDisagrees) return;
    const auto finding = reported.find(result.verdict.findings[0].Signature());
    marker.Mark(result, by_signature);
    if (finding == reported.end()) return;
    const bool is_known = result.state == CaseState::kKnown;
    ++(is_known ? known_cases : new_cases)[finding->second];
    if (is_known) reasons[finding->second] = result.note;
  };
  if (run.each_case) {
    const Result<Done> marked = run.each_case([&](const CaseResult& result) {
      CaseResult copy = result;
      mark(copy);
      return Done{};
    });
    if (!marked) return marked;
    for (CaseResult& result : run.cases) {
      if (result.state == CaseState::kDisagrees) MarkKnown(known, by_signature, result);
    }
  } else {
    for (CaseResult& result : run.cases) mark(result);
  }
  for (size_t i = 0; i < run.findings.size(); ++i) {
    if (known_cases[i] > 0 && new_cases[i] == 0) {
      run.findings[i].known = reasons[i];
    } else if (known_cases[i] + new_cases[i] == 0) {
      marker.Mark(run.findings[i], signatures.places()[i]);
    }
  }
  marker.MarkBeside(signatures.places());
  marker.AddNotes(known.file());
  return Done{};
}

void ApplyKnown(const KnownFailures& known, const std::map<std::string, Tally>& tallies,
                RunReport& run) {
  if (!known.is_given()) return;
  Marker marker(known, run);
  const std::vector<GroupPlace> places = PlacesInGroups(run.findings);
  constexpr auto kFrom = static_cast<size_t>(CaseState::kDisagrees);
  constexpr auto kTo = static_cast<size_t>(CaseState::kKnown);
  const auto move = [](const StateCounts& part, StateCounts& counts) {
    counts[kFrom] -= part[kFrom];
    counts[kTo] += part[kFrom];
  };
  for (size_t i = 0; i < run.findings.size(); ++i) {
    ReportedFinding& reported = run.findings[i];
    marker.Mark(reported, places[i]);
    const auto tally = tallies.find(KeyOf(reported));
    if (reported.known.empty() || tally == tallies.end()) continue;
    move(tally->second.states, run.tally.states);
    move(tally->second.implied_errors, run.tally.implied_errors);
    for (const auto& [use, counts] : tally->second.by_operator) {
      move(counts, run.tally.by_operator[use]);
    }
  }
  marker.MarkBeside(places);
  marker.AddNotes(known.file());
}

}  // namespace assay
