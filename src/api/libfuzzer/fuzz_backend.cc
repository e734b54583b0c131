// SPDX-License-Identifier: Apache-2.0
// A fuzz target for a backend that is linked into the same program: libFuzzer makes bytes, a
// generator makes a vector of them, the backend runs it, and the oracles judge it. libFuzzer sees
// which code of the backend runs, if that was compiled with -fsanitize=fuzzer.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "clean_text.h"
#include "files.h"
#include "finding_text.h"
#include "judge_case.h"
#include "loaded_plugin.h"
#include "output_file.h"
#include "plugin_session.h"
#include "reported_findings.h"
#include "tvec_file.h"
#include "vector_from_bytes.h"
#include "worker_client.h"

// libFuzzer calls it with each input.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace assay {
namespace {

// The variable that names a file to which each vector is written before it runs. So a crash can be
// looked at as a vector.
constexpr char kVectorVariable[] = "ASSAY_VECTOR";

// The requests go to the backend in this process. A crash there is one of the program, which
// libFuzzer reports.
class LinkedBackend : public WorkerConnection {
 public:
  void SetLimits(const BackendOptions&) override {}
  Result<worker::Body> Ask(worker::Body request) override { return session_.Answer(request); }
  std::string Errors() override { return session_.TakeLog(); }

 private:
  PluginSession session_{[] { return CheckedPlugin(assay_backend()); }};
};

template <class T>
T OrExit(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "assay: %s\n", result.error().message.c_str());
  std::_Exit(2);
}

class FuzzTarget {
 public:
  FuzzTarget()
      : backend_(OrExit(WorkerBackend::Open(
            []() -> Result<std::unique_ptr<WorkerConnection>> {
              return std::unique_ptr<WorkerConnection>(std::make_unique<LinkedBackend>());
            },
            "the linked backend", {}))),
        options_(OptionsWithin(TargetOf(OrExit(ReadyOf(*OrExit(CheckedPlugin(assay_backend()))))))),
        menu_(options_) {
    if (menu_.empty()) OrExit<Done>(BadInput("the linked backend declares no operator to test"));
  }

  // Returns false for bytes that give no vector which the backend supports.
  bool Run(std::span<const uint8_t> bytes) {
    const std::optional<TestVector> vector = VectorFromBytes(bytes, options_, menu_);
    if (!vector || !backend_->WhyUnsupported(*vector).empty()) return false;
    if (const char* file = std::getenv(kVectorVariable)) {
      OrExit(WriteOutput(file, WriteTestVector(*vector)));
    }
    const CaseResult result = JudgeOnBackend(*backend_, {*vector, {}}, "");
    if (result.state == CaseState::kDisagrees) Report(*vector, result.verdict.findings[0]);
    return true;
  }

 private:
  [[noreturn]] static void Report(const TestVector& vector, const Finding& finding) {
    const std::string file = FileNameFrom(FindingHeadline(finding), finding.Signature()) + ".tvec";
    OrExit(WriteFileAtomically(file, WriteTestVector(vector)));
    std::fprintf(stderr, "assay: %s\n%s\n%sassay: wrote %s; assay reduce makes it smaller\n",
                 FindingHeadline(finding).c_str(), FindingText(finding).c_str(),
                 TextOf(vector).c_str(), file.c_str());
    std::abort();
  }

  std::unique_ptr<Backend> backend_;
  GeneratorOptions options_;
  Menu menu_;
};

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static assay::FuzzTarget target;
  return target.Run({data, size}) ? 0 : -1;
}
