// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay {

class CommandLine;

// The exit status of every command. If several apply, it is the first in this order.
enum ExitStatus : int {
  kExitDefect = 4,     // a defect in Assay itself
  kExitUsage = 2,      // bad usage or bad input
  kExitFinding = 1,    // a finding
  kExitUndecided = 3,  // nothing decided: unsupported, limit reached, nothing ran, not reproduced
  kExitClean = 0,
};

// A subcommand. Each src/cli/<name>.cc defines one, `<name>_command`. `declare` adds its options to
// `line` (which carries the help text). `run` is called after parsing and returns an ExitStatus.
// Options are in a struct of the command's file.
struct Command {
  std::string_view name;
  std::string_view summary;  // one line
  void (*declare)(CommandLine& line);
  int (*run)();
};

}  // namespace assay
