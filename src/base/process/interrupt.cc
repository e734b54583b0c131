// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <csignal>

namespace assay {
namespace {

// Set by the signal handler, which has no other way to report a signal.
volatile std::sig_atomic_t interrupted = 0;

int watches = 0;

extern "C" void TakeInterrupt(int signal) {
  if (interrupted != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupted = 1;
}

void SetHandlers(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // without SA_RESTART, so that a waiting call returns
  constexpr int kSignals[] = {SIGINT, SIGTERM};
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  if (watches++ > 0) return;
  interrupted = 0;
  SetHandlers(TakeInterrupt);
}

InterruptWatch::~InterruptWatch() {
  if (--watches == 0) ForgetInterrupts();
}

bool Interrupted() { return interrupted != 0; }

void ForgetInterrupts() {
  SetHandlers(SIG_DFL);
  interrupted = 0;
}

}  // namespace assay
