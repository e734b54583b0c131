// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "c_program.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "export_folder.h"
#include "files.h"
#include "kept_answer.h"
#include "match.h"
#include "model_source.h"
#include "recorded_answers.h"
#include "run_cases.h"
#include "run_options.h"
#include "run_status.h"
#include "target_options.h"
#include "terminal.h"
#include "vector_key.h"

namespace assay::cli {
namespace {

constexpr int64_t kProgramVectors = 500;
constexpr int64_t kProgramVectorsMax = 1'000'000;

struct ExportOptions {
  std::vector<std::string> suites;
  ModelOptions model;
  std::string out;
  std::string layout = "folders";
  int64_t per_program = kProgramVectors;
  std::string match;
  TargetOptions target;
  BackendOptions limits;
  bool with_expected = false;
};

void DeclareExport(CommandLine& line, ExportOptions& options) {
  line.Add(
          "SUITE", options.suites,
          "suites, .tvec files, Arm test directories, or folders of them; or graphs (.tosa, .json, "
          ".mlir, .mlirbc), as for `assay verify`; or a folder of `assay verify --next`")
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

ExportLayout LayoutNamed(const std::string& name) {
  if (name == "npz") return ExportLayout::kNpz;
  return name == "arm" ? ExportLayout::kArm : ExportLayout::kFolders;
}

// Returns the reason why a vector is not exported, or "".
std::string WhyNot(const BackendDeclarations& declared, const TestVector& vector) {
  if (vector.steps.empty()) return "nothing to run";
  for (const Step& step : vector.steps) {
    if (vector.GraphOf(step).Main() == nullptr) return "a graph without a main block";
  }
  return std::string(WhyBeyond(declared, vector));
}

// Writes an export. Vectors that are the same for a backend are written once.
class Export {
 public:
  Export(const ExportOptions& options, const BackendDeclarations& declared)
      : options_(options), declared_(declared) {}

  Result<Done> Add(const TestVector& vector, const std::string& path) {
    const std::string why = WhyNot(declared_, vector);
    if (!why.empty()) {
      ++left_out_[why];
      return Done{};
    }
    std::string key = VectorKey(vector);
    vectors_.push_back({key, path, std::ssize(vector.steps)});
    if (!keys_.insert(key).second) return Done{};
    if (options_.layout != "c") {
      return ExportVector(vector, key, LayoutNamed(options_.layout), options_.with_expected,
                          VectorFolder(options_.out, key));
    }
    program_.push_back({std::move(key), vector});
    return std::ssize(program_) < options_.per_program ? Done{} : WriteProgram();
  }

  Result<Done> Finish() {
    if (options_.layout == "c") {
      const Result<Done> written = program_.empty() ? Done{} : WriteProgram();
      if (!written) return written;
      std::string header(CProgramHeader());
      const std::string names = DeclarationNames(declared_);
      if (!names.empty()) header.insert(0, "#define ASSAY_DECLARES \"" + names + "\"\n");
      const Result<Done> header_written =
          WriteFileAtomically(JoinPath(options_.out, "assay_run.h"), std::string_view(header));
      if (!header_written) return header_written;
    }
    if (!options_.limits.declarations.empty()) {
      const std::string about = TextOf(AnsweringBackend{"", "", options_.limits.declarations});
      const Result<Done> told =
          WriteFileAtomically(JoinPath(options_.out, kBackendFile), std::string_view(about));
      if (!told) return told;
    }
    return WriteFileAtomically(
        JoinPath(options_.out, "manifest.json"),
        std::string_view(ManifestText(options_.layout, options_.suites, vectors_)));
  }

  void Tell() const {
    Print("{} vectors in {}", vectors_.size(), options_.out);
    if (keys_.size() < vectors_.size()) {
      Print(", {} of them the same as others", vectors_.size() - keys_.size());
    }
    if (programs_ > 0) Print(", {} program{}", programs_, programs_ == 1 ? "" : "s");
    Print("\n");
    for (const auto& [why, count] : left_out_) Print("left out: {}: {}\n", count, why);
  }

  bool empty() const { return vectors_.empty(); }

 private:
  Result<Done> WriteProgram() {
    const std::string name = "program-" + std::to_string(programs_++) + ".c";
    const std::string text = CProgram(program_);
    program_.clear();
    return WriteFileAtomically(JoinPath(options_.out, name), std::string_view(text));
  }

  const ExportOptions& options_;
  BackendDeclarations declared_;
  std::vector<ExportedVector> vectors_;
  std::set<std::string> keys_;
  std::map<std::string, int64_t> left_out_;  // by reason
  std::vector<ProgramVector> program_;       // that is not written yet
  int64_t programs_ = 0;
};

Result<Done> CheckIsEmpty(const std::string& out) {
  const Result<std::vector<std::string>> names = ListDirectory(out);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (name.starts_with('.')) continue;
    return UsageError(out + ": is not empty: there is " + name);
  }
  return Done{};
}

int RunExport(const ExportOptions& options) {
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
  written.Tell();
  return StatusWithGaps(written.empty() ? kExitUndecided : kExitClean, cases->gaps());
}

}  // namespace

extern const Command export_command = {
    .name = "export",
    .summary = "writes vectors for a program on another machine; recorded:DIR judges its answers",
    .declare = DeclareWith<ExportOptions, DeclareExport, RunExport>,
};

}  // namespace assay::cli
