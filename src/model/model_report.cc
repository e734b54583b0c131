// SPDX-License-Identifier: Apache-2.0
#include "model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"
#include "joined.h"
#include "layer_location.h"
#include "operator.h"
#include "result_records.h"
#include "version.h"

namespace assay {
namespace {

int64_t MultiplyAccumulatesOf(const std::vector<Layer>& layers) {
  int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.multiply_accumulates;
  return sum;
}

}  // namespace

template <>
struct JsonRecord<Evidence> {
  static void Fields(auto& v, auto& evidence) {
    v.Always("exact", evidence.exact);
    v.Since("by_lattice", evidence.by_lattice);
    v.Always("by_sets", evidence.by_sets);
    v.Always("open", evidence.open);
    v.Computed("by_spread_only", 0, "always 0: nothing is judged by the spread of executors");
  }
};

template <>
struct JsonRecord<Layer> {
  static constexpr char kName[] = "layer";
  static constexpr char kAbout[] = "One layer, judged alone.";
  static void Fields(auto& v, auto& layer) {
    v.Always("layer", layer.number, "from 1");
    v.Maybe("inside", layer.inside, "the layer whose control flow runs its block");
    v.Maybe("path", layer.path, "to its block, from the main one");
    v.Always("operator", layer.use.op);
    v.Always("type", layer.use.type);
    v.Always("result", layer.name);
    v.Always("location", layer.location);
    v.Computed("result_type",
               layer.type.type == DType::kUnknown ? std::string() : layer.type.ToString());
    v.Always("multiply_accumulates", layer.multiply_accumulates);
    v.Always("least", layer.least);
    v.Always("greatest", layer.greatest);
    v.Always("informative", layer.informative);
    v.Always("error_units", layer.distance.units);
    v.Always("allowed_units", layer.distance.allowed_units);
    v.Always("error_of_allowed", layer.distance.of_allowed);
    v.Always("state", layer.result.state);
    v.Always("note", layer.result.note);
  }
};

// The layer that is wrong, as model.json has it.
struct WrongLine {
  size_t layer = 0;
  std::string seen_by;
  bool is_suspect = false;
  std::string finding;
  std::optional<std::string> vector, replay;
  friend bool operator==(const WrongLine&, const WrongLine&) = default;
};

template <>
struct JsonRecord<WrongLine> {
  static constexpr char kName[] = "wrong";
  static constexpr char kAbout[] = "The layer that is wrong.";
  static void Fields(auto& v, auto& wrong) {
    v.Always("layer", wrong.layer);
    v.Always("seen_by", wrong.seen_by);
    v.Always("suspect", wrong.is_suspect);
    v.Maybe("finding", wrong.finding);
    v.Maybe("vector", wrong.vector);
    v.Maybe("replay", wrong.replay);
  }
};

std::optional<WrongLine> WrongLineOf(const BackendOnModel& backend) {
  if (!backend.verdict.wrong) return std::nullopt;
  const WrongLayer& wrong = *backend.verdict.wrong;
  WrongLine line = {wrong.layer + 1, wrong.seen_by, wrong.is_suspect, {}, {}, {}};
  const std::vector<Finding>& findings = wrong.result.verdict.findings;
  if (!findings.empty()) line.finding = FindingText(findings[0], findings[0].step > 0);
  if (backend.finding) {
    line.vector = backend.finding->vector;
    line.replay = backend.finding->replay;
  }
  return line;
}

template <>
struct JsonRecord<BackendOnModel> {
  // Lists all fields but the title.
  static void Verdict(auto& v, auto& backend) {
    auto& verdict = backend.verdict;
    v.Computed("verdict", ModelHeadline(backend));
    v.Always("state", verdict.whole.state);
    v.Always("note", verdict.whole.note);
    v.Always("elements", verdict.evidence);
    v.Always("outside_target", verdict.outside);
    v.Always("windows", verdict.whole.windows);
    v.Always("tapped", verdict.whole.tapped);
    v.Always("runs", verdict.runs);
    v.Always("layers", verdict.layers);
    v.Maybe("wrong", WrongLineOf(backend));
  }
  static void Fields(auto& v, auto& backend) {
    v.Always("backend", backend.title);
    Verdict(v, backend);
  }
};

template <>
struct JsonRecord<LatticePass> {
  static constexpr char kName[] = "lattice_pass";
  static constexpr char kAbout[] = "The second pass, with weights on a lattice.";
  static void Fields(auto& v, auto& pass) {
    v.Always("inputs", pass.inputs);
    v.Maybe("why_not", pass.why_not, "the reason if the model has no such pass");
    v.If(pass.why_not.empty(), "pass", pass.backend);
  }
};

template <>
struct JsonRecord<Parting> {
  static constexpr char kName[] = "parting";
  static void Fields(auto& v, auto& parting) {
    v.Always("elements", parting.elements);
    v.Always("apart", parting.apart);
    v.Always("units", parting.units);
  }
};

// The comparison of two backends, with the lines for people.
struct ComparisonPart {
  ModelComparison comparison;
  std::vector<std::string> lines;
};

template <>
struct JsonRecord<ComparisonPart> {
  static void Fields(auto& v, auto& part) {
    v.Always("outputs", part.comparison.outputs);
    v.Always("alone", part.comparison.alone);
    v.If(!part.comparison.inside.empty(), "inside", part.comparison.inside);
    v.Always("text", part.lines);
  }
};

template <>
struct JsonRecord<ModelReport> {
  static void Fields(auto& v, auto& report) {
    const SpecVersion spec;
    v.Always("model", report.path);
    v.Computed("schema", kModelSchema);
    v.Computed("assay", kToolkitVersion);
    v.Computed("spec", std::array{spec.major, spec.minor, spec.patch});
    v.Always("backend", report.backend.title);
    v.Always("command", report.command);
    v.Always("inputs", report.inputs);
    v.Maybe("partial", report.gaps);
    v.Always("constant_bytes", report.constant_bytes);
    v.Computed("multiply_accumulates", MultiplyAccumulatesOf(report.backend.verdict.layers));
    JsonRecord<BackendOnModel>::Verdict(v, report.backend);
    v.If(report.against.has_value(), "against", report.against);
    ComparisonPart part;
    if (report.against) part = {report.comparison, ComparisonLines(report)};
    v.If(report.against.has_value(), "comparison", part);
    v.Maybe("power", report.power);
    v.If(report.lattice.has_value(), "lattice", report.lattice);
  }
};

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
  return layer.path + std::string(OperatorName(layer.use.op)) + " " +
         std::string(TypeName(layer.use.type)) + " " + layer.name +
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
  if (report.power) columns.push_back("faults noticed");
  return columns;
}

std::vector<std::string> LayerRow(const ModelReport& report, size_t index) {
  const Layer& layer = report.backend.verdict.layers[index];
  const bool has_result = layer.type.type != DType::kUnknown;  // VARIABLE_WRITE has none
  const std::string caller = layer.inside > 0 ? std::to_string(layer.inside) + " / " : "";
  std::vector<std::string> row = {
      std::to_string(index + 1),
      caller + std::string(OperatorName(layer.use.op)),
      layer.name,
      has_result ? layer.type.ToString() : "",
      layer.multiply_accumulates > 0 ? std::to_string(layer.multiply_accumulates) : "",
      has_result ? Figure(layer.least) + " .. " + Figure(layer.greatest) : "",
      has_result ? fmt::format("{:.0f} %", 100 * layer.informative) : "",
      Figure(layer.distance.units),
      Figure(layer.distance.of_allowed),
      std::string(CaseStateName(layer.result.state))};
  if (report.against) {
    const std::vector<Layer>& others = report.against->verdict.layers;
    const auto& [outputs, alone, inside] = report.comparison;
    row.emplace_back(index < others.size() ? CaseStateName(others[index].result.state) : "");
    row.push_back(index < alone.size() ? Figure(alone[index].units) : "");
    if (!inside.empty()) row.push_back(index < inside.size() ? Figure(inside[index].units) : "");
  }
  if (report.power) {
    const auto of =
        std::ranges::find(report.power->layers, index + 1, &PowerSummary::OfLayer::layer);
    row.push_back(of == report.power->layers.end()
                      ? ""
                      : fmt::format("{} of {}", of->AllShown(), of->faults));
  }
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
    text += Indented(FindingHeadline(findings[0])) +
            Indented(FindingText(findings[0], findings[0].step > 0));
  }
  if (backend.finding && !backend.finding->vector.empty()) {
    text += "  smallest vector: " + backend.finding->vector +
            "\n  replay: " + backend.finding->replay + "\n";
  }
  return text;
}

std::vector<std::string> LatticeLines(const ModelReport& report) {
  if (!report.lattice) return {};
  const LatticePass& pass = *report.lattice;
  if (!pass.why_not.empty()) return {"no second pass with weights on a lattice: " + pass.why_not};
  return {"second pass, with weights on a lattice: " + ModelHeadline(pass.backend), pass.inputs,
          LayersText(pass.backend.verdict.layers)};
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
  for (const std::string& line : LatticeLines(report)) text += line + "\n";
  if (report.lattice) text += WrongLayerText(report.lattice->backend);
  if (report.power) {
    for (const std::string& line : PowerLines(*report.power)) text += line + "\n";
  }
  if (report.against) {
    text += "\nagainst " + report.against->title + "\n" + VerdictText(*report.against) + "\n";
    for (const std::string& line : ComparisonLines(report)) text += line + "\n";
  }
  return CleanText(text);
}

std::string ModelToJson(const ModelReport& report) {
  return JsonText(RecordToJson(report), 2) + "\n";
}

std::string ModelSchema() {
  Json definitions = Json::object();
  const Json schema = RecordSchema<ModelReport>(definitions);
  return SchemaText(
      "model.json, version " + std::to_string(kModelSchema) + ": the report of `assay model`",
      schema, definitions);
}

}  // namespace assay
