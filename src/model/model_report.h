// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats.h"
#include "lattice_pass.h"
#include "model_comparison.h"
#include "model_verdict.h"

namespace assay {

// A model on a backend, or on two, for a person.
struct ModelReport {
  std::string path;
  std::string command;            // that gives the same report
  std::string inputs;             // one line: where they come from
  std::vector<std::string> gaps;  // what was left out, a line each
  int64_t constant_bytes = 0;
  BackendOnModel backend;
  std::optional<BackendOnModel> against;
  ModelComparison comparison;         // only with `against`
  std::optional<PowerSummary> power;  // of a verdict that agrees
  std::optional<LatticePass> lattice = {};
};

// Returns the number of bytes of the constants of a model.
int64_t ConstantBytesOf(const TestVector& model);

// Returns the verdict in one line: "agrees: ...", "disagrees: layer 30, CONV2D fp32 conv30: ...".
std::string ModelHeadline(const BackendOnModel& backend);

// Returns "m.tosa on mlir (LLVM 22.1.8)", with "against" and the other backend if there is one.
std::string TitleOf(const ModelReport& report);

// The table of layers: the names of its columns, and the cells of layer `index`.
std::vector<std::string> LayerColumns(const ModelReport& report);
std::vector<std::string> LayerRow(const ModelReport& report, size_t index);
// Returns what the verdict rests on, a line each.
std::vector<std::string> EvidenceLines(const BackendOnModel& backend);
// Returns the lines on the wrong layer; "" if there is none.
std::string WrongLayerText(const BackendOnModel& backend);
// Returns the verdict of the second pass, a line each; none without one.
std::vector<std::string> LatticeLines(const ModelReport& report);
// Returns where two backends part, and which of them is outside of what the specification allows, a
// line each. Only with `against`.
std::vector<std::string> ComparisonLines(const ModelReport& report);

// The version of the schema of model.json, model.schema.json. It changes as kReportSchema does.
inline constexpr int kModelSchema = formats::kModelReport.version;

// Return the whole report as text for a terminal, as JSON, and as one HTML page with the errors of
// the layers as a curve over the depth of the model.
std::string ModelToText(const ModelReport& report);
std::string ModelToJson(const ModelReport& report);
std::string ModelToHtml(const ModelReport& report);

// Returns the schema of model.json, model.schema.json.
std::string ModelSchema();

}  // namespace assay
