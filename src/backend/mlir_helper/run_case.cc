#include "run_case.h"

#include <optional>
#include <set>

#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace assay {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// The order matters. Variables first become globals at module level. COND_IF and WHILE_LOOP are
// lowered before their bodies. TRANSPOSE_CONV2D is only supported through its decomposition.
// Without modify-public-functions, results silently stay results; WHILE_LOOP needs
// allow-return-allocs-from-loops.
const char* const kLowering =
    "builtin.module(tosa-to-mlprogram,"
    "func.func(tosa-to-scf,tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,"
    "tosa-to-linalg-named,tosa-make-broadcastable,tosa-to-linalg,tosa-to-tensor,"
    "tosa-to-arith{include-apply-rescale=true use-32-bit=false}),"
    "one-shot-bufferize{allow-return-allocs-from-loops=true bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions=true add-result-attr=false "
    "hoist-static-allocs=false},"
    "buffer-deallocation-pipeline,func.func(convert-linalg-to-loops),convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,convert-math-to-llvm,convert-math-to-libm,"
    "arith-expand{include-bf16=false},convert-to-llvm,reconcile-unrealized-casts)";

namespace {

constexpr size_t kDetailBytesMax = 4000;

bool IsRewriting(const FlightRecorder& recorder) {
  return std::string_view(recorder.phase) == "rewrite";
}

// The changes of a module, as distinct lines in the order in which they occurred.
class Changes {
 public:
  explicit Changes(std::string& text) : text_(text) {}
  void Add(const std::string& line) {
    ++count_;
    if (seen_.insert(line).second) text_ += line + "\n";
  }
  int64_t count() const { return count_; }  // of all lines, distinct or not

 private:
  std::string& text_;
  int64_t count_ = 0;
  std::set<std::string> seen_;
};

// Records every pass before it runs. Collects the passes of the rewrite that changed something
// without a pattern, by folding or by removing dead operations.
class NotePasses : public mlir::PassInstrumentation {
 public:
  NotePasses(FlightRecorder& recorder, Changes& applied) : recorder_(recorder), applied_(applied) {}
  void runBeforePass(mlir::Pass* pass, mlir::Operation* operation) override {
    const llvm::StringRef name = pass->getArgument();
    if (name.empty()) return;  // adaptors that run nested pipelines
    FlightRecorder::Note(recorder_.pass, {name.data(), name.size()});
    const llvm::StringRef on = operation->getName().getStringRef();
    FlightRecorder::Note(recorder_.operation, {on.data(), on.size()});
    FlightRecorder::Note(recorder_.pattern, "");
    applied_before_ = applied_.count();
    before_.reset();
    if (IsRewriting(recorder_)) before_.emplace(operation);
  }
  void runAfterPass(mlir::Pass* pass, mlir::Operation* operation) override {
    const bool is_told = applied_.count() > applied_before_;
    const bool is_silent = before_ && !is_told && *before_ != mlir::OperationFingerPrint(operation);
    before_.reset();  // adaptors end after the passes that they hold
    if (is_silent) applied_.Add(pass->getArgument().str());
  }

 private:
  FlightRecorder& recorder_;
  Changes& applied_;
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

bool RunPipeline(mlir::ModuleOp module, const std::string& pipeline, FlightRecorder& recorder,
                 Changes& applied, std::string& detail) {
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  manager.addInstrumentation(std::make_unique<NotePasses>(recorder, applied));
  llvm::StringRef body(pipeline);
  if (body.consume_front("builtin.module(")) body.consume_back(")");
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (mlir::failed(mlir::parsePassPipeline(body, manager, stream))) {
    detail += "bad pipeline: " + problem;
    return false;
  }
  return mlir::succeeded(manager.run(module));
}

// Returns the lowering for the module. fp8 arithmetic has no LLVM lowering, so it goes through
// MLIR's APFloat runtime.
std::string LoweringFor(mlir::ModuleOp module, std::string lowering) {
  bool has_fp8 = false;
  const auto look = [&](mlir::TypeRange types) {
    for (mlir::Type type : types) {
      const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
      has_fp8 |= shaped && mlir::isa<mlir::FloatType>(shaped.getElementType()) &&
                 shaped.getElementTypeBitWidth() == 8;
    }
  };
  module.walk([&](mlir::Operation* operation) {
    look(operation->getOperandTypes());
    look(operation->getResultTypes());
  });
  const size_t place = lowering.find("convert-math-to-llvm");
  if (has_fp8 && place != std::string::npos) lowering.insert(place, "convert-arith-to-apfloat,");
  return lowering;
}

bool ReadTypes(mlir::TypeRange types, std::vector<StoredTensor>& tensors) {
  for (mlir::Type type : types) {
    const auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!ranked || !ranked.hasStaticShape() || !ranked.getElementType().isIntOrFloat()) {
      return false;
    }
    const unsigned bits = ranked.getElementTypeBitWidth();
    int64_t bytes = 1;
    while (bytes * 8 < bits) bytes *= 2;  // i48 is stored with stride 8
    tensors.push_back({ranked.getShape().vec(), bytes});
  }
  return true;
}

void RunCase(mlir::MLIRContext& context, const Request& request, const TakeResults& take,
             FlightRecorder& recorder, Changes& applied, Reply& reply) {
  FlightRecorder::Note(recorder.phase, "parse");
  reply.stage = Stage::kParse;
  if (request.normalize) return Normalize(context, request, reply);
  mlir::ParserConfig config(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(request.module, config, "module");
  if (!module) return;

  if (!request.rewrite.empty()) {
    FlightRecorder::Note(recorder.phase, "rewrite");
    reply.stage = Stage::kRewrite;
    if (!RunPipeline(*module, request.rewrite, recorder, applied, reply.detail)) return;
    reply.rewritten = GenericForm(*module, -1);
  }
  if (!request.execute) {
    reply.stage = Stage::kOk;
    return;
  }

  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  Signature signature;
  if (!main || !ReadTypes(main.getFunctionType().getInputs(), signature.arguments) ||
      !ReadTypes(main.getFunctionType().getResults(), signature.results)) {
    reply.stage = Stage::kData;
    reply.detail = "no function @main over static tensors";
    return;
  }
  main->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), mlir::UnitAttr::get(&context));
  FlightRecorder::Note(recorder.phase, "lowering");
  reply.stage = Stage::kLowering;
  const std::string lowering =
      LoweringFor(*module, request.lowering.empty() ? kLowering : request.lowering);
  if (!RunPipeline(*module, lowering, recorder, applied, reply.detail)) return;

  FlightRecorder::Note(recorder.phase, "jit");
  FlightRecorder::Note(recorder.pass, "");
  FlightRecorder::Note(recorder.pattern, "");
  FlightRecorder::Note(recorder.operation, "");
  Execute(*module, signature, request, take, recorder, reply);
}

}  // namespace

Reply RunCase(mlir::MLIRContext& context, const Request& request, const TakeResults& take,
              FlightRecorder& recorder) {
  Reply reply;
  const mlir::ScopedDiagnosticHandler diagnostics(&context, [&](mlir::Diagnostic& diagnostic) {
    if (request.normalize) {  // a person reads the first error
      const bool is_error = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
      if (is_error && reply.detail.empty()) {
        const std::string place = PlaceOf(diagnostic.getLocation());
        reply.detail = (place.empty() ? request.name : place) + ": " + diagnostic.str();
      }
    } else if (reply.detail.size() < kDetailBytesMax) {
      if (!reply.detail.empty()) reply.detail += " | ";
      reply.detail += diagnostic.str();
    }
    return mlir::success();
  });
  Changes applied(reply.applied);
  context.registerActionHandler(NotePatterns(recorder, applied));
  RunCase(context, request, take, recorder, applied, reply);
  context.registerActionHandler(nullptr);
  reply.phase = recorder.phase;
  reply.pass = recorder.pass;
  reply.pattern = recorder.pattern;
  reply.operation = recorder.operation;
  if (reply.stage == Stage::kOk) reply.detail.clear();  // only warnings and remarks
  return reply;
}

}  // namespace assay
