#include "answers.h"

#include <algorithm>

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

// What an output may have in its file: room for a wider type and a wrong shape.
int64_t BytesMax(const TensorType& type) {
  constexpr int64_t kRoom = int64_t{64} << 20;
  return kRoom + 16 * std::min(type.shape.Elements(), int64_t{1} << 28);
}

}  // namespace

std::string WordsOf(const std::string& text, const std::string& folder) {
  std::string line = FirstLine(text);
  for (size_t at = line.find(folder); at != std::string::npos; at = line.find(folder, at)) {
    line.replace(at, folder.size(), "{dir}");
  }
  return line;
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

void AddEnvironment(const BackendOptions& options, ChildCommand& command) {
  for (const std::string& variable : options.environment) {
    const size_t sign = std::min(variable.find('='), variable.size() - 1);
    command.environment.emplace_back(variable.substr(0, sign), variable.substr(sign + 1));
  }
}

std::string LastWordsOf(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "";
  const size_t before = text.find_last_of("\r\n", end);
  const size_t start = before == std::string::npos ? 0 : before + 1;
  return text.substr(start, std::min(end + 1 - start, kLineMax));
}

Result<Tensor> ReadAnswerFile(const std::string& path, const std::string& name,
                              const TensorType& type) {
  const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path, BytesMax(type));
  if (!bytes) return bytes.error();
  const Result<NpyArray> array = ReadNpy(*bytes, name);
  if (!array) return array.error();
  const auto declared = type.shape.dims();
  if (std::equal(declared.begin(), declared.end(), array->dims.begin(), array->dims.end())) {
    Result<Tensor> tensor = ReadNpyTensor(*bytes, name, type);
    if (tensor) return tensor;
  }
  return ReadNpyTensor(*bytes, name);
}

}  // namespace assay
