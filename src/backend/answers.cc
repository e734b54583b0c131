#include "answers.h"

#include <algorithm>

#include "files.h"
#include "npy_file.h"

namespace assay {
namespace {

std::string FirstLine(const std::string& text) {
  const size_t start = text.find_first_not_of("\r\n ");
  if (start == std::string::npos) return "";
  return text.substr(start, std::min(text.find_first_of("\r\n", start) - start, size_t{300}));
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
