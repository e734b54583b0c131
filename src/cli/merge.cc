// SPDX-License-Identifier: Apache-2.0
// assay merge: one report of the shards of a run of `assay verify`.
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "merging.h"
#include "run_options.h"
#include "run_to_end.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct MergeCommand : MergeOptions {
  bool strict = false;
  bool json = false;
};

void DeclareMerge(CommandLine& line, MergeCommand& options) {
  line.Add("FOLDER", options.folders,
           "the --report folders of all shards of one run of `assay verify`")
      .Required();
  line.Add("--report", options.report,
           "folder for report.html, report.xml (JUnit), summary.md, report.jsonl and report.txt")
      .Required();
  AddJobsOption(line, options.jobs);
  AddKnownOptionsWithUpdate(line, options.known);
  line.AddFlag("--minimize", options.minimize,
               "reduce each finding to the smallest vector; runs the backend of the shards here");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if any vector is suspect, undecided or unsupported");
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "The report is the one that a run with --reproducible and without --shard writes, byte for "
      "byte,\n"
      "whatever the number of shards, if the backend is deterministic. $REPORT in it is its "
      "folder.\n"
      "Shards come from `verify --shard I/N --report FOLDER`, or from `verify --report FOLDER` of "
      "suites\n"
      "that `gen --shard I/N` made under one path. Neither the suites nor the backend need to be "
      "there,\n"
      "but --minimize needs the backend.\n\n"
      "Examples:\n"
      "  assay verify suite --backend 'exec:./my_backend {dir}' --shard 0/2 --report r0\n"
      "  assay verify suite --backend 'exec:./my_backend {dir}' --shard 1/2 --report r1\n"
      "  assay merge r0 r1 --report r");
}

int RunMerge(const MergeCommand& command) {
  const auto run = Merging::Open(command);
  return run ? RunToEnd(**run, command.json, command.strict) : Fail(run.error());
}

}  // namespace

extern const Command merge_command = {
    .name = "merge",
    .summary = "makes one report of the shards of a run",
    .declare = DeclareWith<MergeCommand, DeclareMerge, RunMerge>,
};

}  // namespace assay::cli
