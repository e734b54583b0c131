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
  line.AddFlag("--json", options.json,
               "print JSON, including everything that the suite does not reach");
  line.SetFooter(
      "Runs the suite with the reference executor. Counts operators, rows of their "
      "type tables, rules\n"
      "broken and held, and classes of attributes, shapes and numbers. Counts apart "
      "what no vector can\n"
      "reach; --json lists it with the reason. Of floating point, counts idioms, float "
      "outputs by the\n"
      "number of inexact operators behind them, pairs of inexact operators, and the share "
      "of elements\n"
      "that change with an operand (informative).");
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
    .summary = "counts the parts of the specification that a suite reaches",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
