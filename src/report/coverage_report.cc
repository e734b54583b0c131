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
  const std::string fraction = std::to_string(group.reached) + "/" + std::to_string(group.total);
  if (group.name != "informative_elements" || group.total == 0) return fraction;
  return fraction + " (" + std::to_string(100 * group.reached / group.total) + " %)";
}

// Returns what the counts of a group are about.
std::string_view CountsOf(const CoverageGroup& group) {
  if (group.name == "informative_elements") return "changed by no operand: ";
  if (group.name == "float_depths") return "outputs: ";
  return "met: ";
}

// Returns "1: 20, 2: 7".
std::string CountsText(const CoverageGroup& group) {
  return Joined(group.counts, ", ", [](const ItemCount& entry) {
    return entry.item + ": " + std::to_string(entry.count);
  });
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
    if (!group.counts.empty())
      text += "  " + std::string(CountsOf(group)) + CountsText(group) + "\n";
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

std::string FloatSummary(std::span<const CoverageGroup> groups) {
  const auto group = [groups](std::string_view name) {
    const auto found = std::ranges::find(groups, name, &CoverageGroup::name);
    return found == groups.end() ? CoverageGroup() : *found;
  };
  const CoverageGroup depths = group("float_depths");
  const CoverageGroup elements = group("informative_elements");
  const auto is_deep = [](const ItemCount& entry) { return entry.item != "1" && entry.count > 0; };
  if (elements.total == 0 || std::ranges::none_of(depths.counts, is_deep)) return "";
  return "floats: " + Fraction(group("float_idioms")) + " idioms, " +
         Fraction(group("float_pairs")) + " pairs of inexact operators, " +
         std::to_string(100 * elements.reached / elements.total) +
         " % of the elements change with an operand; outputs by depth " + CountsText(depths) + "\n";
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
    for (const ItemCount& entry : group.counts) {
      json[group.name]["counts"][entry.item] = entry.count;
    }
  }
  return JsonText(json, 2) + "\n";
}

std::string CoverageToHtml(std::span<const CoverageGroup> table) {
  if (table.empty()) return "";
  std::string text =
      "<h2>Coverage of the specification</h2>\n<p class=\"soft\">What the vectors reach, counted "
      "from what the reference executor ran.</p>\n<div class=\"scroll\"><table>\n"
      "<thead><tr><th>of</th><th>reached</th><th>cannot be "
      "reached</th><th>counted</th><th>missed</th></tr>"
      "</thead>\n<tbody>\n";
  for (const CoverageGroup& group : table) {
    text += "<tr>" + Tagged("th", "", group.name) + "<td>" + Fraction(group) + "</td><td>" +
            std::to_string(group.unreachable.size()) + "</td>" +
            Tagged("td", "class=\"wrap\"",
                   group.counts.empty() ? "" : std::string(CountsOf(group)) + CountsText(group)) +
            Tagged("td", "class=\"wrap\"", Joined(group.missed)) + "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

}  // namespace assay
