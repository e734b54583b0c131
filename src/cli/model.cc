// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "graph_source.h"
#include "model_run.h"
#include "parallel.h"
#include "run_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct ModelCommand : ModelRunOptions {
  ModelCommand() { inputs.steps = 0; }
  int threads = 1;
  bool json = false;
};

void DeclareModel(CommandLine& line, ModelCommand& options) {
  line.Add("MODEL", options.model, kGraphOrVectorHelp).Required();
  AddBackendOptions(line, options.backend, options.limits);
  line.Add("--against", options.against,
           "another backend: say where the two part, and which is outside the specification")
      .ShowValueAs("BACKEND");
  AddModelOptions(line, options.inputs);
  line.Add("--steps", options.inputs.steps,
           "number of invocations of a model with variables, in two contexts; each takes "
           "a sample (default: 5 if inputs are drawn, otherwise 1)")
      .Between(1, ModelOptions::kStepsMax);
  AddTargetOptions(line, options.target);
  AddKnownOptions(line, options.known);
  line.Add("--report", options.report,
           "folder for model.html, model.json and the smallest vector that shows what is wrong");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if the model or a layer is suspect, undecided or unsupported");
  AddPowerOption(line, options.power_min, "single layers");
  AddThreadsOption(line, options.threads);
  line.AddFlag("--json", options.json, "print JSON");
}

constexpr ExitStatus kStatuses[] = {kExitClean, kExitUndecided, kExitFinding,
                                    kExitDefect};  // by ModelEnding

int RunModel(const ModelCommand& options) {
  SetThreads(options.threads);
  Result<ModelRun> run = ModelRun::Open(options);
  if (!run) return Fail(run.error());
  const Result<ModelReport> report = run->Judge();
  if (!report) return Fail(report.error());
  options.json ? Write(ModelToJson(*report)) : WriteReport(ModelToText(*report));
  const Result<Done> written = run->Write(*report);
  if (!written) return Fail(written.error());
  return kStatuses[static_cast<size_t>(run->EndingOf(*report))];
}

}  // namespace

extern const Command model_command = {
    .name = "model",
    .summary = "judges a model on a backend, layer by layer, and names the layer that is wrong",
    .declare = DeclareWith<ModelCommand, DeclareModel, RunModel>,
};

}  // namespace assay::cli
