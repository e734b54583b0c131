// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "clean_text.h"
#include "counted.h"
#include "finding_groups.h"
#include "finding_text.h"
#include "joined.h"
#include "run_changes.h"

namespace assay {
namespace {

constexpr size_t kReasonsMax = 12;
constexpr int64_t kContradictionsMax = 12;
// The time between two lines of progress where standard error is no terminal.
constexpr double kSecondsBetweenLines = 60;

double SteadySeconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Returns "40 s", "12 min" or "3 h 5 min".
std::string RoundedDuration(int64_t seconds) {
  if (seconds < 120) return std::to_string(seconds) + " s";
  const int64_t minutes = (seconds + 30) / 60;
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string Padded(std::string text, size_t width, bool right = false) {
  if (text.size() >= width) return text;
  const std::string blanks(width - text.size(), ' ');
  return right ? blanks + text : text + blanks;
}

// Returns the counts of vectors that demand an implied error, which are counted apart.
std::string ImpliedErrors(const Tally& tally) {
  if (!tally.AnyImplied()) return "";
  std::string text = "apart, implied errors that no ERROR_IF of the text states: ";
  const char* separator = "";
  for (CaseState state : kAllCaseStates) {
    const int64_t count = tally.implied_errors[static_cast<size_t>(state)];
    if (count == 0) continue;
    text += separator + std::to_string(count) + " " + std::string(CaseStateName(state));
    separator = ", ";
  }
  return text + "\n";
}

// Returns how many groups are new since an earlier report, and a line for each that is gone.
std::string Changes(const RunReport& run) {
  if (!run.past.since) return "";
  const std::vector<FindingGroup> groups = GroupByCause(run.findings);
  const auto fresh = std::ranges::count_if(
      groups, [&run](const FindingGroup& group) { return IsNew(group, run); });
  const std::vector<PastGroup> gone = GoneGroups(groups, run);
  std::string text = "since " + OneLine(run.past.since->file) + ": " + std::to_string(fresh) +
                     (fresh == 1 ? " new group, " : " new groups, ") +
                     std::to_string(std::ssize(gone)) + " no longer found\n";
  for (const PastGroup& group : gone) {
    text += "  no longer found: " + OneLine(group.title) + " [" + OneLine(group.name) + "]\n";
  }
  return text;
}

std::string Totals(const RunReport& run) {
  const Tally& tally = run.tally;
  std::string text = "total: " + std::to_string(tally.cases) +
                     (tally.cases == 1 ? " vector on " : " vectors on ") + run.title;
  const char* separator = ": ";
  for (CaseState state : kAllCaseStates) {
    const int64_t count = tally.Count(state);
    if (count == 0 && state != CaseState::kAgrees && state != CaseState::kDisagrees) continue;
    text += separator + std::to_string(count) + " " + std::string(CaseStateName(state));
    separator = ", ";
  }
  text += "\n" + ImpliedErrors(tally) + std::to_string(tally.judged_elements) +
          " elements judged, " + std::to_string(tally.undecided_elements) + " undecided\n";
  for (const std::string& gap : run.gaps) text += "partial: " + OneLine(gap, 2000) + "\n";
  if (run.power) text += Joined(PowerLines(*run.power), "\n") + "\n";
  for (const auto& [name, count] : run.counts) text += name + ": " + std::to_string(count) + "\n";
  if (!run.findings.empty()) {
    const std::vector<FindingGroup> groups = GroupByCause(run.findings);
    const auto known = std::ranges::count_if(
        groups, [&](const FindingGroup& group) { return IsKnown(group, run.findings); });
    text += "findings: " + std::to_string(std::ssize(run.findings)) + ", in " +
            std::to_string(std::ssize(groups)) + (groups.size() == 1 ? " group" : " groups");
    if (known > 0) text += ", " + std::to_string(known) + " known";
    const auto beside = std::ranges::count_if(run.findings, [](const ReportedFinding& reported) {
      return !reported.known_beside.empty();
    });
    if (beside > 0) text += ", " + Counted(beside, "finding") + " new in known groups";
    text += "\n";
  }
  text += Changes(run);
  for (const std::string& note : run.known.notes) {
    text += OneLine(run.known.file) + ": " + OneLine(note) + "\n";
  }
  return text;
}

// Returns the states that a table has columns for: those that occur rarely only if they occur.
std::vector<CaseState> ColumnsOf(const Tally& tally) {
  std::vector<CaseState> columns;
  for (const CaseState state : kAllCaseStates) {
    const bool is_rare = state == CaseState::kSuspect || state == CaseState::kKnown;
    if (!is_rare || tally.Count(state) > 0) columns.push_back(state);
  }
  return columns;
}

// Returns the rows of operators with a wrong or open result. The other operators are only counted.
std::string OperatorTable(const RunReport& run) {
  const std::vector<CaseState> columns = ColumnsOf(run.tally);
  std::string rows;
  int64_t clean = 0, partly = 0;
  for (const auto& [use, counts] : run.tally.by_operator) {
    int64_t all = 0;
    for (int64_t count : counts) all += count;
    const int64_t agrees = counts[static_cast<size_t>(CaseState::kAgrees)];
    const int64_t unsupported = counts[static_cast<size_t>(CaseState::kUnsupported)];
    if (agrees + unsupported == all) {
      ++(unsupported == 0 ? clean : partly);
      continue;
    }
    rows += Padded(std::string(OperatorLabel(use.op)), 24) +
            Padded(std::string(TypeLabel(use.type)), 9);
    for (CaseState state : columns) {
      const std::string_view name = CaseStateName(state);
      rows += Padded(std::to_string(counts[static_cast<size_t>(state)]), name.size() + 2, true);
    }
    rows += "\n";
  }
  std::string text;
  if (!rows.empty()) {
    text = "\n" + Padded("operator", 24) + Padded("type", 9);
    for (CaseState state : columns) text += "  " + std::string(CaseStateName(state));
    text += "\n" + rows;
  }
  if (clean + partly == 0) return text;
  text += (rows.empty() ? "" : "besides ") + std::to_string(clean) +
          " pairs of operator and type in which all vectors agree";
  if (partly > 0) text += ", and " + std::to_string(partly) + " in which the rest is unsupported";
  return text + "\n";
}

std::string ReasonLine(const RankedReason& ranked) {
  std::string line = Padded(std::to_string(ranked.reason.count), 7, true) + "  " +
                     std::string(CaseStateName(ranked.state)) + ": " + ranked.why;
  const std::string first = OneLine(ranked.reason.first);
  if (line.find(first) == std::string::npos) line += " (first: " + first + ")";
  return line + "\n";
}

// Returns the reasons why vectors were not judged: all defects, and the most frequent other
// reasons.
std::string Reasons(const RunReport& run) {
  const std::vector<RankedReason> reasons = run.tally.RankedReasons();
  if (reasons.empty()) return "";
  std::string text = "\nnot judged\n";
  size_t shown = 0;
  for (const RankedReason& ranked : reasons) {
    if (shown >= kReasonsMax && ranked.state != CaseState::kDefect) break;
    text += ReasonLine(ranked);
    ++shown;
  }
  const size_t others = reasons.size() - shown;
  if (others == 0) return text;
  return text + "         and " + std::to_string(others) +
         (others == 1 ? " other reason" : " other reasons") +
         (run.folder.empty() ? "; --report DIR lists all\n"
                             : ": " + run.folder + "/" + kNotJudgedFile + "\n");
}

// Returns the Arm test directories whose recorded results contradict the verdicts, with both.
std::string Contradictions(const RunReport& run) {
  std::string rows;
  int64_t count = 0;
  for (const CaseResult& result : run.cases) {
    if (!result.contradicts_record || ++count > kContradictionsMax) continue;
    rows += "  " + OneLine(result.vector) + "\n    " + OneLine(result.note) + "\n";
  }
  if (count == 0) return "";
  if (count > kContradictionsMax) {
    rows += "  and " + std::to_string(count - kContradictionsMax) +
            " others; report.jsonl lists them\n";
  }
  return "\n" + std::to_string(count) +
         (count == 1 ? " recorded result contradicts" : " recorded results contradict") +
         " our reading of the text, which decides\n" + rows;
}

std::string Indented(const std::string& text) {
  std::string indented;
  bool line_start = true;
  for (char c : text) {
    if (line_start && c != '\n') indented += "  ";
    indented += c;
    line_start = c == '\n';
  }
  if (!line_start) indented += '\n';
  return indented;
}

std::string HeadlineAndCount(const ReportedFinding& reported) {
  std::string text = ReportedHeadline(reported);
  if (reported.seen > 1) text += "  (seen " + std::to_string(reported.seen) + " times)";
  return text;
}

// Returns a line for a finding that is not known though its group is; "" for others.
std::string Beside(const RunReport& run, const ReportedFinding& reported) {
  if (reported.known_beside.empty()) return "";
  return "  new in a known group: " + OneLine(run.known.file) + " names it for " +
         OneLine(reported.known_beside, 500) + "\n";
}

// Returns a hint for a backend that has answered no vector: perhaps it was not reached at all.
// Returns "" for other backends.
std::string NoAnswers(const RunReport& run) {
  const auto has_no_answer = [](const ReportedFinding& reported) {
    return HasNoResults(reported.finding.violation);
  };
  const Tally& tally = run.tally;
  const bool alone = tally.CountAll(CaseState::kAgrees) + tally.CountAll(CaseState::kUndecided) +
                         tally.CountAll(CaseState::kSuspect) ==
                     0;
  if (!alone || run.findings.size() < 2 || !std::ranges::all_of(run.findings, has_no_answer)) {
    return "";
  }
  return "no vector was answered, so look first at the command itself, what it needs to run and " +
         std::string("what it says:\n") + Indented(FindingText(run.findings[0].finding));
}

// Returns the groups of suspects. None is a finding.
std::string Suspects(const RunReport& run) {
  std::string text;
  for (const ReportedSuspect& suspect : run.suspects) {
    text += "\nSUSPECT  " + OneLine(suspect.why);
    if (suspect.seen > 1) text += "  (seen " + std::to_string(suspect.seen) + " times)";
    text += "\n";
    if (!suspect.repeats) text += "  not repeatable: it was no such suspect when it ran again\n";
    text += Indented(suspect.graph_text) + "  replay: " + suspect.replay + "\n";
  }
  return text;
}

}  // namespace

std::string NotJudgedToText(const RunReport& run) {
  std::string text;
  for (const RankedReason& ranked : run.tally.RankedReasons()) text += ReasonLine(ranked);
  return CleanText(text);
}

std::string RunToText(const RunReport& run) {
  std::string text =
      Totals(run) + NoAnswers(run) + OperatorTable(run) + Reasons(run) + Contradictions(run);
  bool implied = false;
  std::string known;
  for (const FindingGroup& group : NewFirst(GroupByCause(run.findings), run)) {
    const ReportedFinding& first = run.findings[group.findings[0]];
    if (IsKnown(group, run.findings)) {
      const int64_t seen = SeenBy(group, run.findings);
      known += "\nKNOWN  " + group.title + "  (" + std::to_string(seen) +
               (seen == 1 ? " vector" : " vectors") + ")\n  group: " + group.name +
               "\n  reason: " + OneLine(first.known) + "\n  replay: " + first.replay + "\n";
      continue;
    }
    if (IsImplied(first.finding) && !std::exchange(implied, true)) {
      text += "\nimplied errors: the text states no ERROR_IF for what follows\n";
    }
    text += "\nFAIL  " + HeadlineAndCount(first) + "\n  group: " + group.title + " [" + group.name +
            (IsNew(group, run) ? "], new\n" : "]\n") + Beside(run, first) +
            Indented(ReportedText(first)) + Indented(first.graph_text) +
            "  replay: " + first.replay + "\n";
    for (size_t i = 1; i < group.findings.size(); ++i) {
      const ReportedFinding& like = run.findings[group.findings[i]];
      text += (like.known.empty() ? "  likewise " : "  known: ") + HeadlineAndCount(like) + "\n";
      if (!like.lost.empty()) text += "    " + LossText(like) + "\n";
      text += "    replay: " + like.replay + "\n";
    }
  }
  return CleanText(text + known + Suspects(run));
}

std::string PaceText(const ProgressState& state) {
  const int64_t fresh = state.done - state.recorded;
  if (fresh <= 0 || state.seconds <= 0) return "";
  const double pace = static_cast<double>(fresh) / state.seconds;
  std::string text = pace >= 10 ? std::to_string(std::llround(pace)) + " a second"
                                : std::to_string(std::llround(pace * 60)) + " a minute";
  std::optional<double> left;
  if (state.seconds_total > 0) {
    left = std::max(state.seconds_total - state.seconds, 0.0);
  } else if (state.total > 0) {
    left = static_cast<double>(state.total - state.done) / pace;
  }
  if (left) text += ", about " + RoundedDuration(std::llround(*left)) + " left";
  return text;
}

Progress::Progress(std::string what, int64_t total, double seconds_total, Now now)
    : what_(std::move(what)),
      now_(now ? std::move(now) : SteadySeconds),
      began_(now_()),
      said_(began_),
      terminal_(isatty(STDERR_FILENO) != 0) {
  state_.total = total;
  state_.seconds_total = seconds_total;
}

void Progress::Skip(int64_t done) {
  state_.recorded = done;
  began_ = now_();
}

void Progress::Show(int64_t done, int64_t findings) {
  const double now = now_();
  state_.done = done;
  state_.findings = findings;
  state_.seconds = now - began_;
  if (terminal_) {
    // Redraws at each permille or each second, so that a fast run does not spend its time drawing.
    const int64_t mark = state_.total > 0 ? done * 1000 / state_.total : done / 16;
    if (mark == shown_ && now < drawn_ + 1) return;
    shown_ = mark;
    drawn_ = now;
    Draw();
    return;
  }
  const std::string of = state_.total > 0 ? " of " + std::to_string(state_.total) : "";
  const std::string wrong = findings > 0 ? ", " + std::to_string(findings) + " disagree" : "";
  const std::string pace = PaceText(state_);
  Log(std::to_string(done) + of + " cases" + wrong + (pace.empty() ? "" : ", ") + pace);
}

void Progress::ShowMinimizing(int64_t number, int64_t of, int64_t runs) {
  const std::string text = "minimizing " + std::to_string(number) + " of " + std::to_string(of) +
                           ", " + std::to_string(runs) + (runs == 1 ? " run" : " runs");
  if (!terminal_) return Log(text);
  shown_ = -1;
  std::fprintf(stderr, "\r%s %s\x1b[K", what_.c_str(), text.c_str());
  std::fflush(stderr);
}

// Writes a line, unless the last one was written in the last minute.
void Progress::Log(const std::string& text) {
  const double now = now_();
  if (now < said_ + kSecondsBetweenLines) return;
  said_ = now;
  std::fprintf(stderr, "assay: %s: %s\n", what_.c_str(), text.c_str());
}

// Draws the bar. A budget in time fills it by time.
void Progress::Draw() {
  std::string line = "\r" + what_ + " " + std::to_string(state_.done);
  if (state_.total > 0) line += "/" + std::to_string(state_.total);
  std::optional<double> part;
  if (state_.total > 0) {
    part = static_cast<double>(state_.done) / static_cast<double>(state_.total);
  } else if (state_.seconds_total > 0) {
    part = state_.seconds / state_.seconds_total;
  }
  if (part) {
    const auto filled = static_cast<size_t>(std::min(*part, 1.0) * 30);
    line += " [" + std::string(filled, '#') + std::string(30 - filled, '.') + "]";
  }
  if (state_.findings > 0) line += " " + std::to_string(state_.findings) + " disagree";
  const std::string pace = PaceText(state_);
  if (!pace.empty()) line += " " + pace;
  line += "\x1b[K";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void Progress::Clear() {
  if (terminal_ && shown_) std::fputs("\r\x1b[K", stderr);
  shown_.reset();
}

}  // namespace assay
