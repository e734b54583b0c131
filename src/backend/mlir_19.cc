// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "mlir_backend.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenMlir19(std::string_view argument,
                                            const BackendOptions& options) {
  return OpenMlir(MlirDialect::kLlvm19, argument, {}, options);
}

}  // namespace

extern const BackendKind mlir_19_backend = {
    "mlir@19",
    "[WORD[,WORD...]]",
    "MLIR 19, to compare versions: as mlir, through `assay-mlir-helper-19`, without the variants\n"
    "apfloat and emitc. Its dialect is older than TOSA 1.0, so fp8, nan_mode=IGNORE,\n"
    "INEXACT_ROUND, unsigned RESCALE, and accumulators of another type than the result are\n"
    "unsupported.",
    OpenMlir19,
    {},
    "of any graph"};

}  // namespace assay::backend
