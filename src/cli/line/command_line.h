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

// The command line as commands see it. CLI11 stays behind it: it is all templates and inline
// functions, which take seconds to compile in each file that includes it.

// An option while it is declared: each of these narrows down what it takes, or says so in the help.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption Required() const;
  CommandOption OneOf(std::vector<std::string> words) const;
  CommandOption Between(int64_t first, int64_t last) const;
  CommandOption NotNegative() const;
  CommandOption Positive() const;
  // `complaint` says what is wrong with a value: nothing, if all is well.
  CommandOption Check(std::function<std::string(const std::string&)> complaint) const;
  // Given more than once, all values are taken.
  CommandOption TakeAll() const;
  CommandOption Needs(const std::string& other) const;
  CommandOption Excludes(const std::string& other) const;
  // The help has the value that the variable has now, and `word` for the value.
  CommandOption ShowDefault() const;
  CommandOption ShowValueAs(const std::string& word) const;

 private:
  CLI::Option* option_;
};

// What a command takes. The Program that it is a part of must outlive it.
class CommandLine {
 public:
  CommandLine() = default;
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  // An option ("--jobs,-j") or an argument ("FILE"), stored in `value` when it is given. T is one
  // of the types that command_line.cc instantiates this for.
  template <typename T>
  CommandOption Add(const std::string& names, T& value, const std::string& help);
  void AddFlag(const std::string& names, bool& value, const std::string& help);

  // What the help ends with.
  std::string Footer() const;
  void SetFooter(const std::string& text);

  // A subcommand, to which the caller adds options. It inherits the footer.
  CommandLine AddSubcommand(std::string_view name, std::string_view summary);
  // Subcommands that add their own.
  void AddCommands(std::span<const Command* const> commands);
  void RequireSubcommand();
  // The first of `commands` that was given, after parsing; nullptr if none was.
  const Command* Given(std::span<const Command* const> commands) const;

 private:
  CLI::App* app_ = nullptr;
};

// The command line of the whole program.
class Program {
 public:
  Program(const std::string& name, const std::string& description, const std::string& version);
  ~Program();

  CommandLine line() { return CommandLine(*app_); }
  // False where --help or --version was asked for, and has been printed. Error kUsage, one line.
  Result<bool> Parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace assay
