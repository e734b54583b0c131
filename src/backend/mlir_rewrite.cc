// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "mlir_backend.h"
#include "mlir_blame.h"
#include "mlir_client.h"
#include "mlir_rewriter.h"
#include "mlir_vector.h"

namespace assay::backend {
namespace {

// A rewrite by MLIR's passes, without its lowering. The rewritten graph is read back and executed
// here. So the work of a pass is judged by an evaluator that shares no code with MLIR.
class MlirRewriteBackend : public Backend {
 public:
  MlirRewriteBackend(std::unique_ptr<MlirRewriter> rewriter, const BackendOptions& options)
      : rewriter_(std::move(rewriter)), options_(options) {}

  std::string WhyUnsupported(const TestVector& vector) const override {
    return MlirWhyUnsupported(vector, false);
  }

  std::string Describe() const override {
    return "mlir-rewrite (LLVM 22, " + rewriter_->pipeline() + ")";
  }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return rewriter_->Run(vector);
  }

  BlamedPass BlamePass(const TestVector& vector, const JudgeAnswer& judge) override {
    BlamedPass blamed = MlirBlame(rewriter_->client(), NewMlirRequest(options_), vector, judge)
                            .InRewrite(rewriter_->pipeline());
    if (!blamed.pass.empty()) {
      blamed.evidence += VerdictOfLlvm19(rewriter_->pipeline(), vector, judge, options_);
    }
    return blamed;
  }

 private:
  std::unique_ptr<MlirRewriter> rewriter_;
  BackendOptions options_;
};

Result<std::unique_ptr<Backend>> OpenMlirRewrite(std::string_view argument,
                                                 const BackendOptions& options) {
  Result<std::unique_ptr<MlirRewriter>> rewriter = MlirRewriter::Open(argument, options);
  if (!rewriter) return rewriter.error();
  return std::unique_ptr<Backend>(
      std::make_unique<MlirRewriteBackend>(std::move(*rewriter), options));
}

}  // namespace

extern const BackendKind mlir_rewrite_backend = {
    "mlir-rewrite", "REWRITE",
    "MLIR 22 rewrites the graph; assay reads the result back and executes it. REWRITE is as for\n"
    "mlir (default: canonicalize).",
    OpenMlirRewrite};

}  // namespace assay::backend
