// SPDX-License-Identifier: Apache-2.0
#include "export.h"

#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "files.h"
#include "match.h"
#include "model_source.h"
#include "note.h"
#include "run_cases.h"
#include "run_options.h"
#include "run_status.h"
#include "target_options.h"
#include "terminal.h"

namespace assay::cli {
namespace {

constexpr int64_t kProgramVectorsMax = 1'000'000;

struct ExportCommand : ExportOptions {
  ModelOptions model;
  std::string match;
  TargetOptions target;
  BackendOptions limits;
};

void DeclareExport(CommandLine& line, ExportCommand& options) {
  line.Add(
          "SUITE", options.suites,
          "suites, .tvec files, Arm test directories, or folders of them; or graphs (.tosa, .json, "
          ".mlir, .mlirbc, .graph, .spv, .spvasm), as for `assay verify`; or a folder of `assay "
          "verify --next`")
      .Required();
  AddModelOptions(line, options.model);
  AddTimeOptions(line, options.limits);
  line.Add("--out", options.out, "folder for the files; must be empty or not exist yet").Required();
  line.Add("--as", options.layout,
           "folders: a folder for each vector, as the backend exec:COMMAND gives it to a program; "
           "npz: the same with all inputs in inputs.npz; arm: an Arm test directory for each step; "
           "c: C99 programs for targets without files")
      .OneOf({"folders", "npz", "arm", "c"})
      .ShowDefault();
  line.Add("--per-program", options.per_program, "vectors in each program of --as c")
      .Between(1, kProgramVectorsMax)
      .ShowDefault();
  AddMatchOption(line, options.match);
  AddTargetOptions(line, options.target);
  AddDeclareOption(line, options.limits);
  line.AddFlag("--with-expected", options.with_expected,
               "also write the expected values, for people");
}

Result<Done> CheckIsEmpty(const std::string& out) {
  const Result<std::vector<std::string>> names = ListDirectory(out);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (name.starts_with('.')) continue;
    return UsageError(out + ": is not empty: there is " + name);
  }
  return Done{};
}

int RunExport(ExportCommand options) {
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return Fail(match.error());
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<BackendDeclarations> declared = DeclarationsNamed(options.limits.declarations);
  if (!declared) return Fail(declared.error());
  const Result<RunCases> cases =
      RunCases::List(options.suites, options.model, options.limits, Note);
  if (!cases) return Fail(cases.error());
  const Result<Done> made = MakeDirectories(options.out);
  if (!made) return Fail(made.error());
  const Result<FolderLock> lock = FolderLock::Take(options.out);
  if (!lock) return Fail(lock.error());
  const Result<Done> is_empty = CheckIsEmpty(options.out);
  if (!is_empty) return Fail(is_empty.error());
  options.declarations = options.limits.declarations;
  Export written(options, *declared);
  for (int64_t i = 0; i < cases->size(); ++i) {
    const Result<LoadedCase> loaded = cases->Load(i);
    if (!loaded) return Fail(loaded.error());
    const TestVector& vector = loaded->vector;
    if (!match->Chooses(vector) || !targets->Takes(vector)) continue;
    const Result<Done> added = written.Add(vector, cases->Name(i));
    if (!added) return Fail(added.error());
  }
  const Result<Done> finished = written.Finish();
  if (!finished) return Fail(finished.error());
  Write(written.Text());
  return StatusWithGaps(written.empty() ? kExitUndecided : kExitClean, cases->gaps());
}

}  // namespace

extern const Command export_command = {
    .name = "export",
    .summary = "writes vectors for a program on another machine; recorded:DIR judges its answers",
    .declare = DeclareWith<ExportCommand, DeclareExport, RunExport>,
};

}  // namespace assay::cli
