// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"
#include "html_operators.h"
#include "html_style.h"
#include "html_text.h"
#include "result_records.h"
#include "run_comparison.h"
#include "version.h"

namespace assay {
namespace {

using Row = std::vector<std::string>;

// The version of the JSON object. It changes if a member changes its meaning or is removed.
constexpr int kComparisonSchema = 1;

struct Table {
  std::string title;
  Row header;
  std::vector<Row> rows;
};

// Returns the letters of a run: A to Z, then AA.
std::string LettersOf(size_t run) {
  std::string letters(1, static_cast<char>('A' + run % 26));
  return run < 26 ? letters : LettersOf(run / 26 - 1) + letters;
}

Row WithLetters(const RunComparison& comparison, Row before, Row after) {
  for (size_t i = 0; i < comparison.runs.size(); ++i) before.push_back(LettersOf(i));
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::string StateText(const std::optional<CaseState>& state) {
  return state ? std::string(CaseStateName(*state)) : "not run";
}

// Returns "30✓ 2✗"; "" if nothing was counted.
std::string StateCountsText(const StateCounts& counts) {
  std::string text;
  for (const CaseState state : kAllCaseStates) {
    const int64_t count = counts[static_cast<size_t>(state)];
    if (count == 0) continue;
    text += (text.empty() ? "" : " ") + std::to_string(count) + std::string(StateSign(state));
  }
  return text;
}

Table TotalsOf(const RunComparison& comparison) {
  Table table = {"Backends", {"", "backend", "vectors"}, {}};
  std::vector<CaseState> columns;
  for (const CaseState state : kAllCaseStates) {
    const bool occurs = std::ranges::any_of(
        comparison.runs, [&](const ComparedRun& run) { return run.tally.CountAll(state) > 0; });
    if (!occurs) continue;
    columns.push_back(state);
    table.header.emplace_back(CaseStateName(state));
  }
  for (size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    Row row = {LettersOf(i), OneLine(run.report.title), std::to_string(run.tally.cases)};
    for (const CaseState state : columns) row.push_back(std::to_string(run.tally.CountAll(state)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table VectorsOf(const RunComparison& comparison, const std::string& title,
                const std::vector<VectorsByStates>& list) {
  Table table = {title, WithLetters(comparison, {"vectors"}, {"the first"}), {}};
  for (const VectorsByStates& vectors : list) {
    Row row = {std::to_string(vectors.count)};
    for (const auto& state : vectors.states) row.push_back(StateText(state));
    row.push_back(OneLine(vectors.first));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table GroupTable(const RunComparison& comparison) {
  Table table = {"Findings by cause: the vectors that show it",
                 WithLetters(comparison, {"group"}, {"finding"}),
                 {}};
  for (const SharedGroup& group : comparison.groups) {
    Row row = {OneLine(group.name)};
    for (const int64_t seen : group.seen) row.push_back(seen > 0 ? std::to_string(seen) : "");
    row.push_back(OneLine(group.title));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Returns the states that occur in counts, as a set of bits.
uint32_t StatesIn(const StateCounts& counts) {
  uint32_t states = 0;
  for (size_t i = 0; i < counts.size(); ++i) states |= counts[i] > 0 ? 1U << i : 0U;
  return states;
}

// Returns the operators and types that do not have the same states in all runs.
Table OperatorsOf(const RunComparison& comparison) {
  Table table = {
      "Operators and types that differ", WithLetters(comparison, {"operator", "type"}, {}), {}};
  std::set<OperatorUse> uses;
  for (const ComparedRun& run : comparison.runs) {
    for (const auto& [use, unused] : run.tally.by_operator) {
      if (use.op != Op::kUnknown) uses.insert(use);
    }
  }
  for (const OperatorUse& use : uses) {
    Row row = {std::string(OperatorLabel(use.op)), std::string(TypeLabel(use.type))};
    std::set<uint32_t> states;
    for (const ComparedRun& run : comparison.runs) {
      const auto found = run.tally.by_operator.find(use);
      const StateCounts counts =
          found == run.tally.by_operator.end() ? StateCounts{} : found->second;
      // A vector that disagrees counts for what its findings blame alone, so a run may have none.
      if (counts != StateCounts{}) states.insert(StatesIn(counts));
      row.push_back(StateCountsText(counts));
    }
    if (states.size() > 1) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Table> TablesOf(const RunComparison& comparison) {
  std::vector<Table> tables = {
      TotalsOf(comparison),
      VectorsOf(comparison, "Where they part: one agrees, another disagrees", comparison.parted),
      VectorsOf(comparison, "Other vectors that differ", comparison.others), GroupTable(comparison),
      OperatorsOf(comparison)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::string SameText(const RunComparison& comparison) {
  int64_t parted = 0;
  for (const VectorsByStates& vectors : comparison.parted) parted += vectors.count;
  return "vectors with the same state on all: " + std::to_string(comparison.same) +
         "; the backends part on " + std::to_string(parted);
}

constexpr char kLegend[] =
    "✓ agrees, ✗ disagrees, ≈ known, ⁈ suspect, ? undecided, – unsupported, ! bad input or defect";

// Returns the number of characters of UTF-8.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string TableToText(const Table& table) {
  std::vector<Row> rows = {table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  std::vector<size_t> widths(table.header.size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text = table.title + "\n";
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += "  " + row[i] + std::string(widths[i] - WidthOf(row[i]), ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string ComparisonToText(const RunComparison& comparison) {
  std::string text;
  for (const Table& table : TablesOf(comparison)) text += TableToText(table) + "\n";
  return text + kLegend + "\n" + SameText(comparison) + "\n";
}

std::string ComparisonToHtml(const RunComparison& comparison) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>Assay: comparison of backends</title>\n<style>" +
      std::string(kReportStyle) + "</style>\n</head>\n<body>\n<h1>Comparison of backends</h1>\n" +
      Tagged("p", "", SameText(comparison)) + "\n" + Tagged("p", "class=\"soft\"", kLegend) + "\n";
  for (size_t i = 0; i < comparison.runs.size(); ++i) {
    const EarlierReport& report = comparison.runs[i].report;
    html +=
        "<p class=\"soft\">" + LettersOf(i) + ": " + Tagged("code", "", report.command) + "</p>\n";
  }
  for (const Table& table : TablesOf(comparison)) {
    html += Tagged("h2", "", table.title) + "\n<div class=\"scroll\"><table>\n<thead><tr>";
    for (const std::string& cell : table.header) html += Tagged("th", "scope=\"col\"", cell);
    html += "</tr></thead>\n<tbody>\n";
    for (const Row& row : table.rows) {
      html += "<tr>";
      for (const std::string& cell : row) html += Tagged("td", "", cell);
      html += "</tr>\n";
    }
    html += "</tbody>\n</table></div>\n";
  }
  return html + "</body>\n</html>\n";
}

template <>
struct JsonForm<std::optional<CaseState>> {
  static Json To(const std::optional<CaseState>& state) { return StateText(state); }
  static Json Schema() {
    Json schema = JsonForm<CaseState>::Schema();
    schema["enum"].push_back(StateText({}));
    return schema;
  }
};

template <>
struct JsonRecord<VectorsByStates> {
  static constexpr char kName[] = "vectors";
  static void Fields(auto& v, auto& vectors) {
    v.Always("states", vectors.states, "the state in each run; not run: the run lacks the vectors");
    v.Always("vectors", vectors.count);
    v.Always("first", vectors.first, "the path of the first of them");
  }
};

template <>
struct JsonRecord<ComparedRun> {
  static void Fields(auto& v, auto& run) {
    CountsByState counts = {.with_zeros = true};
    for (const CaseState state : kAllCaseStates) {
      counts.counts[static_cast<size_t>(state)] = run.tally.CountAll(state);
    }
    v.Always("report", run.report.file, "the path of its report.jsonl");
    v.Always("run", run.report.title, "what the backend says of itself");
    v.Always("backend", run.report.backend, "the value of --backend");
    v.Always("command", run.report.command);
    v.Always("cases", counts, "the number of vectors in each state");
  }
};

template <>
struct JsonRecord<SharedGroup> {
  static void Fields(auto& v, auto& group) {
    v.Always("group", group.name, "the name of the group in the reports");
    v.Always("title", group.title);
    v.Always("seen", group.seen, "for each run, the vectors that show it");
  }
};

template <>
struct JsonRecord<RunComparison> {
  static void Fields(auto& v, auto& comparison) {
    v.Computed("comparison", kComparisonSchema, "the version of this schema");
    v.Computed("assay", kToolkitVersion, "the version of Assay");
    v.Always("runs", comparison.runs,
             "the runs, in the order of all lists below that have a member for each run");
    v.Always("same", comparison.same, "vectors with the same state in all runs");
    v.Always("parted", comparison.parted, "vectors that agree in one run and disagree in another");
    v.Always("others", comparison.others, "other vectors that have not the same state in all runs");
    v.Always("groups", comparison.groups);
  }
};

std::string ComparisonToJson(const RunComparison& comparison) {
  return JsonText(RecordToJson(comparison), 1) + "\n";
}

std::string ComparisonSchema() {
  Json definitions = Json::object();
  const Json schema = RecordSchema<RunComparison>(definitions);
  return SchemaText("comparison.json of assay compare, and of assay verify with several backends",
                    schema, definitions);
}

}  // namespace assay
