// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "mlir_client.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// MLIR 22 as a constant folder: it returns the graph that its passes make, without its lowering.
class MlirRewriter {
 public:
  // Opens the rewriter. `rewrite` is a name of MlirRewriteHelp(), or a pipeline; "" means
  // canonicalize.
  static Result<std::unique_ptr<MlirRewriter>> Open(std::string_view rewrite,
                                                    const BackendOptions& options);

  // Returns the rewritten graph. In any case `outcome` names the rewrites. Returns nothing if there
  // is no such graph, and `outcome` says why: MLIR refused, crashed or took too long; the graph
  // cannot be read back; or its inputs or outputs changed. An Error means that MLIR could not be
  // reached, or that the graph cannot be written for it.
  Result<std::optional<Graph>> Rewrite(const Graph& before, Outcome& outcome);

  // Rewrites the graphs of a vector that MLIR supports, and executes what comes back by the
  // reference executor. Returns an outcome for each step.
  Result<std::vector<Outcome>> Run(const TestVector& vector);

  const std::string& pipeline() const { return request_.rewrite; }

  // A rewriter for the pipeline `request.rewrite`.
  MlirRewriter(std::shared_ptr<MlirClient> client, mlir_message::Request request);

  const std::shared_ptr<MlirClient>& client() const { return client_; }

 private:
  std::shared_ptr<MlirClient> client_;
  mlir_message::Request request_;
};

}  // namespace assay
