// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend.h"
#include "files.h"
#include "interrupt.h"
#include "known_options.h"
#include "model_report.h"
#include "model_source.h"
#include "result.h"
#include "target_options.h"

namespace assay {

// A run of a model on one backend, or on two.
struct ModelRunOptions {
  std::string model;
  std::string backend, against;  // against: "" for one backend
  ModelOptions inputs;
  TargetOptions target;
  KnownOptions known;
  std::string report;  // folder; "" for none
  BackendOptions limits;
  bool strict = false;  // a layer that is suspect, undecided or unsupported matters
  int power_min = 0;    // percent of the faults that a verdict must show
};

// The meaning of a report. If several apply, it is the last.
enum class ModelEnding : uint8_t { kClean, kUndecided, kFinding, kDefect };

class ModelRun {
 public:
  // Checks the options, locks the folder of the report, and loads the model. Error kUsage for
  // options that do not fit together and for a vector of several graphs, kBadInput for a graph
  // without main block, and errors of what the options name.
  static Result<ModelRun> Open(ModelRunOptions options);

  // Judges the model on samples of inputs until one is not clean, and reports that one, or the
  // first. Unless the options say how many there are, drawn samples are added until two in a row
  // show no fault of a layer that none before has shown. A model that is clean is also judged on
  // operands made for its layers, where these show more (ModelPower). If faults of its floats are
  // left, a second pass has weights on a lattice. With a folder, the vector of
  // the wrong layer is minimized and written there. After a signal (interrupt.h), the report has
  // what was judged until then. Errors of JudgeModel().
  Result<ModelReport> Judge();

  ModelEnding EndingOf(const ModelReport& report) const;

  // Writes model.html and model.json.
  Result<Done> Write(const ModelReport& report) const;

 private:
  ModelRun(ModelRunOptions options, ChosenTargets targets, KnownFailures known, ModelSource model,
           std::optional<FolderLock> lock);
  std::string Command() const;
  // Returns true if the run chooses how many samples there are.
  bool AddsSamples() const;
  Result<ModelReport> JudgeSamples() const;
  bool IsClean(const ModelReport& report) const { return EndingOf(report) == ModelEnding::kClean; }
  // Minimizes the vector of the layer that is wrong on a backend into a folder of the report.
  Result<Done> WorkUpLayer(const std::string& name, const char* folder,
                           BackendOnModel& backend) const;

  ModelRunOptions options_;
  ChosenTargets targets_;
  KnownFailures known_;
  ModelSource model_;
  std::optional<FolderLock> lock_;
  std::unique_ptr<InterruptWatch> watch_;  // of Judge(), and of what follows
};

}  // namespace assay
