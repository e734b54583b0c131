// SPDX-License-Identifier: Apache-2.0
#include "generation.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "conformance_package.h"
#include "console.h"
#include "json_text.h"
#include "judge_outcomes.h"
#include "mutant_run.h"
#include "quoted.h"
#include "round_record.h"
#include "sha256.h"
#include "target_options.h"
#include "tvec_file.h"
#include "type_rows_reached.h"
#include "vector_facts.h"
#include "version.h"

namespace assay {
namespace {

// The reply of a worker for a case that `match` or a choice leaves out. kOutsideNote and
// kInvalidNote are the other replies without a vector.
constexpr char kNotChosenReply[] = "not chosen";

// The kinds of which smoke suites and packages are made by default. Graphs and networks reach
// little that these do not, and it takes long to find what they kill.
constexpr const char* kSmokeKinds[] = {"operator", "control-flow", "stateful", "dot-product",
                                       "invalid"};

// Returns the options of the cases, completed for a smoke suite or a package.
CampaignOptions CompletedCampaign(const GenerationOptions& options) {
  CampaignOptions campaign = options.campaign;
  if (options.IsPackage() && options.conformance != "all") {
    campaign.profiles = {options.conformance};
  }
  if ((options.smoke || options.IsPackage()) && campaign.kinds.empty()) {
    campaign.kinds.assign(std::begin(kSmokeKinds), std::end(kSmokeKinds));
  }
  return campaign;
}

}  // namespace

std::string GenerationOptions::VectorFolder() const {
  return IsPackage() ? JoinPath(out, kPackageVectors) : out;
}

Result<Generation> Generation::Open(GenerationOptions options) {
  if (options.arm && !options.IsPackage()) return UsageError("--arm: needs --conformance");
  if (options.IsPackage() && options.IsStream()) {
    return UsageError("--conformance: needs a folder for --out");
  }
  if (options.IsPackage() && options.force) {
    return UsageError("--conformance: goes without --force; choose another folder");
  }
  Result<Campaign> campaign = MakeCampaign(CompletedCampaign(options));
  if (!campaign) return campaign.error();
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return match.error();
  const Result<Shard> shard = options.shard.empty() ? Shard() : ParseShard(options.shard);
  if (!shard) return shard.error();
  Generation run(std::move(options), std::move(*campaign), *match, *shard);
  if (run.options_.IsStream()) return run;
  const Result<Done> opened = run.OpenFolder();
  if (!opened) return opened.error();
  return run;
}

Suite Generation::NewSuite() const {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = campaign_.options.seed;
  suite.level = campaign_.options.level.name;
  suite.requirements = NamesOf(campaign_.options.target);
  if (!campaign_.chosen.TakesAll()) suite.options["target"] = campaign_.chosen.Hash();
  if (options_.IsPacked()) suite.packs.emplace();
  Suite::Incomplete incomplete;
  std::string& command = incomplete.command;
  command = "assay gen" + CampaignWords(options_.campaign, campaign_);
  if (options_.count > 0) command += " --count " + std::to_string(options_.count);
  if (!options_.match.empty()) command += " --match " + ShellWord(options_.match);
  if (options_.smoke) command += " --smoke";
  if (!options_.shard.empty()) command += " --shard " + options_.shard;
  if (options_.packed) command += " --packed";
  if (options_.IsPackage()) command += " --conformance " + ShellWord(options_.conformance);
  if (options_.arm) command += " --arm";
  incomplete.cases = count_;
  for (const Generator* kind : campaign_.kinds) {
    suite.generators[std::string(kind->kind)] = kind->version;
    incomplete.kinds.emplace_back(kind->kind);
  }
  if (!options_.shard.empty()) {
    suite.shard = {shard_.index, shard_.count, incomplete.kinds, count_};
  }
  suite.incomplete = std::move(incomplete);
  return suite;
}

Result<Done> Generation::OpenFolder() {
  if (options_.IsPackage()) {
    Result<FolderLock> lock = OpenPackageFolder(options_.out, options_.resume);
    if (!lock) return lock.error();
    package_lock_ = std::move(*lock);
  }
  Result<LockedSuiteFolder> folder =
      OpenSuiteFolder(options_.VectorFolder(), fresh_, options_.force, options_.resume);
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  if (!options_.IsPackage() || complete() == nullptr) return Done{};
  const Result<ConformancePackage> package = ReadPackage(options_.out);
  if (!package) return package.error();
  if (package->command == fresh_.incomplete->command) return Done{};
  return UsageError(options_.out + ": holds another package: " + package->command +
                    "; choose another folder");
}

Result<int64_t> Generation::EstimatedBytes() const {
  constexpr int64_t kSamples = 12;  // of a kind
  const auto kinds = std::ssize(campaign_.kinds);
  const int64_t of_a_kind = std::max<int64_t>(count_ / kinds, 1);
  double bytes = 0;
  int64_t samples = 0;
  WorkPlan plan;
  plan.last = kSamples * kinds;
  plan.jobs = options_.jobs;
  plan.start = [&]() -> Result<Work> {
    return Work([&](int64_t sample) -> Result<std::string> {
      const int64_t index = of_a_kind * (sample / kinds) / kSamples;
      const auto vector = campaign_.Make(index * kinds + sample % kinds);
      const bool is_written = vector && campaign_.Takes(*vector);
      return is_written ? std::to_string(WriteTestVector(*vector).size()) : "0";
    });
  };
  plan.merge = [&](int64_t, const std::string& size, const Loss& loss) -> Result<Done> {
    if (loss) return Done{};
    bytes += std::stod(size);
    ++samples;
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  if (samples == 0) return 0;
  return static_cast<int64_t>(bytes / static_cast<double>(samples) * static_cast<double>(count_));
}

Result<Done> Generation::Begin() {
  if (folder_ && complete() == nullptr) {
    const std::string folder = options_.VectorFolder();
    const Result<Done> begun = WriteSuite(folder, fresh_);
    if (!begun) return begun;
    for (const Generator* kind : campaign_.kinds) {
      if (options_.packed) break;
      const Result<Done> made = MakeDirectories(JoinPath(folder, kind->kind));
      if (!made) return made;
    }
  }
  if (options_.smoke) {
    Result<SmokeChoice> chosen = ChooseSmoke(campaign_, match_, count_, options_.jobs);
    if (!chosen) return chosen.error();
    smoke_ = std::move(*chosen);
  }
  if (options_.IsPackage()) {
    Result<ConformanceChoice> chosen = ChooseConformance(campaign_, count_, options_.jobs);
    if (!chosen) return chosen.error();
    package_ = std::move(*chosen);
  }
  return Done{};
}

bool Generation::IsChosen(int64_t number) const {
  if (package_) {
    return package_->must_pass.contains(number) || package_->informative.contains(number);
  }
  return !smoke_ || smoke_->cases.contains(number);
}

Result<std::string> Generation::MakeOne(int64_t number) const {
  if (!IsChosen(number)) return std::string(kNotChosenReply);
  const std::optional<TestVector> vector = campaign_.Make(number);
  if (!vector) return std::string(kInvalidNote);
  if (!campaign_.Takes(*vector)) return std::string(kOutsideNote);
  if (!match_.Chooses(*vector)) return std::string(kNotChosenReply);
  const std::vector<uint8_t> bytes = WriteTestVector(*vector);
  if (!options_.IsPacked() && complete() == nullptr) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(options_.VectorFolder(), campaign_.FileOf(number)), bytes);
    if (!written) return written.error();
  }
  return ReportOn(*vector, bytes);
}

std::string Generation::ReportOn(const TestVector& vector,
                                 const std::vector<uint8_t>& bytes) const {
  Json uses = Json::array();
  for (const OperatorUse& use : OperatorsOf(vector)) {
    uses.push_back(std::string(OperatorName(use.op)) + " " + std::string(TypeName(use.type)));
  }
  Json rows = Json::array();
  if (CountsRows()) {
    for (const auto& [op, row] : TypeRowsReached(vector)) rows.push_back({op, row});
  }
  std::string report =
      JsonText(Json{options_.IsPacked() ? "" : Sha256(bytes), std::move(uses), std::move(rows)});
  if (options_.IsPacked()) report.append("\n").append(bytes.begin(), bytes.end());
  return report;
}

Result<Done> Generation::Keep(int64_t number, std::string_view told, PackSink& packs,
                              MadeSuite& made) const {
  const std::string_view kind = campaign_.KindOf(number).kind;
  if (told == kNotChosenReply) made.unchosen.insert(kind);
  if (told == kOutsideNote || told == kInvalidNote) ++made.suite.counts[std::string(told)];
  if (!told.starts_with('[')) return Done{};  // no report: the case has no vector
  const size_t end = std::min(told.find('\n'), told.size());
  const Json report = JsonFrom(told.substr(0, end));
  for (const Json& use : report[1]) ++made.suite.coverage[use.Text()];
  for (const Json& row : report[2]) made.rows->Add({row[0].get<Op>(), row[1].get<int32_t>()});
  ++made.suite.counts[std::string(kind)];
  if (!options_.IsPacked()) {
    made.suite.vectors.push_back({campaign_.FileOf(number), report[0].Text()});
    return Done{};
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(told.data()) + end + 1;
  return packs.Add(campaign_.FileOf(number), {bytes, told.size() - end - 1});
}

void Generation::Lose(int64_t number, const Loss& loss, MadeSuite& made) const {
  made.suite.incomplete->lost.push_back(campaign_.FileOf(number));
  ++made.suite.counts["lost"];
  made.any_defect = made.any_defect || loss.by_itself;
  if (!options_.tell) return;
  options_.tell(ResourceError(std::string(loss.by_itself ? "defect in Assay itself: " : "") +
                              "generating " + campaign_.NameOf(number) +
                              ": the worker process ended: " + loss.how));
}

Result<MadeSuite> Generation::MakeVectors() const {
  MadeSuite made = {fresh_};
  if (CountsRows()) made.rows.emplace(campaign_);
  PackSink packs = folder_ ? PackSink(options_.VectorFolder(), complete() == nullptr)
                           : PackSink(STDOUT_FILENO, "standard output");
  WorkPlan plan;
  plan.last = shard_.SizeOf(count_);
  plan.jobs = options_.jobs;
  Progress progress("gen", plan.last);
  plan.start = [this]() -> Result<Work> {
    return Work([this](int64_t index) { return MakeOne(shard_.At(index)); });
  };
  plan.merge = [&](int64_t index, const std::string& told, const Loss& loss) -> Result<Done> {
    if (loss) {
      Lose(shard_.At(index), loss, made);
      return Done{};
    }
    progress.Show(index + 1, 0);
    return Keep(shard_.At(index), told, packs, made);
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  if (options_.IsPacked()) {
    const Result<Done> finished = packs.Finish();
    if (!finished) return finished.error();
    made.suite.packs = packs.packs();
  }
  if (made.suite.incomplete->lost.empty()) made.suite.incomplete.reset();
  return made;
}

Result<MadeSuite> Generation::Make() {
  Result<MadeSuite> made = MakeVectors();
  if (!made || !folder_) return made;
  const Suite& suite = made->suite;
  const std::string folder = options_.VectorFolder();
  if (complete() != nullptr) {
    if (suite.incomplete || SuiteText(suite) == SuiteText(*complete())) return made;
    return HoldsAnotherSuite(folder);
  }
  made->has_package = package_ && !suite.incomplete && suite.VectorCount() > 0;
  if (made->has_package) {
    std::map<std::string, std::string> informative;
    for (const auto& [number, why] : package_->informative) {
      informative[campaign_.FileOf(number)] = why;
    }
    const Result<Done> packed_up = WriteChosenPackage(
        options_.out, campaign_, suite, fresh_.incomplete->command, informative, options_.arm);
    if (!packed_up) return packed_up.error();
  }
  const Result<Done> written = WriteSuite(folder, suite);
  if (!written) return written.error();
  const auto outside = suite.counts.find(kOutsideNote);
  if (suite.VectorCount() == 0 && outside != suite.counts.end() && !made->any_defect) {
    return Unsupported(TargetWords(options_.campaign.target).substr(1) +
                       ": no vector: " + std::to_string(outside->second) + " of " +
                       std::to_string(count_) + " cases are outside the target");
  }
  if (!campaign_.chosen.TakesAll() && !suite.incomplete && !suite.shard) {
    const Result<PowerSummary> power = MeasurePower();
    if (!power) return power.error();
    made->power = *power;
  }
  return made;
}

Result<PowerSummary> Generation::MeasurePower() const {
  std::vector<const Mutant*> mutants;
  for (const Mutant& mutant : AllMutants()) mutants.push_back(&mutant);
  const Result<MutantRun> run = TryMutants(mutants, {options_.VectorFolder()}, options_.jobs);
  if (!run) return run.error();
  return Summary(*run);
}

}  // namespace assay
