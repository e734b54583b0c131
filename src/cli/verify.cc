// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "backend_kind.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "note.h"
#include "run_options.h"
#include "run_to_end.h"
#include "terminal.h"
#include "verification.h"
#include "verify_and_compare.h"

namespace assay::cli {
namespace {

struct VerifyCommand : VerifyOptions {
  std::vector<std::string> backends;
  std::string kernels;
  bool strict = false;
  bool json = false;
};

void DeclareVerify(CommandLine& line, VerifyCommand& options) {
  line.Add(
          "SUITE", options.suites,
          "suites, .tvec files, Arm test directories, or folders of them; or graphs (.tosa, .json, "
          ".mlir, .mlirbc, .graph, .spv, .spvasm), each of which becomes a vector with the inputs "
          "that the options below name. Below folders, graphs are skipped. - reads the vectors of "
          "`assay gen --out -` from standard input, also of several streams, as `cat a b` makes "
          "them")
      .Required();
  AddModelOptions(line, options.model);
  AddBackendOptions(line, options.backends, options.limits);
  AddJobsOption(line, options.jobs);
  AddRepeatOption(line, options.repeats);
  line.Add("--shard", options.shard,
           "I/N: run only every N-th vector, starting with vector I, from 0. `assay merge` makes "
           "one report of the reports of all shards");
  AddMatchOption(line, options.match);
  AddTargetOptions(line, options.target);
  AddKnownOptionsWithUpdate(line, options.known);
  AddPastOptions(line, options.past);
  line.Add("--report", options.report,
           "folder for report.html, report.xml (JUnit), summary.md, report.jsonl and report.txt; "
           "must be empty, not exist yet, or hold an earlier report, which is replaced");
  line.AddFlag("--force", options.force,
               "write the report to a folder that has other files, too; they stay");
  line.AddFlag("--resume", options.resume,
               "go on with the unfinished run in the folder of --report, if there is one");
  AddRecordedOptions(line, options.limits);
  line.AddFlag("--minimize", options.minimize,
               "reduce each finding to the smallest vector; needs --report");
  line.Add("--kernels", options.kernels, "kernels of the backend `reference`: fast or template")
      .OneOf({"fast", "template"});
  line.AddFlag("--implied-errors", options.implied_errors,
               "also judge vectors that demand an error that no ERROR_IF of the specification "
               "states; report them apart");
  line.AddFlag(
      "--reproducible", options.reproducible,
      "leave the clock and the name of the folder out of all reports: no timing.json, no "
      "times in report.xml and report.html, and $REPORT for the folder in replay lines. The "
      "same run on a deterministic backend then gives the same bytes on every machine");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if any vector is suspect, undecided or unsupported");
  AddPowerOption(line, options.power_min, "their operators, on graphs that are named here");
  line.AddFlag("--json", options.json, "print JSON lines");
}

// Verifies on options.backend.
int RunOne(VerifyCommand options) {
  if (!options.kernels.empty()) {
    const Result<const BackendKind*> kind = FindBackendKind(options.backend);
    if (!kind) return Fail(kind.error());
    if ((*kind)->name != "reference" || options.backend.find(':') != std::string::npos) {
      return Fail(UsageError("--kernels: only the backend reference has them"));
    }
    options.backend += ":" + options.kernels;
  }
  options.keeps_results = options.json;
  options.is_one_of_several = options.backends.size() > 1;
  const auto run = Verification::Open(options);
  if (!run) return Fail(run.error());
  return RunToEnd(**run, options.json, options.strict, [&run] {
    for (const std::string& hint : (*run)->Hints()) Note(hint);
  });
}

// Refuses, before the first run, what only one backend can take.
Result<Done> CheckSeveral(const VerifyCommand& options) {
  if (options.minimize && options.report.empty()) {
    return UsageError("--minimize: needs --report DIR for the vectors");
  }
  const std::pair<const char*, bool> only_one[] = {
      {"--resume", options.resume},
      {"--kernels", !options.kernels.empty()},
      {"--record", !options.limits.record.empty()},
      {"--next", !options.limits.next.empty()},
      {"--since", !options.past.since.empty()},
      {"--history", !options.past.history.empty()},
      {"--update-known", options.known.update},
      {"-", options.IsStream()},
  };
  for (const auto& [option, is_given] : only_one) {
    if (!is_given) continue;
    return UsageError(std::string(option) +
                      ": takes one backend; run each of them alone, and compare the reports with "
                      "`assay compare`");
  }
  const Result<Done> fits = Verification::CheckFolder(options);
  if (!fits) return fits;
  for (const std::string& backend : options.backends) {
    const Result<std::string> title = DescribeBackend(backend, options.limits);
    // One that is not installed does not keep the others from running.
    if (!title && StatusOf(title.error()) == kExitUsage) return title.error();
  }
  return Done{};
}

int RunVerify(const VerifyCommand& given) {
  const auto run_one = [&given](const std::string& backend, const std::string& report) {
    VerifyCommand options = given;
    options.backend = backend;
    options.report = report;
    return RunOne(std::move(options));
  };
  if (given.backends.size() == 1) return run_one(given.backends[0], given.report);
  const Result<Done> checked = CheckSeveral(given);
  if (!checked) return Fail(checked.error());
  return VerifyAndCompare(given.backends, given.report, given.json, run_one);
}

}  // namespace

extern const Command verify_command = {
    .name = "verify",
    .summary = "runs vectors, or graphs, on a backend and judges every step",
    .declare = DeclareWith<VerifyCommand, DeclareVerify, RunVerify>,
};

}  // namespace assay::cli
