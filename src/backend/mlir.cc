#include <algorithm>

#include "backend.h"
#include "mlir_client.h"
#include "mlir_vector.h"
#include "mlir_writer.h"

namespace assay::backend {
namespace {

using mlir_message::Reply;
using mlir_message::Request;

// The lowering of MLIR 22 to LLVM IR, compiled and run in a process of its own.
class MlirBackend : public Backend {
 public:
  MlirBackend(std::unique_ptr<MlirClient> client, Request request, std::string description)
      : client_(std::move(client)),
        request_(std::move(request)),
        description_(std::move(description)) {}

  bool Supports(const TestVector& vector, std::string* why) const override {
    const bool validates = request_.rewrite.find("tosa-validate") != std::string::npos;
    return MlirSupports(vector, validates, why);
  }

  std::string Describe() const override { return description_; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes(vector.steps.size());
    for (Outcome& outcome : outcomes) outcome.message = "not run";
    for (const MlirRun& run : MlirRuns(vector)) {
      const Result<Reply> reply = Ask(vector, run);
      if (!reply) return reply.error();
      const Block& main = *vector.graphs[static_cast<size_t>(run.graph)].Main();
      for (size_t i = 0; i < run.steps.size(); ++i) {
        Outcome& outcome = outcomes[run.steps[i]];
        if (i < reply->calls.size()) {
          outcome = Valid(main, reply->calls[i]);
          continue;
        }
        outcome = FailedMlirOutcome(*reply);
        if (outcome.kind != OutcomeKind::kError) break;  // what was refused, was so for all calls
      }
    }
    return outcomes;
  }

 private:
  Result<Reply> Ask(const TestVector& vector, const MlirRun& run) {
    const Graph& graph = vector.graphs[static_cast<size_t>(run.graph)];
    Result<std::string> text = WriteMlir(graph);
    if (!text) return text.error();
    Request request = request_;
    request.module = std::move(*text);
    for (const size_t step : run.steps) {
      auto& arguments = request.calls.emplace_back();
      for (const Tensor& input : vector.steps[step].inputs) {
        arguments.push_back(ToMlirBytes(input));
      }
    }
    return client_->Ask(request);
  }

  static Outcome Valid(const Block& main, const std::vector<std::string>& results) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    outcome.message.clear();
    for (size_t i = 0; i < results.size(); ++i) {
      outcome.outputs.push_back(FromMlirBytes(main.TypeOf(main.outputs[i]), results[i]));
    }
    return outcome;
  }

  std::unique_ptr<MlirClient> client_;
  Request request_;
  std::string description_;
};

// "canonicalize,O2" -> the request's fields.
Result<Done> ReadOptions(std::string_view argument, Request& request) {
  if (argument.starts_with("builtin.module(")) {
    request.rewrite = argument;
    return Done{};
  }
  while (!argument.empty()) {
    const std::string_view option = argument.substr(0, argument.find(','));
    argument.remove_prefix(std::min(argument.size(), option.size() + 1));
    if (option.size() == 2 && option[0] == 'O' && option[1] >= '0' && option[1] <= '3') {
      request.optimization = static_cast<uint32_t>(option[1] - '0');
      continue;
    }
    Result<std::string> pipeline = MlirRewritePipeline(option);
    if (!pipeline) return pipeline.error();
    request.rewrite = std::move(*pipeline);
  }
  return Done{};
}

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  Request request = NewMlirRequest(options);
  const auto read = ReadOptions(argument, request);
  if (!read) return read.error();
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  if (!client) return client.error();
  std::string description = "mlir (LLVM 22";
  if (!argument.empty()) description += ", " + std::string(argument);
  return std::unique_ptr<Backend>(
      std::make_unique<MlirBackend>(std::move(*client), std::move(request), description + ")"));
}

}  // namespace

extern const BackendKind mlir_backend;
const BackendKind mlir_backend = {
    "mlir", "[REWRITE][,O0|O1|O2|O3]",
    "MLIR 22: the graph lowered from the TOSA dialect to LLVM IR and run; REWRITE is applied "
    "first\n(canonicalize, fold, canonicalize-fold, reduce-transposes, decompose, broadcast,\n"
    "infer-shapes, validate, all, or a pipeline builtin.module(...)).\nVectors that must be "
    "refused "
    "are run with `mlir:validate` only: it asks LLVM's validator\nfirst, the lowering claims no "
    "checks",
    Open};

}  // namespace assay::backend
