// SPDX-License-Identifier: Apache-2.0
// The passes and dialects of the variants `vectorize`, `stock` and `emitc`.
#include "llvm/Config/llvm-config.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "registration.h"

#if LLVM_VERSION_MAJOR >= 22
#include "mlir/Conversion/ArithToEmitC/ArithToEmitC.h"
#include "mlir/Conversion/ConvertToEmitC/ConvertToEmitCPass.h"
#include "mlir/Conversion/FuncToEmitC/FuncToEmitC.h"
#include "mlir/Conversion/MathToEmitC/MathToEmitCPass.h"
#include "mlir/Conversion/MemRefToEmitC/MemRefToEmitC.h"
#include "mlir/Conversion/SCFToEmitC/SCFToEmitC.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#else
#include "mlir/Dialect/Affine/Passes.h"
#endif

namespace assay {

void RegisterVariantPasses() {
  mlir::registerPass([] { return mlir::affine::createAffineLoopNormalizePass(true); });
  mlir::registerPass([] { return mlir::affine::createAffineVectorize(); });
  mlir::registerPass([] { return mlir::createConvertVectorToSCFPass(); });
  mlir::registerPass([] { return mlir::createConvertVectorToLLVMPass(); });
  mlir::registerPass([] { return mlir::createFinalizeMemRefToLLVMConversionPass(); });
  mlir::registerPass([] { return mlir::createConvertFuncToLLVMPass(); });
  mlir::registerPass([] { return mlir::createArithToLLVMConversionPass(); });
  mlir::registerPass([] { return mlir::createConvertControlFlowToLLVMPass(); });
  mlir::registerPass([] { return mlir::createConvertIndexToLLVMPass(); });
  mlir::registerPass([] { return mlir::createUBToLLVMConversionPass(); });
#if LLVM_VERSION_MAJOR >= 22
  mlir::registerPass([] { return mlir::math::createMathExpandOpsPass(); });
  mlir::registerPass([] { return mlir::math::createMathExtendToSupportedTypes(); });
  mlir::registerPass([] { return mlir::createConvertMathToEmitC(); });
  mlir::registerPass([] { return mlir::createConvertToEmitC(); });
#endif
}

void RegisterVariantDialects(mlir::DialectRegistry& registry) {
  registry.insert<mlir::vector::VectorDialect>();
#if LLVM_VERSION_MAJOR >= 22
  registry.insert<mlir::emitc::EmitCDialect>();
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerConvertArithToEmitCInterface(registry);
  mlir::registerConvertFuncToEmitCInterface(registry);
  mlir::registerConvertMemRefToEmitCInterface(registry);
  mlir::registerConvertSCFToEmitCInterface(registry);
#endif
}

}  // namespace assay
