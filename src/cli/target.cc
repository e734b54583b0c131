// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <nlohmann/json.hpp>
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
  AddBackendOptions(line, options.backend, options.limits);
  line.Add("--out", options.out, "file for the target, as JSON").Required();
  line.Add("--name", options.name, "name of the target (default: what the backend says it is)");
  line.AddFlag("--json", options.json, "print JSON");
  line.SetFooter(
      "Tries small vectors: each row of the type table of each operator, then ranks, values of "
      "enumerations,\nand limits by bisection. Prints a line for each refusal. A vector counts as "
      "taken if the backend\nanswers it, right or wrong. Exit status 3: the backend takes "
      "nothing.\n\n" +
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
  const bool takes_nothing = !learned->takes_any;
  if (options.json) {
    nlohmann::ordered_json refusals = nlohmann::ordered_json::array();
    for (const std::string& line : learned->refusals) refusals.push_back(OneLine(line));
    const nlohmann::ordered_json json = {{"backend", options.backend},
                                         {"probes", learned->probes},
                                         {"refusals", std::move(refusals)},
                                         {"target", options.out}};
    Print("{}\n", JsonText(json, 2));
  } else {
    for (const std::string& line : learned->refusals) Print("{}\n", OneLine(line));
    Print("{}\n{} probes, {} refusals, {}\n", TargetSummary(learned->target), learned->probes,
          learned->refusals.size(), options.out);
  }
  if (takes_nothing) return Fail(Unsupported(options.backend + ": takes no operator"));
  const Result<Done> written = out->Write(std::string_view(WriteTarget(learned->target)));
  return written ? kExitClean : Fail(written.error());
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
