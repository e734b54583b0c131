// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.h"
#include "result.h"

namespace assay {

// A run of cases, which gives a report. Its options have been checked, and its folder is locked
// until the object goes.
class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual ~Run() = default;

  // Judges the cases and works up the findings. After a signal (interrupt.h), the report has what
  // was judged until then.
  virtual Result<RunReport> Judge() = 0;
  // Tells whether an error of Judge() is a finding: the backend crashes or times out on all vectors
  // and never answers.
  virtual bool NeverAnswers() const { return false; }
  // Writes the files of the report, and the result to the history and the known failures that the
  // options name. Completes the report with what belongs into its files alone.
  virtual Result<Done> Write(RunReport& report) = 0;
};

}  // namespace assay
