// SPDX-License-Identifier: Apache-2.0
#include "model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"
#include "joined.h"
#include "json_fields.h"
#include "json_text.h"
#include "layer_location.h"
#include "operator.h"
#include "version.h"

namespace assay {
namespace {

std::string Count(int64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

// Returns what the elements of the outputs rest on.
std::string EvidenceText(const ModelVerdict& verdict) {
  const auto& [exact, by_lattice, by_sets, open] = verdict.evidence;
  std::string text = fmt::format(
      "{}: {} with one right value, ",
      Count(exact + by_lattice + by_sets + open, "output element", "output elements"), exact);
  if (by_lattice > 0) text += fmt::format("{} exact by lattice, ", by_lattice);
  text +=
      fmt::format("{} judged by sets, {} that no rule for the whole model reaches", by_sets, open);
  const CaseResult& whole = verdict.whole;
  std::string others;
  if (whole.tapped > 0) others += Count(whole.tapped, "layer", "layers") + " by taps, ";
  if (whole.windows > 0) others += Count(whole.windows, "window", "windows") + ", ";
  if (whole.spread.elements > 0) {
    others += Count(whole.spread.elements, "element", "elements") + " by spread only, ";
  }
  if (!others.empty()) text += "; also judged: " + others.substr(0, others.size() - 2);
  return text;
}

std::string LayersText(const std::vector<Layer>& layers) {
  std::map<CaseState, int64_t> counts;
  for (const Layer& layer : layers) ++counts[layer.result.state];
  int64_t open = std::ssize(layers) - counts[CaseState::kAgrees];
  std::string text = fmt::format("{} alone: {} agree", Count(std::ssize(layers), "layer", "layers"),
                                 counts[CaseState::kAgrees]);
  constexpr std::pair<CaseState, const char*> kWords[] = {{CaseState::kDisagrees, "disagree"},
                                                          {CaseState::kKnown, "known"},
                                                          {CaseState::kSuspect, "suspect"},
                                                          {CaseState::kUnsupported, "unsupported"}};
  for (const auto& [state, word] : kWords) {
    if (counts[state] > 0) text += fmt::format(", {} {}", counts[state], word);
    open -= counts[state];
  }
  if (open > 0) text += fmt::format(", {} not decided", open);
  return text;
}

// Returns the reasons why layers are not decided, each with the numbers of its layers.
std::vector<std::string> OpenLayers(const std::vector<Layer>& layers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (size_t i = 0; i < layers.size(); ++i) {
    const CaseResult& result = layers[i].result;
    if (result.state != CaseState::kUndecided) continue;
    const std::string& why = result.note.empty() ? result.verdict.reason : result.note;
    auto reason = std::ranges::find(reasons, why, [](const auto& known) { return known.first; });
    if (reason == reasons.end()) reason = reasons.insert(reason, {why, {}});
    reason->second.push_back(std::to_string(i + 1));
  }
  std::vector<std::string> lines;
  for (const auto& [why, numbers] : reasons) {
    lines.push_back(std::string("not decided: layer") + (numbers.size() == 1 ? " " : "s ") +
                    OneLine(Joined(numbers), 60) + ": " + why);
  }
  return lines;
}

std::string TypedName(const Layer& layer) {
  return std::string(OperatorName(layer.use.op)) + " " + std::string(TypeName(layer.use.type)) +
         " " + layer.name +
         (layer.location.empty() ? "" : ", at " + LayerLocationText(layer.location));
}

std::string Figure(double x) { return std::isnan(x) ? "" : fmt::format("{:.3g}", x); }

// Columns of numbers, which are aligned to the right.
bool IsNumber(size_t column) { return column == 0 || (column >= 4 && column <= 8) || column > 10; }

// Returns the text with every line indented.
std::string Indented(const std::string& text) {
  std::string indented = "  ";
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented += "  ";
  }
  return indented + "\n";
}

// Returns the last words of a name that is too long for a table.
std::string Shortened(const std::string& name) {
  constexpr size_t kMost = 28;
  return name.size() <= kMost ? name : ".." + name.substr(name.size() - kMost + 2);
}

std::string TableText(const ModelReport& report) {
  std::vector<std::vector<std::string>> rows = {LayerColumns(report)};
  for (size_t i = 0; i < report.backend.verdict.layers.size(); ++i) {
    rows.push_back(LayerRow(report, i));
    for (std::string& cell : rows.back()) cell = CleanText(Shortened(cell));
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += IsNumber(c) ? fmt::format("{:>{}}  ", row[c], widths[c])
                          : fmt::format("{:<{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

int64_t MultiplyAccumulatesOf(const std::vector<Layer>& layers) {
  int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.multiply_accumulates;
  return sum;
}

Json JsonOf(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json JsonOf(size_t number, const Layer& layer) {
  Json json;
  json["layer"] = number;
  json["operator"] = OperatorName(layer.use.op);
  json["type"] = TypeName(layer.use.type);
  json["result"] = layer.name;
  json["location"] = layer.location;
  json["result_type"] = layer.type.type == DType::kUnknown ? "" : layer.type.ToString();
  json["multiply_accumulates"] = layer.multiply_accumulates;
  json["least"] = JsonOf(layer.least);
  json["greatest"] = JsonOf(layer.greatest);
  json["informative"] = layer.informative;
  json["error_units"] = JsonOf(layer.distance.units);
  json["allowed_units"] = JsonOf(layer.distance.allowed_units);
  json["error_of_allowed"] = JsonOf(layer.distance.of_allowed);
  json["state"] = CaseStateName(layer.result.state);
  json["note"] = layer.result.note;
  return json;
}

// Returns the part of the report that is on one backend.
Json JsonOf(const BackendOnModel& backend) {
  const ModelVerdict& verdict = backend.verdict;
  Json json;
  json["verdict"] = ModelHeadline(backend);
  json["state"] = CaseStateName(verdict.whole.state);
  json["note"] = verdict.whole.note;
  json["elements"] = {{"exact", verdict.evidence.exact},
                      {"by_lattice", verdict.evidence.by_lattice},
                      {"by_sets", verdict.evidence.by_sets},
                      {"open", verdict.evidence.open},
                      {"by_spread_only", verdict.whole.spread.elements}};
  json["outside_target"] = verdict.outside;
  json["windows"] = verdict.whole.windows;
  json["tapped"] = verdict.whole.tapped;
  json["runs"] = verdict.runs;
  json["layers"] = Json::array();
  for (size_t i = 0; i < verdict.layers.size(); ++i) {
    json["layers"].push_back(JsonOf(i + 1, verdict.layers[i]));
  }
  if (verdict.wrong) {
    const WrongLayer& wrong = *verdict.wrong;
    Json found = {
        {"layer", wrong.layer + 1}, {"seen_by", wrong.seen_by}, {"suspect", wrong.is_suspect}};
    if (!wrong.result.verdict.findings.empty()) {
      found["finding"] = FindingText(wrong.result.verdict.findings[0], false);
    }
    if (backend.finding) {
      found["vector"] = backend.finding->vector;
      found["replay"] = backend.finding->replay;
    }
    json["wrong"] = std::move(found);
  }
  return json;
}

Json JsonOf(const Parting& parting) {
  return {
      {"elements", parting.elements}, {"apart", parting.apart}, {"units", JsonOf(parting.units)}};
}

Json JsonOf(const ModelComparison& comparison) {
  Json json = {{"outputs", JsonOf(comparison.outputs)}, {"alone", Json::array()}};
  for (const Parting& layer : comparison.alone) json["alone"].push_back(JsonOf(layer));
  for (const Parting& layer : comparison.inside) json["inside"].push_back(JsonOf(layer));
  return json;
}

std::string VerdictText(const BackendOnModel& backend) {
  std::string text;
  for (const std::string& reason : backend.verdict.outside) {
    text += "outside the target: " + reason + "\n";
  }
  text += "verdict: " + ModelHeadline(backend) + "\n";
  for (const std::string& line : EvidenceLines(backend)) text += line + "\n";
  return text + WrongLayerText(backend);
}

// Tells whether the model or one of its layers was found to be wrong.
bool IsOutside(const ModelVerdict& verdict) {
  const auto is_wrong = [](const Layer& layer) {
    return layer.result.state == CaseState::kDisagrees;
  };
  return verdict.whole.state == CaseState::kDisagrees ||
         std::ranges::any_of(verdict.layers, is_wrong);
}

}  // namespace

int64_t ConstantBytesOf(const TestVector& model) {
  int64_t bytes = 0;
  for (const auto& [block, op] : model.graphs[0].Operators()) {
    if (op.op != Op::kConst) continue;
    bytes += std::ssize(op.attributes.Value(AttributeId::kValues).bytes());
  }
  return bytes;
}

std::string ModelHeadline(const BackendOnModel& backend) {
  const ModelVerdict& verdict = backend.verdict;
  std::string text(CaseStateName(verdict.whole.state));
  if (verdict.wrong) {
    const WrongLayer& wrong = *verdict.wrong;
    text = (wrong.is_suspect ? "suspect: layer " : "disagrees: layer ") +
           std::to_string(wrong.layer + 1) + ", " + TypedName(verdict.layers[wrong.layer]);
  } else if (!verdict.whole.verdict.findings.empty() && verdict.whole.state != CaseState::kKnown) {
    text += ": " + FindingHeadline(verdict.whole.verdict.findings[0]);
  } else if (!verdict.whole.note.empty()) {
    text += ": " + verdict.whole.note;
  }
  return OneLine(text, 300);
}

std::string TitleOf(const ModelReport& report) {
  return report.path + " on " + report.backend.title +
         (report.against ? " against " + report.against->title : "");
}

std::vector<std::string> LayerColumns(const ModelReport& report) {
  std::vector<std::string> columns = {
      "#",     "operator",    "result", "type",       "multiply-adds",
      "range", "informative", "error",  "of allowed", "alone"};
  if (report.against) columns.insert(columns.end(), {"the other", "apart"});
  if (!report.comparison.inside.empty()) columns.push_back("apart inside");
  return columns;
}

std::vector<std::string> LayerRow(const ModelReport& report, size_t index) {
  const Layer& layer = report.backend.verdict.layers[index];
  const bool has_result = !layer.name.empty();
  std::vector<std::string> row = {
      std::to_string(index + 1),
      std::string(OperatorName(layer.use.op)),
      layer.name,
      has_result ? layer.type.ToString() : "",
      layer.multiply_accumulates > 0 ? std::to_string(layer.multiply_accumulates) : "",
      has_result ? Figure(layer.least) + " .. " + Figure(layer.greatest) : "",
      has_result ? fmt::format("{:.0f} %", 100 * layer.informative) : "",
      Figure(layer.distance.units),
      Figure(layer.distance.of_allowed),
      std::string(CaseStateName(layer.result.state))};
  if (!report.against) return row;
  const std::vector<Layer>& others = report.against->verdict.layers;
  const auto& [outputs, alone, inside] = report.comparison;
  row.emplace_back(index < others.size() ? CaseStateName(others[index].result.state) : "");
  row.push_back(index < alone.size() ? Figure(alone[index].units) : "");
  if (index < inside.size()) row.push_back(Figure(inside[index].units));
  return row;
}

std::vector<std::string> EvidenceLines(const BackendOnModel& backend) {
  const ModelVerdict& verdict = backend.verdict;
  std::vector<std::string> lines;
  if (verdict.outside.empty()) lines.push_back(EvidenceText(verdict));
  if (!verdict.layers.empty()) lines.push_back(LayersText(verdict.layers));
  for (std::string& line : OpenLayers(verdict.layers)) lines.push_back(std::move(line));
  lines.push_back(Count(verdict.runs, "run", "runs") + " of the backend");
  return lines;
}

std::string WrongLayerText(const BackendOnModel& backend) {
  if (!backend.verdict.wrong) return "";
  const WrongLayer& wrong = *backend.verdict.wrong;
  const Layer& layer = backend.verdict.layers[wrong.layer];
  std::string text = fmt::format("{} layer: {}, {}\n  {}\n", wrong.is_suspect ? "suspect" : "wrong",
                                 wrong.layer + 1, TypedName(layer), wrong.seen_by);
  const std::vector<Finding>& findings = wrong.result.verdict.findings;
  if (!findings.empty()) {
    text += Indented(FindingHeadline(findings[0])) + Indented(FindingText(findings[0], false));
  }
  if (backend.finding && !backend.finding->vector.empty()) {
    text += "  smallest vector: " + backend.finding->vector +
            "\n  replay: " + backend.finding->replay + "\n";
  }
  return text;
}

std::vector<std::string> ComparisonLines(const ModelReport& report) {
  const BackendOnModel& backend = report.backend;
  const ModelComparison& comparison = report.comparison;
  std::vector<std::string> lines;
  const auto& [elements, apart, units] = comparison.outputs;
  if (elements == 0) {
    lines.emplace_back("the outputs cannot be compared");
  } else {
    lines.push_back(apart == 0
                        ? "the outputs are equal"
                        : fmt::format("{} of {} differ, by {:.3g} units at most", apart,
                                      Count(elements, "output element", "output elements"), units));
  }
  if (const std::optional<size_t> first = comparison.FirstApart()) {
    const Layer& layer = backend.verdict.layers[*first];
    const double allowed = layer.distance.allowed_units;
    lines.push_back(fmt::format("they part first at layer {}, {}, by {:.3g} units alone{}",
                                *first + 1, TypedName(layer), comparison.alone[*first].units,
                                allowed > 0 ? fmt::format("; {:.3g} are allowed", allowed) : ""));
  } else if (!comparison.alone.empty()) {
    lines.emplace_back("every layer alone gives the same on both");
  }
  const bool first_is_wrong = IsOutside(backend.verdict);
  const bool other_is_wrong = IsOutside(report.against->verdict);
  if (first_is_wrong && other_is_wrong) lines.emplace_back("both are outside the specification");
  if (!first_is_wrong && !other_is_wrong) {
    lines.emplace_back("neither was found to be outside the specification");
  }
  if (first_is_wrong != other_is_wrong) {
    const BackendOnModel& wrong = first_is_wrong ? backend : *report.against;
    lines.push_back("outside the specification: " + wrong.title + "; " + ModelHeadline(wrong));
  }
  return lines;
}

std::string ModelToText(const ModelReport& report) {
  const std::vector<Layer>& layers = report.backend.verdict.layers;
  std::string text = TitleOf(report) + "\n";
  text += fmt::format("{}, {} multiply-accumulates, {} bytes of constants; {}\n\n",
                      Count(std::ssize(layers), "layer", "layers"), MultiplyAccumulatesOf(layers),
                      report.constant_bytes, report.inputs);
  for (const std::string& gap : report.gaps) text += "partial: " + gap + "\n\n";
  if (!layers.empty()) text += TableText(report) + "\n";
  text += VerdictText(report.backend);
  if (report.against) {
    text += "\nagainst " + report.against->title + "\n" + VerdictText(*report.against) + "\n";
    for (const std::string& line : ComparisonLines(report)) text += line + "\n";
  }
  return CleanText(text);
}

std::string ModelToJson(const ModelReport& report) {
  Json json;
  const SpecVersion spec;
  json["model"] = report.path;
  json["schema"] = kModelSchema;
  json["assay"] = kToolkitVersion;
  json["spec"] = {spec.major, spec.minor, spec.patch};
  json["backend"] = report.backend.title;
  json["command"] = report.command;
  json["inputs"] = report.inputs;
  if (!report.gaps.empty()) json["partial"] = report.gaps;
  json["constant_bytes"] = report.constant_bytes;
  json["multiply_accumulates"] = MultiplyAccumulatesOf(report.backend.verdict.layers);
  json.update(JsonOf(report.backend));
  if (report.against) {
    json["against"] = {{"backend", report.against->title}};
    json["against"].update(JsonOf(*report.against));
    json["comparison"] = JsonOf(report.comparison);
    json["comparison"]["text"] = ComparisonLines(report);
  }
  return JsonText(json, 2) + "\n";
}

}  // namespace assay
