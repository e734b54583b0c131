// SPDX-License-Identifier: Apache-2.0
#include "compiler.h"

#include <optional>
#include <string>

#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "unpack_structures.h"

namespace assay {
namespace {

// Returns this machine as a target, with code generation at `level`. The execution engine's own
// option of that name has no effect, because the engine makes its target machine without it.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> MachineFor(llvm::CodeGenOptLevel level) {
  static std::optional<llvm::orc::JITTargetMachineBuilder> host;  // it is examined once
  if (!host) {
    auto found = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!found) return found.takeError();
    host = std::move(*found);
  }
  return host->setCodeGenOptLevel(level).createTargetMachine();
}

}  // namespace

bool CompileModule(mlir::ModuleOp module, uint32_t optimization, void (*&function)(void**),
                   std::string& problem) {
  mlir::ExecutionEngineOptions options;
  // The listener for `perf` writes a file for each process that compiles, which nobody removes.
  options.enablePerfNotificationListener = false;
  options.enableGDBNotificationListener = false;
  const auto optimize = mlir::makeOptimizingTransformer(optimization, 0, nullptr);
  const auto transform = [&](llvm::Module* code) {
    if (optimization == 0) UnpackStructures(*code);
    return optimize(code);
  };
  options.transformer = transform;
  // The names without a version are in libmlir-22-dev only, which running needs not.
  const std::string ending =
      ".so." + std::to_string(LLVM_VERSION_MAJOR) + "." + std::to_string(LLVM_VERSION_MINOR);
  const std::string paths[] = {
    ASSAY_MLIR_LIBRARY_DIR "/libmlir_c_runner_utils" + ending,
#if LLVM_VERSION_MAJOR >= 22
    ASSAY_MLIR_LIBRARY_DIR "/libmlir_apfloat_wrappers" + ending,
#endif
    ASSAY_MLIR_LIBRARY_DIR "/libmlir_float16_utils" + ending
  };
  const llvm::SmallVector<llvm::StringRef> libraries(std::begin(paths), std::end(paths));
  options.sharedLibPaths = libraries;
  auto machine =
      MachineFor(optimization == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  if (!machine) {
    problem += llvm::toString(machine.takeError());
    return false;
  }
  auto engine = mlir::ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine) {
    problem += llvm::toString(engine.takeError());
    return false;
  }
  auto found = (*engine)->lookupPacked("_mlir_ciface_main");
  if (!found) {
    problem += llvm::toString(found.takeError());
    return false;
  }
  function = *found;
  // The destructor would run code of the module and unmap the function. The process ends before
  // its memory is needed.
  static_cast<void>(engine->release());
  return true;
}

}  // namespace assay
