#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "command.h"
#include "result.h"

namespace assay {

// What commands print. Nothing is reported while writing; FlushOutput() tells at the end.
void Write(std::string_view text);

template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  Write(fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Flushes standard output. A full disk is an Error; a reader that has seen enough (`| head`) is
// not.
Result<Done> FlushOutput();

// The exit status that an Error stands for: kExitUsage or kExitUndecided.
ExitStatus StatusOf(const Error& error);

// Prints `assay: MESSAGE` to standard error; returns StatusOf(error).
int Fail(const Error& error);

// Prints `assay: note: TEXT` to standard error: what no exit status stands for.
void Note(const std::string& text);

// Prints a note for each of the first 20 lines of a text from outside: `WHOSE: LINE`.
void NoteLines(const std::string& whose, std::string_view text);

}  // namespace assay
