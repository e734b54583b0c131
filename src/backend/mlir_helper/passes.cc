#include "mlir/Dialect/Arith/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithAndMathToAPFloat/ArithToAPFloat.h"
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

namespace assay {

void RegisterLinalgPasses();

void RegisterPasses() {
  mlir::tosa::registerTosaPasses();
  mlir::tosa::registerTosaToLinalgPipelines();
  mlir::registerTransformsPasses();
  mlir::arith::registerArithPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::bufferization::registerBufferizationPipelines();
  mlir::memref::registerMemRefPasses();
  mlir::registerSCFPasses();
  RegisterLinalgPasses();
  mlir::registerPass([] { return mlir::createTosaToMLProgram(); });
  mlir::registerPass([] { return mlir::createTosaToSCFPass(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalgNamed(); });
  mlir::registerPass([] { return mlir::tosa::createTosaToLinalg(); });
  mlir::registerPass([] { return mlir::createTosaToTensorPass(); });
  mlir::registerPass([] { return mlir::createTosaToArithPass(); });
  mlir::registerPass([] { return mlir::createLowerAffinePass(); });
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  mlir::registerPass([] { return mlir::createArithToAPFloatConversionPass(); });
  mlir::registerPass([] { return mlir::createConvertMathToLLVMPass(); });
  mlir::registerPass([] { return mlir::createConvertMathToLibmPass(); });
  mlir::registerPass([] { return mlir::createConvertToLLVMPass(); });
  mlir::registerPass([] { return mlir::createReconcileUnrealizedCastsPass(); });
}

}  // namespace assay
