// SPDX-License-Identifier: Apache-2.0
// exec:COMMAND: one process per vector, with all data in a folder of files. The protocol is
// described in README.md and, in short, in the help text below.
#include <string>

#include "answer_files.h"
#include "backend_kind.h"
#include "child_process.h"
#include "exec_folder.h"
#include "program_output.h"
#include "scratch_folder.h"

namespace assay::backend {
namespace {

constexpr int kUnsupportedStatus = 77;
constexpr char kFolderWord[] = "{dir}";

class ExecBackend : public Backend {
 public:
  ExecBackend(std::string command, const BackendOptions& options, ScratchFolder scratch)
      : command_(std::move(command)), options_(options), scratch_(std::move(scratch)) {}

  std::string WhyUnsupported(const TestVector& vector) const override {
    for (const Step& step : vector.steps) {
      if (vector.GraphOf(step).Main() == nullptr) return "a graph without a main block";
    }
    return {};
  }

  std::string Describe() const override { return "exec:" + command_; }

  std::string Errors() override { return errors_; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    errors_.clear();
    return scratch_.Run([&](const std::string& folder) { return RunIn(folder, vector); });
  }

  std::optional<Error> MachineFailure() const override { return scratch_.failure(); }

 private:
  // Returns the words of the command. The folder replaces {dir}, or is the last word.
  ChildCommand CommandFor(const std::string& folder) const {
    ChildCommand command;
    bool named = false;
    for (std::string& word : CommandWords(command_)) {
      for (size_t found = word.find(kFolderWord); found != std::string::npos;
           found = word.find(kFolderWord, found + folder.size())) {
        word.replace(found, sizeof(kFolderWord) - 1, folder);
        named = true;
      }
      command.argv.push_back(std::move(word));
    }
    if (!named) command.argv.push_back(folder);
    command.cpu_seconds = options_.cpu_seconds;
    AddEnvironment(options_, command);
    return command;
  }

  Result<std::vector<Outcome>> RunIn(const std::string& folder, const TestVector& vector) {
    const Result<Done> written = WriteFolderFiles(folder, ExecFolderFiles(vector));
    if (!written) return scratch_.Fail(written.error());
    ChildLimits limits;
    limits.wall_seconds = options_.wall_seconds;
    const Result<ChildReport> report = RunChild(CommandFor(folder), "", limits);
    // The program exists. If this machine cannot run it, that says nothing about the vector.
    if (!report) return Error{Error::Kind::kResource, report.error().message};
    errors_ = EndOf(report->errors, folder, kErrorBytesMax);
    std::vector<Outcome> outcomes(vector.steps.size());
    const bool ended = report->end == ChildReport::End::kExited;
    if (ended && report->status == kUnsupportedStatus) {
      const std::string line = WordsOf(report->errors, folder);
      for (Outcome& outcome : outcomes) outcome.message = line.empty() ? "unsupported" : line;
      return outcomes;
    }
    const bool sound = ended && report->status == 0;
    const AnswerFiles files(folder, AnswerFiles::Origin::kProgram);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const bool answers_in_files = !vector.GraphOf(vector.steps[i]).Main()->outputs.empty();
      if ((sound || answers_in_files) && ReadStepAnswer(files, vector, i, outcomes[i])) continue;
      outcomes[i].kind = report->end == ChildReport::End::kTimedOut ? OutcomeKind::kTimedOut
                                                                    : OutcomeKind::kCrashed;
      // An error in the answer is not reported if the program did not end normally.
      if (!sound || outcomes[i].message.empty()) {
        const std::string line = WordsOf(report->errors, folder);
        outcomes[i].message = report->Describe() + (sound ? ", but no answer" : "") +
                              (line.empty() ? "" : ": " + line);
      }
      for (size_t k = i + 1; k < outcomes.size(); ++k) outcomes[k].message = "not run";
      break;
    }
    return outcomes;
  }

  std::string command_;
  BackendOptions options_;
  ScratchFolder scratch_;
  std::string errors_;  // of the last run
};

Result<std::unique_ptr<Backend>> OpenExec(std::string_view argument,
                                          const BackendOptions& options) {
  const std::vector<std::string> words = CommandWords(argument);
  if (words.empty()) return UsageError("exec: a command is missing, as in exec:'./run {dir}'");
  const Result<Done> found = CheckProgram("exec:" + std::string(argument), words[0]);
  if (!found) return found.error();
  Result<ScratchFolder> scratch = ScratchFolder::Open(options.scratch);
  if (!scratch) return scratch.error();
  return std::unique_ptr<Backend>(
      std::make_unique<ExecBackend>(std::string(argument), options, std::move(*scratch)));
}

}  // namespace

extern const BackendKind exec_backend = {
    .name = "exec",
    .argument = "COMMAND",
    .help =
        "your program, started once per vector. {dir} in COMMAND is replaced by the vector's\n"
        "directory; without {dir}, the directory is the last argument. It holds steps.txt,\n"
        "graph-N.tosa and step-N-input-K.npy. The program writes step-N-output-K.npy, or\n"
        "step-N-refused.txt with the reason for refusing a step. Exit status: 0 if all steps are\n"
        "answered, 77 if the vector is unsupported. Any other status, a signal or a time-out\n"
        "fails the first step without an answer. If the program runs graphs without checking\n"
        "them, --declare no-checks keeps vectors that demand an error from it.",
    .open = OpenExec,
};
}  // namespace assay::backend
