#include "mlir_rewriter.h"

#include "mlir_reader.h"
#include "mlir_writer.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

bool SameInterface(const Block& a, const Block& b) {
  const auto types = [](const Block& block) {
    std::vector<TensorType> all;
    for (const TensorIndex tensor : block.inputs) all.push_back(block.TypeOf(tensor));
    for (const TensorIndex tensor : block.outputs) all.push_back(block.TypeOf(tensor));
    return all;
  };
  return a.inputs.size() == b.inputs.size() && types(a) == types(b);
}

}  // namespace

Result<std::unique_ptr<MlirRewriter>> MlirRewriter::Open(std::string_view rewrite,
                                                         const BackendOptions& options) {
  Result<std::string> pipeline = MlirRewritePipeline(rewrite.empty() ? "canonicalize" : rewrite);
  if (!pipeline) return pipeline.error();
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  if (!client) return client.error();
  Request request = NewMlirRequest(options);
  request.rewrite = std::move(*pipeline);
  request.execute = false;
  return std::unique_ptr<MlirRewriter>(new MlirRewriter(std::move(*client), std::move(request)));
}

Result<std::optional<Graph>> MlirRewriter::Rewrite(const Graph& before, Outcome& outcome) {
  Result<std::string> text = WriteMlir(before);
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

}  // namespace assay
