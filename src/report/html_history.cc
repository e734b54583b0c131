// SPDX-License-Identifier: Apache-2.0
#include "html_history.h"

#include <algorithm>
#include <vector>

#include "html_text.h"
#include "run_changes.h"

namespace assay {
namespace {

// The last runs that are shown. The file has all of them.
constexpr size_t kRunsShown = 60;

// The size of the chart, in units of its own.
constexpr int64_t kWidth = 600, kHeight = 160, kLeft = 44, kRight = 10, kTop = 10, kBottom = 24;

int64_t CountOf(const PastRun& run, CaseState state) {
  return run.states[static_cast<size_t>(state)];
}

// A line of the chart.
struct Series {
  const char* name;
  const char* style;  // its class
  int64_t (*of)(const PastRun& run);
};

constexpr Series kSeries[] = {
    {"vectors that disagree", "line-bad",
     [](const PastRun& run) { return CountOf(run, CaseState::kDisagrees); }},
    {"groups of findings that are not known", "line-groups",
     [](const PastRun& run) { return static_cast<int64_t>(run.groups.size()); }},
    {"known vectors", "line-known",
     [](const PastRun& run) { return CountOf(run, CaseState::kKnown); }},
};

int64_t PlaceOf(size_t run, size_t runs) {
  const int64_t width = kWidth - kLeft - kRight;
  return runs < 2 ? kLeft + width / 2
                  : kLeft + width * static_cast<int64_t>(run) / static_cast<int64_t>(runs - 1);
}

int64_t HeightOf(int64_t count, int64_t most) {
  return kHeight - kBottom - (kHeight - kTop - kBottom) * count / most;
}

std::string Line(const Series& series, std::span<const PastRun> runs, int64_t most) {
  std::string points, dots;
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::string x = std::to_string(PlaceOf(i, runs.size()));
    const std::string y = std::to_string(HeightOf(series.of(runs[i]), most));
    points += (i == 0 ? "" : " ") + x + "," + y;
    dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\"><title>" + Escaped(runs[i].date) +
            ": " + std::to_string(series.of(runs[i])) + " " + series.name + "</title></circle>";
  }
  return std::string("<g class=\"") + series.style + "\"><polyline points=\"" + points + "\"/>" +
         dots + "</g>\n";
}

std::string Label(int64_t x, int64_t y, const char* anchor, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" +
         anchor + "\">" + Escaped(text) + "</text>\n";
}

std::string Chart(std::span<const PastRun> runs) {
  int64_t most = 1;
  for (const PastRun& run : runs) {
    for (const Series& series : kSeries) most = std::max(most, series.of(run));
  }
  std::string svg = "<svg class=\"trend\" role=\"img\" aria-label=\"Trend over the last " +
                    std::to_string(std::ssize(runs)) + " runs; the table below has the numbers\" " +
                    "viewBox=\"0 0 " + std::to_string(kWidth) + " " + std::to_string(kHeight) +
                    "\">\n";
  for (const int64_t count : {int64_t{0}, most}) {
    const std::string y = std::to_string(HeightOf(count, most));
    svg += "<line class=\"rule\" x1=\"" + std::to_string(kLeft) + "\" x2=\"" +
           std::to_string(kWidth - kRight) + "\" y1=\"" + y + "\" y2=\"" + y + "\"/>\n" +
           Label(kLeft - 6, HeightOf(count, most) + 4, "end", std::to_string(count));
  }
  svg += Label(kLeft, kHeight - 6, "start", runs.front().date);
  if (runs.size() > 1) svg += Label(kWidth - kRight, kHeight - 6, "end", runs.back().date);
  for (const Series& series : kSeries) svg += Line(series, runs, most);
  svg += "</svg>\n<p class=\"legend\">";
  for (const Series& series : kSeries) {
    svg += "<span><svg class=\"key\" viewBox=\"0 0 28 8\" aria-hidden=\"true\"><g class=\"";
    svg += std::string(series.style) + "\"><polyline points=\"0,4 28,4\"/></g></svg> " +
           series.name + "</span> ";
  }
  return svg + "</p>\n";
}

int64_t NewIn(const PastRun& run, const PastRun& before) {
  return std::ranges::count_if(run.groups, [&before](const std::string& name) {
    return std::ranges::find(before.groups, name) == before.groups.end();
  });
}

std::string RunRow(const PastRun& run, const PastRun* before) {
  std::string row = "<tr>" + Tagged("td", "", run.date) + Tagged("td", "", run.assay) +
                    Tagged("td", "class=\"wrap\"", run.title) + "<td>" + std::to_string(run.cases) +
                    "</td>";
  for (const CaseState state : {CaseState::kAgrees, CaseState::kDisagrees, CaseState::kKnown,
                                CaseState::kUndecided, CaseState::kUnsupported}) {
    row += "<td>" + std::to_string(CountOf(run, state)) + "</td>";
  }
  row += "<td>" + std::to_string(std::ssize(run.groups)) + "</td><td>";
  if (before != nullptr)
    row += std::to_string(NewIn(run, *before)) + " / " + std::to_string(NewIn(*before, run));
  return row + "</td></tr>\n";
}

}  // namespace

std::string GoneToHtml(const RunReport& run, std::span<const FindingGroup> groups) {
  if (!run.past.since) return "";
  const std::vector<PastGroup> gone = GoneGroups(groups, run);
  std::string text = "<h2 id=\"gone\">No longer found</h2>\n";
  if (gone.empty()) {
    return text + "<p class=\"soft\">All groups of " + Tagged("code", "", run.past.since->file) +
           " are found again.</p>\n";
  }
  text += "<p class=\"soft\">Groups of " + Tagged("code", "", run.past.since->file) +
          " that this run has not found.</p>\n<div class=\"scroll\"><table>\n<thead><tr>"
          "<th>group</th><th>vectors then</th><th>name</th></tr></thead>\n<tbody>\n";
  for (const PastGroup& group : gone) {
    text += "<tr>" + Tagged("td", "class=\"wrap\"", group.title) + "<td>" +
            std::to_string(group.seen) + "</td><td class=\"wrap\">" +
            Tagged("code", "", group.name) + "</td></tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string TrendToHtml(const RunReport& run) {
  if (run.past.history.empty()) return "";
  const std::span<const PastRun> all = run.past.history;
  const std::span<const PastRun> runs = all.last(std::min(all.size(), kRunsShown));
  std::string text =
      "<h2 id=\"trend\">Trend</h2>\n<p class=\"soft\">" + std::to_string(std::ssize(all)) +
      (all.size() == 1 ? " run in " : " runs in ") + Tagged("code", "", run.past.history_file) +
      (runs.size() < all.size()
           ? ", of which the last " + std::to_string(std::ssize(runs)) + " are shown"
           : std::string()) +
      ". The last one is this run.</p>\n" + Chart(runs) +
      "<div class=\"scroll\"><table>\n<thead><tr><th>date</th><th>Assay</th>"
      "<th>backend</th><th>vectors</th><th>agree</th><th>disagree</th><th>known</th>"
      "<th>undecided</th><th>unsupported</th><th>groups</th><th>new / gone</th>"
      "</tr></thead>\n<tbody>\n";
  for (size_t i = runs.size(); i-- > 0;) text += RunRow(runs[i], i > 0 ? &runs[i - 1] : nullptr);
  return text + "</tbody>\n</table></div>\n";
}

std::string AboutToHtml(const RunReport& run) {
  if (run.facts.empty()) return "";
  std::string text =
      "<h2 id=\"about\">About this run</h2>\n<div class=\"facts\"><table>\n<tbody>\n";
  for (const auto& [name, value] : run.facts) {
    text += "<tr>" + Tagged("th", "scope=\"row\"", name) + "<td>" + Tagged("code", "", value) +
            "</td></tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

}  // namespace assay
