// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "interrupt.h"
#include "judged_run.h"
#include "kept_vectors.h"
#include "known_options.h"
#include "result.h"
#include "run.h"
#include "shard_results.h"

namespace assay {

// The report of the shards of one run of `verify`.
struct MergeOptions {
  std::vector<std::string> folders;
  std::string report;
  KnownOptions known;
  int jobs = 1;
  bool minimize = false;
};

class Merging : public Run {
 public:
  // Reads what the folders have, and locks that of the report. Errors of ReadShards(), LoadKnown()
  // and OpenReportFolder(). Error kBadInput if `minimize` has another backend than the shards.
  static Result<std::unique_ptr<Merging>> Open(MergeOptions options);

  Result<RunReport> Judge() override;
  Result<Done> Write(RunReport& report) override;

 private:
  Merging(MergeOptions options, std::vector<ShardInFolder> shards)
      : options_(std::move(options)), shards_(std::move(shards)) {}

  const VerifyRun& run() const { return shards_[0].results.run; }
  Result<Done> PrepareToMinimize() const;
  // Takes the results of all cases.
  Result<Done> TakeResults();
  using Sink = std::function<Result<Done>(size_t shard, int64_t index, CaseResult result)>;
  Result<Done> EachReply(const Sink& sink) const;
  Result<RunReport> Report();

  MergeOptions options_;
  std::vector<ShardInFolder> shards_;
  KnownFailures known_;
  std::optional<FolderLock> lock_;
  std::optional<InterruptWatch> watch_;  // of Judge(), and of what follows
  JudgedRun judged_;
  KeptVectors kept_;
  std::map<int64_t, std::string> names_;  // of cases that disagree
};

}  // namespace assay
