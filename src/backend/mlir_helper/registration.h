// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace assay {

// Registers the dialects between TOSA and LLVM IR, with the interfaces that bufferization and the
// conversion to LLVM attach. Registering all of MLIR would take too long to compile.
void RegisterDialects(mlir::DialectRegistry& registry);

// Registers every pass of TOSA, of the lowering, and the general clean-up passes, by command line
// name.
void RegisterPasses();

// Do the same for the variants of the lowering that are not exchanged passes of the usual one.
// With LLVM 19, there are none for EmitC.
void RegisterVariantDialects(mlir::DialectRegistry& registry);
void RegisterVariantPasses();

}  // namespace assay
