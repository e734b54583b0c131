// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "flight_recorder.h"

namespace mlir {
class MLIRContext;
class ModuleOp;
}  // namespace mlir

namespace assay {

// The changes of a module, as distinct lines in the order in which they occurred.
class Changes {
 public:
  explicit Changes(std::string& text) : text_(text) {}
  void Add(const std::string& line) {
    ++count_;
    if (seen_.insert(line).second) text_ += line + "\n";
  }
  int64_t count() const { return count_; }  // of all lines, distinct or not

 private:
  std::string& text_;
  int64_t count_ = 0;
  std::set<std::string> seen_;
};

// The pass pipelines of a process. Each is parsed and set up once, because the tables of patterns
// of its passes take half a millisecond to make. All run in one context.
class Pipelines {
 public:
  explicit Pipelines(FlightRecorder& recorder);
  ~Pipelines();

  // Runs a pipeline `builtin.module(...)` and records each pass. With `verified`, the module is
  // verified after each pass, otherwise after the last one only. Returns false if the pipeline or
  // the module is refused; then `problem` has what MLIR's diagnostics do not say.
  bool Run(mlir::ModuleOp module, const std::string& pipeline, bool verified, Changes& applied,
           std::string& problem);

 private:
  struct Pipeline;
  FlightRecorder& recorder_;
  std::map<std::string, std::unique_ptr<Pipeline>> pipelines_;
};

// Makes the context tell the recorder every pattern that is tried, until the object ends. Collects
// the patterns that change the module. This takes a part of the time of a pass.
class PatternNotes {
 public:
  PatternNotes(mlir::MLIRContext& context, FlightRecorder& recorder, Changes& applied);
  ~PatternNotes();
  PatternNotes(const PatternNotes&) = delete;
  PatternNotes& operator=(const PatternNotes&) = delete;

 private:
  mlir::MLIRContext& context_;
};

}  // namespace assay
