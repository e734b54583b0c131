// SPDX-License-Identifier: Apache-2.0
// worker:COMMAND: a process that keeps state and answers requests on its standard streams. The
// protocol is in src/format/worker/worker_message.fbs and README.md.
#include "backend_kind.h"
#include "program_output.h"
#include "worker_client.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenWorker(std::string_view argument,
                                            const BackendOptions& options) {
  ChildCommand command;
  command.argv = CommandWords(argument);
  if (command.argv.empty()) {
    return UsageError("worker: a command is missing, as in worker:./my_worker");
  }
  const std::string title = "worker:" + std::string(argument);
  const Result<Done> found = CheckProgram(title, command.argv[0]);
  if (!found) return found.error();
  return WorkerBackend::Open(std::move(command), title, options);
}

}  // namespace

extern const BackendKind worker_backend = {
    .name = "worker",
    .argument = "COMMAND",
    .help =
        "your program, as one process for all vectors. It opens contexts, loads graphs and runs\n"
        "them, as requests on its standard input demand. It replies on its standard output.\n"
        "The messages are FlatBuffers; src/format/worker/worker_message.fbs is the protocol, and\n"
        "src/backend/examples/WORKER.md explains it.",
    .open = OpenWorker,
    .taps = "if the worker says so (version 2)",
};
}  // namespace assay::backend
