// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "coverage_table.h"
#include "model_needs.h"
#include "model_source.h"
#include "power_summary.h"
#include "result.h"
#include "target_options.h"
#include "windows.h"

namespace assay {

// The models whose parts become a suite, and the parts to take.
struct ExtractionOptions {
  std::vector<std::string> paths;  // of graphs, vectors, suites and Arm test directories
  std::string out;                 // the folder of the suite
  ModelOptions model;              // of graphs; without `samples` and `weights`
  WindowLimits windows;
  int64_t bytes_max = int64_t{64} << 20;  // of a vector
  int64_t made_most = 0;                  // vectors of a window on operands made for it
  BackendOptions limits;                  // of the time for a vector
  TargetOptions target;
};

// The windows of one operator, or those of several.
struct WindowCounts {
  const char* kind;   // of the vectors: their folder in the suite
  int64_t found = 0;  // repetitions included
  int64_t distinct = 0;
  int64_t vectors = 0;
};

// A vector of one operator, in the suite.
struct OperatorConfiguration {
  std::string file;  // in the folder of the suite
  OperatorUse use;
  int64_t operators = 0;  // of the models that have this configuration
  std::string identity;   // SHA-256 of Window::identity
  std::string trimmed;    // one line: what TrimChannels() left out; "" if the vector is whole
};

// The result of an extraction.
struct Extraction {
  WindowCounts one = {"operator"}, made = {"made"}, several = {"window"};
  WindowCounts sequences = {"sequence"};  // the parts of models that carry state (StateSequences())
  int64_t bytes = 0;                      // of the vectors
  std::vector<OperatorConfiguration> configurations;
  int64_t trimmed = 0;                     // of these
  std::map<std::string, int64_t> skipped;  // distinct windows without a vector, by reason
  int64_t cut_short = 0;                   // operators at which WindowLimits::sets_max was reached
  int64_t in_models = 0;                   // operators, constants left out
  int64_t in_vectors = 0;                  // of these, those that a vector of one operator tests
  PowerSummary power;                      // of the vectors of one operator; it numbers them from 1
  std::vector<OperatorNeed> needs;
  // That of the vectors of one operator, in the groups that operators decide.
  std::vector<CoverageGroup> coverage;

  int64_t vectors() const {
    return one.vectors + made.vectors + several.vectors + sequences.vectors;
  }
};

// Loads the models, draws the inputs of graphs that get none from files, finds the windows, and
// writes each distinct one to a suite in a new or empty folder, which is locked meanwhile. Operands
// that are made for a configuration are written if they show a fault for the first time; those for
// windows of two and three operators are always written. A model with variables runs several steps
// if its inputs are drawn, and its parts that carry state become sequences. The suite depends on
// the options and the models only. Writes nothing if a model cannot be loaded. Errors of
// ChosenTargets::Make(), ListCases(), LoadCase(), ModelSource::Load(), DrawModelInputs() and of
// writing. Error kUsage for an unknown level, a vector with --shape, inputs of several samples, or
// a folder that is not empty.
Result<Extraction> Extract(const ExtractionOptions& options);

}  // namespace assay
