// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html_style.h"
#include "html_text.h"
#include "layer_location.h"
#include "model_report.h"

namespace assay {
namespace {

// The drawing of the layers' errors: a column for each layer, a logarithmic axis of units.
constexpr double kWidth = 1100, kHeight = 220, kMargin = 46;

// Returns the decade of an error, 0 for one of 1 unit and more for larger ones.
double Decade(double units) { return units > 0 ? std::log10(units) : -INFINITY; }

class Curve {
 public:
  explicit Curve(const std::vector<Layer>& layers) : layers_(layers) {
    for (const Layer& layer : layers) {
      for (const double units : {layer.distance.units, layer.distance.allowed_units}) {
        if (!std::isfinite(units) || units <= 0) continue;
        low_ = std::min(low_, std::floor(Decade(units)));
        high_ = std::max(high_, std::ceil(Decade(units)));
      }
    }
  }

  std::string Svg() const {
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"errors by layer\" width=\"100%\">\n",
        kWidth, kHeight);
    for (double decade = low_; decade <= high_; decade += std::max(1.0, (high_ - low_) / 8)) {
      svg += fmt::format(
          "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--line)\"/>"
          "<text x=\"4\" y=\"{:.1f}\" font-size=\"11\" fill=\"var(--soft)\">1e{:.0f}</text>\n",
          kMargin, kWidth, Y(decade), Y(decade), Y(decade) + 4, decade);
    }
    svg += Line("var(--soft)", [](const Layer& layer) { return layer.distance.allowed_units; });
    svg += Line("var(--accent)", [](const Layer& layer) { return layer.distance.units; });
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (layers_[i].result.state != CaseState::kDisagrees) continue;
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"var(--bad)\"/>\n",
                         X(i), Y(Shown(layers_[i].distance.units)));
    }
    return svg + "</svg>\n";
  }

 private:
  double X(size_t layer) const {
    const double step =
        (kWidth - kMargin) / static_cast<double>(std::max<size_t>(1, layers_.size()));
    return kMargin + (static_cast<double>(layer) + 0.5) * step;
  }
  double Y(double decade) const {
    return kHeight - 12 - (decade - low_) / std::max(1.0, high_ - low_) * (kHeight - 24);
  }
  // An error of zero, or an unknown one, lies on the axis; an infinite one at the top.
  double Shown(double units) const {
    if (std::isinf(units)) return high_;
    return units > 0 ? std::clamp(Decade(units), low_, high_) : low_;
  }

  template <class Value>
  std::string Line(const char* color, Value value) const {
    std::string points;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const double units = value(layers_[i]);
      if (std::isnan(units)) continue;
      points += fmt::format("{:.1f},{:.1f} ", X(i), Y(Shown(units)));
    }
    return fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{}\"/>\n",
                       color, points);
  }

  const std::vector<Layer>& layers_;
  double low_ = -1, high_ = 1;  // decades
};

std::string Table(const ModelReport& report) {
  const std::vector<Layer>& layers = report.backend.verdict.layers;
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& name : LayerColumns(report)) html += Tagged("th", "", name);
  html += "</tr></thead>\n";
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool is_wrong = layers[i].result.state == CaseState::kDisagrees;
    html += fmt::format("<tr id=\"layer-{}\"", i + 1);
    std::string title = LayerLocationText(layers[i].location);
    if (!layers[i].result.note.empty())
      title += (title.empty() ? "" : ": ") + layers[i].result.note;
    if (!title.empty()) html += " title=\"" + Escaped(title) + "\"";
    html += ">";
    for (const std::string& cell : LayerRow(report, i)) {
      html += Tagged("td", is_wrong ? "class=\"fails\"" : "", cell);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string VerdictHtml(const BackendOnModel& backend) {
  std::string html = Tagged("h2", "", "Verdict: " + ModelHeadline(backend)) + "\n";
  for (const std::string& reason : backend.verdict.outside) {
    html += Tagged("p", "", "outside the target: " + reason) + "\n";
  }
  for (const std::string& line : EvidenceLines(backend)) html += Tagged("p", "", line) + "\n";
  if (const std::string wrong = WrongLayerText(backend); !wrong.empty()) {
    html += "<div class=\"finding\">" + Tagged("pre", "", wrong) + "</div>\n";
  }
  return html;
}

}  // namespace

std::string ModelToHtml(const ModelReport& report) {
  const std::vector<Layer>& layers = report.backend.verdict.layers;
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
                     Tagged("title", "", TitleOf(report)) + "\n<style>" + kReportStyle +
                     "</style>\n</head>\n<body>\n";
  html += Tagged("h1", "", TitleOf(report)) + "\n";
  html += Tagged("p", "class=\"soft\"", report.command) + "\n";
  html += Tagged("p", "class=\"soft\"", report.inputs) + "\n";
  for (const std::string& gap : report.gaps) html += Tagged("p", "", "partial: " + gap) + "\n";
  html += VerdictHtml(report.backend);
  for (const std::string& line : LatticeLines(report)) html += Tagged("p", "", line) + "\n";
  if (report.lattice && report.lattice->backend.verdict.wrong) {
    html += "<div class=\"finding\">" + Tagged("pre", "", WrongLayerText(report.lattice->backend)) +
            "</div>\n";
  }
  if (report.power) {
    for (const std::string& line : PowerLines(*report.power)) html += Tagged("p", "", line) + "\n";
  }
  if (report.against) {
    html += Tagged("h2", "", "Against " + report.against->title) + "\n";
    for (const std::string& line : ComparisonLines(report)) html += Tagged("p", "", line) + "\n";
    html += VerdictHtml(*report.against);
  }
  if (!layers.empty()) {
    html += Tagged("h2", "", "Error of each layer, in units in the last place") + "\n" +
            Curve(layers).Svg() +
            Tagged("p", "class=\"soft\"",
                   "blue: the backend's largest error; grey: the largest that is allowed; red: a "
                   "layer that disagrees") +
            "\n" + Tagged("h2", "", "Layers, each alone on the reference executor's values") +
            "\n" + Table(report);
  }
  return html + "</body>\n</html>\n";
}

}  // namespace assay
