// SPDX-License-Identifier: Apache-2.0
#include "checked_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "clean_text.h"
#include "files.h"
#include "finding_text.h"
#include "json_lines.h"
#include "json_text.h"
#include "mapped_file.h"
#include "quoted.h"
#include "result_records.h"
#include "sha256.h"
#include "tally.h"

namespace assay {
namespace {

// Returns the word behind an option of a command; nothing if the command does not have the option.
std::optional<std::string> ValueOf(const std::vector<std::string>& words, std::string_view option) {
  const auto found = std::ranges::find(words, option);
  if (found == words.end() || found + 1 == words.end()) return std::nullopt;
  return *(found + 1);
}

// Returns how the state of a case contradicts the rest of it; "" if it does not.
std::string ContradictionIn(const CaseResult& result, const RunHead& head) {
  const VerdictKind verdict = result.verdict.kind;
  const bool any_finding = !result.verdict.findings.empty();
  bool fits = true;
  switch (result.state) {
    case CaseState::kAgrees:
      fits = verdict == VerdictKind::kAgrees && !any_finding;
      break;
    case CaseState::kDisagrees:
    case CaseState::kKnown:
      fits = verdict == VerdictKind::kDisagrees && any_finding;
      break;
    case CaseState::kSuspect:  // may have the findings that it would have
      fits = verdict != VerdictKind::kDisagrees;
      break;
    case CaseState::kUndecided:
    case CaseState::kUnsupported:
      fits = verdict == VerdictKind::kUndecided && !any_finding;
      break;
    case CaseState::kBadInput:
    case CaseState::kDefect:
      fits = verdict != VerdictKind::kDisagrees && !any_finding;
      break;
  }
  if (!fits) {
    return "its state is \"" + std::string(CaseStateName(result.state)) + "\", its verdict \"" +
           std::string(VerdictName(verdict)) + "\", with " +
           (any_finding ? "findings" : "no finding");
  }
  if (result.state == CaseState::kKnown && !head.known) {
    return "its state is \"known\", and the run knew no failures";
  }
  const bool is_damage = any_finding && IsDamage(result.verdict.findings[0]);
  if (is_damage != !result.damaged_by.vectors.empty()) {
    return is_damage ? "it is wrong after other vectors, and none is named"
                     : "vectors are named that it is wrong after, and its finding is another one";
  }
  if (result.verdict.judged_elements < 0 || result.verdict.undecided_elements < 0) {
    return "has a number that cannot be";
  }
  return "";
}

// Returns how the members of the first line contradict the command in it; "" if they do not.
std::string ContradictionIn(const RunHead& head) {
  const std::vector<std::string> words = ShellWords(head.command);
  if (words.size() < 2 || words[0] != "assay" || words[1] != "verify") {
    return "its command is no `assay verify`";
  }
  if (ValueOf(words, "--backend") != head.backend) {
    return "its command has another backend than " + OneLine(head.backend);
  }
  if (ValueOf(words, "--known").value_or("") != (head.known ? head.known->file : "") ||
      (head.known && ValueOf(words, "--today") != head.known->today)) {
    return "its command and its known failures name different files or dates";
  }
  for (const auto& [path, sha256] : head.suites) {
    if (std::ranges::find(words, path) == words.end()) {
      return "its command has no suite " + OneLine(path);
    }
  }
  return "";
}

// A report while it is read.
class Reader {
 public:
  Reader(const std::string& file, const ReportVisitor& visitor) : file_(file), visitor_(visitor) {}

  Result<RunHead> Read(std::string_view text) {
    while (!text.empty()) {
      ++number_;
      const size_t end = text.find('\n');
      if (end == text.npos) return Bad("has no end: the report is cut off");
      const std::string_view line = text.substr(0, end);
      if (has_sum_) return Bad("follows the last line of a report");
      Result<Done> taken = Done{};
      try {
        taken = number_ == 1 ? TakeHead(line) : TakeLine(line);
      } catch (const JsonError&) {
        return Bad("is damaged: no line of a report of `assay verify`");
      }
      if (!taken) return taken.error();
      sum_.Add(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
    if (number_ == 0) return BadInput(file_ + ": is empty; no report of `assay verify`");
    if (head_.HasSum() && !has_sum_) {
      return Bad(
          "is the last line, but should be the SHA-256 of the others: the report is cut off");
    }
    const Result<Done> counted = CompareCounts();
    if (!counted) return counted.error();
    return head_;
  }

 private:
  Error Bad(const std::string& what, int64_t line) const {
    return BadInput(file_ + ":" + std::to_string(line) + ": " + what);
  }
  Error Bad(const std::string& what) const { return Bad(what, number_); }

  Result<Done> TakeHead(std::string_view line) {
    const Json json = JsonFrom(line);
    const int schema = json.value("schema", 0);
    if (schema < formats::kReport.oldest || schema > formats::kReport.version) {
      return Bad("is no report of schema " + std::to_string(formats::kReport.oldest) + " to " +
                 std::to_string(formats::kReport.version));
    }
    head_ = RecordFromJson<RunHead>(json);
    const std::string contradiction = ContradictionIn(head_);
    if (!contradiction.empty()) return Bad(contradiction);
    return visitor_.head(head_);
  }

  Result<Done> TakeLine(std::string_view line) {
    if (line.starts_with(kReportSumStart)) {
      has_sum_ = true;
      if (std::string(line) + "\n" == ReportSumLine(sum_.Digits())) return Done{};
      // The lines before it have been checked. If one of them is at fault, it says so.
      const Result<Done> counted = CompareCounts();
      return counted ? Bad("is not the SHA-256 of the lines before it: one of them was changed")
                     : counted;
    }
    if (line.starts_with(R"({"case":)")) return TakeCase(line);
    if (line.starts_with(R"({"finding":)")) return TakeFinding(line);
    if (line.starts_with(R"({"group":)")) return TakeGroup(line);
    if (line.starts_with(R"({"suspect":)")) return Done{};
    return Bad("is damaged: no line of a report of `assay verify`");
  }

  Result<Done> TakeCase(std::string_view line) {
    const Result<CaseResult> result = CaseFromJson(line);
    if (!result) return Bad(result.error().message);
    const std::string contradiction = ContradictionIn(*result, head_);
    if (!contradiction.empty()) return Bad(OneLine(result->vector) + ": " + contradiction);
    tally_.Add(*result);
    windows_ += result->windows;
    tapped_ += result->tapped;
    return visitor_.each(*result, number_);
  }

  Result<Done> TakeFinding(std::string_view line) {
    const Result<ReportedFinding> finding = ReportedFindingFromJson(line);
    if (!finding) return Bad(finding.error().message);
    if (first_finding_ == 0) first_finding_ = number_;
    ungrouped_.emplace(finding->finding.Signature(), finding->seen);
    seen_ += finding->seen;
    if (finding->known.empty() || head_.known) return Done{};
    return Bad("is a known failure, and the run knew no failures");
  }

  // Takes a group's findings from those that have none yet.
  Result<Done> TakeGroup(std::string_view line) {
    const auto group = RecordFromJson<GroupLine>(JsonFrom(line));
    if (!groups_.insert(group.name).second) return Bad("is a second group of this name");
    int64_t seen = 0;
    for (const std::string& signature : group.findings) {
      const auto found = ungrouped_.find(signature);
      if (found == ungrouped_.end()) {
        return Bad("has a finding that no line before it has, or that another group has: " +
                   OneLine(signature));
      }
      seen += found->second;
      ungrouped_.erase(found);
    }
    if (seen == group.seen) return Done{};
    return Bad("says that " + std::to_string(group.seen) + " vectors have it; its findings have " +
               std::to_string(seen));
  }

  // Compares the counts of the first line with the lines.
  Result<Done> CompareCounts() const {
    const auto compare = [this](int64_t said, const std::string& name,
                                int64_t there) -> Result<Done> {
      if (said == there) return Done{};
      return Bad("says " + std::to_string(said) + " " + name + "; the lines below have " +
                     std::to_string(there),
                 1);
    };
    for (const CaseState state : kAllCaseStates) {
      const std::string name(CaseStateName(state));
      const auto at = static_cast<size_t>(state);
      Result<Done> same = compare(head_.cases.counts[at], name, tally_.Count(state));
      if (same) {
        same = compare(head_.implied_errors.counts[at], name, tally_.implied_errors[at]);
      }
      if (!same) return same;
    }
    const auto said = [this](const char* name) {
      const auto found = head_.counts.find(name);
      return found == head_.counts.end() ? 0 : found->second;
    };
    const std::tuple<const char*, int64_t, int64_t> figures[] = {
        {"judged_elements", head_.judged_elements, tally_.judged_elements},
        {"undecided_elements", head_.undecided_elements, tally_.undecided_elements},
        {"windows judged", said("windows judged"), windows_},
        {"operators judged by taps", said("operators judged by taps"), tapped_}};
    for (const auto& [name, said_there, there] : figures) {
      const Result<Done> same = compare(said_there, name, there);
      if (!same) return same;
    }
    const int64_t wrong =
        tally_.CountAll(CaseState::kDisagrees) + tally_.CountAll(CaseState::kKnown);
    if (first_finding_ > 0 && wrong == 0) {
      return Bad("is a finding, and no vector disagrees", first_finding_);
    }
    if (first_finding_ == 0 && wrong > 0)
      return Bad("vectors disagree, and no line is a finding", 1);
    if (wrong != seen_) {
      return Bad(std::to_string(wrong) + " vectors disagree, and the findings were seen on " +
                     std::to_string(seen_),
                 1);
    }
    if (ungrouped_.empty()) return Done{};
    return Bad("no group has the finding " + OneLine(ungrouped_.begin()->first));
  }

  const std::string& file_;
  const ReportVisitor& visitor_;
  RunHead head_;
  int64_t number_ = 0, first_finding_ = 0;
  bool has_sum_ = false;
  Sha256Sum sum_;
  Tally tally_;
  int64_t windows_ = 0, tapped_ = 0;
  std::multimap<std::string, int64_t> ungrouped_;  // findings without a group, and their `seen`
  std::set<std::string> groups_;
  int64_t seen_ = 0;  // by all findings
};

}  // namespace

Result<RunHead> ReadCheckedReport(const std::string& file, const ReportVisitor& visitor) {
  const Result<SharedBytes> bytes = MapRegularFile(file);
  if (!bytes) return bytes.error();
  const auto* text = reinterpret_cast<const char*>(bytes->bytes.data());
  Result<RunHead> head = Reader(file, visitor).Read({text, bytes->bytes.size()});
  if (const std::optional<Error> changed = ChangedFile()) return *changed;
  return head;
}

}  // namespace assay
