// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay {

// Forms of the help of the whole program, made from its declared commands and options.

// Returns the help of a command: {"plan", "check"}, or of the program for no words. Error kUsage
// for a command that does not exist.
Result<std::string> HelpOf(const CLI::App& program, const std::vector<std::string>& command);

// Returns a page for man(1) with all commands and their options.
std::string ManPage(const CLI::App& program, std::string_view version);

// Returns a script that completes commands, options, their choices and files in bash, or in zsh
// through its emulation of bash.
std::string Completion(const CLI::App& program, std::string_view shell);

}  // namespace assay
