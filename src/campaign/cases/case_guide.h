// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "campaign.h"
#include "result.h"
#include "shard.h"
#include "test_vector.h"

namespace assay {

// Returns false for a vector that the backend does not support.
using SupportedVectors = std::function<bool(const TestVector&)>;

// The choice of a run's cases by the coverage of the specification. The run consists of rounds of
// kRoundCases. For each round, kCandidates times as many cases of the campaign are generated, and
// NewItemsFirst() chooses among them. Cases that do not run (no vector, outside the target, not
// supported) are taken only if no others are left. The choice does not depend on the number of
// jobs.
class CaseGuide {
 public:
  static constexpr int64_t kRoundCases = 256;
  static constexpr int64_t kCandidates = 4;
  // Has what was chosen so far, so that a run that goes on chooses the same.
  static constexpr char kFileName[] = "guide.json";

  // `open` is called in each worker process. Reads the file in `folder`, if there is one. Error
  // kBadInput names the place in it that is wrong.
  static Result<CaseGuide> Open(const Campaign& campaign, Shard shard, const std::string& folder,
                                std::function<Result<SupportedVectors>()> open, int jobs);

  // Chooses the cases of all rounds up to this one that the file does not have. After a signal
  // (interrupt.h), chooses nothing. Error kResource if a case is lost, errors of `open` and of
  // writing the file.
  Result<Done> Choose(int64_t round);

  // Returns the place in the shard of the run's case `index`, whose round must be chosen.
  int64_t CaseAt(int64_t index) const;

 private:
  struct Round {
    std::vector<int64_t> cases;
    std::vector<int32_t> items;  // that no earlier round reaches
  };
  CaseGuide(const Campaign& campaign, Shard shard, const std::string& folder,
            std::function<Result<SupportedVectors>()> open, int jobs);
  Result<Done> Read();
  Result<Done> Write() const;
  Result<Done> ChooseNext();
  Round ChooseFrom(const std::vector<int64_t>& numbers,
                   const std::vector<std::vector<int32_t>>& reach, std::vector<int64_t> rest);

  const Campaign& campaign_;
  Shard shard_;
  std::string file_;
  std::function<Result<SupportedVectors>()> open_;
  int jobs_;
  std::vector<Round> rounds_;
  std::set<int32_t> reached_;
};

}  // namespace assay
