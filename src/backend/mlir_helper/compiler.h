// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
}

namespace assay {

// Compiles modules in the LLVM dialect for this machine.
class Compiler {
 public:
  Compiler();
  ~Compiler();

  // Compiles a module at an optimization level, 0-3. `function` becomes the code of @main, which
  // stays until the process ends. Returns false if LLVM refuses the module; then `problem` has why.
  bool Compile(mlir::ModuleOp module, uint32_t optimization, void (*&function)(void**),
               std::string& problem);

 private:
  struct Host;
  std::unique_ptr<Host> host_;
};

}  // namespace assay
