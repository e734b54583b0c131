// SPDX-License-Identifier: Apache-2.0
#include "mutants.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "json_text.h"
#include "mutant_run.h"
#include "name_search.h"
#include "run_status.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct MutantsOptions {
  std::vector<std::string> suites;
  std::string only;
  int jobs = 1;
  bool list = false;
  bool json = false;
};

void DeclareMutants(CommandLine& line, MutantsOptions& options) {
  AddSuitesOption(line, options.suites);
  line.Add("--only", options.only, "run only mutants whose ID contains this text, e.g. conv2d/");
  line.AddFlag("--list", options.list, "print the mutants and run nothing");
  AddJobsOption(line, options.jobs);
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "A mutant is the reference executor with one fault in the kernel of one "
      "operator. A suite kills a\n"
      "mutant if a vector of the suite disagrees with it. `assay verify --backend "
      "mutant:ID` shows how.\n"
      "Exit status 0: each mutant is killed, or no result can tell it from the "
      "specification;\n"
      "1: a mutant survives; 3: no vector has an operator of any mutant.");
}

// By MutantEnding.
constexpr std::string_view kEndings[] = {"killed", "survived", "equivalent", "not reached"};

int64_t CountTrials(const std::vector<MutantTrial>& trials, MutantEnding ending,
                    std::optional<OperatorClass> operator_class = std::nullopt) {
  return std::count_if(trials.begin(), trials.end(), [&](const MutantTrial& trial) {
    return trial.ending == ending &&
           (!operator_class || trial.mutant->operator_class == *operator_class);
  });
}

void PrintCounts(std::string_view name, const std::vector<MutantTrial>& trials,
                 std::optional<OperatorClass> operator_class) {
  Print("{:32}", name);
  for (const MutantEnding ending : {MutantEnding::kKilled, MutantEnding::kSurvived,
                                    MutantEnding::kEquivalent, MutantEnding::kNotReached}) {
    Print("{:>12}", CountTrials(trials, ending, operator_class));
  }
  Print("\n");
}

void PrintTrials(const std::vector<MutantTrial>& trials) {
  for (const MutantTrial& trial : trials) {
    if (trial.ending != MutantEnding::kKilled) continue;
    Print("killed       {:40} {}: {}\n", trial.mutant->id, trial.vector, trial.finding);
  }
  for (const MutantEnding ending :
       {MutantEnding::kEquivalent, MutantEnding::kNotReached, MutantEnding::kSurvived}) {
    for (const MutantTrial& trial : trials) {
      if (trial.ending != ending) continue;
      const std::string_view why =
          ending == MutantEnding::kEquivalent ? trial.mutant->equivalent : trial.mutant->what;
      Print("{:12} {:40} {} ({} vectors)\n", kEndings[static_cast<size_t>(ending)],
            trial.mutant->id, why, trial.vectors);
    }
  }
  Print("\n{:32}{:>12}{:>12}{:>12}{:>12}\n", "class", kEndings[0], kEndings[1], kEndings[2],
        kEndings[3]);
  for (const MutantQuota& quota : MutantQuotas()) {
    PrintCounts(OperatorClassName(quota.operator_class), trials, quota.operator_class);
  }
  PrintCounts("total", trials, std::nullopt);
}

Json MutantJson(const Mutant& mutant) {
  Json json = {{"mutant", mutant.id},
               {"operator", OperatorName(mutant.op)},
               {"class", OperatorClassName(mutant.operator_class)},
               {"what", mutant.what}};
  if (!mutant.equivalent.empty()) json["equivalent"] = mutant.equivalent;
  return json;
}

void PrintJsonLine(const Json& json) { Print("{}\n", JsonText(json)); }

void PrintJsonLines(const std::vector<MutantTrial>& trials) {
  for (const MutantTrial& trial : trials) {
    Json json = MutantJson(*trial.mutant);
    json["state"] = kEndings[static_cast<size_t>(trial.ending)];
    json["vectors"] = trial.vectors;
    if (trial.ending == MutantEnding::kKilled) {
      json["vector"] = trial.vector;
      json["finding"] = trial.finding;
    }
    PrintJsonLine(json);
  }
  Json totals = Json::object();
  for (const MutantEnding ending : {MutantEnding::kKilled, MutantEnding::kSurvived,
                                    MutantEnding::kEquivalent, MutantEnding::kNotReached}) {
    totals[std::string(kEndings[static_cast<size_t>(ending)])] = CountTrials(trials, ending);
  }
  PrintJsonLine({{"totals", totals}});
}

int PrintList(const std::vector<const Mutant*>& mutants, bool json) {
  for (const Mutant* mutant : mutants) {
    if (json) {
      PrintJsonLine(MutantJson(*mutant));
    } else {
      Print("{:45} {}{}\n", mutant->id, mutant->what,
            mutant->equivalent.empty() ? "" : " (equivalent)");
    }
  }
  return kExitClean;
}

Result<std::vector<const Mutant*>> Chosen(const std::string& only) {
  std::vector<const Mutant*> chosen;
  std::vector<std::string_view> known;  // the ids, and the operators that they begin with
  for (const Mutant& mutant : AllMutants()) {
    if (mutant.id.find(only) != std::string_view::npos) chosen.push_back(&mutant);
    const std::string_view op = mutant.id.substr(0, mutant.id.find('/') + 1);
    if (std::ranges::find(known, op) == known.end()) known.push_back(op);
    known.push_back(mutant.id);
  }
  if (!chosen.empty()) return chosen;
  const Error unknown = UnknownName("mutant", only, known);
  return Error{unknown.kind, "--only: " + unknown.message + "; --list prints all"};
}

int RunMutants(const MutantsOptions& options) {
  const Result<std::vector<const Mutant*>> mutants = Chosen(options.only);
  if (!mutants) return Fail(mutants.error());
  if (options.list) return PrintList(*mutants, options.json);
  if (options.suites.empty()) return Fail(UsageError("mutants: SUITE is required"));
  const Result<MutantRun> run = TryMutants(*mutants, options.suites, options.jobs);
  if (!run) return Fail(run.error());
  options.json ? PrintJsonLines(run->trials) : PrintTrials(run->trials);
  const bool ran =
      std::ranges::any_of(run->trials, [](const MutantTrial& trial) { return trial.vectors > 0; });
  if (!ran) return StatusWithGaps(kExitUndecided, run->gaps);
  const int64_t alive = CountTrials(run->trials, MutantEnding::kSurvived) +
                        CountTrials(run->trials, MutantEnding::kNotReached);
  return StatusWithGaps(alive > 0 ? kExitFinding : kExitClean, run->gaps);
}

}  // namespace

extern const Command mutants_command = {
    .name = "mutants",
    .summary = "lists which seeded faults of the executor's kernels a suite kills",
    .declare = DeclareWith<MutantsOptions, DeclareMutants, RunMutants>,
};

}  // namespace assay::cli
