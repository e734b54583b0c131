#include "backend.h"
#include "executor.h"
#include "mlir_client.h"
#include "mlir_reader.h"
#include "mlir_vector.h"
#include "mlir_writer.h"

namespace assay::backend {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// A rewrite by MLIR's passes, without its lowering: the rewritten graph is read back and executed
// here, so that what a pass did is judged by an evaluator that MLIR has no part in.
class MlirRewriteBackend : public Backend {
 public:
  MlirRewriteBackend(std::unique_ptr<MlirClient> client, Request request, std::string description)
      : client_(std::move(client)),
        request_(std::move(request)),
        description_(std::move(description)) {}

  bool Supports(const TestVector& vector, std::string* why) const override {
    return MlirSupports(vector, false, why);
  }

  std::string Describe() const override { return description_; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes(vector.steps.size());
    for (const MlirRun& run : MlirRuns(vector)) {
      const Graph& before = vector.graphs[static_cast<size_t>(run.graph)];
      Outcome failure;
      const Result<Graph> after = Rewrite(before, failure);
      if (!after) return after.error();
      Context context;
      // MLIR knows variables by symbols of the module: nothing is declared, and so not seen, in the
      // graphs that control flow runs.
      ExecutionOptions execution;
      execution.state_rules = StateRulesByName("nested-keeps-seen");
      for (const size_t step : run.steps) {
        outcomes[step] = failure;
        if (after->regions.empty()) continue;
        Outcome& outcome = outcomes[step];
        outcome = Execute(context, *after, vector.steps[step].inputs, execution);
        if (outcome.kind == OutcomeKind::kUnpredictable) outcome.kind = OutcomeKind::kError;
        if (outcome.kind == OutcomeKind::kError) {
          outcome.message = "the rewritten graph breaks " + outcome.rule + ": " + outcome.message;
        }
      }
    }
    return outcomes;
  }

 private:
  // The rewritten graph; no regions if there is none, and then `failure` says why.
  Result<Graph> Rewrite(const Graph& before, Outcome& failure) {
    Result<std::string> text = WriteMlir(before);
    if (!text) return text.error();
    Request request = request_;
    request.module = std::move(*text);
    const Result<Reply> reply = client_->Ask(request);
    if (!reply) return reply.error();
    if (reply->stage != Stage::kOk) {
      failure = FailedMlirOutcome(*reply);
      return Graph{};
    }
    Result<Graph> after = ReadMlir(reply->rewritten, "rewritten");
    if (!after) {
      failure.kind = OutcomeKind::kUnsupported;
      failure.message = after.error().message;
      return Graph{};
    }
    if (!SameInterface(*before.Main(), *after->Main())) {
      failure.kind = OutcomeKind::kError;
      failure.message = "the rewritten graph has other inputs or outputs";
      return Graph{};
    }
    return after;
  }

  static bool SameInterface(const Block& a, const Block& b) {
    const auto types = [](const Block& block) {
      std::vector<TensorType> all;
      for (const TensorIndex tensor : block.inputs) all.push_back(block.TypeOf(tensor));
      for (const TensorIndex tensor : block.outputs) all.push_back(block.TypeOf(tensor));
      return all;
    };
    return a.inputs.size() == b.inputs.size() && types(a) == types(b);
  }

  std::unique_ptr<MlirClient> client_;
  Request request_;
  std::string description_;
};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  Result<std::string> pipeline = MlirRewritePipeline(argument.empty() ? "canonicalize" : argument);
  if (!pipeline) return pipeline.error();
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  if (!client) return client.error();
  Request request = NewMlirRequest(options);
  request.rewrite = *pipeline;
  request.execute = false;
  return std::unique_ptr<Backend>(std::make_unique<MlirRewriteBackend>(
      std::move(*client), std::move(request), "mlir-rewrite (LLVM 22, " + *pipeline + ")"));
}

}  // namespace

extern const BackendKind mlir_rewrite_backend;
const BackendKind mlir_rewrite_backend = {
    "mlir-rewrite", "REWRITE",
    "MLIR 22's rewriting of the graph, read back and executed by assay; REWRITE as for mlir,\n"
    "canonicalize by default",
    Open};

}  // namespace assay::backend
