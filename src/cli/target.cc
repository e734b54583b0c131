// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include "backend_kind.h"
#include "campaign.h"
#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "json_text.h"
#include "learn_target.h"
#include "output_file.h"
#include "run_options.h"
#include "target_file.h"
#include "target_options.h"
#include "target_text.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct TargetCommandOptions {
  std::string file;
  std::string out;
  std::string name;
  std::string backend;
  BackendOptions limits;
  TargetOptions shortcuts;
  std::vector<std::string> profiles, extensions;
  std::string level;
  bool json = false;
};

void DeclareLearn(CommandLine& line, TargetCommandOptions& options) {
  AddBackendArgument(line, options.backend, options.limits);
  line.Add("--out", options.out, "file for the target, as JSON").Required();
  line.Add("--name", options.name, "name of the target (default: what the backend says it is)");
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Tries small vectors: each row of the type table of each operator, then ranks, values of "
      "enumerations,\nand limits by bisection. Prints a line for each refusal. A vector counts as "
      "taken if the backend\nanswers it, right or wrong. Each vector runs twice.\n"
      "Exit status 3: the backend takes nothing, or gives two different answers to a vector (then "
      "no target\nis written), or crashes or times out (the target leaves out what does).\n\n" +
      line.Footer());
}

void DeclareTargetShow(CommandLine& line, TargetCommandOptions& options) {
  line.Add("FILE", options.file, "a target").Required();
  line.AddFlag("--json", options.json, "print JSON, in the order in which targets are written");
}

void DeclareMake(CommandLine& line, TargetCommandOptions& options) {
  line.Add("--out", options.out, "file for the target, as JSON").Required();
  line.Add("--name", options.name, "name of the target");
  line.Add("--profile", options.profiles, "profiles: PRO-INT, PRO-FP (default: both)");
  line.Add("--ext", options.extensions, "extensions (EXT-BF16, ...), or none (default: all)");
  line.Add("--level", options.level, "level of the vectors: 8K or none (default: any)");
  AddTargetShortcuts(line, options.shortcuts);
}

int Learn(const TargetCommandOptions& options) {
  const Result<OutputFile> out = OutputFile::At(options.out);
  if (!out) return Fail(out.error());
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, options.limits);
  if (!backend) return Fail(backend.error());
  Result<LearnedTarget> learned = LearnTarget(**backend);
  if (!learned) return Fail(learned.error());
  if (!options.name.empty()) learned->target.name = options.name;
  learned->target.name = OneLine(learned->target.name);
  const bool takes_nothing = !learned->takes_any, is_consistent = learned->inconsistent.empty();
  if (options.json) {
    Json refusals = Json::array();
    for (const std::string& line : learned->refusals) refusals.push_back(OneLine(line));
    Json inconsistent = Json::array();
    for (const std::string& line : learned->inconsistent) inconsistent.push_back(OneLine(line));
    const Json json = {{"backend", options.backend},
                       {"probes", learned->probes},
                       {"crashes", learned->crashes},
                       {"refusals", std::move(refusals)},
                       {"inconsistent", std::move(inconsistent)},
                       {"target", options.out}};
    Print("{}\n", JsonText(json, 2));
  } else if (is_consistent) {
    for (const std::string& line : learned->refusals) Print("{}\n", OneLine(line));
    Print("{}\n{} probes, {} refusals, {}\n", TargetSummary(learned->target), learned->probes,
          learned->refusals.size(), options.out);
  } else {
    for (const std::string& line : learned->inconsistent) Print("{}\n", OneLine(line));
  }
  if (!is_consistent) {
    return Fail(Unsupported(options.backend + ": gives two different answers to the same vector (" +
                            std::to_string(learned->inconsistent.size()) +
                            " seen); make it repeat what it does. No target is written"));
  }
  if (takes_nothing) return Fail(Unsupported(options.backend + ": takes no operator"));
  const Result<Done> written = out->Write(std::string_view(WriteTarget(learned->target)));
  if (!written) return Fail(written.error());
  if (learned->crashes == 0) return kExitClean;
  return Fail(Unsupported(options.backend + ": crashes or times out in " +
                          std::to_string(learned->crashes) +
                          " probes; the target leaves out what does, so mend it first, or run "
                          "without the target to see it"));
}

int ShowTarget(const TargetCommandOptions& options) {
  const Result<Target> target = LoadTarget(options.file);
  if (!target) return Fail(target.error());
  Write(options.json ? WriteTarget(*target) : CleanText(TargetText(*target)));
  return kExitClean;
}

int Make(const TargetCommandOptions& options) {
  const Result<OutputFile> out = OutputFile::At(options.out);
  if (!out) return Fail(out.error());
  Result<Target> target = TargetOfShortcuts(options.shortcuts);
  if (!target) return Fail(target.error());
  target->name = options.name;
  CampaignOptions campaign;
  campaign.profiles = options.profiles;
  campaign.extensions = options.extensions;
  if (!options.level.empty()) campaign.level = options.level;
  const Result<Campaign> made = MakeCampaign(campaign);
  if (!made) return Fail(made.error());
  if (!options.level.empty()) target->level = made->options.level.name;
  if (!options.profiles.empty() || !options.extensions.empty()) {
    target->features = made->options.target;
  }
  const Result<Done> written = out->Write(std::string_view(WriteTarget(*target)));
  if (!written) return Fail(written.error());
  Print("{}\n", TargetSummary(*target));
  return kExitClean;
}

constexpr Command kLearn = {
    .name = "learn",
    .summary = "finds out by probing what a backend takes, and writes it as a target",
    .declare = DeclareWith<TargetCommandOptions, DeclareLearn, Learn>,
};
constexpr Command kTargetShow = {
    .name = "show",
    .summary = "describes a target",
    .declare = DeclareWith<TargetCommandOptions, DeclareTargetShow, ShowTarget>,
};
constexpr Command kMake = {
    .name = "make",
    .summary = "writes a target from profiles, extensions, operators, types and limits",
    .declare = DeclareWith<TargetCommandOptions, DeclareMake, Make>,
};
constexpr const Command* kTargetVerbs[] = {&kLearn, &kTargetShow, &kMake};

std::function<int()> DeclareTarget(CommandLine& line) {
  line.AddCommands(kTargetVerbs);
  line.RequireSubcommand();
  return nullptr;
}

}  // namespace

extern const Command target_command = {
    .name = "target",
    .summary = "learns, makes or describes a target: the part of TOSA that a backend supports",
    .declare = DeclareTarget,
};

}  // namespace assay::cli
