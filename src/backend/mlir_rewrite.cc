#include "backend_kind.h"
#include "executor.h"
#include "mlir_client.h"
#include "mlir_rewriter.h"
#include "mlir_vector.h"
#include "time_limit.h"

namespace assay::backend {
namespace {

// A rewrite by MLIR's passes, without its lowering. The rewritten graph is read back and executed
// here. So the work of a pass is judged by an evaluator that shares no code with MLIR.
class MlirRewriteBackend : public Backend {
 public:
  MlirRewriteBackend(std::unique_ptr<MlirRewriter> rewriter, const BackendOptions& options)
      : rewriter_(std::move(rewriter)), options_(options) {}

  bool Supports(const TestVector& vector, std::string* why) const override {
    return MlirSupports(vector, false, why);
  }

  std::string Describe() const override {
    return "mlir-rewrite (LLVM 22, " + rewriter_->pipeline() + ")";
  }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes(vector.steps.size());
    for (const MlirRun& run : MlirRuns(vector)) {
      const Graph& before = vector.graphs[static_cast<size_t>(run.graph)];
      Outcome rewritten;
      const Result<std::optional<Graph>> after = rewriter_->Rewrite(before, rewritten);
      if (!after) return after.error();
      Context context;
      const TimeLimit limit(options_.cpu_seconds, options_.wall_seconds);
      // MLIR knows variables by symbols of the module. Nothing is declared in the graphs that
      // control flow runs, so no declaration is seen there.
      ExecutionOptions execution;
      execution.state_rules = StateRulesByName("nested-keeps-seen");
      for (const size_t step : run.steps) {
        outcomes[step] = rewritten;
        if (!*after) continue;
        Outcome& outcome = outcomes[step];
        outcome = Execute(context, **after, vector.steps[step].inputs, execution);
        outcome.rewrites = rewritten.rewrites;
        if (outcome.kind == OutcomeKind::kUnpredictable) outcome.kind = OutcomeKind::kError;
        if (outcome.kind == OutcomeKind::kError) {
          outcome.message = "the rewritten graph breaks " + outcome.rule + ": " + outcome.message;
        }
      }
    }
    return outcomes;
  }

 private:
  std::unique_ptr<MlirRewriter> rewriter_;
  BackendOptions options_;
};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  Result<std::unique_ptr<MlirRewriter>> rewriter = MlirRewriter::Open(argument, options);
  if (!rewriter) return rewriter.error();
  return std::unique_ptr<Backend>(
      std::make_unique<MlirRewriteBackend>(std::move(*rewriter), options));
}

}  // namespace

extern const BackendKind mlir_rewrite_backend;
const BackendKind mlir_rewrite_backend = {
    "mlir-rewrite", "REWRITE",
    "MLIR 22 rewrites the graph; assay reads the result back and executes it. REWRITE is as for\n"
    "mlir (default: canonicalize).",
    Open};

}  // namespace assay::backend
