#pragma once

namespace assay {

// SIGINT and SIGTERM as a request to come to an end. While one of these exists, the first signal
// only makes Interrupted() true, and the second ends the process at once.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();
};

// Tells whether a signal has come since the watch began.
bool Interrupted();

// In a new process: takes signals as if there was no watch.
void ForgetInterrupts();

}  // namespace assay
