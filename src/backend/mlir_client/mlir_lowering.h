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

}  // namespace assay
