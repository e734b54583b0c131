#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend.h"
#include "child_process.h"
#include "mlir_message.h"
#include "result.h"

namespace assay {

// One `assay-mlir-helper` process, kept alive between requests and started anew when it dies.
class MlirClient {
 public:
  // Finds the helper: the file that $ASSAY_MLIR_HELPER names, else `assay-mlir-helper` beside this
  // executable. Error kUnsupported `mlir: not installed` if there is none.
  static Result<std::unique_ptr<MlirClient>> Open();

  // Never hangs: the helper keeps the limits of the request, and a helper that does not is killed.
  // Error kResource if no helper can be started.
  Result<mlir_message::Reply> Ask(const mlir_message::Request& request);

 private:
  explicit MlirClient(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<Child> helper_;
};

// A request with the limits of `options`.
mlir_message::Request NewMlirRequest(const BackendOptions& options);

// Returns the outcome of a refusal, a crash or a time-out, with the pass and what was at work in
// it: the pattern that a crash or time-out came from, else the function of the TOSA dialect.
Outcome FailedMlirOutcome(const mlir_message::Reply& reply);

// Returns Outcome::rewrites: the passes and patterns that changed the module.
std::string MlirRewritesOf(const mlir_message::Reply& reply);

// The pipeline that a name stands for: one of MlirRewriteHelp(), or itself if it starts with
// "builtin.module(". Error kUsage.
Result<std::string> MlirRewritePipeline(std::string_view name);
std::string_view MlirRewriteHelp();

}  // namespace assay
