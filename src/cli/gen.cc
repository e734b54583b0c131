// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "asked_rows.h"
#include "campaign.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "conformance_choice.h"
#include "conformance_package.h"
#include "console.h"
#include "files.h"
#include "json_text.h"
#include "judge_case.h"
#include "match.h"
#include "note.h"
#include "output_folder.h"
#include "pack_sink.h"
#include "quoted.h"
#include "run_options.h"
#include "sha256.h"
#include "shard.h"
#include "smoke_choice.h"
#include "suite.h"
#include "terminal.h"
#include "tvec_file.h"
#include "type_rows_reached.h"
#include "vector_facts.h"
#include "version.h"
#include "worker_pool.h"

namespace assay::cli {
namespace {

struct GenOptions {
  std::string out;
  int64_t count = 0;
  CampaignOptions campaign;
  std::string match;
  std::string shard;
  std::string conformance;
  int jobs = 1;
  bool packed = false;
  bool arm = false;
  bool smoke = false;
  bool force = false;
  bool resume = false;
  bool json = false;
  bool compares = false;  // the suite with a complete one in the folder, and writes nothing

  bool IsStream() const { return out == "-"; }
  bool IsPacked() const { return packed || IsStream(); }
};

void DeclareGen(CommandLine& line, GenOptions& options) {
  line.Add("--out", options.out,
           "folder for the suite; must be empty or not exist yet. - streams the vectors to "
           "standard output, for `assay verify -`")
      .Required();
  line.Add("--count", options.count,
           "number of vectors of all kinds together, before --match (default: enough for "
           "everything that a kind covers systematically)")
      .Between(1, 1'000'000'000);
  AddCampaignOptions(line, options.campaign);
  AddMatchOption(line, options.match);
  line.AddFlag(
      "--smoke", options.smoke,
      "keep only the vectors that are needed to kill every mutant and reach every type row "
      "that all would (`assay mutants`): about 280, whatever --count is");
  line.Add("--shard", options.shard,
           "I/N: make only every N-th case, starting with case I, from 0. All shards together have "
           "the vectors of the whole suite");
  line.AddFlag("--packed", options.packed,
               "write the vectors to a few large files (.tvecs). Every command that takes a suite "
               "takes such a one, and each vector by its usual path");
  line.Add("--conformance", options.conformance,
           "write a conformance package of a profile (PRO-INT, PRO-FP) or of both (all) to --out: "
           "few vectors that reach all of the specification that vectors inside --ext and --target "
           "reach, must-pass lists, coverage, readings, hashes and instructions (`assay submit`)")
      .ShowValueAs("PROFILE")
      .Excludes("--profile")
      .Excludes("--match")
      .Excludes("--smoke")
      .Excludes("--shard")
      .Excludes("--packed");
  line.AddFlag("--arm", options.arm,
               "with --conformance: also write each step as an Arm test directory");
  AddJobsOption(line, options.jobs);
  line.AddFlag("--force", options.force,
               "replace the suite in --out: first remove the files that its suite.json lists");
  line.AddFlag("--resume", options.resume,
               "complete the suite in --out, begun with the same options. If it is complete, check "
               "that these options make it, and change nothing");
  line.AddFlag("--json", options.json, "print JSON");
}

// The reply for a case whose vector --match does not choose.
constexpr char kNotChosenReply[] = "not chosen";
// The reply for a case whose vector is outside the target.
constexpr char kOutsideReply[] = "outside the target";

// The vectors that become part of the suite.
struct Selection {
  Match match;
  std::optional<std::set<int64_t>> smoke = std::nullopt;  // cases; nothing: all
  Shard shard = {};
};

// The suite while it grows.
struct Growing {
  Suite suite;
  int64_t skipped = 0;  // cases for which no valid vector was found
  int64_t outside = 0;  // cases outside the target
  std::map<OperatorUse, int64_t> uses;
  std::set<std::string_view> unchosen;  // kinds of cases that --match or a choice leaves out
  std::optional<AskedRows> rows;        // if --count leaves some of them out, perhaps
  bool any_defect = false;              // some case was lost because a worker died by itself
};

// Returns the suite before its first vector.
Suite NewSuite(const GenOptions& options, const Campaign& campaign, int64_t count,
               const Shard& shard) {
  Suite suite;
  suite.toolkit_version = kToolkitVersion;
  suite.seed = campaign.options.seed;
  suite.level = campaign.options.level.name;
  suite.requirements = NamesOf(campaign.options.target);
  if (!campaign.chosen.TakesAll()) suite.options["target"] = campaign.chosen.Hash();
  Suite::Incomplete incomplete;
  CampaignOptions named = options.campaign;
  if (!options.conformance.empty()) named.profiles.clear();
  incomplete.command = "assay gen" + CampaignWords(named, campaign);
  if (options.count > 0) incomplete.command += " --count " + std::to_string(options.count);
  if (!options.match.empty()) incomplete.command += " --match " + ShellWord(options.match);
  if (options.smoke) incomplete.command += " --smoke";
  if (!options.shard.empty()) incomplete.command += " --shard " + options.shard;
  if (options.packed) incomplete.command += " --packed";
  if (options.IsPacked()) suite.packs.emplace();
  if (!options.conformance.empty()) {
    incomplete.command += " --conformance " + ShellWord(options.conformance);
  }
  if (options.arm) incomplete.command += " --arm";
  incomplete.cases = count;
  for (const Generator* kind : campaign.kinds) {
    suite.generators[std::string(kind->kind)] = kind->version;
    incomplete.kinds.emplace_back(kind->kind);
  }
  if (!options.shard.empty()) {
    suite.shard = {shard.index, shard.count, incomplete.kinds, count};
  }
  suite.incomplete = std::move(incomplete);
  return suite;
}

// Returns the bytes of a vector that an earlier run has written. Returns nothing if there is none,
// or if it is another vector.
std::optional<std::vector<uint8_t>> Written(const GenOptions& options, const Campaign& campaign,
                                            int64_t number, WrittenPacks& packs) {
  if (!options.resume) return std::nullopt;
  const std::string file = campaign.FileOf(number), path = JoinPath(options.out, file);
  std::optional<std::vector<uint8_t>> bytes;
  if (options.packed) {
    bytes = packs.Find(number, file);
  } else if (FileExists(path)) {
    Result<std::vector<uint8_t>> read = ReadOwnFile(path);
    if (read) bytes = std::move(*read);
  }
  if (!bytes) return std::nullopt;
  const Result<TestVector> vector = ReadTestVector(*bytes, path);
  if (!vector) return std::nullopt;
  const Provenance& from = vector->provenance;
  const Generator& kind = campaign.KindOf(number);
  const bool is_meant = from.campaign == campaign.options.seed &&
                        from.index == campaign.IndexOf(number) && from.kind == kind.kind &&
                        from.generator_version == kind.version &&
                        from.toolkit_version == kToolkitVersion;
  return is_meant ? bytes : std::nullopt;
}

// Returns true if --count may leave out rows of operators that the options ask for by name.
bool CountsRows(const Campaign& campaign, int64_t count, const std::string& shard) {
  return count > 0 && shard.empty() && !campaign.chosen.TakesAll();
}

// Returns the report of a worker on a vector: JSON with the SHA-256 of the file, the uses of
// operators, and type rows if they are counted. If the suite is packed, the bytes follow in a
// second line.
std::string ReportOn(const GenOptions& options, const Campaign& campaign, const TestVector& vector,
                     const std::vector<uint8_t>& bytes) {
  Json uses = Json::array();
  for (const OperatorUse& use : OperatorsOf(vector)) uses.push_back({use.op, use.type});
  Json rows = Json::array();
  if (CountsRows(campaign, options.count, options.shard)) {
    for (const auto& [op, row] : TypeRowsReached(vector)) rows.push_back({op, row});
  }
  std::string report =
      JsonText(Json{options.IsPacked() ? "" : Sha256(bytes), std::move(uses), std::move(rows)});
  if (options.IsPacked()) report.append("\n").append(bytes.begin(), bytes.end());
  return report;
}

// Makes a case in a worker, and writes it if the suite is not packed. Returns ReportOn() the
// vector, or kOutsideReply or kNotChosenReply. Returns "" if no valid vector was found.
Result<std::string> MakeOne(const GenOptions& options, const Campaign& campaign,
                            const Selection& selection, WrittenPacks& packs, int64_t number) {
  if (selection.smoke && !selection.smoke->contains(number)) return std::string(kNotChosenReply);
  if (const auto bytes = Written(options, campaign, number, packs)) {
    return ReportOn(options, campaign, *ReadTestVector(*bytes, campaign.NameOf(number)), *bytes);
  }
  const std::optional<TestVector> vector = campaign.Make(number);
  if (!vector) return std::string();
  if (!campaign.Takes(*vector)) return std::string(kOutsideReply);
  if (!selection.match.Chooses(*vector)) return std::string(kNotChosenReply);
  const std::vector<uint8_t> bytes = WriteTestVector(*vector);
  if (!options.IsPacked() && !options.compares) {
    const Result<Done> written =
        WriteFileAtomically(JoinPath(options.out, campaign.FileOf(number)), bytes);
    if (!written) return written.error();
  }
  return ReportOn(options, campaign, *vector, bytes);
}

// Adds a worker's report on a case to the suite, and its vector to `packs`.
Result<Done> Keep(const GenOptions& options, const Campaign& campaign, int64_t number,
                  std::string_view told, PackSink& packs, Growing& growing) {
  if (told.empty()) ++growing.skipped;
  if (told == kOutsideReply) ++growing.outside;
  if (told == kNotChosenReply) growing.unchosen.insert(campaign.KindOf(number).kind);
  if (told.empty() || told == kOutsideReply || told == kNotChosenReply) return Done{};
  const size_t end = std::min(told.find('\n'), told.size());
  const Json made = JsonFrom(told.substr(0, end));
  for (const Json& use : made[1]) ++growing.uses[{use[0].get<Op>(), use[1].get<DType>()}];
  for (const Json& row : made[2]) {
    growing.rows->Add({row[0].get<Op>(), row[1].get<int32_t>()});
  }
  ++growing.suite.counts[std::string(campaign.KindOf(number).kind)];
  if (!options.IsPacked()) {
    growing.suite.vectors.push_back({campaign.FileOf(number), made[0].Text()});
    return Done{};
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(told.data()) + end + 1;
  return packs.Add(campaign.FileOf(number), {bytes, told.size() - end - 1});
}

// Records a case that was lost with its workers.
void Lose(const Campaign& campaign, int64_t number, const Loss& loss, Growing& growing) {
  growing.suite.incomplete->lost.push_back(campaign.FileOf(number));
  growing.any_defect = growing.any_defect || loss.by_itself;
  Fail(ResourceError(std::string(loss.by_itself ? "defect in Assay itself: " : "") + "generating " +
                     campaign.NameOf(number) + ": the worker process ended: " + loss.how));
}

Result<Growing> Generate(const GenOptions& options, const Campaign& campaign,
                         const Selection& selection, Suite suite, int64_t count,
                         const WrittenPacks& written) {
  Growing growing;
  growing.suite = std::move(suite);
  if (CountsRows(campaign, options.count, options.shard)) growing.rows.emplace(campaign);
  PackSink packs = options.IsStream() ? PackSink(STDOUT_FILENO, "standard output")
                                      : PackSink(options.out, !options.compares);
  const Shard& shard = selection.shard;
  WorkPlan plan;
  plan.last = shard.SizeOf(count);
  plan.jobs = options.jobs;
  Progress progress("gen", plan.last);
  plan.start = [&]() -> Result<Work> {
    const auto found = std::make_shared<WrittenPacks>(written);
    return Work([&, found](int64_t index) {
      return MakeOne(options, campaign, selection, *found, shard.At(index));
    });
  };
  plan.merge = [&](int64_t index, const std::string& told, const Loss& loss) -> Result<Done> {
    if (loss) {
      Lose(campaign, shard.At(index), loss, growing);
      return Done{};
    }
    progress.Show(index + 1, 0);
    return Keep(options, campaign, shard.At(index), told, packs, growing);
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  if (options.IsPacked()) {
    const Result<Done> finished = packs.Finish();
    if (!finished) return finished.error();
    growing.suite.packs = packs.packs();
  }
  auto& coverage = growing.suite.coverage;
  for (const auto& [use, vectors] : growing.uses) {
    coverage[std::string(OperatorName(use.op)) + " " + std::string(TypeName(use.type))] = vectors;
  }
  if (growing.skipped > 0) growing.suite.counts["no valid case found"] = growing.skipped;
  if (growing.outside > 0) growing.suite.counts["outside the target"] = growing.outside;
  const auto lost = std::ssize(growing.suite.incomplete->lost);
  if (lost > 0) {
    growing.suite.counts["lost"] = lost;
  } else {
    growing.suite.incomplete.reset();
  }
  return growing;
}

// Estimates the bytes that the cases will take, from samples of each kind. Returns 0 if that is not
// possible.
Result<int64_t> EstimatedBytes(const Campaign& campaign, int64_t count, int jobs) {
  constexpr int64_t kSamples = 12;  // of a kind
  const auto kinds = std::ssize(campaign.kinds);
  const int64_t of_a_kind = std::max<int64_t>(count / kinds, 1);
  double bytes = 0;
  int64_t samples = 0;
  WorkPlan plan;
  plan.last = kSamples * kinds;
  plan.jobs = jobs;
  plan.start = [&]() -> Result<Work> {
    return Work([&](int64_t sample) -> Result<std::string> {
      const int64_t index = of_a_kind * (sample / kinds) / kSamples;
      const auto vector = campaign.Make(index * kinds + sample % kinds);
      const bool is_written = vector && campaign.Takes(*vector);
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
  return static_cast<int64_t>(bytes / static_cast<double>(samples) * static_cast<double>(count));
}

std::string Megabytes(int64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6)
                            : fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

// Prints what is going to be written, and the estimated size if the number of cases is the default.
Result<Done> Announce(const GenOptions& options, const Campaign& campaign, int64_t count) {
  std::string text = fmt::format("seed {}, {} cases of", options.campaign.seed, count);
  for (const Generator* kind : campaign.kinds) text += " " + std::string(kind->kind);
  if (options.count == 0 && !options.smoke && options.conformance.empty() &&
      options.shard.empty()) {
    const Result<int64_t> bytes = EstimatedBytes(campaign, count, options.jobs);
    if (!bytes) return bytes.error();
    text += ", about " + Megabytes(*bytes) + " in " + options.out +
            " (--count N makes the first N of them)";
  }
  if (options.json) {
    if (options.count == 0) Note(text);
  } else {
    Print("{}\n", text);
    const Result<Done> flushed = FlushOutput();
    if (!flushed) return flushed;
  }
  return Done{};
}

// Removes files of the suite in the folder, and its own folders that are empty afterwards.
Result<Done> RemoveFiles(const std::vector<std::string>& files, const std::string& out) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    const Result<Done> removed = Remove(JoinPath(out, file));
    if (!removed) return removed;
    folders.insert(FolderOf(file));
  }
  folders.erase("");
  for (const std::string& folder : folders) {
    const std::string path = JoinPath(out, folder);
    const Result<std::vector<std::string>> rest = ListDirectory(path);
    if (!rest || !rest->empty()) continue;
    const Result<Done> removed = Remove(path);
    if (!removed) return removed;
  }
  return Done{};
}

// The content of the folder before the suite is made.
struct Before {
  WrittenPacks packs;             // of the suite
  std::optional<Suite> complete;  // to be compared
};

Error HoldsAnother(const GenOptions& options) {
  return UsageError(options.out +
                    ": holds a complete suite of other options; choose another folder, or --force "
                    "replaces it");
}

// Makes the folder ready for the suite: empty, or with the part of it that is to be completed, or
// with a complete suite to compare. Error kUsage if the folder has anything else. The caller has
// just taken the lock of the folder.
Result<Before> PrepareFolder(const FolderLock& lock, const GenOptions& options,
                             const Suite& fresh) {
  const auto refuse = [&options](const std::string& what) {
    return UsageError(options.out + ": " + what);
  };
  const bool has_suite = HasSuite(options.out);
  const Result<Suite> old = has_suite ? ReadSuite(options.out) : Result<Suite>(Suite{});
  if (!old) return old.error();
  const Result<SuiteFolder> content = ListSuite(options.out, *old);
  if (!content) return content.error();
  const Result<Done> swept = RemoveStaleFiles(lock, options.out, content->leftovers);
  if (!swept) return swept.error();
  const std::string first = content->foreign.empty() ? "" : content->foreign[0];
  if (!has_suite) {
    if (!first.empty()) {
      return refuse("is not empty, and holds no suite: there is " + first +
                    "; choose another folder");
    }
    const Result<std::vector<std::string>> rest = ListDirectory(options.out);
    if (!rest) return rest.error();
    if (rest->empty()) return Before();
    return refuse("is not empty: there is " + (*rest)[0] + "; choose another folder");
  }
  if (options.force) {
    if (!first.empty()) {
      return refuse("--force removes only what " + SuiteFile(options.out) +
                    " lists; there is also " + first);
    }
    std::vector<std::string> files;
    for (const std::string& file : content->vectors) {
      if (FileExists(JoinPath(options.out, file))) files.push_back(file);
    }
    Result<Done> removed = RemoveFiles(files, options.out);
    // The suite file is removed last, so that a second attempt knows what is left.
    if (removed) removed = Remove(SuiteFile(options.out));
    return removed ? Result<Before>(Before()) : removed.error();
  }
  if (!options.resume) {
    return refuse(old->incomplete
                      ? "holds an incomplete suite; --resume completes it, --force replaces it"
                      : "holds a suite already; --force replaces it");
  }
  const bool is_alike = old->generators == fresh.generators && old->options == fresh.options &&
                        old->toolkit_version == fresh.toolkit_version;
  Before before;
  if (old->packs && fresh.packs) before.packs = {options.out, *fresh.incomplete, *content};
  if (!old->incomplete) {
    if (!is_alike || old->seed != fresh.seed) return HoldsAnother(options);
    const Result<Done> unchanged = VerifySuite(options.out, *old);
    if (!unchanged) return unchanged.error();
    before.complete = *old;
    return before;
  }
  if (!is_alike || old->incomplete->command != fresh.incomplete->command ||
      old->incomplete->cases != fresh.incomplete->cases) {
    return refuse("holds a part of another suite: " + old->incomplete->command + ", version " +
                  old->toolkit_version);
  }
  return before;
}

// Tells that a complete suite is the one that the options make. Returns the exit status.
int TellComplete(const GenOptions& options, const Suite& suite, const std::string& folder) {
  if (options.json) {
    Write(SuiteText(suite));
  } else {
    Print("{}: is complete: {} vectors; nothing is left to do\n", folder, suite.VectorCount());
  }
  return suite.VectorCount() == 0 ? kExitUndecided : kExitClean;
}

// Compares a complete package with the one that the options make.
int CompareWithPackage(const GenOptions& options, const std::string& folder, const Suite& fresh,
                       const Suite& suite) {
  const Result<ConformancePackage> package = ReadPackage(folder);
  if (!package) return Fail(package.error());
  if (package->command != fresh.incomplete->command) {
    return Fail(UsageError(folder + ": holds another package: " + package->command +
                           "; choose another folder"));
  }
  return TellComplete(options, suite, folder);
}

// Writes the vectors to standard output.
int Stream(const GenOptions& options, const Campaign& campaign, const Selection& selection,
           const Suite& fresh, int64_t count) {
  if (options.force || options.resume || options.json || options.smoke) {
    return Fail(
        UsageError("--out -: a stream takes none of --force, --resume, --json and --smoke"));
  }
  const Result<Growing> grown = Generate(options, campaign, selection, fresh, count, {});
  if (!grown) return Fail(grown.error());
  if (grown->any_defect) return kExitDefect;
  return grown->suite.incomplete || grown->uses.empty() ? kExitUndecided : kExitClean;
}

// The kinds of which smoke suites are made by default. Graphs and networks reach little that these
// do not, and it takes long to find what they kill.
constexpr const char* kSmokeKinds[] = {"operator", "control-flow", "stateful", "dot-product",
                                       "invalid"};

// Makes the options of the suite from --conformance. Returns the folder of the package, in which
// the suite gets a folder of its own. Returns "" without --conformance.
Result<std::string> PreparePackage(GenOptions& options) {
  if (options.conformance.empty()) {
    if (!options.arm) return std::string();
    return UsageError("--arm: needs --conformance");
  }
  if (options.IsStream()) return UsageError("--conformance: needs a folder for --out");
  if (options.force) {
    return UsageError("--conformance: goes without --force; choose another folder");
  }
  if (options.conformance != "all") options.campaign.profiles = {options.conformance};
  return std::exchange(options.out, JoinPath(options.out, kPackageVectors));
}

// Chooses the vectors of a conformance package. Returns for each that is not to be passed the
// reason, by its file.
Result<std::map<std::string, std::string>> ChoosePackage(const Campaign& campaign, int64_t count,
                                                         Selection& selection, int jobs,
                                                         bool json) {
  const Result<ConformanceChoice> choice = ChooseConformance(campaign, count, jobs);
  if (!choice) return choice.error();
  std::map<std::string, std::string> informative;
  selection.smoke = choice->must_pass;
  for (const auto& [number, why] : choice->informative) {
    selection.smoke->insert(number);
    informative[campaign.FileOf(number)] = why;
  }
  if (!json) {
    Print("{} cases reach {} items; {} of them do the same, and {} more are in no must-pass list\n",
          choice->candidates, choice->items, choice->must_pass.size(), informative.size());
  }
  return informative;
}

// Returns why a suite has no vector of a kind. `is_unchosen`: cases of it were left out that are
// perhaps inside the target.
std::string WhyNone(const GenOptions& options, const Campaign& campaign, bool is_unchosen) {
  if (is_unchosen && (options.smoke || !options.conformance.empty())) {
    return "the others reach all that its cases reach";
  }
  if (is_unchosen) return "no case of it has what --match names; a larger --count has more cases";
  return std::string("its cases need ") +
         (campaign.chosen.TakesAll() ? "other profiles or extensions" : "more than the target");
}

int RunGen(GenOptions options) {
  const Result<std::string> package = PreparePackage(options);
  if (!package) return Fail(package.error());
  if ((options.smoke || !package->empty()) && options.campaign.kinds.empty()) {
    options.campaign.kinds.assign(std::begin(kSmokeKinds), std::end(kSmokeKinds));
  }
  const Result<Campaign> campaign = MakeCampaign(options.campaign);
  if (!campaign) return Fail(campaign.error());
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return Fail(match.error());
  const Result<Shard> shard = options.shard.empty() ? Shard() : ParseShard(options.shard);
  if (!shard) return Fail(shard.error());
  const int64_t count = options.count > 0 ? options.count : campaign->Targets();
  const Suite fresh = NewSuite(options, *campaign, count, *shard);
  Selection selection = {*match, std::nullopt, *shard};
  if (options.IsStream()) return Stream(options, *campaign, selection, fresh, count);
  std::optional<Result<FolderLock>> package_lock;
  if (!package->empty()) {
    package_lock = OpenPackageFolder(*package, options.resume);
    if (!*package_lock) return Fail(package_lock->error());
  }
  const Result<Done> folder = MakeDirectories(options.out);
  if (!folder) return Fail(folder.error());
  const Result<FolderLock> lock = FolderLock::Take(options.out);
  if (!lock) return Fail(lock.error());
  const Result<Before> before = PrepareFolder(*lock, options, fresh);
  if (!before) return Fail(before.error());
  options.compares = before->complete.has_value();
  if (options.compares && !package->empty()) {
    return CompareWithPackage(options, *package, fresh, *before->complete);
  }
  if (!options.compares) {
    const Result<Done> announced = Announce(options, *campaign, count);
    if (!announced) return Fail(announced.error());
    const Result<Done> begun = WriteSuite(options.out, fresh);
    if (!begun) return Fail(begun.error());
  }
  for (const Generator* kind : campaign->kinds) {
    if (options.packed || options.compares) break;
    const Result<Done> made = MakeDirectories(JoinPath(options.out, kind->kind));
    if (!made) return Fail(made.error());
  }
  if (options.smoke) {
    Result<SmokeChoice> chosen = ChooseSmoke(*campaign, *match, count, options.jobs);
    if (!chosen) return Fail(chosen.error());
    if (!options.json && !options.compares) {
      Print("{} cases kill {} mutants and reach {} type rows; {} of them do the same\n",
            chosen->candidates, chosen->kills, chosen->type_rows, chosen->cases.size());
    }
    selection.smoke = std::move(chosen->cases);
  }
  std::map<std::string, std::string> informative;
  if (!package->empty()) {
    auto chosen = ChoosePackage(*campaign, count, selection, options.jobs, options.json);
    if (!chosen) return Fail(chosen.error());
    informative = std::move(*chosen);
  }
  const Result<Growing> grown =
      Generate(options, *campaign, selection, fresh, count, before->packs);
  if (!grown) return Fail(grown.error());
  const Suite& suite = grown->suite;
  if (options.compares) {
    if (suite.incomplete) return grown->any_defect ? kExitDefect : kExitUndecided;
    return SuiteText(suite) == SuiteText(*before->complete)
               ? TellComplete(options, suite, options.out)
               : Fail(HoldsAnother(options));
  }
  const bool is_packed_up = !package->empty() && !suite.incomplete && suite.VectorCount() > 0;
  if (is_packed_up) {
    const Result<Done> finished = WriteChosenPackage(
        *package, *campaign, suite, fresh.incomplete->command, informative, options.arm);
    if (!finished) return Fail(finished.error());
  }
  const Result<Done> written = WriteSuite(options.out, suite);
  if (!written) return Fail(written.error());
  if (suite.VectorCount() == 0 && grown->outside > 0 && !grown->any_defect) {
    return Fail(Unsupported(fmt::format("{}: no vector: {} of {} cases are outside the target",
                                        TargetWords(options.campaign.target).substr(1),
                                        grown->outside, count)));
  }
  if (is_packed_up && !options.json) Print("a conformance package is in {}\n", *package);
  if (options.json) {
    Write(SuiteText(suite));
  } else {
    Print("{} vectors in {}, {} operators with their types", suite.VectorCount(), options.out,
          suite.coverage.size());
    for (const auto& [kind, number] : suite.counts) Print(", {} {}", number, kind);
    Write("\n");
    if (grown->rows) Write(grown->rows->Line(count, campaign->Targets()) + "\n");
  }
  for (const Generator* kind : campaign->kinds) {
    if (suite.shard || count < std::ssize(campaign->kinds) ||
        suite.counts.contains(std::string(kind->kind)))
      continue;
    Note(std::string(kind->kind) + ": no vector of this kind; " +
         WhyNone(options, *campaign, grown->unchosen.contains(kind->kind)));
  }
  if (grown->any_defect) return kExitDefect;
  return suite.VectorCount() == 0 || suite.incomplete ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command gen_command = {
    .name = "gen",
    .summary = "writes a suite of test vectors",
    .declare = DeclareWith<GenOptions, DeclareGen, RunGen>,
};

}  // namespace assay::cli
