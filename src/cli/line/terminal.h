// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "command.h"
#include "result.h"

namespace assay {

// Prints the output of a command. Errors of writing are not reported here; FlushOutput() reports
// them at the end.
void Write(std::string_view text);

// Returns a command line that begins with `assay`, as in reports, with the program as it was
// called: "build/release/assay verify ...". Only printed text has that. Files of reports have
// `assay`, so that their bytes do not depend on the program's place.
std::string AsCalled(std::string_view command);

// Writes a report, with its replay lines as AsCalled() returns them. On a terminal, the lines of
// findings and suspects have colours, unless NO_COLOR is set.
void WriteReport(std::string_view text);

template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  Write(fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Flushes standard output. A full disk is an Error; a reader that stops reading early (`| head`) is
// not.
Result<Done> FlushOutput();

// Returns the exit status for an Error: kExitUsage or kExitUndecided.
ExitStatus StatusOf(const Error& error);

// Prints `assay: MESSAGE` to standard error; returns StatusOf(error).
int Fail(const Error& error);

}  // namespace assay
