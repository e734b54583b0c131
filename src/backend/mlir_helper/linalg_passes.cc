// Apart from passes.cc because of the weight of this one header.
#include "mlir/Dialect/Linalg/Passes.h"

namespace assay {

void RegisterLinalgPasses();

void RegisterLinalgPasses() { mlir::registerLinalgPasses(); }

}  // namespace assay
