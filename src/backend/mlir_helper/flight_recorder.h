#pragma once

#include <string>
#include <string_view>

namespace assay {

// What a child was doing, in memory shared with its parent: it survives a crash, a kill and a
// time-out of the child. Fixed size and plain characters, since a signal handler writes it too.
struct FlightRecorder {
  volatile int signal;  // of a crash under way; 0: none
  char phase[16];
  char pass[96];
  char pattern[256];
  char operation[96];
  char stack[4096];  // mangled function names, one per line, innermost first

  template <size_t size>
  static void Note(char (&slot)[size], std::string_view text) {
    const size_t length = text.size() < size ? text.size() : size - 1;
    text.copy(slot, length);
    slot[length] = '\0';
  }
};

// Shared, zeroed memory for one recorder, or null. It stays for the life of the process.
FlightRecorder* MakeFlightRecorder();

// From now on, fatal signals of this process write `stack` and `signal`, then take their course.
void RecordCrashes(FlightRecorder* recorder);

}  // namespace assay
