#pragma once

#include <functional>

#include "flight_recorder.h"
#include "mlir_message.h"

namespace mlir {
class Location;
class MLIRContext;
class ModuleOp;
}  // namespace mlir

namespace assay {

// The lowering from TOSA to the LLVM dialect. It does not fold, canonicalize or validate, so the
// graph runs as written.
extern const char* const kLowering;

// Takes the results of one call as soon as they exist, because the next call may end the process.
using TakeResults = std::function<void(std::vector<std::string>)>;

// Parses, rewrites, lowers and runs one request in this process, and records its progress. `calls`
// of the reply stays empty. Compiler bugs end the process, so call it in a child.
mlir_message::Reply RunCase(mlir::MLIRContext& context, const mlir_message::Request& request,
                            const TakeResults& take, FlightRecorder& recorder);

// Compiles a module in the LLVM dialect and makes the calls. `signature` is that of @main before it
// was lowered. Fills `stage` and `detail` of the reply.
struct Signature;
void Execute(mlir::ModuleOp module, const Signature& signature,
             const mlir_message::Request& request, const TakeResults& take,
             FlightRecorder& recorder, mlir_message::Reply& reply);

// Parses the module of a request, text or bytecode, and writes it in the form that `assay` reads.
// Resources become dense constants, and quantized types become their storage types. It verifies
// nothing, so that a graph that MLIR refuses can be judged. Fills `stage`, `detail`, `rewritten`
// and `places` of the reply.
void Normalize(mlir::MLIRContext& context, const mlir_message::Request& request,
               mlir_message::Reply& reply);

// Returns "FILE:LINE" of a location; empty if it is in no file.
std::string PlaceOf(mlir::Location location);

// Returns the text of a module in generic form. Constants of more than `hex_above` elements are in
// hexadecimal; -1 means none. `locations` writes where each operation came from.
std::string GenericForm(mlir::ModuleOp module, int64_t hex_above, bool locations = false);

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
