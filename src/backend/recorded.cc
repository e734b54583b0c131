// SPDX-License-Identifier: Apache-2.0
// recorded:PATH: judges answers that a program gave on another machine, or earlier. README.md
// describes the files.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend_kind.h"
#include "exec_folder.h"
#include "files.h"
#include "recorded_answers.h"
#include "shared_answers.h"
#include "tvec_file.h"
#include "vector_description.h"
#include "vector_key.h"

namespace assay::backend {
namespace {

class RecordedBackend : public Backend {
 public:
  RecordedBackend(std::string path, std::string next, std::vector<RecordedAnswers> answers,
                  std::optional<SharedAnswers> shared)
      : path_(std::move(path)),
        next_(std::move(next)),
        answers_(std::move(answers)),
        shared_(std::move(shared)) {}

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<TappedRun> run = Find(vector, VectorKey(vector));
    if (!run) return run.error();
    return std::move(run->outcomes);
  }

  bool OffersTaps(const TestVector&) const override { return about().offers_taps; }

  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    return Find(vector, TapsKey(vector, asked));
  }

  std::string Errors() override { return errors_; }

  std::optional<Error> MachineFailure() const override { return failure_; }

  bool ChecksPlans() const override { return about().checks_plans; }

  std::string Describe() const override {
    return about().description.empty() ? "recorded:" + path_ : about().description;
  }

 private:
  const AnsweringBackend& about() const { return answers_[0].backend(); }

  Result<TappedRun> Find(const TestVector& vector, const std::string& key) {
    errors_.clear();
    const int64_t call = calls_[key]++;
    bool known = false;
    Error missing = NoAnswer();
    for (const RecordedAnswers& answers : answers_) {
      Result<KeptAnswer> found = answers.Find(vector, key, call);
      if (!found && found.error().kind == Error::Kind::kNoAnswer) {
        if (answers.Knows(key)) missing = found.error();
        known = known || answers.Knows(key);
        continue;
      }
      if (!found) return found.error();
      if (found->unsupported) return Unsupported(*found->unsupported);
      errors_ = std::move(found->errors);
      found->taps.resize(found->outcomes.size());
      return TappedRun{std::move(found->outcomes), std::move(found->taps)};
    }
    if (!known && !next_.empty()) AskNext(vector, key);
    return missing;
  }

  // Writes a vector to the folder of the next round.
  void AskNext(const TestVector& vector, const std::string& key) {
    const std::string folder = VectorFolder(next_, key);
    if (FileExists(folder)) return;
    if (!shared_) {
      Result<SharedAnswers> shared = SharedAnswers::Open(next_);
      if (!shared) {
        failure_ = Error{Error::Kind::kResource, shared.error().message};
        return;
      }
      shared_.emplace(std::move(*shared));
    }
    std::vector<FolderFile> files = ExecFolderFiles(vector);
    files.push_back(VectorDescription(vector, key, false));
    // For `assay export` in another layout.
    files.push_back({"vector.tvec", WriteTestVector(vector)});
    const Result<Done> written = WriteNewFolder(folder, files);
    if (!written) failure_ = Error{Error::Kind::kResource, written.error().message};
  }

  std::string path_, next_;
  std::vector<RecordedAnswers> answers_;  // of PATH, and of the folder of the next round
  std::optional<SharedAnswers> shared_;   // of `next_`, as soon as it exists
  std::map<std::string, int64_t> calls_;  // by key
  std::string errors_;
  std::optional<Error> failure_;
};

Result<std::unique_ptr<Backend>> OpenRecorded(std::string_view argument,
                                              const BackendOptions& options) {
  if (argument.empty()) return UsageError("recorded: a path is missing, as in recorded:DIR");
  const std::string path(argument);
  std::vector<RecordedAnswers> all;
  Result<RecordedAnswers> answers = RecordedAnswers::Open(path);
  if (!answers) return answers.error();
  const Result<BackendDeclarations> declared = DeclarationsNamed(answers->backend().declarations);
  if (!declared) return UsageError(JoinPath(path, kBackendFile) + ": " + declared.error().message);
  all.push_back(std::move(*answers));
  std::optional<SharedAnswers> shared;
  if (!options.next.empty() && IsDirectory(options.next)) {
    Result<SharedAnswers> opened = SharedAnswers::Open(options.next);
    if (!opened) return opened.error();
    shared.emplace(std::move(*opened));
  }
  if (!options.next.empty() && FileExists(VectorFolder(options.next, ""))) {
    Result<RecordedAnswers> next = RecordedAnswers::Open(options.next);
    if (!next) return next.error();
    all.push_back(std::move(*next));
  }
  std::unique_ptr<Backend> backend =
      std::make_unique<RecordedBackend>(path, options.next, std::move(all), std::move(shared));
  backend->Declare(*declared);
  return backend;
}

}  // namespace

extern const BackendKind recorded_backend = {
    .name = "recorded",
    .argument = "PATH",
    .help =
        "answers that were given elsewhere: a folder of `assay export` with the files that your\n"
        "program has added, a file with the lines that its C program has printed, or a folder of\n"
        "`assay verify --record`. A vector without an answer is counted apart. --next DIR gets\n"
        "the further vectors that are needed, to be run in the same way. A program that runs\n"
        "graphs without checking them needs --declare no-checks, here or for `assay export`.",
    .open = OpenRecorded,
    .taps = "if they were recorded with taps",
};
}  // namespace assay::backend
