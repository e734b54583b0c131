// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "case_source.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "coverage_report.h"
#include "note.h"
#include "run_options.h"
#include "run_status.h"
#include "suite_coverage.h"
#include "target_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct CoverageOptions {
  std::vector<std::string> suites;
  BackendOptions limits;
  TargetOptions target;
  bool json = false;
};

void DeclareCoverage(CommandLine& line, CoverageOptions& options) {
  AddSuitesOption(line, options.suites).Required();
  AddTimeOptions(line, options.limits);
  AddTargetOptions(line, options.target);
  line.AddFlag("--json", options.json,
               "print JSON, including everything that the suite does not reach");
  line.SetFooter(
      "Runs the suite with the reference executor. Counts operators, rows of their "
      "type tables, rules\n"
      "broken and held, and classes of attributes, shapes and numbers. Counts apart "
      "what no vector can\n"
      "reach; --json lists it with the reason. With a target, items outside of it are among "
      "those that\n"
      "no vector can reach.");
}

int RunCoverage(const CoverageOptions& options) {
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<CaseList> cases = ListCases(options.suites, Note);
  if (!cases) return Fail(cases.error());
  SuiteCoverage coverage(*targets, options.limits, false);
  for (int64_t i = 0; i < cases->size(); ++i) {
    const Result<Done> added = coverage.Add(cases->Name(i), cases->Load(i));
    if (!added) return Fail(added.error());
  }
  if (coverage.outside() > 0) {
    Note(std::to_string(coverage.outside()) + " of " + std::to_string(cases->size()) +
         " vectors are outside the target and do not count");
  }
  const std::vector<CoverageGroup> table = coverage.Table();
  Write(options.json ? CoverageToJson(table) : CoverageToText(table));
  return StatusWithGaps(kExitClean, cases->gaps);
}

}  // namespace

extern const Command coverage_command = {
    .name = "coverage",
    .summary = "counts the parts of the specification that a suite reaches",
    .declare = DeclareWith<CoverageOptions, DeclareCoverage, RunCoverage>,
};

}  // namespace assay::cli
