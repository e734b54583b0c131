// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asked_rows.h"
#include "campaign.h"
#include "conformance_choice.h"
#include "files.h"
#include "match.h"
#include "pack_sink.h"
#include "power_summary.h"
#include "result.h"
#include "shard.h"
#include "smoke_choice.h"
#include "suite.h"
#include "suite_folder.h"
#include "test_vector.h"
#include "worker_pool.h"

namespace assay {

// The options of a suite of generated vectors, or of a conformance package of them.
struct GenerationOptions {
  // The folder of the suite or of the package. "-": standard output, as a stream of packs, which
  // takes none of `smoke`, `force` and `resume`.
  std::string out;
  int64_t count = 0;  // cases; 0: Campaign::Targets()
  CampaignOptions campaign;
  std::string match;
  std::string shard;
  std::string conformance;  // the profile of a package, or "all"; "": no package
  int jobs = 1;
  bool packed = false;
  bool arm = false;
  bool smoke = false;
  bool force = false;
  bool resume = false;
  // Gets the error of each case that is lost with its workers, as soon as it is lost.
  std::function<void(const Error& lost)> tell;

  bool IsStream() const { return out == "-"; }
  bool IsPacked() const { return packed || IsStream(); }
  bool IsPackage() const { return !conformance.empty(); }
  // Returns the folder of the vectors, which is below that of a package.
  std::string VectorFolder() const;
};

// The suite that was made, which is incomplete if cases were lost.
struct MadeSuite {
  Suite suite;
  std::set<std::string_view> unchosen = {};  // kinds of cases that `match` or a choice leaves out
  // For a target: what the suite would have noticed.
  std::optional<PowerSummary> power = {};
  std::optional<AskedRows> rows = {};  // if `count` leaves some of them out, perhaps
  bool any_defect = false;             // a case was lost because a worker died by itself
  bool has_package = false;            // the package is complete
};

// A suite that is made in three steps: Open(), Begin() and Make(). Its folder is locked until the
// object goes.
class Generation {
 public:
  // Checks the options, and locks the folder. Error kUsage for options that do not fit together and
  // for a folder with another package, errors of what the options name, of OpenPackageFolder() and
  // of OpenSuiteFolder().
  static Result<Generation> Open(GenerationOptions options);

  const Campaign& campaign() const { return campaign_; }
  int64_t count() const { return count_; }  // cases of all shards together
  // Returns the suite that Open() has found complete, or null. Nothing is written then, and Make()
  // compares. Of a package, Open() has compared the command, which is enough.
  const Suite* complete() const {
    return folder_ && folder_->complete ? &*folder_->complete : nullptr;
  }
  // Estimates the bytes that the cases will take, from samples of each kind. Returns 0 if that is
  // not possible.
  Result<int64_t> EstimatedBytes() const;

  // Writes the suite file of a suite without vectors, and chooses the cases of a smoke suite or a
  // package. Errors of ChooseSmoke() and ChooseConformance().
  Result<Done> Begin();
  const std::optional<SmokeChoice>& smoke() const { return smoke_; }
  const std::optional<ConformanceChoice>& package() const { return package_; }

  // Makes the vectors, and completes the files of the suite and of the package. Error kUsage if
  // they are not those of complete(), kUnsupported if all cases are outside the target.
  Result<MadeSuite> Make();

 private:
  Generation(GenerationOptions options, Campaign campaign, Match match, Shard shard)
      : options_(std::move(options)),
        campaign_(std::move(campaign)),
        match_(std::move(match)),
        shard_(shard) {}

  // Returns the suite before its first vector.
  Suite NewSuite() const;
  Result<Done> OpenFolder();
  // Returns true if `count` may leave out rows of operators that the options ask for by name.
  bool CountsRows() const {
    return options_.count > 0 && options_.shard.empty() && !campaign_.chosen.TakesAll();
  }
  bool IsChosen(int64_t number) const;
  // Makes a case in a worker, and writes it if the suite is not packed. Returns ReportOn() the
  // vector, or the reason why the case has none. What an earlier run has written is made again: a
  // file that was changed since would get its hash into the suite.
  Result<std::string> MakeOne(int64_t number) const;
  // Returns a line of JSON with the SHA-256 of the file, the operators with their types, and type
  // rows if they are counted. If the suite is packed, the bytes follow in a second line.
  std::string ReportOn(const TestVector& vector, const std::vector<uint8_t>& bytes) const;
  // Adds what a worker told about a case to the suite, and its vector to `packs`.
  Result<Done> Keep(int64_t number, std::string_view told, PackSink& packs, MadeSuite& made) const;
  Result<MadeSuite> MakeVectors() const;
  // Tries all mutants on a suite that is written.
  Result<PowerSummary> MeasurePower() const;
  // Records a case that was lost with its workers.
  void Lose(int64_t number, const Loss& loss, MadeSuite& made) const;

  GenerationOptions options_;
  Campaign campaign_;
  Match match_;
  Shard shard_;
  int64_t count_ = options_.count > 0 ? options_.count : campaign_.Targets();
  Suite fresh_ = NewSuite();
  std::optional<FolderLock> package_lock_;
  std::optional<LockedSuiteFolder> folder_;  // nothing for a stream
  std::optional<SmokeChoice> smoke_;
  std::optional<ConformanceChoice> package_;
};

}  // namespace assay
