#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "child_process.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// What programs of others say and write.

// The words of a command line, which blanks separate; no shell is involved.
std::vector<std::string> CommandWords(std::string_view command);

// Checks that there is a program of this name: at that path if it has a '/', otherwise in PATH.
// Error kUsage, which starts with `title`.
Result<Done> CheckProgram(const std::string& title, const std::string& name);

// Adds the variables of the options to the environment of a program.
void AddEnvironment(const BackendOptions& options, ChildCommand& command);

// The first line of what a program said. Its folder, which is another one every time, becomes
// {dir}, so that the same complaint reads the same.
std::string WordsOf(const std::string& text, const std::string& folder);

// The last line of what a program said before it broke down.
std::string LastWordsOf(const std::string& text);

// Returns the end of what a program said, at most `bytes_max` bytes, from the start of a line on if
// there is one. Its folder becomes {dir}.
std::string EndOf(std::string text, const std::string& folder, size_t bytes_max);

// An output in an `.npy` file: in the declared type where the file can be read so, otherwise as it
// is, for an oracle to see. `name` stands for the file in errors.
Result<Tensor> ReadAnswerFile(const std::string& path, const std::string& name,
                              const TensorType& type);

}  // namespace assay
