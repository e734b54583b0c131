// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// Treats SIGINT and SIGTERM as a request to end. While an object exists, the first signal only
// makes Interrupted() true. Signals within one second of it count as the same request, because
// `timeout` and some shells send a signal to the process and again to its group. A later signal
// ends the process at once. An object inside the life of another changes nothing.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();
};

// Tells whether a signal has come since the watch began.
bool Interrupted();

// Restores the default action of the signals, in a new process.
void ForgetInterrupts();

}  // namespace assay
