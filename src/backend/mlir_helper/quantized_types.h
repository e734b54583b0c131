// SPDX-License-Identifier: Apache-2.0
// The dialect of quantized types, which LLVM has renamed.
#pragma once

#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 22
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#else
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#endif

namespace assay {

#if LLVM_VERSION_MAJOR >= 22
using QuantDialect = mlir::quant::QuantDialect;
#else
using QuantDialect = mlir::quant::QuantizationDialect;
#endif

}  // namespace assay
