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

  // Sends a request. It never hangs: the helper enforces the limits of the request, and is killed
  // if it fails to. Error kResource if no helper can be started.
  Result<mlir_message::Reply> Ask(const mlir_message::Request& request);

 private:
  explicit MlirClient(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<Child> helper_;
};

// Returns a request with the limits of `options`.
mlir_message::Request NewMlirRequest(const BackendOptions& options);

// Returns the outcome of a refusal, a crash or a time-out. It names the pass and the pattern that a
// crash or time-out came from; without a pattern, the function of the TOSA dialect.
Outcome FailedMlirOutcome(const mlir_message::Reply& reply);

// Returns Outcome::rewrites: the passes and patterns that changed the module.
std::string MlirRewritesOf(const mlir_message::Reply& reply);

// Returns the pass pipeline for a name of MlirRewriteHelp(). A name that starts with
// "builtin.module(" is a pipeline itself. Error kUsage for any other name.
Result<std::string> MlirRewritePipeline(std::string_view name);
std::string_view MlirRewriteHelp();

}  // namespace assay
