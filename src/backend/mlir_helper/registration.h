#pragma once

namespace mlir {
class DialectRegistry;
}

namespace assay {

// The dialects between TOSA and LLVM IR, with what bufferization and conversion to LLVM attach to
// them. Registering only these, instead of all that MLIR has, is what keeps this compiling.
void RegisterDialects(mlir::DialectRegistry& registry);

// Every pass of TOSA, of the lowering, and the general clean-up passes, by command line name.
void RegisterPasses();

}  // namespace assay
