// SPDX-License-Identifier: Apache-2.0
#include "run_comparison.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "files.h"
#include "json_lines.h"
#include "mapped_file.h"

namespace assay {
namespace {

using States = std::vector<std::optional<CaseState>>;

bool Has(const States& states, std::initializer_list<CaseState> any_of) {
  return std::ranges::any_of(states, [&](const std::optional<CaseState>& state) {
    return state && std::ranges::find(any_of, *state) != any_of.end();
  });
}

bool AreAllSame(const States& states) {
  return std::ranges::all_of(states, [&](const auto& state) { return state == states[0]; });
}

bool Parts(const States& states) {
  return Has(states, {CaseState::kAgrees}) &&
         Has(states, {CaseState::kDisagrees, CaseState::kKnown});
}

int64_t Sum(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

std::vector<SharedGroup> SharedGroupsOf(const std::vector<ComparedRun>& runs) {
  std::map<std::string, SharedGroup> by_name;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const PastGroup& group : runs[i].report.groups) {
      SharedGroup& shared = by_name[group.name];
      if (shared.name.empty()) shared = {group.name, group.title, {}};
      shared.seen.resize(runs.size());
      shared.seen[i] += group.seen;
    }
  }
  std::vector<SharedGroup> groups;
  for (auto& [unused, group] : by_name) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, std::greater<>(), [](const SharedGroup& group) {
    return std::pair(std::ssize(group.seen) - std::ranges::count(group.seen, 0), Sum(group.seen));
  });
  return groups;
}

}  // namespace

Result<Done> RunComparer::Add(std::string_view text, const std::string& file) {
  Result<EarlierReport> report = EarlierReportFrom(text, file);
  if (!report) return report.error();
  const size_t run = comparison_.runs.size();
  ComparedRun& added = comparison_.runs.emplace_back();
  added.report = std::move(*report);
  int64_t number = 0, shared = 0;
  const auto bad_line = [&](const std::string& what) {
    return BadInput(file + ":" + std::to_string(number) + ": " + what);
  };
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ++number;
    if (!line.starts_with(R"({"case":)")) continue;
    const Result<CaseResult> result = CaseFromJson(line);
    if (!result) return bad_line(result.error().message);
    added.tally.Add(*result);
    const auto [found, is_new] = vectors_.try_emplace(result->vector);
    Vector& vector = found->second;
    if (is_new) vector.place = vectors_.size();
    if (!is_new) ++shared;
    if (vector.states.size() > run) return bad_line(result->vector + " is there twice");
    vector.states.resize(run + 1);
    vector.states[run] = result->state;
  }
  if (run > 0 && shared == 0) {
    return BadInput(file + ": shares no vector with " + comparison_.runs[0].report.file);
  }
  return Done{};
}

RunComparison RunComparer::Finish() && {
  std::vector<std::pair<const std::string*, Vector*>> in_order(vectors_.size());
  for (auto& [path, vector] : vectors_) in_order[vector.place - 1] = {&path, &vector};
  std::map<States, VectorsByStates> by_states;
  for (const auto& [path, vector] : in_order) {
    vector->states.resize(comparison_.runs.size());
    VectorsByStates& vectors = by_states[vector->states];
    if (vectors.count++ == 0) vectors = {vector->states, 1, *path};
  }
  for (auto& [states, vectors] : by_states) {
    if (AreAllSame(states)) {
      comparison_.same += vectors.count;
    } else {
      (Parts(states) ? comparison_.parted : comparison_.others).push_back(std::move(vectors));
    }
  }
  for (auto* list : {&comparison_.parted, &comparison_.others}) {
    std::ranges::stable_sort(*list, std::greater<>(), &VectorsByStates::count);
  }
  comparison_.groups = SharedGroupsOf(comparison_.runs);
  return std::move(comparison_);
}

Result<RunComparison> CompareReports(const std::vector<std::string>& folders) {
  RunComparer comparer;
  for (const std::string& folder : folders) {
    const std::string file = JoinPath(folder, "report.jsonl");
    const Result<SharedBytes> content = MapRegularFile(file);
    if (!content) return content.error();
    const auto* text = reinterpret_cast<const char*>(content->bytes.data());
    const Result<Done> added = comparer.Add({text, content->bytes.size()}, file);
    if (!added) return added.error();
  }
  if (const std::optional<Error> changed = ChangedFile()) return *changed;
  return std::move(comparer).Finish();
}

Result<Done> WriteComparison(const RunComparison& comparison, const std::string& folder) {
  using Form = std::string (*)(const RunComparison&);
  constexpr std::pair<const char*, Form> kFiles[] = {{"comparison.txt", ComparisonToText},
                                                     {"comparison.json", ComparisonToJson},
                                                     {"comparison.html", ComparisonToHtml}};
  for (const auto& [name, form] : kFiles) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(folder, name), std::string_view(form(comparison)));
    if (!written) return written;
  }
  return Done{};
}

}  // namespace assay
