#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "model_source.h"
#include "result.h"

namespace assay {

// The cases of a run on vectors and graphs: those of ListCases(), and for each graph that the
// command line names itself, one case for each sample of its inputs.
class RunCases {
 public:
  // Lists the cases at `paths`, and loads the graphs among these. `note` is that of ListCases().
  // `limits` are those of a vector; graphs get what they need beyond them.
  // Errors of ListCases() and ModelSource::Load(). Error kUsage if options are given that mean
  // something for graphs only, and `paths` names no graph.
  static Result<RunCases> List(const std::vector<std::string>& paths, const ModelOptions& options,
                               const BackendOptions& limits,
                               const std::function<void(const std::string&)>& note);

  int64_t size() const { return std::ssize(cases_); }
  // Returns the name of a case in reports: its path, with the number of the sample if the graph has
  // several.
  std::string Name(int64_t index) const;
  // Returns the words of a command line that name the case: its path, and the options of a graph.
  std::string Words(int64_t index) const;
  // Loads the vector of a case. Draws the inputs of a graph, and computes what is expected of it.
  // Errors of LoadCase() and ModelSource::At(); kUnsupported if nothing can be expected.
  Result<LoadedCase> Load(int64_t index) const;

  // Returns a SHA-256 of the names of the cases and the content of all files that they are read
  // from.
  std::string ContentHash() const;

  const std::vector<std::string>& gaps() const { return gaps_; }
  // Keeps every case for whose index `keeps` returns true.
  void Keep(const std::function<bool(int64_t)>& keeps);
  // Returns the limits that the largest of the graphs needs.
  const BackendOptions& limits() const { return limits_; }

 private:
  struct Case {
    std::string path;
    int64_t sample = 0;  // of a graph
  };

  ModelOptions options_;
  BackendOptions limits_;
  std::vector<Case> cases_;
  std::vector<std::string> gaps_;
  std::map<std::string, ModelSource> graphs_;  // by path
};

}  // namespace assay
