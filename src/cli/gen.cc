// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "generation.h"
#include "joined.h"
#include "note.h"
#include "run_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct GenCommand : GenerationOptions {
  bool json = false;
};

void DeclareGen(CommandLine& line, GenCommand& options) {
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

std::string Megabytes(int64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6)
                            : fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

// Prints what is going to be written, and the estimated size if the number of cases is the default.
Result<Done> Announce(const GenCommand& options, const Generation& run) {
  std::string text = fmt::format("seed {}, {} cases of", options.campaign.seed, run.count());
  for (const Generator* kind : run.campaign().kinds) text += " " + std::string(kind->kind);
  if (options.count == 0 && !options.smoke && !options.IsPackage() && options.shard.empty()) {
    const Result<int64_t> bytes = run.EstimatedBytes();
    if (!bytes) return bytes.error();
    text += ", about " + Megabytes(*bytes) + " in " + options.out +
            " (--count N makes the first N of them)";
  }
  if (options.json) {
    if (options.count == 0) Note(text);
    return Done{};
  }
  Print("{}\n", text);
  return FlushOutput();
}

// Prints which cases were chosen for a smoke suite or a package.
void TellChoice(const Generation& run) {
  if (const auto& smoke = run.smoke()) {
    Print("{} cases kill {} mutants and reach {} type rows; {} of them do the same\n",
          smoke->candidates, smoke->kills, smoke->type_rows, smoke->cases.size());
  }
  if (const auto& package = run.package()) {
    Print("{} cases reach {} items; {} of them do the same, and {} more are in no must-pass list\n",
          package->candidates, package->items, package->must_pass.size(),
          package->informative.size());
  }
}

// Tells that a complete suite is the one that the options make. Returns the exit status.
int TellComplete(const GenCommand& options, const Suite& suite) {
  if (options.json) {
    Write(SuiteText(suite));
  } else {
    Print("{}: is complete: {} vectors; nothing is left to do\n", options.out, suite.VectorCount());
  }
  return suite.VectorCount() == 0 ? kExitUndecided : kExitClean;
}

// Returns why a suite has no vector of a kind. `is_unchosen`: cases of it were left out that are
// perhaps inside the target.
std::string WhyNone(const GenCommand& options, const Campaign& campaign, bool is_unchosen) {
  if (is_unchosen && (options.smoke || options.IsPackage())) {
    return "the others reach all that its cases reach";
  }
  if (is_unchosen) return "no case of it has what --match names; a larger --count has more cases";
  return std::string("its cases need ") +
         (campaign.chosen.TakesAll() ? "other profiles or extensions" : "more than the target");
}

// Prints what was made, and notes the kinds without a vector.
void TellMade(const GenCommand& options, const Generation& run, const MadeSuite& made) {
  const Suite& suite = made.suite;
  const Campaign& campaign = run.campaign();
  if (options.json) {
    Write(SuiteText(suite));
  } else {
    if (made.has_package) Print("a conformance package is in {}\n", options.out);
    Print("{} vectors in {}, {} operators with their types", suite.VectorCount(),
          options.VectorFolder(), suite.coverage.size());
    for (const auto& [kind, number] : suite.counts) Print(", {} {}", number, kind);
    Write("\n");
    if (made.power) Print("{}\n", Joined(PowerLines(*made.power), "\n"));
    if (made.rows) Write(made.rows->Line(run.count(), campaign.Targets()) + "\n");
  }
  if (suite.shard || run.count() < std::ssize(campaign.kinds)) return;
  for (const Generator* kind : campaign.kinds) {
    if (suite.counts.contains(std::string(kind->kind))) continue;
    Note(std::string(kind->kind) + ": no vector of this kind; " +
         WhyNone(options, campaign, made.unchosen.contains(kind->kind)));
  }
}

int RunGen(GenCommand options) {
  options.tell = [](const Error& lost) { Fail(lost); };
  Result<Generation> run = Generation::Open(options);
  if (!run) return Fail(run.error());
  const bool is_stream = options.IsStream();
  if (is_stream && (options.force || options.resume || options.json || options.smoke)) {
    return Fail(
        UsageError("--out -: a stream takes none of --force, --resume, --json and --smoke"));
  }
  const Suite* const complete = run->complete();
  if (complete != nullptr && options.IsPackage()) return TellComplete(options, *complete);
  const bool is_new = complete == nullptr && !is_stream;
  if (is_new) {
    const Result<Done> announced = Announce(options, *run);
    if (!announced) return Fail(announced.error());
  }
  const Result<Done> begun = run->Begin();
  if (!begun) return Fail(begun.error());
  if (is_new && !options.json) TellChoice(*run);
  const Result<MadeSuite> made = run->Make();
  if (!made) return Fail(made.error());
  const Suite& suite = made->suite;
  if (complete != nullptr && !suite.incomplete) return TellComplete(options, suite);
  if (is_new) TellMade(options, *run, *made);
  if (made->any_defect) return kExitDefect;
  const bool is_empty = is_stream ? suite.coverage.empty() : suite.VectorCount() == 0;
  return is_empty || suite.incomplete ? kExitUndecided : kExitClean;
}

}  // namespace

extern const Command gen_command = {
    .name = "gen",
    .summary = "writes a suite of test vectors",
    .declare = DeclareWith<GenCommand, DeclareGen, RunGen>,
};

}  // namespace assay::cli
