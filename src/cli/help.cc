// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "terminal.h"

namespace assay::cli {
namespace {

struct HelpOptions {
  CommandLine line;
  std::vector<std::string> command;
  std::string completion;
  bool man = false;
};

void DeclareHelp(CommandLine& line, HelpOptions& options) {
  options.line = line;
  line.Add("COMMAND", options.command, "a command, such as verify, or plan check");
  line.AddFlag("--man", options.man, "print the help of all commands as a page for man(1)");
  line.Add("--completion", options.completion, "print a script that completes command lines")
      .OneOf({"bash", "zsh"});
  line.SetFooter(
      "Examples:\n"
      "  assay help plan check\n"
      "  assay help --man > assay.1 && man ./assay.1\n"
      "  source <(assay help --completion bash)");
}

int RunHelp(const HelpOptions& options) {
  if (options.man) {
    Write(options.line.ManPage());
  } else if (!options.completion.empty()) {
    Write(options.line.Completion(options.completion));
  } else {
    const Result<std::string> help = options.line.Help(options.command);
    if (!help) return Fail(help.error());
    Write(*help);
  }
  return kExitClean;
}

}  // namespace

extern const Command help_command = {
    .name = "help",
    .summary = "prints the help of a command, a page for man, or a script that completes commands",
    .declare = DeclareWith<HelpOptions, DeclareHelp, RunHelp>,
};

}  // namespace assay::cli
