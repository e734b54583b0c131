// SPDX-License-Identifier: Apache-2.0
#include "coverage_report.h"

#include <algorithm>

#include "html_text.h"
#include "joined.h"
#include "json_text.h"

namespace assay {
namespace {

constexpr size_t kMissedShown = 8;

std::string Fraction(const CoverageGroup& group) {
  return std::to_string(group.reached) + "/" + std::to_string(group.total);
}

}  // namespace

std::string CoverageToText(std::span<const CoverageGroup> table) {
  std::string text;
  for (const CoverageGroup& group : table) {
    const std::string fraction = Fraction(group);
    text += group.name + std::string(22 - std::min<size_t>(group.name.size(), 21), ' ') + fraction;
    if (!group.unreachable.empty()) {
      text += "  (" + std::to_string(group.unreachable.size()) + " more cannot be reached)";
    }
    text += "\n";
    for (size_t i = 0; i < std::min(kMissedShown, group.missed.size()); ++i) {
      text += "  missed: " + group.missed[i] + "\n";
    }
    if (group.missed.size() > kMissedShown) {
      text += "  and " + std::to_string(group.missed.size() - kMissedShown) +
              " more; --json lists them all\n";
    }
  }
  return text;
}

std::string CoverageToJson(std::span<const CoverageGroup> table) {
  Json json = Json::object();
  for (const CoverageGroup& group : table) {
    Json unreachable = Json::array();
    for (const UnreachableItem& item : group.unreachable) {
      unreachable.push_back({{"item", item.item}, {"why", item.why}});
    }
    json[group.name] = {{"reached", group.reached},
                        {"total", group.total},
                        {"missed", group.missed},
                        {"unreachable", std::move(unreachable)}};
  }
  return JsonText(json, 2) + "\n";
}

std::string CoverageToHtml(std::span<const CoverageGroup> table) {
  if (table.empty()) return "";
  std::string text =
      "<h2>Coverage of the specification</h2>\n<p class=\"soft\">What the vectors reach, counted "
      "from what the reference executor ran.</p>\n<div class=\"scroll\"><table>\n"
      "<thead><tr><th>of</th><th>reached</th><th>cannot be reached</th><th>missed</th></tr>"
      "</thead>\n<tbody>\n";
  for (const CoverageGroup& group : table) {
    text += "<tr>" + Tagged("th", "", group.name) + "<td>" + Fraction(group) + "</td><td>" +
            std::to_string(group.unreachable.size()) + "</td>" +
            Tagged("td", "class=\"wrap\"", Joined(group.missed)) + "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

}  // namespace assay
