// SPDX-License-Identifier: Apache-2.0
// The lowering of TOSA to LLVM IR. The helper includes this header as well, so it needs only the
// standard library.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace assay {

// One stage of the lowering.
struct LoweringStage {
  std::string_view pass;    // the pass that a report names
  std::string_view passes;  // of a module
  // Other passes with the same meaning. They take other code of the compiler. "" if there are none.
  std::string_view exchanged = {};
  std::string_view variant = {};  // names the exchange as an option of the backend
};

// The stages neither fold, canonicalize nor validate, so the graph runs as written. The order
// matters. Variables first become globals at module level. COND_IF and WHILE_LOOP are lowered
// before their bodies. TRANSPOSE_CONV2D is only supported through its decomposition. Without
// modify-public-functions, results silently stay results; WHILE_LOOP needs
// allow-return-allocs-from-loops.
inline constexpr LoweringStage kLoweringStages[] = {
    {"tosa-to-mlprogram", "tosa-to-mlprogram"},
    {"tosa-to-scf", "func.func(tosa-to-scf)"},
    {"tosa-optional-decompositions", "func.func(tosa-optional-decompositions)"},
    {"tosa-infer-shapes", "func.func(tosa-infer-shapes)"},
    {"tosa-make-broadcastable", "func.func(tosa-make-broadcastable)"},
    {"tosa-to-linalg-named", "func.func(tosa-to-linalg-named)"},
    {"tosa-make-broadcastable", "func.func(tosa-make-broadcastable)"},
    {"tosa-to-linalg", "func.func(tosa-to-linalg)"},
    {"tosa-to-tensor", "func.func(tosa-to-tensor)"},
    {"tosa-to-arith", "func.func(tosa-to-arith{include-apply-rescale=true use-32-bit=false})",
     "func.func(tosa-to-arith{include-apply-rescale=true use-32-bit=true})", "scale-32-bit"},
    // With the exchange, loops are made from fused operations.
    {"linalg-fuse-elementwise-ops", "", "func.func(linalg-fuse-elementwise-ops),canonicalize,cse",
     "fuse"},
    {"one-shot-bufferize",
     "one-shot-bufferize{allow-return-allocs-from-loops=true bufferize-function-boundaries=true "
     "function-boundary-type-conversion=identity-layout-map}",
     "one-shot-bufferize{allow-return-allocs-from-loops=true bufferize-function-boundaries=true "
     "function-boundary-type-conversion=identity-layout-map copy-before-write=true}",
     "copy-before-write"},
    {"buffer-results-to-out-params",
     "buffer-results-to-out-params{modify-public-functions=true add-result-attr=false "
     "hoist-static-allocs=false}"},
    // Memory need not be freed; the other pass changes nothing that runs.
    {"buffer-deallocation-pipeline", "buffer-deallocation-pipeline", "strip-debuginfo", "leak"},
    // With the exchange, vectors of 4 elements take the place of the elements of inner loops.
    {"affine-super-vectorize", "",
     "func.func(convert-linalg-to-affine-loops,affine-super-vectorize{virtual-vector-size=4}),"
     "lower-affine,convert-vector-to-scf,convert-vector-to-llvm",
     "vectorize"},
    // The same after loops of one iteration are removed, because the pass turns some into modules
    // that it refuses.
    {"affine-super-vectorize", "",
     "func.func(convert-linalg-to-affine-loops,affine-loop-normalize{promote-single-iter=true},"
     "affine-super-vectorize{virtual-vector-size=4}),"
     "lower-affine,convert-vector-to-scf,convert-vector-to-llvm",
     "vectorize-promoted"},
    {"convert-linalg-to-loops", "func.func(convert-linalg-to-loops)",
     "func.func(convert-linalg-to-affine-loops),lower-affine", "affine-loops"},
    {"convert-scf-to-cf", "convert-scf-to-cf"},
    {"expand-strided-metadata", "expand-strided-metadata"},
    {"lower-affine", "lower-affine"},
    // The exchange is no variant, because libm has neither CLZ nor RSQRT.
    {"convert-math-to-llvm", "convert-math-to-llvm", "convert-math-to-libm"},
    {"convert-math-to-libm", "convert-math-to-libm"},
    {"convert-to-llvm", "arith-expand{include-bf16=false},convert-to-llvm",
     "convert-arith-to-apfloat,arith-expand{include-bf16=false},convert-to-llvm", "apfloat"},
    {"reconcile-unrealized-casts", "reconcile-unrealized-casts"},
};

// The stages from here to the other one turn TOSA operators into TOSA operators.
inline constexpr size_t kTosaStages = 2, kTosaStagesEnd = 5;
// No TOSA operator is left after the stages before this one. The stages from here on have the same
// results if they are exchanged.
inline constexpr size_t kTensorStages = 11;
// The stages from here on work on buffers.
inline constexpr size_t kBufferStages = 12;
// Memory is freed in the first of these stages, and loops are made before the second one.
inline constexpr size_t kFreeStage = 13, kLoopStagesEnd = 17;
inline constexpr size_t kLoweringStageCount = std::size(kLoweringStages);

// Returns the pipeline of the stages from `first` to `last`, without `last`. The stages for which
// `is_exchanged(position)` holds are exchanged.
template <class IsExchanged>
std::string LoweringPipeline(size_t first, size_t last, const IsExchanged& is_exchanged) {
  std::string passes;
  for (size_t i = first; i < last; ++i) {
    const LoweringStage& stage = kLoweringStages[i];
    const std::string_view chosen = is_exchanged(i) ? stage.exchanged : stage.passes;
    passes += passes.empty() || chosen.empty() ? "" : ",";
    passes += chosen;
  }
  return "builtin.module(" + passes + ")";
}

inline std::string LoweringPipeline(size_t first, size_t last) {
  return LoweringPipeline(first, last, [](size_t) { return false; });
}

// The lowering that mlir-opt offers: its pipeline for TOSA, which folds, canonicalizes and
// validates, and the passes of its `test-lower-to-llvm`. The passes of kLoweringStages that LLVM's
// own tests add to them lower control flow, variables, shifts and functions of libm. The target
// allows all profiles and extensions of 1.0 for which the dialect has a name.
inline constexpr std::string_view kStockLowering =
    "builtin.module(tosa-to-mlprogram,func.func(tosa-to-scf),"
    "tosa-attach-target{specification_version=1.0 level=8k profiles=pro_int,pro_fp "
    "extensions=int16,int4,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,doubleround,"
    "inexactround,dynamic},tosa-to-linalg-pipeline,func.func(tosa-to-tensor,"
    "tosa-to-arith{include-apply-rescale=true}),"
    "one-shot-bufferize{allow-return-allocs-from-loops=true bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions=true add-result-attr=false "
    "hoist-static-allocs=false},buffer-deallocation-pipeline,"
    "convert-vector-to-scf,func.func(convert-linalg-to-loops),lower-affine,convert-scf-to-cf,"
    "canonicalize,cse,convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "arith-expand{include-bf16=false},expand-strided-metadata,lower-affine,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,"
    "convert-index-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)";
// The part of kStockLowering from `kStockToLinalgFirst` to `kStockToLinalgLast`, in LLVM 19. Its
// pipeline allows integers of 8 bits only, so these are the passes of the pipeline without
// tosa-validate.
inline constexpr std::string_view kStockToLinalgFirst = "tosa-attach-target";
inline constexpr std::string_view kStockToLinalgLast = "tosa-to-linalg-pipeline";
inline constexpr std::string_view kStockToLinalg19 =
    "func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,tosa-layerwise-constant-fold,"
    "tosa-make-broadcastable,tosa-to-linalg)";
// The passes of kStockLowering that work on TOSA alone.
inline constexpr std::string_view kStockOnTosa =
    "builtin.module(func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable))";

// Turns loops over buffers into EmitC, from which C is printed. Functions for which EmitC has no C
// are those of libm, which lacks RSQRT and CLZ.
inline constexpr std::string_view kLoopsToEmitC =
    "builtin.module(fold-memref-alias-ops,lower-affine,arith-expand{include-bf16=false},"
    "func.func(math-expand-ops{ops=rsqrt,ctlz},math-extend-to-supported-types,"
    "convert-math-to-emitc{language-target=c99}),"
    "convert-math-to-libm,convert-to-emitc,reconcile-unrealized-casts)";

// Returns the pipeline from TOSA to loops that EmitC can express: buffers are arrays on the stack
// without an alignment.
template <class IsExchanged>
std::string LoweringForEmitC(const IsExchanged& is_exchanged) {
  constexpr std::string_view kEnd = ")";
  std::string passes = LoweringPipeline(0, kFreeStage, is_exchanged);
  passes.resize(passes.size() - kEnd.size());
  const std::string_view bufferize = "one-shot-bufferize{";
  passes.insert(passes.find(bufferize) + bufferize.size(), "buffer-alignment=0 ");
  std::string loops = LoweringPipeline(kFreeStage + 1, kLoopStagesEnd, is_exchanged);
  loops.erase(0, loops.find('(') + 1);
  return passes +
         ",func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=1048576 "
         "max-rank-of-allocated-memref=32})," +
         loops;
}

}  // namespace assay
