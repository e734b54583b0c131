#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "command.h"

namespace assay {
namespace {

// A number that holds(number), else `complaint`; `name` is what the help says. (What CLI11 has says
// which numbers it takes, up to the largest double in full.)
template <typename Holds>
CLI::Validator NumberThat(Holds holds, const std::string& complaint, const std::string& name) {
  const auto check = [holds, complaint](const std::string& text) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && holds(number) ? "" : text + " " + complaint;
  };
  return CLI::Validator(check, name);
}

}  // namespace

CommandOption CommandOption::Required() const { return CommandOption(option_->required()); }

CommandOption CommandOption::OneOf(std::vector<std::string> words) const {
  return CommandOption(option_->check(CLI::IsMember(std::move(words))));
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

CommandLine CommandLine::AddSubcommand(std::string_view name, std::string_view summary) {
  return CommandLine(*app_->add_subcommand(std::string(name), std::string(summary)));
}

void CommandLine::AddCommands(std::span<const Command* const> commands) {
  for (const Command* command : commands) {
    CommandLine line = AddSubcommand(command->name, command->summary);
    command->declare(line);
  }
}

void CommandLine::RequireSubcommand() { app_->require_subcommand(1); }

const Command* CommandLine::Given(std::span<const Command* const> commands) const {
  for (const Command* command : commands) {
    if (app_->got_subcommand(std::string(command->name))) return command;
  }
  return nullptr;
}

Program::Program(const std::string& name, const std::string& description,
                 const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Result<bool> Program::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app_->exit(error);
      return false;
    }
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    const auto chosen = app_->get_subcommands();
    const std::string name = chosen.empty() ? "" : chosen[0]->get_name() + ": ";
    return Error{Error::Kind::kUsage, name + message};
  }
  return true;
}

}  // namespace assay
