// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "clean_text.h"
#include "formats.h"
#include "json_fields.h"
#include "json_text.h"
#include "submission.h"

namespace assay {
namespace {

constexpr SubmittedState kNotJudged[] = {SubmittedState::kSuspect, SubmittedState::kUndecided,
                                         SubmittedState::kUnsupported, SubmittedState::kMissing,
                                         SubmittedState::kBroken};

std::string Version(const SpecVersion& spec) {
  return std::to_string(spec.major) + "." + std::to_string(spec.minor);
}

// Returns "812 passed, 2 failed".
std::string Counts(const SubmittedList& list) {
  std::string text;
  for (const SubmittedState state : kAllSubmittedStates) {
    const int64_t count = list.Count(state);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            std::string(SubmittedStateName(state));
  }
  return text;
}

std::string VerdictText(const Submission& submission) {
  SubmittedList claimed;
  for (const SubmittedState state : kAllSubmittedStates) {
    claimed.counts[state] = submission.Claimed(state);
  }
  const std::string counts = Counts(claimed);
  if (claimed.Total() == 0) return "nothing is claimed";
  if (!submission.without_hash.empty()) {
    return "no proof, because a report has no hash of its lines: " + counts;
  }
  return (claimed.IsComplete() ? "every claimed list is complete: "
                               : "the claimed lists are not complete: ") +
         counts;
}

// Vectors with the reason that they share.
using ReasonedVectors = std::pair<std::string, std::vector<const SubmittedVector*>>;

// Returns the vectors of must-pass lists in a state, grouped by the reason.
std::vector<ReasonedVectors> ByReason(const Submission& submission, SubmittedState state) {
  std::vector<ReasonedVectors> reasons;
  for (const SubmittedVector& vector : submission.open) {
    if (vector.state != state || vector.list.empty()) continue;
    const std::string why =
        vector.why.empty() ? "no report has these vectors" : OneLine(vector.why);
    const auto same = std::ranges::find(reasons, why, &ReasonedVectors::first);
    if (same != reasons.end()) {
      same->second.push_back(&vector);
    } else {
      reasons.push_back({why, {&vector}});
    }
  }
  return reasons;
}

std::string Section(const Submission& submission, SubmittedState state) {
  const std::vector<ReasonedVectors> reasons = ByReason(submission, state);
  if (reasons.empty()) return "";
  std::string text = "\n" + std::string(SubmittedStateName(state)) + "\n";
  for (const auto& [why, vectors] : reasons) {
    text += "  " + why + "\n";
    for (const SubmittedVector* vector : vectors) {
      text += "    " + vector->file + "  (" + vector->list + ")\n";
    }
  }
  return text;
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

Json ToJson(const SubmittedList& list) {
  Json json = {{"vectors", list.Total()}, {"complete", list.IsComplete()}};
  for (const SubmittedState state : kAllSubmittedStates) {
    json[std::string(SubmittedStateName(state))] = list.Count(state);
  }
  return json;
}

}  // namespace

std::string SubmissionSummary(const Submission& submission) {
  constexpr size_t kShown = 5;  // lists, and reasons
  std::vector<std::string> lists, reasons;
  for (const auto& [name, list] : submission.lists) {
    if (list.is_claimed && !list.IsComplete()) {
      lists.push_back("  not complete: " + name + ": " + Counts(list));
    }
  }
  for (const SubmittedState state : kAllSubmittedStates) {
    std::vector<ReasonedVectors> ranked = ByReason(submission, state);
    std::ranges::stable_sort(ranked, std::ranges::greater(),
                             [](const ReasonedVectors& reason) { return reason.second.size(); });
    for (const auto& [why, vectors] : ranked) {
      reasons.push_back("  " + std::to_string(vectors.size()) + " " +
                        std::string(SubmittedStateName(state)) + ": " + why);
    }
  }
  std::string text = VerdictText(submission) + "\n";
  const auto add = [&text](const std::vector<std::string>& lines, const char* what) {
    for (size_t i = 0; i < lines.size() && i < kShown; ++i) text += lines[i] + "\n";
    if (lines.size() <= kShown) return;
    text += "  and " + std::to_string(lines.size() - kShown) + " more " + what + "\n";
  };
  add(lists, "lists that are not complete");
  add(reasons, "reasons");
  return text;
}

std::string SubmissionToText(const Submission& submission) {
  const ConformancePackage& package = submission.package;
  std::string text = "TOSA conformance statement\n\n" + VerdictText(submission) + "\n\n";
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += Padded(name, 16) + OneLine(value, 1000) + "\n";
  };
  row("backend", submission.backend);
  row("assay", submission.assay);
  row("specification", "TOSA " + Version(package.spec) + ", level " + package.level);
  row("package", package.command + ", Assay " + package.assay);
  row("package sha256", package.hash);
  for (const std::string& command : submission.commands) row("run", command);
  for (const std::string& file : submission.known_files) row("known failures", file);
  for (const std::string& gap : submission.gaps) row("partial", gap);
  for (const std::string& report : submission.without_hash) {
    row("no proof", report + " is a report of an older version; verify again with this one");
  }
  text += "\nmust-pass lists\n";
  size_t width = 0;
  for (const auto& [name, list] : submission.lists) width = std::max(width, name.size() + 2);
  for (const auto& [name, list] : submission.lists) {
    const char* const verdict = list.IsComplete() ? "complete      " : "not complete  ";
    text += "  " + Padded(name, width) + (list.is_claimed ? verdict : "not claimed   ") +
            Counts(list) + "\n";
  }
  if (submission.informative.Total() > 0) {
    text += "  " + Padded("(in no list)", width) + "              " +
            Counts(submission.informative) + "\n";
  }
  text +=
      Section(submission, SubmittedState::kFailed) + Section(submission, SubmittedState::kKnown);
  for (const SubmittedState state : kNotJudged) text += Section(submission, state);
  return text;
}

std::string SubmissionToJson(const Submission& submission) {
  const ConformancePackage& package = submission.package;
  Json lists = Json::array(), open = Json::array();
  for (const auto& [name, list] : submission.lists) {
    lists.push_back({{"list", name}, {"claimed", list.is_claimed}});
    lists.back().update(ToJson(list));
  }
  for (const SubmittedVector& vector : submission.open) {
    open.push_back({{"vector", vector.file},
                    {"list", vector.list},
                    {"state", SubmittedStateName(vector.state)},
                    {"why", vector.why}});
  }
  const Json json = {{"format", formats::kStatement.name},
                     {"version", formats::kStatement.version},
                     {"verdict", VerdictText(submission)},
                     {"backend", submission.backend},
                     {"assay", submission.assay},
                     {"spec", {package.spec.major, package.spec.minor, package.spec.patch}},
                     {"package",
                      {{"sha256", package.hash},
                       {"command", package.command},
                       {"assay", package.assay},
                       {"features", package.features},
                       {"level", package.level}}},
                     {"commands", submission.commands},
                     {"known_failures", submission.known_files},
                     {"partial", submission.gaps},
                     {"reports_without_hash", submission.without_hash},
                     {"lists", std::move(lists)},
                     {"informative", ToJson(submission.informative)},
                     {"not_passed", std::move(open)}};
  return JsonText(json, 1) + "\n";
}

}  // namespace assay
