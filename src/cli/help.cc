// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "help_topics.h"
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
  line.Add(
      "COMMAND", options.command,
      "a command, such as verify, or plan check; or a list: backends, faults (of fold run), or "
      "options (kinds of vectors, declarations)");
  line.AddFlag("--man", options.man, "print the help of all commands as a page for man(1)");
  line.Add("--completion", options.completion, "print a script that completes command lines")
      .OneOf({"bash", "zsh"});
  line.SetFooter(
      "Examples:\n"
      "  assay help plan check\n"
      "  assay help backends\n"
      "  assay help --man > assay.1 && man ./assay.1\n"
      "  source <(assay help --completion bash)");
}

// Returns the topic that the words name; null if there is none.
const HelpTopic* TopicOf(const std::vector<std::string>& words) {
  for (const HelpTopic& topic : AllHelpTopics()) {
    if (words.size() == 1 && words[0] == topic.name) return &topic;
  }
  return nullptr;
}

int RunHelp(const HelpOptions& options) {
  if (options.man) {
    Write(options.line.ManPage());
  } else if (!options.completion.empty()) {
    Write(options.line.Completion(options.completion));
  } else if (const HelpTopic* topic = TopicOf(options.command)) {
    Write(topic->text());
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
