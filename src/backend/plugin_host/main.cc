// SPDX-License-Identifier: Apache-2.0
// assay-plugin-host FILE.so [VARIANT]: loads a plugin (assay_backend.h) and speaks the worker
// protocol for it. All memory that the plugin gets is guarded.
#include <unistd.h>

#include <cstdio>
#include <new>
#include <string>

#include "guard_violation.h"
#include "loaded_plugin.h"
#include "plugin_session.h"
#include "request_pipes.h"

namespace assay {
namespace {

int Serve(const std::string& file, const std::string& variant) {
  RequestPipes pipes;
  PluginSession session([&file] { return LoadPlugin(file); }, variant);
  WorkerMessage request;
  WatchForTrespass(&session.watched(), [&](const Trespass& trespass) {
    pipes.Send(request.number, worker::Failed{trespass.text, trespass.wrote});
    _exit(1);
  });
  while (pipes.Receive(request)) {
    try {
      worker::Body body = session.Answer(request.body);
      pipes.Send(request.number, std::move(body), session.TakeLog());
    } catch (const std::bad_alloc&) {
      pipes.Send(request.number, worker::Unsupported{"no memory"});
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: assay-plugin-host FILE.so [VARIANT], by assay itself\n");
    return 2;
  }
  return assay::Serve(argv[1], argc == 3 ? argv[2] : "");
}
