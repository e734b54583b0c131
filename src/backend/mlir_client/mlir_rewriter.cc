// SPDX-License-Identifier: Apache-2.0
#include "mlir_rewriter.h"

#include "executor.h"
#include "mlir_reader.h"
#include "mlir_vector.h"
#include "mlir_writer.h"
#include "time_limit.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

bool SameInterface(const Block& a, const Block& b) {
  return a.TypesOf(a.inputs) == b.TypesOf(b.inputs) && a.TypesOf(a.outputs) == b.TypesOf(b.outputs);
}

}  // namespace

MlirRewriter::MlirRewriter(std::shared_ptr<MlirClient> client, Request request)
    : client_(std::move(client)), request_(std::move(request)) {
  request_.execute = false;
}

Result<std::unique_ptr<MlirRewriter>> MlirRewriter::Open(std::string_view rewrite,
                                                         const BackendOptions& options) {
  Result<std::string> pipeline = MlirRewritePipeline(rewrite.empty() ? "canonicalize" : rewrite);
  if (!pipeline) return pipeline.error();
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  if (!client) return client.error();
  Request request = NewMlirRequest(options);
  request.rewrite = std::move(*pipeline);
  return std::make_unique<MlirRewriter>(std::move(*client), std::move(request));
}

Result<std::optional<Graph>> MlirRewriter::Rewrite(const Graph& before, Outcome& outcome) {
  Result<std::string> text = WriteMlir(before, client_->dialect());
  if (!text) return text.error();
  Request request = request_;
  request.module = std::move(*text);
  const Result<Reply> reply = client_->Ask(request);
  if (!reply) return reply.error();
  if (reply->stage != Stage::kOk) {
    outcome = FailedMlirOutcome(*reply);
    return std::optional<Graph>();
  }
  outcome.rewrites = MlirRewritesOf(*reply);
  Result<Graph> after = ReadMlir(reply->rewritten, "rewritten");
  if (!after) {
    outcome.kind = OutcomeKind::kUnsupported;
    outcome.message = after.error().message;
    return std::optional<Graph>();
  }
  if (!SameInterface(*before.Main(), *after->Main())) {
    outcome.kind = OutcomeKind::kError;
    outcome.message = "the rewritten graph has other inputs or outputs";
    return std::optional<Graph>();
  }
  return std::optional<Graph>(std::move(*after));
}

Result<std::vector<Outcome>> MlirRewriter::Run(const TestVector& vector) {
  std::vector<Outcome> outcomes(vector.steps.size());
  for (const MlirRun& run : MlirRuns(vector)) {
    const Graph& before = vector.graphs[static_cast<size_t>(run.graph)];
    Outcome rewritten;
    const Result<std::optional<Graph>> after = Rewrite(before, rewritten);
    if (!after) return after.error();
    Context context;
    const TimeLimit limit(request_.cpu_seconds, request_.wall_ms / 1000.0);
    // MLIR knows variables by symbols of the module. Nothing is declared in the graphs that
    // control flow runs, so no declaration is seen there.
    const ExecutionOptions execution{.state_rules = StateRulesByName("nested-keeps-seen")};
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

}  // namespace assay
