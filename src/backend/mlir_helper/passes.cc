// SPDX-License-Identifier: Apache-2.0
#include "mlir/Dialect/Arith/Transforms/Passes.h"

#include "llvm/Config/llvm-config.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToMLProgram/TosaToMLProgram.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "registration.h"
#if LLVM_VERSION_MAJOR >= 22
#include "mlir/Conversion/ArithAndMathToAPFloat/ArithToAPFloat.h"
#endif

namespace assay {

void RegisterLinalgPasses();

void RegisterPasses() {
  mlir::tosa::registerTosaToLinalgPipelines();
  mlir::registerTransformsPasses();
  mlir::arith::registerArithPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::bufferization::registerBufferizationPipelines();
  mlir::memref::registerMemRefPasses();
  mlir::registerSCFPasses();
  RegisterLinalgPasses();
  mlir::registerPass([] { return mlir::createTosaToMLProgram(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalgNamed(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalg(); });
  mlir::registerPass([] { return mlir::createLowerAffinePass(); });
  mlir::registerPass([] { return mlir::createConvertMathToLLVMPass(); });
  mlir::registerPass([] { return mlir::createConvertMathToLibmPass(); });
  mlir::registerPass([] { return mlir::createConvertToLLVMPass(); });
  mlir::registerPass([] { return mlir::createReconcileUnrealizedCastsPass(); });
#if LLVM_VERSION_MAJOR >= 22
  mlir::tosa::registerTosaPasses();
  mlir::registerPass([] { return mlir::createTosaToSCFPass(); });
  mlir::registerPass([] { return mlir::createTosaToTensorPass(); });
  mlir::registerPass([] { return mlir::createTosaToArithPass(); });
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  mlir::registerPass([] { return mlir::createArithToAPFloatConversionPass(); });
#else
  mlir::tosa::registerTosaOptPasses();
  mlir::registerPass([] { return mlir::tosa::createTosaToSCF(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToTensor(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToArith(); });
  mlir::registerPass([] { return mlir::createConvertSCFToCFPass(); });
#endif
}

}  // namespace assay
