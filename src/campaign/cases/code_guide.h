// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend.h"
#include "campaign.h"
#include "choices.h"
#include "random.h"
#include "result.h"
#include "shard.h"
#include "test_vector.h"

namespace assay {

// The choice of a run's cases by the code of the backend that they reach. A find is a case that is
// among the first kFindsMax that reach some edge; a change of a case must be the first. The run
// consists of rounds of kRoundCases. Half of a round are new cases of the campaign, or a quarter if
// none of them was a find lately. The more cases of a kind have lately been finds, the more of
// these it gets. The others are changes of finds, most of all of those with the edges that were
// reached last. In each of them the generator makes one to three choices anew.
//
// The choice depends on the seed and on the edges that cases reach, not on the number of jobs. The
// same case may reach other edges on another machine, or in another run, so another run may choose
// other cases.
class CodeGuide {
 public:
  static constexpr int64_t kRoundCases = 256;
  static constexpr uint8_t kFindsMax = 8;
  // Has what is known after the last round, so that a run can go on.
  static constexpr char kFileName[] = "code_guide.json";
  // The folder of the finds.
  static constexpr char kFolder[] = "corpus";

  // Reads the file in `folder`, if there is one. Error kUnsupported if the backend counts no edges,
  // kUsage if the file is of a backend with another number of them, kBadInput if it is damaged.
  static Result<CodeGuide> Open(const Campaign& campaign, Shard shard, const std::string& folder,
                                const std::string& backend, const BackendOptions& limits);

  // Chooses the cases of a round, unless that is the last round that was chosen.
  Result<Done> Choose(int64_t round);
  // Make the case `index`, whose round is chosen, and its name: "graph-000017+1f8a93c2".
  std::optional<TestVector> Make(int64_t index) const;
  std::string NameOf(int64_t index) const;

  // Adds to a case of a report, a JSON object, the edges that the backend has reached since the
  // last case and that need more finds. Worker processes call it.
  std::string WithEdges(std::string json, Backend& backend);
  // Learns what the case `index` has reached, in the order of indices. Skips cases that it has
  // learned from before.
  void Learn(int64_t index, const std::string& json);
  // Writes the finds and then the file.
  Result<Done> Save();

  // Returns "1234 of 5678 edges".
  std::string ReachedText() const;
  // Adds what a report says about the run.
  void AddFacts(std::vector<std::pair<std::string, std::string>>& facts) const;

 private:
  // A case of the campaign, and changes of it.
  struct Case {
    int64_t number = 0;  // in the shard
    std::vector<ChoiceEdit> edits;
  };
  struct Find {
    Case original;
    int64_t latest = 0;  // the number of cases before the latest of its edges was reached
    int64_t bytes = 0;   // of the vector
    // In this order, the finds to change most come last. Small ones have few choices.
    auto Order() const { return std::pair(latest, -bytes); }
  };
  // The recent cases of a kind, and the finds among them.
  struct Yield {
    int64_t cases = 0, finds = 0;
    int64_t next = 0;  // the number at which the search for its next case begins
  };
  CodeGuide(const Campaign& campaign, Shard shard, const std::string& folder, int64_t edges);
  int64_t edges() const { return std::ssize(finds_); }
  Result<Done> Read();
  Result<Done> Write() const;
  const Case& At(int64_t index) const { return cases_[static_cast<size_t>(index % kRoundCases)]; }
  std::string NameOf(const Case& chosen) const;
  std::optional<TestVector> Make(const Case& chosen) const;
  size_t KindOf(const Case& chosen) const;
  Case NewCase(Random& random);
  Case Change(Random& random) const;
  Result<Done> Keep(Find found);

  const Campaign& campaign_;
  Shard shard_;
  std::string folder_;
  int64_t round_ = -1;  // that was chosen last
  std::vector<Case> cases_;
  int64_t learned_ = 0;         // all cases before it
  std::vector<uint8_t> finds_;  // by edge, at most kFindsMax
  std::vector<int64_t> born_;   // by edge, the number of cases before it was reached
  std::vector<uint8_t> told_;   // how often this process has told its parent process of an edge
  std::vector<Yield> kinds_;
  std::vector<Find> parents_;  // finds that can be changed, by Order()
  std::vector<Find> found_;    // since the file was written
};

}  // namespace assay
