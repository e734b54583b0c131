// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>

#include "command_line.h"
#include "name_search.h"

namespace assay {
namespace {

const CLI::App& ProgramOf(const CLI::App& command) {
  const CLI::App* program = &command;
  while (program->get_parent() != nullptr) program = program->get_parent();
  return *program;
}

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Returns the text for troff, which must not read it as its own commands.
std::string Troff(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    line_start = c == '\n';
  }
  return escaped;
}

// Returns "--jobs,-j", or the name of a positional.
std::string NameOf(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true) : option.get_name(false, true);
}

std::string ManOptions(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    text += ".TP\n.B " + Troff(NameOf(*option));
    const std::string value = option->get_type_name();
    if (!option->get_positional() && option->get_items_expected_max() > 0 && !value.empty()) {
      text += " " + Troff(value);
    }
    text += "\n" + Troff(option->get_description()) + "\n";
  }
  return text;
}

std::string ManCommands(const CLI::App& app, const std::string& before) {
  std::string text;
  for (const CLI::App* command : CommandsOf(app)) {
    const std::string name = before + command->get_name();
    text += ".SS " + Troff(name) + "\n" + Troff(command->get_description()) + "\n" +
            ManOptions(*command) + ManCommands(*command, name + " ");
  }
  return text;
}

// Returns the words that a shell may offer behind a command: its subcommands and long options.
std::string WordsAfter(const CLI::App& command) {
  std::string words;
  const auto add = [&words](const std::string& word) {
    words += (words.empty() ? "" : " ") + word;
  };
  for (const CLI::App* below : CommandsOf(command)) add(below->get_name());
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) add("--" + name);
  }
  return words;
}

// Returns the choices of an option, which CLI11 keeps as the text "{fast,template}"; "" if it has
// none.
std::string ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  std::string choices = type.substr(open + 1, close - open - 1);
  std::ranges::replace(choices, ',', ' ');
  return choices;
}

// Appends the cases of a command and those below it. `path` is "plan/check".
void AddCases(const CLI::App& command, const std::string& path, std::string& words,
              std::string& choices) {
  words += "    '" + path + "') words='" + WordsAfter(command) + "' ;;\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string of_option = ChoicesOf(*option);
    if (of_option.empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      choices += "    '" + path + " --" + name + "') words='" + of_option + "' ;;\n";
    }
  }
  for (const CLI::App* below : CommandsOf(command)) {
    AddCases(*below, path + (path.empty() ? "" : "/") + below->get_name(), words, choices);
  }
}

}  // namespace

Result<std::string> CommandLine::Help(const std::vector<std::string>& command) const {
  const CLI::App* app = &ProgramOf(*app_);
  std::string name = app->get_name();
  for (const std::string& word : command) {
    std::vector<std::string> names;
    for (const CLI::App* below : CommandsOf(*app)) names.push_back(below->get_name());
    const std::vector<std::string_view> known(names.begin(), names.end());
    const Result<size_t> found = FindName("command", word, known);
    if (!found) return found.error();
    app = CommandsOf(*app)[*found];
    name += " " + app->get_name();
  }
  // CLI::App::help() would print the help of the subcommand that was given.
  return app->get_formatter()->make_help(app, name, CLI::AppFormatMode::Normal);
}

std::string CommandLine::ManPage() const {
  const CLI::App& program = ProgramOf(*app_);
  const std::string version = program.version();
  return ".TH ASSAY 1 \"\" \"" + Troff(version.substr(0, version.find('\n'))) +
         "\" \"User Commands\"\n.SH NAME\nassay \\- " +
         "tests whether a TOSA backend follows the specification\n.SH SYNOPSIS\n.B assay\n" +
         ".I command\n[options]\n.SH DESCRIPTION\n" + Troff(program.get_description()) +
         "\n.SH COMMANDS\n" + ManCommands(program, "") + ".SH EXIT STATUS\n.nf\n" +
         Troff(program.get_footer()) + "\n.fi\n";
}

std::string CommandLine::Completion(std::string_view shell) const {
  std::string words, choices;
  AddCases(ProgramOf(*app_), "", words, choices);
  const std::string zsh = "autoload -U +X bashcompinit && bashcompinit\n";
  return (shell == "zsh" ? zsh : "") +
         "_assay() {\n"
         "  local command= words= i word\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case $word in -*) break ;; esac\n"
         "    _assay_words \"$command${command:+/}$word\" && command=$command${command:+/}$word || "
         "break\n"
         "  done\n"
         "  words=\n"
         "  case \"$command ${COMP_WORDS[COMP_CWORD-1]}\" in\n" +
         choices +
         "    *) _assay_words \"$command\" ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "_assay_words() {\n"
         "  case $1 in\n" +
         words +
         "    *) return 1 ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -F _assay assay\n";
}

}  // namespace assay
