#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model_verdict.h"
#include "report.h"

namespace assay {

// A model on a backend, for a person.
struct ModelReport {
  std::string path;
  std::string title;    // the backend's description of itself
  std::string command;  // that gives the same report
  std::string inputs;   // one line: where they come from
  int64_t constant_bytes = 0;
  ModelVerdict verdict;
  std::optional<ReportedFinding> finding;  // of the wrong layer
};

// Returns the number of bytes of the constants of a model.
int64_t ConstantBytesOf(const TestVector& model);

// Returns the verdict in one line: "agrees: ...", "disagrees: layer 30, CONV2D fp32 conv30: ...".
std::string ModelHeadline(const ModelReport& report);

// The table of layers: the names of its columns, and the cells of layer `number`, counted from 1.
const std::vector<std::string>& LayerColumns();
std::vector<std::string> LayerRow(size_t number, const Layer& layer);
// Returns what the verdict rests on, a line each.
std::vector<std::string> EvidenceLines(const ModelReport& report);
// Returns the lines on the wrong layer; "" if there is none.
std::string WrongLayerText(const ModelReport& report);

// Return the whole report as text for a terminal, as JSON, and as one HTML page with the errors of
// the layers as a curve over the depth of the model.
std::string ModelToText(const ModelReport& report);
std::string ModelToJson(const ModelReport& report);
std::string ModelToHtml(const ModelReport& report);

}  // namespace assay
