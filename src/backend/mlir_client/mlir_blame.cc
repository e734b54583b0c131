// SPDX-License-Identifier: Apache-2.0
#include "mlir_blame.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "joined.h"
#include "mlir_lowering.h"
#include "mlir_rewriter.h"
#include "mlir_types.h"
#include "mlir_writer.h"
#include "operator_table.h"
#include "pipeline_cuts.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// Longer modules are not for reading.
constexpr size_t kModuleBytesMax = size_t{64} << 10;

// Returns how often a module in generic form has each TOSA operator.
std::map<std::string, int> TosaOperatorsIn(const std::string& module) {
  static constexpr std::string_view kStart = "\"tosa.";
  std::map<std::string, int> counts;
  for (size_t at = module.find(kStart); at != std::string::npos; at = module.find(kStart, at + 1)) {
    const size_t end = module.find('"', at + 1);
    if (end != std::string::npos) ++counts[module.substr(at + 1, end - at - 1)];
  }
  return counts;
}

// Returns the operators of the vector's graphs that compute something, as MLIR names them.
std::set<std::string> OperatorNames(const TestVector& vector) {
  std::set<std::string> names;
  for (const auto& [block, op] : vector.Operators()) {
    if (!IsConstant(op.op)) names.insert(MlirOperatorName(OperatorName(op.op)));
  }
  return names;
}

}  // namespace

Answer MlirBlame::AfterRewrite(const std::string& pipeline) {
  Request request = request_;
  request.rewrite = pipeline;
  const Result<std::vector<Outcome>> outcomes = MlirRewriter(client_, request).Run(vector_);
  return outcomes ? judge_(*outcomes) : Answer::kOther;
}

Answer MlirBlame::AfterLowering(const Request& request, const Run& run,
                                std::optional<bool> state_as_arguments) {
  const Result<std::vector<Outcome>> outcomes = run(request, state_as_arguments);
  return outcomes ? judge_(*outcomes) : Answer::kOther;
}

// Returns the module of the first graph after a pipeline; "" if there is none.
std::string MlirBlame::ModuleAfter(const std::string& pipeline, bool custom_form) {
  const Result<std::string> text = WriteMlir(vector_.graphs[0], client_->dialect());
  if (!text) return "";
  Request request = request_;
  request.module = *text;
  request.rewrite = pipeline;
  request.execute = false;
  request.custom_form = custom_form;
  const Result<Reply> reply = client_->Ask(request);
  return reply && reply->stage == Stage::kOk ? reply->rewritten : "";
}

BlamedPass MlirBlame::Between(const std::string& pass, const std::string& before,
                              const std::string& after, std::string evidence) {
  BlamedPass blamed{pass, std::move(evidence), ModuleAfter(before, true), ModuleAfter(after, true)};
  if (blamed.before.size() > kModuleBytesMax) blamed.before.clear();
  if (blamed.after.size() > kModuleBytesMax) blamed.after.clear();
  return blamed;
}

BlamedPass MlirBlame::InRewrite(const std::string& pipeline) {
  std::string before = JoinPipelines("", "");
  // The vector has to be right without any pass, or the text of the graph is at fault.
  if (AfterRewrite(before) != Answer::kRight) return {};
  for (const PipelineCut& cut : CutsOf(pipeline)) {
    const Answer answer = AfterRewrite(cut.pipeline);
    if (answer == Answer::kWrong) {
      return Between(cut.pass, before, cut.pipeline,
                     "the reference executes the module before the pass right, and the module "
                     "after it wrong");
    }
    if (answer == Answer::kOther) return {};
    before = cut.pipeline;
  }
  return {};
}

BlamedPass MlirBlame::InVariables(const Request& request, const Run& run) {
  if (!OperatorNames(vector_).contains(MlirOperatorName(OperatorName(Op::kVariable)))) return {};
  if (AfterLowering(request, run, false) != Answer::kWrong) return {};
  if (AfterLowering(request, run, true) != Answer::kRight) return {};
  return Between("tosa-to-mlprogram or one-shot-bufferize",
                 JoinPipelines(request.rewrite, LoweringPipeline(0, 0)),
                 JoinPipelines(request.rewrite, LoweringPipeline(0, kBufferStages)),
                 "right with state=arguments, which lowers no variables");
}

// Blames the other way of a backend that lowers in another way than usual, where the usual one is
// right.
BlamedPass MlirBlame::InVariant(const Request& request, const Run& run) {
  if (!request.c_compiler.empty()) return InC(request, run);
  if (request.lowering == kStockLowering) {
    return {"a pass of the stock pipeline", "right in the usual lowering", "", ""};
  }
  for (size_t stage = 0; stage < kLoweringStageCount; ++stage) {
    const auto is_exchanged = [stage](size_t i) { return i == stage; };
    if (request.lowering != LoweringPipeline(0, kLoweringStageCount, is_exchanged)) continue;
    return Between(std::string(kLoweringStages[stage].pass),
                   JoinPipelines(request.rewrite, LoweringPipeline(0, stage)),
                   JoinPipelines(request.rewrite, LoweringPipeline(0, stage + 1, is_exchanged)),
                   "right in the usual lowering");
  }
  return {"the variants together", "right in the usual lowering", "", ""};
}

// Blames EmitC or the C compiler.
BlamedPass MlirBlame::InC(const Request& request, const Run& run) {
  const std::string level = "O" + std::to_string(request.optimization);
  Request other = request;
  other.optimization = request.optimization == 0 ? 2 : 0;
  const std::string other_level = "O" + std::to_string(other.optimization);
  if (AfterLowering(other, run) == Answer::kRight) {
    return {request.c_compiler + " at " + level, "right at " + other_level, "", ""};
  }
  other = request;
  other.c_compiler = request.c_compiler == "gcc" ? "clang" : "gcc";
  const Answer by_other = AfterLowering(other, run);
  if (by_other == Answer::kRight)
    return {request.c_compiler, "right with " + other.c_compiler, "", ""};
  return Between("convert-to-emitc", JoinPipelines(request.rewrite, request.lowering),
                 JoinPipelines(JoinPipelines(request.rewrite, request.lowering), kLoopsToEmitC),
                 "right in the usual lowering, wrong at " + level + " and " + other_level +
                     (by_other == Answer::kWrong ? ", and with " + other.c_compiler : ""));
}

// Exchanges LLVM's optimization level and each stage behind TOSA alone, then all of those together
// that do not matter alone.
BlamedPass MlirBlame::InStages(const Request& request, const Run& run) {
  Request other = request;
  other.optimization = request.optimization == 0 ? 2 : 0;
  const std::string level = "O" + std::to_string(request.optimization);
  const std::string other_level = "O" + std::to_string(other.optimization);
  const Answer at_other_level = AfterLowering(other, run);
  if (at_other_level == Answer::kRight) {
    return {"LLVM at " + level, "right with LLVM at " + other_level, "", ""};
  }
  std::vector<std::string> names;
  if (at_other_level == Answer::kWrong) names.push_back("LLVM at " + level);
  other = request;
  std::vector<size_t> same;
  std::vector<std::string> untried;  // their exchange does not work for this vector
  for (size_t stage = kTensorStages; stage < kLoweringStageCount; ++stage) {
    const LoweringStage& exchangeable = kLoweringStages[stage];
    if (exchangeable.exchanged.empty() || exchangeable.passes.empty()) continue;
    other.lowering = LoweringPipeline(0, kLoweringStageCount, [&](size_t i) { return i == stage; });
    const Answer answer = AfterLowering(other, run);
    if (answer == Answer::kRight) {
      return Between(std::string(exchangeable.pass),
                     JoinPipelines(request.rewrite, LoweringPipeline(0, stage)),
                     JoinPipelines(request.rewrite, LoweringPipeline(0, stage + 1)),
                     "right with " + std::string(exchangeable.exchanged) + " in its place");
    }
    if (answer == Answer::kWrong) {
      same.push_back(stage);
      names.emplace_back(exchangeable.pass);
    } else {
      untried.emplace_back(exchangeable.pass);
    }
  }
  if (same.empty()) return {};
  other.lowering = LoweringPipeline(
      0, kLoweringStageCount, [&](size_t i) { return std::ranges::find(same, i) != same.end(); });
  if (AfterLowering(other, run) != Answer::kWrong) return {};
  BlamedPass blamed =
      InConversion(request.rewrite, "still wrong with others in place of " + Joined(names));
  if (!blamed.pass.empty() && !untried.empty()) blamed.pass += " or " + Joined(untried, " or ");
  return blamed;
}

// Blames the pass that turns the operators of the vector into other operations. `evidence` says why
// the passes behind it are not at fault.
BlamedPass MlirBlame::InConversion(const std::string& rewrite, const std::string& evidence) {
  const std::set<std::string> names = OperatorNames(vector_);
  std::vector<std::string> passes, cuts = {JoinPipelines(rewrite, LoweringPipeline(0, 0))};
  std::set<std::string> lowered;
  std::string first, last;
  std::map<std::string, int> before = TosaOperatorsIn(ModuleAfter(cuts[0], false));
  for (size_t stage = 0; stage < kTensorStages; ++stage) {
    cuts.push_back(JoinPipelines(rewrite, LoweringPipeline(0, stage + 1)));
    std::map<std::string, int> after = TosaOperatorsIn(ModuleAfter(cuts.back(), false));
    // The reference has judged the passes on TOSA, if it reads the dialect.
    const bool is_conversion =
        client_->dialect() != MlirDialect::kTosa1 || stage < kTosaStages || stage >= kTosaStagesEnd;
    bool lowers = false;
    for (const auto& [name, count] : before) {
      const bool fewer = is_conversion && names.contains(name) && after[name] < count;
      if (fewer) lowered.insert(name);
      lowers = lowers || fewer;
    }
    if (lowers) {
      if (passes.empty()) first = cuts[stage];
      last = cuts.back();
      passes.emplace_back(kLoweringStages[stage].pass);
    }
    before = std::move(after);
  }
  if (passes.empty()) return {};
  return Between(Joined(passes, " or "), first, last,
                 "lowers " + Joined(lowered) + "; " + evidence);
}

BlamedPass MlirBlame::InLowering(const Request& request, const Run& run) {
  if (AfterLowering(request, run) != Answer::kWrong) return {};
  const std::string on_tosa = request.lowering == kStockLowering
                                  ? std::string(kStockOnTosa)
                                  : LoweringPipeline(kTosaStages, kTosaStagesEnd);
  BlamedPass blamed = InRewrite(JoinPipelines(request.rewrite, on_tosa));
  if (!blamed.pass.empty()) return blamed;
  Request usual = request;
  if (!request.lowering.empty()) {
    usual.lowering.clear();
    usual.c_compiler.clear();
    const Answer answer = AfterLowering(usual, run);
    if (answer == Answer::kRight) return InVariant(request, run);
    if (answer != Answer::kWrong) return {};
  }
  blamed = InVariables(usual, run);
  return blamed.pass.empty() ? InStages(usual, run) : blamed;
}

}  // namespace assay
