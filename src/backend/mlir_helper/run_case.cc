// SPDX-License-Identifier: Apache-2.0
#include "run_case.h"

#include <cstddef>

#include "c_compiler.h"
#include "compiler.h"
#include "llvm/Config/llvm-config.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir_lowering.h"
#include "pipelines.h"

namespace assay {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

namespace {

constexpr size_t kDetailBytesMax = 4000;
constexpr size_t kCompiledMax = 4;

bool HasFp8(mlir::ModuleOp module) {
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
  return has_fp8;
}

// Returns the pipeline without options and passes that this version of LLVM does not have.
std::string ForThisVersion(std::string lowering) {
  if (LLVM_VERSION_MAJOR >= 22) return lowering;
  static constexpr std::string_view kOption = "modify-public-functions=true ";  // always so before
  const size_t place = lowering.find(kOption);
  if (place != lowering.npos) lowering.erase(place, kOption.size());
  if (lowering.find("affine-super-vectorize") != lowering.npos) {
    // convert-math-to-libm takes vectors apart, and convert-to-llvm does not lower what that needs.
    lowering.insert(lowering.find("arith-expand"), "convert-vector-to-llvm,");
  }
  const size_t first = lowering.find(kStockToLinalgFirst);
  if (first == lowering.npos) return lowering;
  const size_t end = lowering.find(kStockToLinalgLast, first) + kStockToLinalgLast.size();
  return lowering.replace(first, end - first, kStockToLinalg19);
}

// Returns the pipeline for a module. fp8 arithmetic has no LLVM lowering, so it goes through MLIR's
// APFloat runtime.
std::string WithFp8(std::string lowering, bool has_fp8) {
  const size_t place = lowering.find("convert-math-to-");
  const bool has_soft_floats = lowering.find("convert-arith-to-apfloat") != std::string::npos;
  if (has_fp8 && !has_soft_floats && place != std::string::npos)
    lowering.insert(place, "convert-arith-to-apfloat,");
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

// Returns true if a call of the compiled module can change what another call finds.
bool HasState(mlir::ModuleOp module) {
  for (auto global : module.getOps<mlir::LLVM::GlobalOp>()) {
    if (!global.getConstant()) return true;
  }
  return false;
}

std::string KeyOf(const Request& request) {
  return std::to_string(request.optimization) + "\n" + request.rewrite + "\n" + request.lowering +
         "\n" + request.c_compiler + "\n" + request.module;
}

}  // namespace

CaseRunner::CaseRunner(mlir::MLIRContext& context, FlightRecorder& recorder)
    : context_(context), recorder_(recorder), pipelines_(recorder) {}

void CaseRunner::BeThorough() { is_thorough_ = true; }

const CompiledModule* CaseRunner::FindCompiled(const Request& request, Reply& reply) const {
  for (const KeptModule& kept : kept_) {
    if (kept.key != KeyOf(request)) continue;
    reply.applied = kept.applied;
    reply.rewritten = kept.rewritten;
    return &kept.module;
  }
  return nullptr;
}

void CaseRunner::Keep(const Request& request, const CompiledModule& module, const Reply& reply) {
  if (kept_.size() == kCompiledMax) kept_.pop_front();
  kept_.push_back({KeyOf(request), module, reply.applied, reply.rewritten});
}

bool CaseRunner::Lower(mlir::ModuleOp module, const Request& request, Changes& applied,
                       Reply& reply) {
  FlightRecorder::Note(recorder_.phase, "lowering");
  reply.stage = Stage::kLowering;
  std::optional<PatternNotes> notes;
  if (is_thorough_) notes.emplace(context_, recorder_, applied);
  const bool has_fp8 = HasFp8(module);
  if (!request.lowering.empty()) {
    return pipelines_.Run(module, WithFp8(ForThisVersion(request.lowering), has_fp8), true, applied,
                          reply.detail);
  }
  // The rest takes half of the time in the verifier if it is verified after each pass.
  static const std::string to_buffers = LoweringPipeline(0, kBufferStages);
  static const std::string of_buffers =
      ForThisVersion(LoweringPipeline(kBufferStages, kLoweringStageCount));
  return pipelines_.Run(module, to_buffers, true, applied, reply.detail) &&
         pipelines_.Run(module, WithFp8(of_buffers, has_fp8), is_thorough_, applied, reply.detail);
}

// Turns the loops of the module into C and compiles it.
bool CaseRunner::BuildC(mlir::ModuleOp module, const Request& request, Changes& applied,
                        CompiledModule& compiled, Reply& reply) {
  FlightRecorder::Note(recorder_.phase, "emitc");
  if (!pipelines_.Run(module, std::string(kLoopsToEmitC), true, applied, reply.detail))
    return false;
  recorder_.LeavePasses();
  compiled.has_state = HasCState(module);
  return CompileC(module, request, recorder_, compiled.function, reply);
}

// Parses, rewrites, lowers and compiles the module. Returns nothing if there is nothing to call;
// `stage` of the reply says why.
std::optional<CompiledModule> CaseRunner::Build(const Request& request, Reply& reply) {
  mlir::ParserConfig config(&context_);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(request.module, config, "module");
  if (!module) return std::nullopt;

  Changes applied(reply.applied);
  if (!request.rewrite.empty()) {
    FlightRecorder::Note(recorder_.phase, "rewrite");
    reply.stage = Stage::kRewrite;
    const PatternNotes notes(context_, recorder_, applied);
    if (!pipelines_.Run(*module, ForThisVersion(request.rewrite), true, applied, reply.detail))
      return std::nullopt;
    reply.rewritten = request.custom_form ? CustomForm(*module) : GenericForm(*module, -1);
  }
  if (!request.execute) {
    reply.stage = Stage::kOk;
    return std::nullopt;
  }

  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  CompiledModule compiled;
  FunctionSignature& signature = compiled.signature;
  if (!main || !ReadTypes(main.getFunctionType().getInputs(), signature.arguments) ||
      !ReadTypes(main.getFunctionType().getResults(), signature.results)) {
    reply.stage = Stage::kData;
    reply.detail = "no function @main over static tensors";
    return std::nullopt;
  }
  if (!request.c_compiler.empty()) {
    main.setSymName(kCMain);
    if (!Lower(*module, request, applied, reply) ||
        !BuildC(*module, request, applied, compiled, reply)) {
      return std::nullopt;
    }
    return compiled;
  }
  main->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), mlir::UnitAttr::get(&context_));
  if (!Lower(*module, request, applied, reply)) return std::nullopt;
  compiled.has_state = HasState(*module);

  FlightRecorder::Note(recorder_.phase, "jit");
  recorder_.LeavePasses();
  reply.stage = Stage::kJit;
  if (!CompileModule(*module, request.optimization, compiled.function, reply.detail)) {
    return std::nullopt;
  }
  return compiled;
}

void CaseRunner::RunStages(const Request& request, const TakeResults& take, Reply& reply) {
  FlightRecorder::Note(recorder_.phase, "parse");
  reply.stage = Stage::kParse;
  if (request.normalize) return Normalize(context_, request, reply);
  const CompiledModule* const kept = request.execute ? FindCompiled(request, reply) : nullptr;
  std::optional<CompiledModule> built;
  if (kept == nullptr) {
    built = Build(request, reply);
    if (!built) return;
  }
  FlightRecorder::Note(recorder_.phase, "run");
  reply.stage = Stage::kData;
  MakeCalls(kept != nullptr ? *kept : *built, request, take, reply);
  if (built && !built->has_state && reply.stage == Stage::kOk) Keep(request, *built, reply);
}

Reply CaseRunner::Run(const Request& request, const TakeResults& take) {
  Reply reply;
  const mlir::ScopedDiagnosticHandler diagnostics(&context_, [&](mlir::Diagnostic& diagnostic) {
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
  RunStages(request, take, reply);
  reply.phase = recorder_.phase;
  reply.pass = recorder_.pass;
  reply.pattern = recorder_.pattern;
  reply.operation = recorder_.operation;
  if (reply.stage == Stage::kOk) reply.detail.clear();  // only warnings and remarks
  return reply;
}

}  // namespace assay
