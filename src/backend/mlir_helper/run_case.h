#pragma once

#include "flight_recorder.h"
#include "message.h"

namespace mlir {
class MLIRContext;
class ModuleOp;
}  // namespace mlir

namespace assay {

// The lowering from TOSA to the LLVM dialect. Nothing in it folds, canonicalizes or validates:
// what runs is what was written.
extern const char* const kLowering;

// Parses, rewrites, lowers and runs one request in this process, noting its progress. Compiler
// bugs end the process; call it in a child.
mlir_message::Reply RunCase(mlir::MLIRContext& context, const mlir_message::Request& request,
                            FlightRecorder& recorder);

// Compiles a module in the LLVM dialect and makes the calls, `arguments` and `results` being the
// types of @main before it was lowered. Fills `stage`, `detail` and `calls` of the reply.
struct Signature;
void Execute(mlir::ModuleOp module, const Signature& signature,
             const mlir_message::Request& request, FlightRecorder& recorder,
             mlir_message::Reply& reply);

// A tensor of @main: its shape and the bytes of one stored element.
struct StoredTensor {
  std::vector<int64_t> shape;
  int64_t element_bytes = 0;
};
struct Signature {
  std::vector<StoredTensor> arguments;
  std::vector<StoredTensor> results;
};

}  // namespace assay
