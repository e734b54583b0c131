// SPDX-License-Identifier: Apache-2.0
#include "flight_recorder.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstring>

namespace assay {
namespace {

FlightRecorder* active = nullptr;  // the handler has no other way to find it
alignas(16) char handler_stack[1 << 16];

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Handles a fatal signal. dladdr and backtrace are formally not async-signal-safe. If one of them
// hangs here, the parent's deadline ends it, and `signal` has been written first.
void OnFatal(int number) {
  active->signal = number;
  void* frames[48];
  const int count = backtrace(frames, 48);
  size_t used = 0;
  for (int i = 1; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_sname == nullptr) continue;
    const size_t length = strlen(info.dli_sname);
    if (used + length + 2 > sizeof active->stack) break;
    memcpy(active->stack + used, info.dli_sname, length);
    used += length;
    active->stack[used++] = '\n';
    active->stack[used] = '\0';
  }
  raise(number);  // SA_RESETHAND: now with its default action
}

}  // namespace

FlightRecorder* MakeFlightRecorder() {
  void* memory = mmap(nullptr, sizeof(FlightRecorder), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<FlightRecorder*>(memory);
}

void RecordCrashes(FlightRecorder* recorder) {
  active = recorder;
  void* warm[2];
  backtrace(warm, 2);  // loads the unwinder now, not inside a handler
  stack_t alternate = {};
  alternate.ss_sp = handler_stack;
  alternate.ss_size = sizeof handler_stack;
  sigaltstack(&alternate, nullptr);  // a stack overflow needs another stack to be reported on
  struct sigaction action = {};
  action.sa_handler = OnFatal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int number : kFatal) sigaction(number, &action, nullptr);
}

}  // namespace assay
