// SPDX-License-Identifier: Apache-2.0
#include "pipelines.h"

#include <optional>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace assay {
namespace {

bool IsRewriting(const FlightRecorder& recorder) {
  return std::string_view(recorder.phase) == "rewrite";
}

// Records every pass before it runs. Collects the passes of the rewrite that changed something
// without a pattern, by folding or by removing dead operations.
class NotePasses : public mlir::PassInstrumentation {
 public:
  // `applied` is where the changes of a run go; another place for each run.
  NotePasses(FlightRecorder& recorder, Changes* const& applied)
      : recorder_(recorder), applied_(applied) {}

  void runBeforePass(mlir::Pass* pass, mlir::Operation* operation) override {
    const llvm::StringRef name = pass->getArgument();
    if (name.empty()) return;  // adaptors that run nested pipelines
    FlightRecorder::Note(recorder_.pass, {name.data(), name.size()});
    const llvm::StringRef on = operation->getName().getStringRef();
    FlightRecorder::Note(recorder_.operation, {on.data(), on.size()});
    FlightRecorder::Note(recorder_.pattern, "");
    applied_before_ = applied_->count();
    before_.reset();
    if (IsRewriting(recorder_)) before_.emplace(operation);
  }
  void runAfterPass(mlir::Pass* pass, mlir::Operation* operation) override {
    const bool is_told = applied_->count() > applied_before_;
    const bool is_silent = before_ && !is_told && *before_ != mlir::OperationFingerPrint(operation);
    before_.reset();  // adaptors end after the passes that they hold
    if (is_silent) applied_->Add(pass->getArgument().str());
  }

 private:
  FlightRecorder& recorder_;
  Changes* const& applied_;
  int64_t applied_before_ = 0;
  std::optional<mlir::OperationFingerPrint> before_;
};

// Records every rewrite pattern while it is tried. Collects the patterns that changed something.
class NotePatterns {
 public:
  NotePatterns(FlightRecorder& recorder, Changes& applied)
      : recorder_(recorder), applied_(applied) {}

  void operator()(llvm::function_ref<void()> carry_on, const mlir::tracing::Action& action) {
    if (action.getTag() != "apply-pattern") return carry_on();
    std::string name;
    llvm::raw_string_ostream stream(name);
    action.print(stream);
    const size_t start = name.find("pattern: ");
    if (start != std::string::npos) name.erase(0, start + 9);
    const std::string pattern_around = recorder_.pattern;
    const std::string operation_around = recorder_.operation;
    mlir::Operation* top = nullptr;
    for (const mlir::IRUnit& unit : action.getContextIRUnits()) {
      auto* operation = llvm::dyn_cast_if_present<mlir::Operation*>(unit);
      if (operation == nullptr) continue;
      const llvm::StringRef on = operation->getName().getStringRef();
      FlightRecorder::Note(recorder_.operation, {on.data(), on.size()});
      for (top = operation; top->getParentOp() != nullptr;) top = top->getParentOp();
    }
    FlightRecorder::Note(recorder_.pattern, name);
    std::optional<mlir::OperationFingerPrint> before;
    if (llvm::isa_and_present<mlir::ModuleOp>(top) && IsRewriting(recorder_)) before.emplace(top);
    carry_on();
    if (before && *before != mlir::OperationFingerPrint(top)) {
      applied_.Add(std::string(recorder_.pass) + ": " + name);
    }
    // Neither pattern is at fault for a crash between the two.
    FlightRecorder::Note(recorder_.pattern, pattern_around);
    FlightRecorder::Note(recorder_.operation, operation_around);
  }

 private:
  FlightRecorder& recorder_;
  Changes& applied_;
};

}  // namespace

struct Pipelines::Pipeline {
  explicit Pipeline(mlir::MLIRContext* context)
      : manager(context, mlir::ModuleOp::getOperationName()) {}
  mlir::PassManager manager;
  Changes* applied = nullptr;  // of the current run
};

Pipelines::Pipelines(FlightRecorder& recorder) : recorder_(recorder) {}
Pipelines::~Pipelines() = default;

bool Pipelines::Run(mlir::ModuleOp module, const std::string& pipeline, bool verified,
                    Changes& applied, std::string& problem) {
  std::unique_ptr<Pipeline>& known = pipelines_[pipeline];
  if (!known) {
    auto made = std::make_unique<Pipeline>(module.getContext());
    made->manager.addInstrumentation(std::make_unique<NotePasses>(recorder_, made->applied));
    llvm::StringRef body(pipeline);
    if (body.consume_front("builtin.module(")) body.consume_back(")");
    std::string refusal;
    llvm::raw_string_ostream stream(refusal);
    if (mlir::failed(mlir::parsePassPipeline(body, made->manager, stream))) {
      problem += "bad pipeline: " + refusal;
      return false;
    }
    known = std::move(made);
  }
  known->applied = &applied;
  known->manager.enableVerifier(verified);
  if (mlir::failed(known->manager.run(module))) return false;
  return verified || mlir::succeeded(mlir::verify(module));
}

PatternNotes::PatternNotes(mlir::MLIRContext& context, FlightRecorder& recorder, Changes& applied)
    : context_(context) {
  context_.registerActionHandler(NotePatterns(recorder, applied));
}
PatternNotes::~PatternNotes() { context_.registerActionHandler(nullptr); }

}  // namespace assay
