// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "mlir_backend.h"

namespace assay::backend {
namespace {

// The graphs that the lowering may refuse. `assay backend show mlir` prints the rows.
constexpr Exemption kMlirExemptions[] = {
    {Op::kCustom, "", "", "mlir/include/mlir/Dialect/Tosa/IR/TosaOps.td",
     "These operators are not expected to be portable across TOSA implementations."},
    {Op::kRescale, "", "rounding_mode=INEXACT_ROUND",
     "mlir/lib/Conversion/TosaToLinalg/TosaToLinalg.cpp",
     "tosa.rescale with rounding mode = 'INEXACT_ROUND' is not currently supported"},
};

Result<std::unique_ptr<Backend>> OpenMlir(std::string_view argument,
                                          const BackendOptions& options) {
  return OpenMlir(MlirDialect::kTosa1, argument, kMlirExemptions, options);
}

}  // namespace

extern const BackendKind mlir_backend = {
    "mlir",
    "[WORD[,WORD...]]",
    "MLIR 22: lowers the graph from the TOSA dialect to LLVM IR and runs it. A WORD is a REWRITE,\n"
    "O0 to O3, a VARIANT or state=arguments. A REWRITE is applied\n"
    "first: canonicalize, fold, canonicalize-fold, reduce-transposes, decompose, broadcast,\n"
    "infer-shapes, validate, all, or a pipeline builtin.module(...).\n"
    "Vectors that must be refused run only with `mlir:validate`, which asks LLVM's validator\n"
    "first. The lowering itself claims no checks.\n"
    "A VARIANT lowers in another way: fuse (element-wise operations), copy-before-write,\n"
    "affine-loops, vectorize (affine loops), vectorize-promoted (the same without loops of one\n"
    "iteration), apfloat (floating point in software), scale-32-bit (RESCALE), leak (no memory is\n"
    "freed), stock (the pipeline of mlir-opt, which folds and validates), emitc=gcc and "
    "emitc=clang\n"
    "(C, made by EmitC). What EmitC refuses is unsupported.\n"
    "Variables belong to the JIT instance. With `state=arguments`, they are arguments and results\n"
    "that assay carries from step to step, so that graphs can share them.",
    OpenMlir,
    kMlirExemptions,
    "of any graph"};

}  // namespace assay::backend
