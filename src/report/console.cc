#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"

namespace assay {
namespace {

constexpr size_t kReasonsMax = 12;

std::string Number(int64_t number) { return std::to_string(number); }

std::string Padded(std::string text, size_t width, bool right = false) {
  if (text.size() >= width) return text;
  const std::string blanks(width - text.size(), ' ');
  return right ? blanks + text : text + blanks;
}

std::string Totals(const RunReport& run) {
  const StateCounts counts = CountStates(run.cases);
  std::string text = "total: " + Number(static_cast<int64_t>(run.cases.size())) +
                     (run.cases.size() == 1 ? " vector" : " vectors") + " on " + run.title;
  const char* separator = ": ";
  for (CaseState state : kAllCaseStates) {
    const int64_t count = counts[static_cast<size_t>(state)];
    if (count == 0 && state != CaseState::kAgrees && state != CaseState::kDisagrees) continue;
    text += separator + Number(count) + " " + std::string(CaseStateName(state));
    separator = ", ";
  }
  text += "\n";
  int64_t judged = 0, undecided = 0;
  for (const CaseResult& result : run.cases) {
    judged += result.verdict.judged_elements;
    undecided += result.verdict.undecided_elements;
  }
  text += Number(judged) + " elements judged, " + Number(undecided) + " undecided\n";
  for (const auto& [name, count] : run.counts) text += name + ": " + Number(count) + "\n";
  return text;
}

// The rows in which something does not agree; the others only as a number.
std::string OperatorTable(const RunReport& run) {
  std::string rows;
  size_t clean = 0;
  for (const auto& [use, counts] : CountByOperator(run.cases)) {
    int64_t all = 0;
    for (int64_t count : counts) all += count;
    if (counts[static_cast<size_t>(CaseState::kAgrees)] == all) {
      ++clean;
      continue;
    }
    rows +=
        Padded(std::string(OperatorName(use.op)), 24) + Padded(std::string(TypeName(use.type)), 9);
    for (CaseState state : kAllCaseStates) {
      const std::string_view name = CaseStateName(state);
      rows += Padded(Number(counts[static_cast<size_t>(state)]), name.size() + 2, true);
    }
    rows += "\n";
  }
  if (rows.empty()) return "";
  std::string text = "\n" + Padded("operator", 24) + Padded("type", 9);
  for (CaseState state : kAllCaseStates) text += "  " + std::string(CaseStateName(state));
  text += "\n" + rows;
  if (clean > 0) {
    text += "and " + Number(static_cast<int64_t>(clean)) + " rows in which all vectors agree\n";
  }
  return text;
}

// Why vectors were not judged, most frequent first.
std::string Reasons(const RunReport& run) {
  std::map<std::string, std::pair<int64_t, std::string>> reasons;  // count, first vector
  for (const CaseResult& result : run.cases) {
    if (result.state == CaseState::kAgrees || result.state == CaseState::kDisagrees) continue;
    const std::string key = std::string(CaseStateName(result.state)) + ": " + OneLine(result.note);
    auto& [count, first] = reasons[key];
    if (count++ == 0) first = result.vector;
  }
  if (reasons.empty()) return "";
  std::vector<std::pair<std::string, std::pair<int64_t, std::string>>> sorted(reasons.begin(),
                                                                              reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  std::string text = "\nnot judged\n";
  for (size_t i = 0; i < sorted.size() && i < kReasonsMax; ++i) {
    const auto& [key, seen] = sorted[i];
    text += Padded(Number(seen.first), 7, true) + "  " + key + " (first: " + seen.second + ")\n";
  }
  if (sorted.size() > kReasonsMax) {
    text += "         and " + Number(static_cast<int64_t>(sorted.size() - kReasonsMax)) +
            " other reasons\n";
  }
  return text;
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

}  // namespace

std::string RunToText(const RunReport& run) {
  std::string text = Totals(run) + OperatorTable(run) + Reasons(run);
  for (const ReportedFinding& reported : run.findings) {
    text += "\nFAIL  " + FindingHeadline(reported.finding);
    if (reported.seen > 1) text += "  (seen " + Number(reported.seen) + " times)";
    text += "\n" + Indented(FindingText(reported.finding)) + Indented(reported.graph_text);
    text += "  replay: " + reported.replay + "\n";
  }
  return CleanText(text);
}

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::Show(int64_t done, int64_t findings) {
  // Redrawn at each permille, so that a fast run does not spend its time drawing.
  const int64_t mark = total_ > 0 ? done * 1000 / total_ : done / 16;
  if (!terminal_ || mark == shown_) return;
  shown_ = mark;
  std::string line = "\r" + what_ + " " + std::to_string(done);
  if (total_ > 0) {
    const auto filled = static_cast<size_t>(done * 30 / total_);
    line += "/" + std::to_string(total_) + " [" + std::string(filled, '#') +
            std::string(30 - filled, '.') + "]";
  }
  if (findings > 0) line += " " + std::to_string(findings) + " disagree";
  line += "\x1b[K";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void Progress::Clear() {
  if (terminal_ && shown_ >= 0) std::fputs("\r\x1b[K", stderr);
  shown_ = -1;
}

}  // namespace assay
