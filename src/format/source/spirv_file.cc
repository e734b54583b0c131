// SPDX-License-Identifier: Apache-2.0
#include "spirv_file.h"

#include <optional>
#include <utility>

#include "counted.h"
#include "files.h"
#include "joined.h"
#include "mapped_file.h"
#include "npy_file.h"
#include "path_kind.h"
#include "read_limits.h"
#include "spirv_instructions.h"
#include "spirv_reader.h"
#include "spirv_text.h"
#include "tosa_file.h"

namespace assay {
namespace {

Error InFile(std::string_view name, const Error& error) {
  return {error.kind, std::string(name) + ": " + error.message, error.rule};
}

// Returns the value of a graph constant in a file; nothing if there is no such file.
Result<std::optional<Tensor>> ConstantIn(const std::string& path, TensorType type) {
  if (!FileExists(path)) return std::optional<Tensor>();
  const Result<SharedBytes> file = MapFile(path, ReadLimits().file_max);
  if (!file) return file.error();
  if (type.shape.Elements() == 0) {  // it has open dimensions
    const auto start = file->bytes.first(std::min(file->bytes.size(), kNpyHeadBytesMax));
    const Result<NpyArray> head = ReadNpyHead(start, file->bytes.size(), path);
    if (!head) return head.error();
    const Result<Shape> shape = ShapeOfNpy(*head, path);
    if (!shape) return shape.error();
    type.shape = *shape;
  }
  Result<std::vector<Tensor>> samples = ReadNpySamples(*file, path, type);
  if (!samples) return samples.error();
  if (samples->size() != 1)
    return BadInput(path + ": has " + Counted(std::ssize(*samples), "sample"));
  return std::optional(std::move((*samples)[0]));
}

Result<spirv::GraphModule> ReadSpirvFile(const std::string& path,
                                         const spirv::GraphConstants& constants,
                                         const std::string& entry_point) {
  const ReadLimits limits;
  const Result<SharedBytes> file = MapFile(path, limits.file_max);
  if (!file) return file.error();
  if (KindOfFile(path) == PathKind::kSpirvText) {
    const std::string_view text(reinterpret_cast<const char*>(file->bytes.data()),
                                file->bytes.size());
    const Result<spirv::ModuleCode> code = spirv::ParseModule(text);
    if (!code) return code.error();
    return spirv::ReadModule(*code, constants, entry_point, limits);
  }
  const Result<std::vector<uint32_t>> words = spirv::ModuleWords(file->bytes);
  if (!words) return words.error();
  return spirv::ReadModule(*words, constants, entry_point, limits);
}

// Says which graph constants are inputs.
void NoteInputs(const spirv::GraphModule& module, const std::string& why,
                std::vector<std::string>* notes) {
  if (module.constant_inputs.empty() || notes == nullptr) return;
  const bool is_one = module.constant_inputs.size() == 1;
  notes->push_back(
      (is_one ? "graph constant " : "graph constants ") +
      Joined(module.constant_inputs, ", ", [](uint32_t number) { return std::to_string(number); }) +
      (is_one ? " is an input: " : " are inputs: ") + why);
}

}  // namespace

Result<Graph> LoadSpirv(const std::string& path, const std::string& entry_point,
                        std::vector<std::string>* notes) {
  std::optional<Error> unread;  // of a file of a constant, whose name is in the message
  const spirv::GraphConstants constants =
      [&](uint32_t number, const TensorType& type) -> Result<std::optional<Tensor>> {
    Result<std::optional<Tensor>> value =
        ConstantIn(path + "." + std::to_string(number) + ".npy", type);
    if (!value) unread = value.error();
    return value;
  };
  Result<spirv::GraphModule> module = ReadSpirvFile(path, constants, entry_point);
  if (unread) return *unread;
  if (!module) return InFile(path, module.error());
  NoteInputs(*module, "no file " + path + ".N.npy has the value of N", notes);
  return std::move(module->graph);
}

Result<Graph> ReadGraphBytes(std::span<const uint8_t> bytes, std::string_view name,
                             std::vector<std::string>* notes) {
  const bool is_module = bytes.size() >= 4 && bytes[0] == (spirv::kMagic & 0xff) &&
                         bytes[1] == (spirv::kMagic >> 8 & 0xff) &&
                         bytes[2] == (spirv::kMagic >> 16 & 0xff) &&
                         bytes[3] == spirv::kMagic >> 24;
  if (!is_module) return ReadTosa(bytes, name, notes);
  const Result<std::vector<uint32_t>> words = spirv::ModuleWords(bytes);
  if (!words) return InFile(name, words.error());
  Result<spirv::GraphModule> module = spirv::ReadModule(*words, nullptr, "", {});
  if (!module) return InFile(name, module.error());
  NoteInputs(*module, "bytes of a module have no values", notes);
  return std::move(module->graph);
}

}  // namespace assay
