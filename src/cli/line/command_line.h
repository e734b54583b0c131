// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay {

struct Command;

// The command line in the form that commands use. Only command_line.cc and program_help.cc include
// CLI11, which is all templates and inline functions, and takes seconds to compile in each file
// that includes it.

// An option while it is declared. Each function restricts the values that it takes, or changes its
// help.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption Required() const;
  CommandOption OneOf(std::vector<std::string> words) const;
  CommandOption Between(int64_t first, int64_t last) const;
  CommandOption NotNegative() const;
  CommandOption Positive() const;
  // Checks values with `complaint`, which returns what is wrong with a value, or "".
  CommandOption Check(std::function<std::string(const std::string&)> complaint) const;
  // Takes all values if the option is given more than once.
  CommandOption TakeAll() const;
  // Takes "A,B" as two values.
  CommandOption SplitAtCommas() const;
  CommandOption Needs(const std::string& other) const;
  CommandOption Excludes(const std::string& other) const;
  // Shows in the help the value that the variable has now, and `word` as the name of the value.
  CommandOption ShowDefault() const;
  CommandOption ShowValueAs(const std::string& word) const;

 private:
  CLI::Option* option_;
};

// The options and subcommands of a command. The Program that it is a part of must outlive it.
class CommandLine {
 public:
  CommandLine() = default;
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  // Declares an option ("--jobs,-j") or an argument ("FILE"), which is stored in `value` if it is
  // given. T is one of the types that command_line.cc instantiates this for.
  template <typename T>
  CommandOption Add(const std::string& names, T& value, const std::string& help);
  void AddFlag(const std::string& names, bool& value, const std::string& help);

  // Returns the text at the end of the help.
  std::string Footer() const;
  void SetFooter(const std::string& text);

  // Adds a subcommand with its options. It inherits the footer.
  CommandLine AddCommand(const Command& command);
  void AddCommands(std::span<const Command* const> commands);
  void RequireSubcommand();

  // Forms of the help of the whole program, made from its declared commands and options.

  // Returns the help of a command: {"plan", "check"}, or of the program for no words. Error kUsage
  // for a command that does not exist.
  Result<std::string> Help(const std::vector<std::string>& command) const;
  // Returns a page for man(1) with all commands and their options.
  std::string ManPage() const;
  // Returns a script that completes commands, options, their choices and files in bash, or in zsh
  // through its emulation of bash.
  std::string Completion(std::string_view shell) const;

 private:
  CLI::App* app_ = nullptr;
};

// The command line of the whole program.
class Program {
 public:
  Program(const std::string& name, const std::string& description, const std::string& version);
  ~Program();

  CommandLine line() { return CommandLine(*app_); }
  // Parses the words. Returns false if --help or --version was given, after printing it. Error
  // kUsage, one line.
  Result<bool> Parse(int argc, const char* const* argv);
  // Runs the command that was given, after parsing. Returns its exit status.
  int Run() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace assay
