// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mlir {
class ModuleOp;
}

namespace assay {

// Compiles a module in the LLVM dialect for this machine, at an optimization level, 0-3. `function`
// becomes the code of @main, which stays until the process ends. Returns false if LLVM refuses the
// module; then `problem` has why.
bool CompileModule(mlir::ModuleOp module, uint32_t optimization, void (*&function)(void**),
                   std::string& problem);

}  // namespace assay
