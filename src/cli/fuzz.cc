// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "finding_text.h"
#include "fuzzing.h"
#include "run_options.h"
#include "run_to_end.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct FuzzCommand : FuzzOptions {
  bool json = false;
};

void DeclareFuzz(CommandLine& line, FuzzCommand& options) {
  AddBackendOptions(line, options.backend, options.limits);
  line.Add("--budget", options.budget, "a time (30s, 10m, 2h) or a number of cases").Required();
  line.Add("--out", options.out,
           "folder for findings, suspects (no findings: no sound rule decides them), report and "
           "progress")
      .Required();
  AddCampaignOptions(line, options.campaign);
  AddKnownOptionsWithUpdate(line, options.known);
  AddPastOptions(line, options.past);
  AddJobsOption(line, options.jobs);
  AddRepeatOption(line, options.repeats);
  line.AddFlag("--guided", options.guided,
               "choose the cases: of every 1,024, run those 256 that reach most of the "
               "specification that no case before has reached");
  line.Add("--shard", options.shard, "I/N: run only every N-th case, starting with case I, from 0");
  line.AddFlag("--resume", options.resume, "go on with the run in --out");
  line.AddFlag("--reproducible", options.reproducible,
               "leave the clock and the name of the folder out of all reports: no timing.json, no "
               "times in report.html, and $REPORT for the folder in replay lines");
  line.AddFlag("--json", options.json, "print JSON lines");
}

int RunFuzz(FuzzCommand options) {
  const char* const verdict = options.known.file.empty() ? "FAIL" : "FOUND";
  options.tell = [&](const std::vector<ReportedFinding>& found) {
    for (const ReportedFinding& finding : found) {
      if (options.json) break;
      Print("{}  {}\n  replay: {}\n", verdict, ReportedHeadline(finding), AsCalled(finding.replay));
    }
    std::fflush(stdout);
  };
  const auto run = Fuzzing::Open(options);
  if (!run) return Fail(run.error());
  if (!options.json) {
    Print("seed {}, backend {}, from case {}\n", options.campaign.seed, (*run)->title(),
          (*run)->next_case());
    std::fflush(stdout);
  }
  return RunToEnd(**run, options.json, false);
}

}  // namespace

extern const Command fuzz_command = {
    .name = "fuzz",
    .summary =
        "generates and judges vectors, minimizes and records findings, and suspects apart from "
        "them, until a budget is spent",
    .declare = DeclareWith<FuzzCommand, DeclareFuzz, RunFuzz>,
};

}  // namespace assay::cli
