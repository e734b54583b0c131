#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend.h"
#include "mlir_client.h"
#include "result.h"

namespace assay {

// MLIR 22 as a folder: what its passes make of a graph, without its lowering.
class MlirRewriter {
 public:
  // `rewrite` is one of MlirRewriteHelp(), or a pipeline; "" is canonicalize.
  static Result<std::unique_ptr<MlirRewriter>> Open(std::string_view rewrite,
                                                    const BackendOptions& options);

  // Returns the rewritten graph; nothing if there is none, and then `outcome` says why: MLIR
  // refused, crashed, took too long, made something that cannot be read back, or other inputs or
  // outputs. In any case `outcome` names the rewrites. An Error means that MLIR could not be
  // reached, or that it cannot be told of the graph.
  Result<std::optional<Graph>> Rewrite(const Graph& before, Outcome& outcome);

  const std::string& pipeline() const { return request_.rewrite; }

 private:
  MlirRewriter(std::unique_ptr<MlirClient> client, mlir_message::Request request)
      : client_(std::move(client)), request_(std::move(request)) {}

  std::unique_ptr<MlirClient> client_;
  mlir_message::Request request_;
};

}  // namespace assay
