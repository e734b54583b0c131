// SPDX-License-Identifier: Apache-2.0
#include "mlir_backend.h"

#include <algorithm>
#include <optional>
#include <set>

#include "mlir_blame.h"
#include "mlir_client.h"
#include "mlir_constants.h"
#include "mlir_lowering.h"
#include "mlir_vector.h"
#include "mlir_writer.h"
#include "program_output.h"
#include "state_arguments.h"
#include "tapped_outputs.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

bool HasFp8(const TestVector& vector) {
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      for (const auto& tensor : block.tensors) {
        const DType type = tensor.type.type;
        if (type == DType::kFp8e4m3 || type == DType::kFp8e5m2) return true;
      }
    }
  }
  return false;
}

// The lowering of MLIR to LLVM IR, compiled and run in a child of `assay-mlir-helper`.
class MlirBackend : public Backend {
 public:
  MlirBackend(std::shared_ptr<MlirClient> client, Request request, bool state_as_arguments,
              std::span<const Exemption> exemptions, std::string_view argument,
              const BackendOptions& options)
      : client_(std::move(client)),
        request_(std::move(request)),
        state_as_arguments_(state_as_arguments),
        exemptions_(exemptions),
        argument_(argument),
        options_(options) {
    // Without a rewrite and in the usual stages, every operator is lowered to loops of its own, and
    // its readers load what it has stored; no flag lets LLVM change a floating-point operation. A
    // pattern of a rewrite may let a reader read another tensor.
    BackendDeclarations declared;
    declared.taps_used = request_.rewrite.empty() && request_.lowering.empty();
    Declare(declared);
  }

  std::string WhyUnsupported(const TestVector& vector) const override {
    if (request_.lowering.find("affine-super-vectorize") != std::string::npos && HasFp8(vector)) {
      // It goes through MLIR's APFloat runtime, which has functions of one number only.
      return "fp8 in vectors";
    }
    const bool validates = request_.rewrite.find("tosa-validate") != std::string::npos;
    if (!state_as_arguments_) return MlirWhyUnsupported(vector, validates, client_->dialect());
    const std::string why = StateKeeper::WhyUnsupported(vector);
    if (!why.empty()) return why;
    return MlirWhyUnsupported(Stateless(vector), validates, client_->dialect());
  }

  std::string Describe() const override {
    const std::string llvm = "mlir (" + std::string(LlvmOf(client_->dialect()));
    return llvm + (argument_.empty() ? "" : ", " + argument_) + ")";
  }

  bool OffersTaps(const TestVector&) const override { return true; }

  // More results of @main keep more values alive. They change no operator's own code.
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    Result<std::vector<Outcome>> outcomes = Run(WithTapsAsOutputs(vector, asked));
    if (!outcomes) return outcomes.error();
    return TakeTapsFromOutputs(vector, asked, std::move(*outcomes));
  }

  BlamedPass BlamePass(const TestVector& vector, const JudgeAnswer& judge) override {
    const Request own = request_;
    const bool own_state = state_as_arguments_;
    const auto run = [&](const Request& request, std::optional<bool> state_as_arguments) {
      request_ = request;
      state_as_arguments_ = state_as_arguments.value_or(own_state);
      Result<std::vector<Outcome>> outcomes = Run(vector);
      request_ = own;
      state_as_arguments_ = own_state;
      return outcomes;
    };
    BlamedPass blamed = MlirBlame(client_, own, vector, judge).InLowering(own, run);
    if (!blamed.pass.empty() && client_->dialect() == MlirDialect::kTosa1) {
      blamed.evidence += VerdictOfLlvm19(argument_, vector, judge, options_);
    }
    return blamed;
  }

  void RunNextAlone() override { request_.alone = true; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<std::vector<Outcome>> outcomes =
        state_as_arguments_ ? RunStepByStep(vector) : RunGraphs(vector);
    request_.alone = false;
    return outcomes;
  }

 private:
  // Runs all steps of each graph in one request.
  Result<std::vector<Outcome>> RunGraphs(const TestVector& vector) {
    std::vector<Outcome> outcomes(vector.steps.size());
    for (Outcome& outcome : outcomes) outcome.message = "not run";
    for (const MlirRun& run : MlirRuns(vector)) {
      const Result<Reply> reply = Ask(vector, run);
      if (!reply) return reply.error();
      const Graph& graph = vector.graphs[static_cast<size_t>(run.graph)];
      for (size_t i = 0; i < run.steps.size(); ++i) {
        Outcome& outcome = outcomes[run.steps[i]];
        outcome = OutcomeOf(graph, *reply, i);
        // A refusal is the same for all calls.
        if (outcome.kind != OutcomeKind::kValid && outcome.kind != OutcomeKind::kError) break;
      }
    }
    return outcomes;
  }

  // Returns the vector with graphs that have no variables. The inputs that they have in addition
  // get arbitrary values.
  static TestVector Stateless(const TestVector& vector) {
    TestVector stateless = vector;
    std::vector<StatelessGraph> graphs;
    for (Graph& graph : stateless.graphs) {
      graphs.push_back(*StateAsArguments(graph));
      graph = graphs.back().graph;
    }
    StateKeeper keeper;
    for (Step& step : stateless.steps) {
      step.inputs = keeper.InputsOf(step, graphs[static_cast<size_t>(step.graph)]);
    }
    return stateless;
  }

  // Runs the steps one by one. The values that a step gives to the variables go into the next step
  // of its context.
  Result<std::vector<Outcome>> RunStepByStep(const TestVector& vector) {
    std::vector<Outcome> outcomes(vector.steps.size());
    for (Outcome& outcome : outcomes) outcome.message = "not run";
    StateKeeper keeper;
    for (size_t i = 0; i < vector.steps.size(); ++i) {
      const Step& step = vector.steps[i];
      const Result<StatelessGraph> graph = StateAsArguments(vector.GraphOf(step));
      if (!graph) return graph.error();
      TestVector alone;
      alone.graphs = {graph->graph};
      alone.steps = {step};
      alone.steps[0].graph = 0;
      alone.steps[0].inputs = keeper.InputsOf(step, *graph);
      const Result<Reply> reply = Ask(alone, {0, {0}});
      if (!reply) return reply.error();
      outcomes[i] = OutcomeOf(graph->graph, *reply, 0);
      if (outcomes[i].kind != OutcomeKind::kValid) break;
      keeper.Take(step, *graph, outcomes[i]);
    }
    return outcomes;
  }

  Result<Reply> Ask(const TestVector& vector, const MlirRun& run) {
    const Graph& graph = vector.graphs[static_cast<size_t>(run.graph)];
    // A rewrite may fold constants, so it gets all of them.
    const OpenedGraph opened =
        request_.rewrite.empty() ? WithLargeConstantsAsInputs(graph) : OpenedGraph{graph, {}};
    Result<std::string> text = WriteMlir(opened.graph, client_->dialect());
    if (!text) return text.error();
    Request request = request_;
    request.module = std::move(*text);
    Result<std::unique_ptr<SharedArguments>> shared = std::unique_ptr<SharedArguments>();
    if (!opened.constants.empty()) {
      shared = SharedArguments::Make(opened.constants);
      if (!shared) return shared.error();
      request.shared = (*shared)->path();
    }
    for (const size_t step : run.steps) {
      auto& arguments = request.calls.emplace_back();
      for (const Tensor& input : vector.steps[step].inputs) {
        arguments.push_back(ToMlirBytes(input));
      }
    }
    return client_->Ask(request);
  }

  Outcome Failed(const Graph& graph, const Reply& reply) const {
    Outcome outcome = FailedMlirOutcome(reply);
    if (reply.stage != Stage::kLowering) return outcome;  // only the lowering may refuse
    if (reply.phase == "emitc") {
      outcome.kind = OutcomeKind::kUnsupported;
      outcome.message.replace(0, outcome.pass.empty() ? reply.phase.size() : 0,
                              outcome.pass.empty() ? "EmitC" : "EmitC: ");
      return outcome;
    }
    const Exemption* row = FindExemption(exemptions_, graph, reply.detail);
    if (row == nullptr) return outcome;
    outcome.kind = OutcomeKind::kUnsupported;
    outcome.message = std::string(OperatorName(row->op)) + " is not lowered";
    return outcome;
  }

  Outcome OutcomeOf(const Graph& graph, const Reply& reply, size_t call) const {
    if (call >= reply.calls.size()) return Failed(graph, reply);
    const Block& main = *graph.Main();
    const std::vector<std::string>& results = reply.calls[call];
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    outcome.rewrites = MlirRewritesOf(reply);
    for (size_t i = 0; i < results.size(); ++i) {
      outcome.outputs.push_back(FromMlirBytes(main.TypeOf(main.outputs[i]), results[i]));
    }
    return outcome;
  }

  std::shared_ptr<MlirClient> client_;
  Request request_;
  bool state_as_arguments_;
  std::span<const Exemption> exemptions_;
  std::string argument_;  // as given after the name of the backend
  BackendOptions options_;
};

// Returns the stage that a variant of the lowering exchanges.
std::optional<size_t> StageOfVariant(std::string_view variant) {
  for (size_t i = 0; i < kLoweringStageCount; ++i) {
    if (!variant.empty() && kLoweringStages[i].variant == variant) return i;
  }
  return std::nullopt;
}

// The options of a backend: "canonicalize,O2,fuse,state=arguments".
class Options {
 public:
  explicit Options(MlirDialect dialect) : dialect_(dialect) {}

  // Sets the request's fields and `state_as_arguments`.
  Result<Done> Read(std::string_view argument, Request& request, bool& state_as_arguments) {
    if (argument.starts_with("builtin.module(")) {
      request.rewrite = argument;
      return Done{};
    }
    while (!argument.empty()) {
      const std::string_view option = argument.substr(0, argument.find(','));
      argument.remove_prefix(std::min(argument.size(), option.size() + 1));
      if (option.size() == 2 && option[0] == 'O' && option[1] >= '0' && option[1] <= '3') {
        request.optimization = static_cast<uint32_t>(option[1] - '0');
      } else if (option == "state=arguments") {
        state_as_arguments = true;
      } else if (!IsVariant(option, request)) {
        Result<std::string> pipeline = MlirRewritePipeline(option, dialect_);
        if (!pipeline) {
          return Error{pipeline.error().kind, pipeline.error().message +
                                                  "; or a level or variant, which `assay backend "
                                                  "show mlir` lists"};
        }
        request.rewrite = std::move(*pipeline);
      }
    }
    return ChooseLowering(request);
  }

 private:
  // Takes a variant of the lowering. Returns false if the option is something else.
  bool IsVariant(std::string_view option, Request& request) {
    if (const std::optional<size_t> stage = StageOfVariant(option)) {
      exchanged_.insert(*stage);
      return true;
    }
    if (option == "stock") {
      is_stock_ = true;
    } else if (option == "emitc=gcc" || option == "emitc=clang") {
      request.c_compiler = option.ends_with("gcc") ? "gcc" : "clang";
    } else {
      return false;
    }
    return true;
  }

  Result<Done> ChooseLowering(Request& request) const {
    const auto is_exchanged = [this](size_t stage) { return exchanged_.contains(stage); };
    const bool is_emitc = !request.c_compiler.empty();
    if (is_stock_ && (is_emitc || !exchanged_.empty())) {
      return UsageError(
          "mlir: `stock` is a lowering of its own, which goes with no "
          "other variant");
    }
    if (dialect_ == MlirDialect::kLlvm19) {
      // In LLVM 19, EmitC does not convert functions over buffers.
      const bool is_soft = std::ranges::any_of(
          exchanged_, [](size_t stage) { return kLoweringStages[stage].variant == "apfloat"; });
      if (is_soft || is_emitc) {
        return UsageError("mlir@19: the variants apfloat and emitc need LLVM 22");
      }
    }
    if (is_emitc) {
      for (const size_t stage : exchanged_) {
        if (stage >= kFreeStage && stage != kLoopStagesEnd - 1) {
          return UsageError(
              "mlir: `emitc` takes no stages behind the loops, so it "
              "does not go with '" +
              std::string(kLoweringStages[stage].variant) + "'");
        }
      }
      const auto found = CheckProgram("mlir:emitc: not installed", request.c_compiler);
      if (!found) return Unsupported(found.error().message);
      request.lowering = LoweringForEmitC(is_exchanged);
    } else if (is_stock_) {
      request.lowering = kStockLowering;
    } else if (!exchanged_.empty()) {
      request.lowering = LoweringPipeline(0, kLoweringStageCount, is_exchanged);
    }
    return Done{};
  }

  MlirDialect dialect_;
  std::set<size_t> exchanged_;
  bool is_stock_ = false;
};

}  // namespace

Result<std::unique_ptr<Backend>> OpenMlir(MlirDialect dialect, std::string_view argument,
                                          std::span<const Exemption> exemptions,
                                          const BackendOptions& options) {
  Request request = NewMlirRequest(options);
  bool state_as_arguments = false;
  const auto read = Options(dialect).Read(argument, request, state_as_arguments);
  if (!read) return read.error();
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open(dialect);
  if (!client) return client.error();
  return std::unique_ptr<Backend>(std::make_unique<MlirBackend>(
      std::move(*client), std::move(request), state_as_arguments, exemptions, argument, options));
}

std::string VerdictOfLlvm19(std::string_view argument, const TestVector& vector,
                            const JudgeAnswer& judge, const BackendOptions& options) {
  const auto other = OpenMlir(MlirDialect::kLlvm19, argument, {}, options);
  if (!other || !(*other)->WhyUnsupported(vector).empty()) return "";
  const Result<std::vector<Outcome>> outcomes = (*other)->Run(vector);
  const Answer answer = outcomes ? judge(*outcomes) : Answer::kOther;
  return answer == Answer::kRight   ? "; LLVM 19 is right"
         : answer == Answer::kWrong ? "; LLVM 19 is wrong, too"
                                    : "";
}

}  // namespace assay
