// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "kept_vectors.h"
#include "report.h"
#include "result.h"
#include "result_journal.h"
#include "run_journal.h"
#include "shard.h"
#include "target_options.h"

namespace assay {

// Everything that determines the results of `verify`, but for its shard.
struct VerifyRun {
  std::vector<std::string> suites;
  std::string model_words;  // the options on graphs
  std::string backend;      // as given to --backend
  BackendOptions limits;
  std::string match;
  TargetOptions target;
  bool implied_errors = false;
  int repeats = 1;
  std::string title;   // DescribeBackend()
  std::string inputs;  // RunCases::HashOfShards() and ChosenTargets::Hash()

  // Returns the command that runs it. `shard` and `reported` are words of options, with a blank
  // before each: of --shard, and of options that change the report alone.
  std::string Command(const std::string& shard, const std::string& reported) const;
};

// The results of one shard of a run, in the folder of its report: shard.json, which is written
// last, shard.jsonl with the results of the cases by their positions in the whole run, and
// shard.tvecs with the vectors that findings may need.
struct ShardResults {
  static constexpr char kHeadFile[] = "shard.json";
  static constexpr char kRepliesFile[] = "shard.jsonl";
  static constexpr char kVectorsFile[] = "shard.tvecs";

  VerifyRun run;
  Shard shard;
  int64_t cases = 0;       // in shard.jsonl
  int64_t not_chosen = 0;  // by --match
  int64_t outside = 0;     // outside the target
  std::vector<std::string> gaps;
  std::string coverage;                             // SuiteCoverage::ToJson()
  std::map<std::string, std::string> suite_hashes;  // PackageHashes()
  std::string replies_sha256, vectors_sha256;       // SumOf() the files
};

// Returns the SHA-256 of a file of a shard.
Result<std::string> SumOf(const std::string& folder, const char* file);

// Writes the results. `replies` gives the index of each case and its line. `position` returns the
// position of a case.
Result<Done> WriteShard(const std::string& folder, ShardResults results,
                        const std::function<Result<Done>(const ReplySink&)>& replies,
                        const KeptVectors& kept, const std::function<int64_t(int64_t)>& position);

// Reads shard.json. Error kBadInput if there is none, or if it is damaged or was edited.
Result<ShardResults> ReadShard(const std::string& folder);

// Checks that folders have the results of all shards of one run, each once. Returns them in the
// order of the shards, with their folders.
struct ShardInFolder {
  std::string folder;
  ShardResults results;
  ReplyRange replies;
};
Result<std::vector<ShardInFolder>> ReadShards(const std::vector<std::string>& folders);

}  // namespace assay
