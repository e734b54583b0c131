// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "flight_recorder.h"
#include "mlir_message.h"

namespace mlir {
class ModuleOp;
}

namespace assay {

// The name of @main in C, which has its own rules for `main`.
inline constexpr const char* kCMain = "assay_main";

// Returns true if a call of a module in EmitC can change what another call finds.
bool HasCState(mlir::ModuleOp module);

// Prints a module in EmitC as C, has `request.c_compiler` compile it, and loads the library.
// `function` becomes kCMain, which takes descriptors as functions of the JIT compiler do. Its
// code stays until the process ends. Returns false if EmitC or the compiler refuses the module;
// then `stage` and `detail` of the reply say why, and the phase of `recorder` says where. The
// recorder names the folder that a killed process leaves behind.
bool CompileC(mlir::ModuleOp module, const mlir_message::Request& request, FlightRecorder& recorder,
              void (*&function)(void**), mlir_message::Reply& reply);

}  // namespace assay
