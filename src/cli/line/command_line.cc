// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "command.h"
#include "name_search.h"

namespace assay {
namespace {

// Returns a validator that accepts a number if holds(number), and otherwise reports `complaint`.
// `name` is the text for the help. (CLI11's own validators print the accepted range, up to the
// largest double with all its digits.)
template <typename Holds>
CLI::Validator NumberThat(Holds holds, const std::string& complaint, const std::string& name) {
  const auto check = [holds, complaint](const std::string& text) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && holds(number) ? "" : text + " " + complaint;
  };
  return CLI::Validator(check, name);
}

// Returns what is wrong with the first word that nobody has taken: an option or a subcommand of
// `command` that does not exist. Returns "" if there is no such word, or nothing to say about it.
// (An option that is missing is often only misspelt.)
std::string UnknownWord(const CLI::App& program, const CLI::App& command,
                        std::span<const char* const> words) {
  const std::vector<std::string> rest = program.remaining(true);  // in no order
  for (const std::string word : words) {
    if (std::find(rest.begin(), rest.end(), word) == rest.end()) continue;
    if (word.starts_with("--")) {
      std::vector<std::string> names;
      for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      }
      const std::vector<std::string_view> known(names.begin(), names.end());
      return UnknownName("option", word.substr(0, word.find('=')), known).message;
    }
    const auto subcommands = command.get_subcommands([](const CLI::App*) { return true; });
    if (!word.starts_with("-") && !subcommands.empty()) {
      std::vector<std::string> names;
      for (const CLI::App* subcommand : subcommands) names.push_back(subcommand->get_name());
      const std::vector<std::string_view> known(names.begin(), names.end());
      return UnknownName("command", word, known).message;
    }
  }
  return "";
}

class CommandApp : public CLI::App {
 public:
  CommandApp(const Command& command, CLI::App* parent)
      : App(std::string(command.summary), std::string(command.name), parent) {}

  std::function<int()> run;
};

// Returns the innermost command that was given.
const CLI::App& GivenCommand(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands()[0];
  return *command;
}

}  // namespace

CommandOption CommandOption::Required() const { return CommandOption(option_->required()); }

CommandOption CommandOption::OneOf(std::vector<std::string> words) const {
  // Replaces the given word by the known word.
  const auto find = [words](std::string& text) -> std::string {
    const std::vector<std::string_view> known(words.begin(), words.end());
    const Result<size_t> found = FindName("choice", text, known);
    if (!found) return found.error().message;
    text = words[*found];
    return "";
  };
  return CommandOption(
      option_->transform(CLI::Validator(find, "{" + CLI::detail::join(words) + "}")));
}

CommandOption CommandOption::Between(int64_t first, int64_t last) const {
  return CommandOption(option_->check(CLI::Range(first, last)));
}

CommandOption CommandOption::NotNegative() const {
  return CommandOption(
      option_->check(NumberThat([](double x) { return x >= 0; }, "is not a number from 0 on",
                                CLI::NonNegativeNumber.get_description())));
}

CommandOption CommandOption::Positive() const {
  return CommandOption(
      option_->check(NumberThat([](double x) { return x > 0; }, "is not a number above 0",
                                CLI::PositiveNumber.get_description())));
}

CommandOption CommandOption::Check(std::function<std::string(const std::string&)> complaint) const {
  return CommandOption(option_->check(std::move(complaint)));
}

CommandOption CommandOption::TakeAll() const {
  return CommandOption(option_->take_all()->allow_extra_args(false));
}

CommandOption CommandOption::SplitAtCommas() const {
  return CommandOption(option_->delimiter(','));
}

CommandOption CommandOption::Needs(const std::string& other) const {
  return CommandOption(option_->needs(other));
}

CommandOption CommandOption::Excludes(const std::string& other) const {
  return CommandOption(option_->excludes(other));
}

CommandOption CommandOption::ShowDefault() const {
  return CommandOption(option_->capture_default_str());
}

CommandOption CommandOption::ShowValueAs(const std::string& word) const {
  return CommandOption(option_->type_name(word));
}

template <typename T>
CommandOption CommandLine::Add(const std::string& names, T& value, const std::string& help) {
  return CommandOption(app_->add_option(names, value, help));
}
template CommandOption CommandLine::Add(const std::string&, std::string&, const std::string&);
template CommandOption CommandLine::Add(const std::string&, std::vector<std::string>&,
                                        const std::string&);
template CommandOption CommandLine::Add(const std::string&, int&, const std::string&);
template CommandOption CommandLine::Add(const std::string&, int64_t&, const std::string&);
template CommandOption CommandLine::Add(const std::string&, uint64_t&, const std::string&);
template CommandOption CommandLine::Add(const std::string&, double&, const std::string&);
template CommandOption CommandLine::Add(const std::string&, std::optional<int64_t>&,
                                        const std::string&);

void CommandLine::AddFlag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help);
}

std::string CommandLine::Footer() const { return app_->get_footer(); }

void CommandLine::SetFooter(const std::string& text) { app_->footer(text); }

CommandLine CommandLine::AddCommand(const Command& command) {
  const auto app = std::make_shared<CommandApp>(command, app_);
  app_->add_subcommand(app)->ignore_case();
  CommandLine line(*app);
  app->run = command.declare(line);
  return line;
}

void CommandLine::AddCommands(std::span<const Command* const> commands) {
  for (const Command* command : commands) AddCommand(*command);
}

void CommandLine::RequireSubcommand() { app_->require_subcommand(1); }

Program::Program(const std::string& name, const std::string& description,
                 const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->get_formatter()->column_width(38);  // of most options; a longer one takes a line of its own
}

Program::~Program() = default;

int Program::Run() const { return static_cast<const CommandApp&>(GivenCommand(*app_)).run(); }

Result<bool> Program::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app_->exit(error);
      return false;
    }
    const CLI::App& command = GivenCommand(*app_);
    std::string place;
    for (const CLI::App* app = &command; app != app_.get(); app = app->get_parent()) {
      place.insert(0, app->get_name() + ": ");
    }
    std::string message = UnknownWord(*app_, command, {argv, static_cast<size_t>(argc)});
    if (message.empty()) message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return UsageError(place + message);
  }
  return true;
}

}  // namespace assay
