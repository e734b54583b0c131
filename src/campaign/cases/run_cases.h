// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "model_source.h"
#include "result.h"
#include "shard.h"

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

  // Takes the vectors of a pack that is in memory, of a stream. Their names are below `folder`.
  static RunCases OfPack(VectorPack pack, std::string folder, const BackendOptions& limits);

  int64_t size() const { return shard_.SizeOf(total_); }
  // Returns the name of a case in reports: its path, with the number of the sample if the graph has
  // several.
  std::string Name(int64_t index) const;
  // Tells whether a case is a graph, whose inputs were drawn or given.
  bool IsGraph(int64_t index) const { return !Find(index).first->graph.empty(); }
  // Returns the first case of that name; nothing if there is none.
  std::optional<int64_t> IndexOf(const std::string& name) const;
  // Returns the words of a command line that name the case: its path, and the options of a graph.
  std::string Words(int64_t index) const;
  // Loads the vector of a case. Draws the inputs of a graph, and computes what is expected of it.
  // Errors of LoadCase() and ModelSource::At(); kUnsupported if nothing can be expected.
  Result<LoadedCase> Load(int64_t index) const;

  // Returns a SHA-256 of the paths and the content of all files that cases are read from, those of
  // other shards as well.
  std::string ContentHash() const;
  // Returns a SHA-256 that is the same for all shards of the run.
  std::string HashOfShards() const { return suite_shard_ ? suite_shard_->identity : ContentHash(); }

  const std::vector<std::string>& gaps() const { return gaps_; }
  // Keeps only the cases of a shard. Error kUsage if a suite is a shard of its own.
  Result<Done> Keep(const Shard& shard);
  // Returns the shard of the whole run that the cases are: that of Keep(), or that of a suite which
  // is all that the run has. Returns nothing if the run is whole.
  std::optional<Shard> OwnShard() const;
  // Returns the position of a case in the whole run, or another number in the same order.
  int64_t Position(int64_t index) const;
  // Returns the limits that the largest of the graphs needs.
  const BackendOptions& limits() const { return limits_; }

 private:
  // The cases of one path on the command line.
  struct Part {
    int64_t first = 0;
    std::string graph;  // its path, or "" if the cases are `vectors`
    CaseList vectors;
  };
  // The part of a case, and its number in it.
  std::pair<const Part*, int64_t> Find(int64_t index) const;

  ModelOptions options_;
  BackendOptions limits_;
  std::vector<Part> parts_;
  int64_t total_ = 0;  // cases of all shards
  Shard shard_;
  bool is_shard_ = false;
  std::optional<SuiteShard> suite_shard_;  // all cases are those of a suite that is a shard
  std::vector<std::string> gaps_;
  std::map<std::string, ModelSource> graphs_;  // by path
};

}  // namespace assay
