// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "child_process.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// The command lines and the output of foreign programs.

// Returns the words of a command line, which are separated by blanks. No shell is involved.
std::vector<std::string> CommandWords(std::string_view command);

// Checks that there is a program of this name: at that path if it has a '/', otherwise in PATH.
// Error kUsage, which starts with `title`.
Result<Done> CheckProgram(const std::string& title, const std::string& name);

// Adds the variables of the options to the environment of a program.
void AddEnvironment(const BackendOptions& options, ChildCommand& command);

// Returns the first line of what a program wrote; of a traceback of Python, the last. The name of
// its folder, which differs in every run, becomes {dir}, so that equal messages are equal text.
std::string WordsOf(const std::string& text, const std::string& folder);

// Returns the line with which a program says why it failed: the last one that it wrote. node writes
// its version last, so there it is the line above the call stack.
std::string LastWordsOf(const std::string& text);

// Returns the lines around LastWordsOf() that have a letter or a digit, in one line: three before
// it and two after it.
std::string LinesAroundLastWords(const std::string& text);

// Returns the end of what a program wrote, at most `bytes_max` bytes. It begins at the start of a
// line if possible. The name of the program's folder becomes {dir}.
std::string EndOf(std::string text, const std::string& folder, size_t bytes_max);

// Reads an output from an `.npy` file, in the file's own shape, so that an oracle can report a
// wrong one. Its elements must be stored as CheckNpyElements() says. If they are, and one is no
// value of the type, the output gets the type that NpyDescr() gives its elements, for the same
// reason. `name` stands for the file in errors.
Result<Tensor> ReadAnswerFile(const std::string& path, const std::string& name,
                              const TensorType& type);
// Does the same with the bytes of the file.
Result<Tensor> ReadAnswerBytes(std::span<const uint8_t> bytes, const std::string& name,
                               const TensorType& type);
// Checks the first bytes of such a file of `size` bytes, before the rest is read.
Result<Done> CheckAnswerStart(std::span<const uint8_t> start, size_t size, const std::string& name,
                              const TensorType& type);
// Returns the largest accepted size of such a file. It leaves room for a wrong shape.
int64_t AnswerBytesMax(const TensorType& type);

}  // namespace assay
