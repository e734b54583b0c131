// SPDX-License-Identifier: Apache-2.0
#include "program_output.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "files.h"
#include "npy_file.h"

namespace assay {
namespace {

constexpr size_t kLineMax = 300;

std::string FirstLine(const std::string& text) {
  const size_t start = text.find_first_not_of("\r\n ");
  if (start == std::string::npos) return "";
  return text.substr(start, std::min(text.find_first_of("\r\n", start) - start, kLineMax));
}

// Returns the lines that have a letter or a digit, without their ends.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; };
    if (std::ranges::any_of(line, is_word)) {
      lines.push_back(line.substr(0, std::min(line.find_last_not_of(' ') + 1, kLineMax)));
    }
    begin = end + 1;
  }
  return lines;
}

// Returns the position of LastWordsOf() in the lines of a text; 0 if there are none.
size_t LastWordsAt(const std::vector<std::string>& lines) {
  if (lines.empty()) return 0;
  const size_t last = lines.size() - 1;
  if (!lines[last].starts_with("Node.js v")) return last;
  for (size_t i = last; i-- > 0;) {
    if (lines[i][0] != ' ' && lines[i][0] != '\t') return i;
  }
  return last;
}

bool IsProgram(const std::string& path) {
  return !IsDirectory(path) && access(path.c_str(), X_OK) == 0;
}

// Searches for a program as execvp() does.
bool IsInPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/bin:/usr/bin" : path;
  for (;;) {
    const size_t end = folders.find(':');
    const std::string_view folder = folders.substr(0, end);
    if (IsProgram(JoinPath(folder.empty() ? "." : folder, name))) return true;
    if (end == std::string_view::npos) return false;
    folders.remove_prefix(end + 1);
  }
}

std::string WithoutFolder(std::string text, const std::string& folder) {
  if (folder.empty()) return text;
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
    text.replace(at, folder.size(), "{dir}");
  }
  return text;
}

}  // namespace

std::string WordsOf(const std::string& text, const std::string& folder) {
  // Python's first line is always the same, and its last one says what happened.
  const std::string first = FirstLine(text);
  return WithoutFolder(first.starts_with("Traceback (") ? LastWordsOf(text) : first, folder);
}

std::string EndOf(std::string text, const std::string& folder, size_t bytes_max) {
  if (text.size() > bytes_max) {
    text.erase(0, text.size() - bytes_max);
    const size_t line_end = text.find('\n');
    if (line_end + 1 < text.size()) text.erase(0, line_end + 1);
  }
  return WithoutFolder(std::move(text), folder);
}

std::vector<std::string> CommandWords(std::string_view command) {
  std::vector<std::string> words;
  for (size_t at = command.find_first_not_of(' '); at != std::string_view::npos;) {
    const size_t end = std::min(command.find(' ', at), command.size());
    words.emplace_back(command.substr(at, end - at));
    at = command.find_first_not_of(' ', end);
  }
  return words;
}

Result<Done> CheckProgram(const std::string& title, const std::string& name) {
  const auto no = [&](const std::string& why) {
    return UsageError(title + ": " + why + ": " + name);
  };
  if (name.find('/') == std::string::npos) {
    if (IsInPath(name)) return Done{};
    return no("no such program in PATH");
  }
  if (!FileExists(name)) return no("no such program");
  if (!IsProgram(name)) return no("not an executable file");
  return Done{};
}

void AddEnvironment(const BackendOptions& options, ChildCommand& command) {
  for (const std::string& variable : options.environment) {
    const size_t sign = std::min(variable.find('='), variable.size() - 1);
    command.environment.emplace_back(variable.substr(0, sign), variable.substr(sign + 1));
  }
}

std::string LastWordsOf(const std::string& text) {
  const std::vector<std::string> lines = LinesOf(text);
  return lines.empty() ? "" : lines[LastWordsAt(lines)];
}

std::string LinesAroundLastWords(const std::string& text) {
  constexpr size_t kBefore = 3, kAfter = 2;
  const std::vector<std::string> lines = LinesOf(text);
  const size_t at = LastWordsAt(lines);
  std::string around;
  for (size_t i = at - std::min(at, kBefore); i < std::min(at + kAfter + 1, lines.size()); ++i) {
    around += (around.empty() ? "" : " | ") + lines[i].substr(lines[i].find_first_not_of(" \t"));
  }
  return around;
}

int64_t AnswerBytesMax(const TensorType& type) {
  constexpr int64_t kRoom = int64_t{64} << 20;
  return kRoom + 16 * std::min(type.shape.Elements(), int64_t{1} << 28);
}

Result<Tensor> ReadAnswerFile(const std::string& path, const std::string& name,
                              const TensorType& type) {
  const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path, AnswerBytesMax(type));
  if (!bytes) return bytes.error();
  return ReadAnswerBytes(*bytes, name, type);
}

Result<Tensor> ReadAnswerBytes(std::span<const uint8_t> bytes, const std::string& name,
                               const TensorType& type) {
  const Result<Done> stored = CheckAnswerStart(bytes, bytes.size(), name, type);
  if (!stored) return stored.error();
  const Result<NpyArray> head = ReadNpyHead(bytes, bytes.size(), name);
  const Result<Shape> shape = ShapeOfNpy(*head, name);
  if (!shape) return shape.error();
  Result<Tensor> tensor = ReadNpyTensor(bytes, name, {type.type, *shape});
  return tensor ? std::move(tensor) : ReadNpyTensor(bytes, name);
}

Result<Done> CheckAnswerStart(std::span<const uint8_t> start, size_t size, const std::string& name,
                              const TensorType& type) {
  const Result<NpyArray> head = ReadNpyHead(start, size, name);
  if (!head) return head.error();
  return CheckNpyElements(*head, name, type.type);
}

}  // namespace assay
