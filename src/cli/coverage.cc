#include <string>
#include <vector>

#include "case_source.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "coverage_report.h"
#include "run_status.h"
#include "suite_coverage.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct Options {
  std::vector<std::string> suites;
  BackendOptions limits;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  AddSuitesOption(line, options.suites).Required();
  AddTimeOptions(line, options.limits);
  line.AddFlag("--json", options.json, "print JSON, with everything that is missed");
  line.SetFooter(
      "Counted from what the reference executor ran: operators, rows of their type tables, rules "
      "broken\nand rules held, classes of attributes, shapes and numbers. What nothing can reach "
      "is counted apart\nand listed by --json with the argument.");
}

int Run() {
  const Result<CaseList> cases = ListCases(options.suites, Note);
  if (!cases) return Fail(cases.error());
  const Result<std::vector<CoverageGroup>> table = CoverageOf(cases->paths, options.limits, false);
  if (!table) return Fail(table.error());
  Write(options.json ? CoverageToJson(*table) : CoverageToText(*table));
  return StatusWithGaps(kExitClean, cases->gaps);
}

}  // namespace

extern const Command coverage_command = {
    .name = "coverage",
    .summary = "counts what a suite reaches of the specification",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
