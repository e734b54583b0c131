// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "note.h"
#include "quoted.h"

namespace assay {
namespace {

// Returns the first word of the command line of this process.
std::string CalledProgram() {
  std::ifstream words("/proc/self/cmdline");
  std::string program;
  std::getline(words, program, '\0');
  return program.empty() ? "assay" : ShellWord(program);
}

}  // namespace

void Write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string AsCalled(std::string_view command) {
  constexpr std::string_view kName = "assay ";
  if (!command.starts_with(kName)) return std::string(command);
  return CalledProgram() + " " + std::string(command.substr(kName.size()));
}

void WriteReport(std::string_view text) {
  constexpr std::string_view kReplay = "replay: ";
  const char* no_color = std::getenv("NO_COLOR");
  const bool has_colors = isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == 0);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const char* color = !has_colors                                                ? nullptr
                        : line.starts_with("FAIL")                                 ? "\x1b[1;31m"
                        : line.starts_with("KNOWN") || line.starts_with("SUSPECT") ? "\x1b[33m"
                        : line.starts_with("total:")                               ? "\x1b[1m"
                                                                                   : nullptr;
    if (color != nullptr) Write(color);
    const size_t word = std::min(line.find_first_not_of(' '), line.size());
    const size_t command = line.substr(word).starts_with(kReplay) ? word + kReplay.size() : 0;
    Write(line.substr(0, command));
    Write(command > 0 ? AsCalled(line.substr(command)) : line);
    if (color != nullptr) Write("\x1b[0m");
    text.remove_prefix(line.size());
    if (!text.empty()) {
      Write("\n");
      text.remove_prefix(1);
    }
  }
}

ExitStatus StatusOf(const Error& error) {
  switch (error.kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kBadInput:
    case Error::Kind::kBadAnswer:
      return kExitUsage;
    case Error::Kind::kUnsupported:
    case Error::Kind::kResource:
    case Error::Kind::kNoAnswer:
      return kExitUndecided;
  }
  return kExitDefect;
}

int Fail(const Error& error) {
  Say(error.message);
  return StatusOf(error);
}

Result<Done> FlushOutput() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return Done{};
  // A reader that stops reading early (`| head`) is no error: the status says how the command went.
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) return Done{};
  return ResourceError("standard output: cannot write: is the disk full?");
}

}  // namespace assay
