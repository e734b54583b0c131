// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <time.h>

#include <csignal>

namespace assay {
namespace {

// Set by the signal handler, which has no other way to report a signal.
volatile std::sig_atomic_t interrupted = 0;

// The time of the first signal, in seconds of the monotonic clock. Only the handler uses it.
double first_signal = 0;

int watches = 0;

extern "C" void TakeInterrupt(int signal) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const double now = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  if (interrupted == 0) first_signal = now;
  interrupted = 1;
  if (now <= first_signal + 1) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void SetHandlers(void (*handler)(int)) {
  constexpr int kSignals[] = {SIGINT, SIGTERM};
  struct sigaction action = {};
  action.sa_handler = handler;  // without SA_RESTART, so that a waiting call returns
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
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
