// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The current activity of a child, in memory shared with its parent. It survives a crash, a kill
// and a time-out of the child. It has a fixed size and plain characters because a signal handler
// writes it.
struct FlightRecorder {
  volatile int signal;  // the signal of a crash in progress; 0: none
  char phase[16];
  char pass[96];
  char pattern[256];
  char operation[96];
  char folder[256];  // of files that the parent removes if the child is killed; empty: none
  char stack[4096];  // mangled function names, one per line, innermost first

  template <size_t size>
  static void Note(char (&slot)[size], std::string_view text) {
    const size_t length = text.size() < size ? text.size() : size - 1;
    text.copy(slot, length);
    slot[length] = '\0';
  }

  // Notes that no pass is at work.
  void LeavePasses() {
    Note(pass, "");
    Note(pattern, "");
    Note(operation, "");
  }
};

// Returns shared, zeroed memory for one recorder, or null. It stays until the process ends.
FlightRecorder* MakeFlightRecorder();

// Makes fatal signals of this process write `stack` and `signal` before their default action.
void RecordCrashes(FlightRecorder* recorder);

}  // namespace assay
