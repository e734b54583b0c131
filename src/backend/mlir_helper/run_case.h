// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flight_recorder.h"
#include "make_calls.h"
#include "mlir_message.h"
#include "pipelines.h"

namespace mlir {
class Location;
class MLIRContext;
class ModuleOp;
}  // namespace mlir

namespace assay {

// Runs requests in this process, one after the other, and records their progress. Compiler bugs end
// the process, so use it in a child.
class CaseRunner {
 public:
  // `context` and `recorder` must outlive the object.
  CaseRunner(mlir::MLIRContext& context, FlightRecorder& recorder);

  // Makes failures of the lowering be blamed on the pass and the pattern that they come from, by
  // noting every pattern that is tried and by verifying the module after every pass.
  void BeThorough();

  // Parses, rewrites, lowers and runs one request. `calls` of the reply stays empty. A module that
  // keeps no state is compiled once if requests with it follow each other closely.
  mlir_message::Reply Run(const mlir_message::Request& request, const TakeResults& take);

 private:
  struct KeptModule {
    std::string key;
    CompiledModule module;
    std::string applied, rewritten;  // of the reply
  };

  const CompiledModule* FindCompiled(const mlir_message::Request& request,
                                     mlir_message::Reply& reply) const;
  void Keep(const mlir_message::Request& request, const CompiledModule& module,
            const mlir_message::Reply& reply);
  bool Lower(mlir::ModuleOp module, const mlir_message::Request& request, Changes& applied,
             mlir_message::Reply& reply);
  bool BuildC(mlir::ModuleOp module, const mlir_message::Request& request, Changes& applied,
              CompiledModule& compiled, mlir_message::Reply& reply);
  std::optional<CompiledModule> Build(const mlir_message::Request& request,
                                      mlir_message::Reply& reply);
  void RunStages(const mlir_message::Request& request, const TakeResults& take,
                 mlir_message::Reply& reply);

  mlir::MLIRContext& context_;
  FlightRecorder& recorder_;
  Pipelines pipelines_;
  std::deque<KeptModule> kept_;
  bool is_thorough_ = false;
};

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

// Returns the text of a module as a person reads it, without large constants.
std::string CustomForm(mlir::ModuleOp module);

}  // namespace assay
