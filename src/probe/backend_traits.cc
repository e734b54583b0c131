// SPDX-License-Identifier: Apache-2.0
#include "backend_traits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"
#include "html_style.h"
#include "html_text.h"
#include "json_fields.h"
#include "json_text.h"
#include "version.h"

namespace assay {
namespace {

// The version of the JSON object. It changes if a member changes its meaning or is removed.
constexpr int kTraitsSchema = 2;

// A plot: the parts of the arguments to the right, the share of the allowed error upwards. A share
// of 1 is at two thirds of the height.
constexpr double kPlotWidth = 560, kPlotHeight = 120, kShareAtTop = 1.5;

struct Section {
  const char* title;
  const std::vector<BackendTrait> BackendTraits::*traits;
  const char* name;  // in JSON
};
constexpr Section kSections[] = {
    {"Order of sums", &BackendTraits::sums, "sums"},
    {"Precision between operators", &BackendTraits::precision, "precision"},
    {"Subnormal numbers", &BackendTraits::subnormals, "subnormals"},
};
constexpr char kAccuracyTitle[] =
    "Elementary functions: largest error, as a share of what is allowed";

std::string Text(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string NameOf(const OperatorUse& use) {
  return std::string(OperatorLabel(use.op)) + " " + std::string(TypeLabel(use.type));
}

std::string AccuracyText(const FunctionAccuracy& function) {
  if (!function.why_not.empty()) return OneLine(function.why_not);
  return Text("%.3f", function.worst) + " at " + Text("%.9g", function.at) +
         (function.power ? " to the power of " + Text("%.9g", *function.power) : "") +
         ", of arguments from " + Text("%.4g", function.first) + " to " +
         Text("%.4g", function.last) + " and " + std::to_string(function.special) +
         " special values";
}

std::string Coordinate(double number) { return Text("%.1f", number); }

std::string Plot(const FunctionAccuracy& function) {
  const double step = kPlotWidth / static_cast<double>(function.largest.size());
  const auto height_of = [](double share) {
    return kPlotHeight * (1 - std::min(share, kShareAtTop) / kShareAtTop);
  };
  std::string bars;
  for (size_t i = 0; i < function.largest.size(); ++i) {
    const double share = function.largest[i];
    if (std::isnan(share)) continue;
    const double top = height_of(share);
    bars += "<rect x=\"" + Coordinate(static_cast<double>(i) * step) + "\" y=\"" + Coordinate(top) +
            "\" width=\"" + Coordinate(step) + "\" height=\"" + Coordinate(kPlotHeight - top) +
            "\" fill=\"var(" + (share > 1 ? "--bad" : "--accent") + ")\"/>\n";
  }
  const std::string allowed = Coordinate(height_of(1));
  return "<svg viewBox=\"0 0 " + Coordinate(kPlotWidth) + " " + Coordinate(kPlotHeight) +
         "\" role=\"img\" aria-label=\"" + NameOf(function.use) + "\" width=\"100%\">\n" + bars +
         "<line x1=\"0\" x2=\"" + Coordinate(kPlotWidth) + "\" y1=\"" + allowed + "\" y2=\"" +
         allowed + "\" stroke=\"var(--bad)\" stroke-dasharray=\"4 4\"/>\n</svg>\n";
}

std::string FunctionToHtml(const FunctionAccuracy& function) {
  return "<div class=\"finding\">" + Tagged("h3", "", NameOf(function.use)) + "\n" +
         Tagged("p", "", AccuracyText(function)) + "\n" +
         (function.why_not.empty() ? Plot(function) : "") + "</div>\n";
}

}  // namespace

std::string TraitsToText(const BackendTraits& traits) {
  std::string text = OneLine(traits.title) + "\n";
  for (const Section& section : kSections) {
    text += "\n" + std::string(section.title) + "\n";
    for (const BackendTrait& trait : traits.*section.traits) {
      text += "  " + trait.question + ": " + OneLine(trait.answer, 2000) + "\n";
    }
  }
  text += "\n" + std::string(kAccuracyTitle) + "\n";
  for (const FunctionAccuracy& function : traits.functions) {
    text += "  " + NameOf(function.use) + ": " + AccuracyText(function) + "\n";
  }
  return text;
}

std::string TraitsToJson(const BackendTraits& traits) {
  Json json = {{"traits", kTraitsSchema},
               {"assay", kToolkitVersion},
               {"backend", traits.title},
               {"command", traits.command}};
  for (const Section& section : kSections) {
    Json& list = json[section.name] = Json::array();
    for (const BackendTrait& trait : traits.*section.traits) {
      list.push_back({{"question", trait.question}, {"answer", trait.answer}});
    }
  }
  Json& functions = json["functions"] = Json::array();
  for (const FunctionAccuracy& function : traits.functions) {
    Json row = {{"operator", OperatorName(function.use.op)}, {"type", TypeName(function.use.type)}};
    if (function.why_not.empty()) {
      row.update({{"first", function.first},
                  {"last", function.last},
                  {"special", function.special},
                  {"starts", function.starts},
                  {"worst", function.worst},
                  {"at", function.at},
                  {"largest", function.largest}});
      if (function.power) row["power"] = *function.power;
    } else {
      row["not_supported"] = function.why_not;
    }
    functions.push_back(std::move(row));
  }
  return JsonText(json, 1) + "\n";
}

std::string TraitsToHtml(const BackendTraits& traits) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n" +
      Tagged("title", "", "Assay: what " + traits.title + " does") + "\n<style>" + kReportStyle +
      "</style>\n</head>\n<body>\n" + Tagged("h1", "", "What " + traits.title + " does") +
      "\n<p class=\"soft\">" + Tagged("code", "", traits.command) +
      "</p>\n<p>The specification leaves freedom. This page shows, by probing, which of it the "
      "backend uses. Nothing here is a verdict.</p>\n";
  for (const Section& section : kSections) {
    html += Tagged("h2", "", section.title) + "\n<div class=\"scroll\"><table>\n<tbody>\n";
    for (const BackendTrait& trait : traits.*section.traits) {
      html += "<tr>" + Tagged("td", "", trait.question) +
              Tagged("td", "class=\"wrap\"", trait.answer) + "</tr>\n";
    }
    html += "</tbody>\n</table></div>\n";
  }
  html +=
      Tagged("h2", "", kAccuracyTitle) +
      "\n<p class=\"soft\">Arguments ascend to the right, as many for each bar. The dashed line is "
      "what is allowed. A bar above it is red.</p>\n";
  for (const FunctionAccuracy& function : traits.functions) html += FunctionToHtml(function);
  return html + "</body>\n</html>\n";
}

}  // namespace assay
