// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

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

// A subcommand. Each src/cli/<name>.cc defines one, `<name>_command`.
struct Command {
  std::string_view name;
  std::string_view summary;  // one line
  // Adds the options to `line` (which carries the help text). Returns the function that runs the
  // command after parsing and returns an ExitStatus, or none for a command of subcommands alone.
  std::function<int()> (*declare)(CommandLine& line);
};

// A Command::declare for options in a struct of the command's file. Makes new Options, which the
// returned function owns. kRun takes them by constant reference, or a copy that it may change.
template <typename Options, void (*kDeclare)(CommandLine&, Options&), auto kRun>
std::function<int()> DeclareWith(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  kDeclare(line, *options);
  return [options] { return kRun(std::as_const(*options)); };
}

}  // namespace assay
