// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Prints `assay: MESSAGE` to standard error, in one line, although names and contents of files may
// hold anything.
void Say(const std::string& message);

// Prints `assay: note: TEXT` to standard error, for facts that no exit status expresses.
void Note(const std::string& text);

// Prints a note `WHOSE: LINE` for each of the first 20 lines of a text from outside.
void NoteLines(const std::string& whose, std::string_view text);

}  // namespace assay
