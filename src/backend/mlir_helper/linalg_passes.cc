// SPDX-License-Identifier: Apache-2.0
// A file of its own, apart from passes.cc, because this header is large.
#include "mlir/Dialect/Linalg/Passes.h"

namespace assay {

void RegisterLinalgPasses();

void RegisterLinalgPasses() { mlir::registerLinalgPasses(); }

}  // namespace assay
