#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend.h"
#include "mlir_writer.h"
#include "result.h"

namespace assay {

// Opens a backend that lowers graphs to LLVM IR and runs them. `argument` is a list of options:
// "canonicalize,O2,state=arguments". The lowering may refuse what `exemptions` name.
Result<std::unique_ptr<Backend>> OpenMlir(MlirDialect dialect, std::string_view argument,
                                          std::span<const Exemption> exemptions,
                                          const BackendOptions& options);

}  // namespace assay
