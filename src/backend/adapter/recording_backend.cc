// SPDX-License-Identifier: Apache-2.0
#include "recording_backend.h"

#include <map>
#include <optional>
#include <utility>

#include "files.h"
#include "kept_answer.h"
#include "recorded_answers.h"
#include "sha256.h"
#include "shared_answers.h"
#include "vector_key.h"

namespace assay {
namespace {

class RecordingBackend : public Backend {
 public:
  RecordingBackend(std::unique_ptr<Backend> backend, std::string folder, SharedAnswers shared)
      : backend_(std::move(backend)), folder_(std::move(folder)), shared_(std::move(shared)) {
    Declare(backend_->Declared());
  }

  std::string WhyUnsupported(const TestVector& vector) const override {
    std::string why = backend_->WhyUnsupported(vector);
    if (!why.empty()) Keep(VectorKey(vector), {why, {}, {}, ""});
    return why;
  }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<std::vector<Outcome>> outcomes = backend_->Run(vector);
    if (outcomes) {
      Keep(VectorKey(vector), {{}, *outcomes, {}, backend_->Errors()});
    } else if (outcomes.error().kind == Error::Kind::kUnsupported) {
      Keep(VectorKey(vector), {outcomes.error().message, {}, {}, ""});
    }
    return outcomes;
  }

  void RunNextAlone() override { backend_->RunNextAlone(); }
  int64_t Process() const override { return backend_->Process(); }

  std::optional<Result<std::vector<Outcome>>> RunAfterReset(const TestVector& vector) override {
    return backend_->RunAfterReset(vector);
  }

  bool OffersTaps(const TestVector& vector) const override { return backend_->OffersTaps(vector); }

  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    Result<TappedRun> run = backend_->RunWithTaps(vector, asked);
    if (run) Keep(TapsKey(vector, asked), {{}, run->outcomes, run->taps, backend_->Errors()});
    return run;
  }

  BlamedPass BlamePass(const TestVector& vector, const JudgeAnswer& judge) override {
    return backend_->BlamePass(vector, judge);
  }

  std::string Errors() override { return backend_->Errors(); }

  std::optional<Error> MachineFailure() const override {
    return failure_ ? failure_ : backend_->MachineFailure();
  }

  bool ChecksPlans() const override { return backend_->ChecksPlans(); }

  std::string Describe() const override { return backend_->Describe(); }

 private:
  void Keep(const std::string& key, const KeptAnswer& answer) const {
    Calls& calls = calls_[key];
    const std::string folder = CallFolder(folder_, key, calls.count++);
    const std::vector<FolderFile> files = KeptAnswerFiles(answer);
    std::string text;
    for (const FolderFile& file : files) text += file.name + " " + Sha256(file.bytes) + "\n";
    if (text == std::exchange(calls.last, text) || FileExists(folder)) return;
    const Result<Done> kept = WriteNewFolder(folder, files);
    if (!kept) failure_ = Error{Error::Kind::kResource, kept.error().message};
  }

  std::unique_ptr<Backend> backend_;
  std::string folder_;
  SharedAnswers shared_;
  // The answers of this object to one vector.
  struct Calls {
    int64_t count = 0;
    std::string last;  // names and hashes of the files of the last one; "" before the first
  };
  mutable std::map<std::string, Calls> calls_;  // by key
  mutable std::optional<Error> failure_;        // of writing
};

}  // namespace

Result<std::unique_ptr<Backend>> RecordAnswers(std::unique_ptr<Backend> backend,
                                               std::string specification,
                                               const std::string& folder) {
  AnsweringBackend about{std::move(specification),
                         backend->Describe(),
                         {},
                         backend->OffersTaps({}),
                         backend->ChecksPlans()};
  const BackendDeclarations declared = backend->Declared();
  for (const DeclarationRow& row : AllDeclarations()) {
    if (declared.*row.field) about.declarations.emplace_back(row.name);
  }
  Result<SharedAnswers> shared = SharedAnswers::Open(folder);
  if (!shared) return shared.error();
  const std::string path = JoinPath(folder, kBackendFile);
  const std::string text = TextOf(about);
  if (FileExists(path)) {
    const Result<std::vector<uint8_t>> known = ReadOwnFile(path);
    if (!known) return known.error();
    if (std::string(known->begin(), known->end()) != text) {
      return UsageError("--record " + folder + ": has the answers of another " +
                        "backend, or of another version of it");
    }
  } else {
    const Result<Done> written = WriteFileAtomically(path, std::string_view(text));
    if (!written) return written.error();
  }
  return std::unique_ptr<Backend>(
      std::make_unique<RecordingBackend>(std::move(backend), folder, std::move(*shared)));
}

}  // namespace assay
