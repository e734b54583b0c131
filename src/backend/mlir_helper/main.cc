// SPDX-License-Identifier: Apache-2.0
// assay-mlir-helper: a fork server. Requests arrive as frames on standard input, and each gets one
// reply frame on standard output. They run in child processes (CaseProcess). See mlir_message.h.
#include <signal.h>

#include <cstdio>

#include "case_process.h"
#include "frame.h"
#include "llvm/Support/TargetSelect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/MLIRContext.h"
#include "registration.h"
#include "run_case.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// Runs a small case in this process. So every child inherits what LLVM makes once (dialects,
// tables, types, loaded libraries). This saves a fifth of the time of a small case.
void WarmUp(CaseRunner& runner) {
  Request request;
  request.module =
      "func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n"
      "  %b = tosa.exp %a : (tensor<1xf32>) -> tensor<1xf32>\n"
      "  return %b : tensor<1xf32>\n"
      "}\n";
  request.rewrite = "builtin.module(canonicalize)";
  request.calls = {{std::string(4, '\0')}};
  runner.Run(request, [](const std::vector<std::string>&) {});
}

int Main() {
  signal(SIGPIPE, SIG_IGN);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  RegisterPasses();
  RegisterVariantPasses();
  mlir::DialectRegistry registry;
  RegisterDialects(registry);
  RegisterVariantDialects(registry);
  // There is only one thread, because forking a process with several is not safe.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  // The dialects are loaded here, so that the children need not load them.
  context.loadDialect<mlir::func::FuncDialect, mlir::tosa::TosaDialect, mlir::LLVM::LLVMDialect>();
  FlightRecorder* recorder = MakeFlightRecorder();
  if (recorder == nullptr) {
    perror("assay-mlir-helper: mmap");
    return 1;
  }
  CaseRunner runner(context, *recorder);
  WarmUp(runner);
  CaseProcess process(runner, *recorder);
  for (std::string frame; ReadFrame(STDIN_FILENO, frame);) {
    Request request;
    Reply reply;
    if (Decode(frame, request)) {
      reply = process.Run(request);
    } else {
      reply.stage = Stage::kData;
      reply.detail = "not a request";
    }
    if (!WriteFrame(STDOUT_FILENO, Encode(reply))) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main() { return assay::Main(); }
