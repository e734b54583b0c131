// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend.h"
#include "child_process.h"
#include "mlir_message.h"
#include "mlir_writer.h"
#include "result.h"

namespace assay {

// One `assay-mlir-helper` process, kept alive between requests and started anew when it dies.
class MlirClient {
 public:
  // Finds the helper: the file that $ASSAY_MLIR_HELPER names, else `assay-mlir-helper` beside this
  // executable; for LLVM 19, $ASSAY_MLIR_HELPER_19 and `assay-mlir-helper-19`. Error kUnsupported
  // `mlir: not installed` if there is none.
  static Result<std::unique_ptr<MlirClient>> Open(MlirDialect dialect = MlirDialect::kTosa1);

  // The dialect that the helper reads.
  MlirDialect dialect() const { return dialect_; }

  // Sends a request. It never hangs: the helper enforces the limits of the request, and is killed
  // if it fails to. Error kResource if no helper can be started.
  Result<mlir_message::Reply> Ask(const mlir_message::Request& request);

 private:
  MlirClient(std::string path, MlirDialect dialect) : path_(std::move(path)), dialect_(dialect) {}

  std::string path_;
  MlirDialect dialect_;
  std::optional<Child> helper_;
};

// Returns "LLVM 22" or "LLVM 19".
std::string_view LlvmOf(MlirDialect dialect);

// Returns a request with the limits of `options`.
mlir_message::Request NewMlirRequest(const BackendOptions& options);

// Returns the outcome of a refusal, a crash or a time-out. It names the pass and the pattern that a
// crash or time-out came from; without a pattern, the function of the TOSA dialect.
Outcome FailedMlirOutcome(const mlir_message::Reply& reply);

// Returns Outcome::rewrites: the passes and patterns that changed the module.
std::string MlirRewritesOf(const mlir_message::Reply& reply);

// Returns the pass pipeline for a name of MlirRewriteHelp(). A name that starts with
// "builtin.module(" is a pipeline itself. Error kUsage for any other name, and for a rewrite whose
// passes the version of LLVM does not have.
Result<std::string> MlirRewritePipeline(std::string_view name,
                                        MlirDialect dialect = MlirDialect::kTosa1);
std::string_view MlirRewriteHelp();

}  // namespace assay
