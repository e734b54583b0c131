// SPDX-License-Identifier: Apache-2.0
#include "graph_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "input_names.h"
#include "mapped_file.h"
#include "npy_file.h"
#include "npz_file.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr std::string_view kNpz = ".npz";

// Adds the samples of one input to those of the inputs before it. `where` names their file.
Result<Done> AddInput(std::vector<Tensor> tensors, const std::string& where,
                      std::vector<GraphInputs>& samples, bool is_first) {
  if (is_first) samples.resize(tensors.size());
  if (samples.size() != tensors.size()) {
    return BadInput(where + ": has " + std::to_string(tensors.size()) +
                    " samples, and the inputs before it have " + std::to_string(samples.size()));
  }
  for (size_t i = 0; i < tensors.size(); ++i) samples[i].push_back(std::move(tensors[i]));
  return Done{};
}

Result<std::vector<GraphInputs>> LoadNpz(const Block& main, const std::string& file) {
  const Result<SharedBytes> bytes = MapFile(file);
  if (!bytes) return bytes.error();
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(bytes->bytes, file);
  if (!entries) return entries.error();
  std::vector<std::pair<std::string, const NpzEntry*>> named;
  for (const NpzEntry& entry : *entries) named.emplace_back(entry.name, &entry);
  const auto by_input = ByInput(main, file, named);
  if (!by_input) return BadInput(by_input.error().message);
  std::vector<GraphInputs> samples;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
    const auto entry = by_input->find(i);
    if (entry == by_input->end()) {
      return BadInput(file + ": has no array " + Quoted(info.name) + " for the input of type " +
                      info.type.ToString() + "; the inputs are " + InputNames(main));
    }
    const std::string where = file + ": array " + Quoted(entry->second->name);
    const auto check = [&](std::span<const uint8_t> start, size_t size) -> Result<Done> {
      const Result<NpyArray> head = ReadNpyHead(start, size, where);
      if (!head) return head.error();
      return CheckNpySamples(*head, where, info.type);
    };
    Result<std::vector<uint8_t>> content = ReadNpzEntry(bytes->bytes, file, *entry->second, check);
    if (!content) return content.error();
    Result<std::vector<Tensor>> tensors =
        ReadNpySamples(SharedBytesOf(std::move(*content)), where, info.type);
    if (!tensors) return tensors.error();
    const Result<Done> added = AddInput(std::move(*tensors), where, samples, i == 0);
    if (!added) return added.error();
  }
  return samples;
}

Result<std::vector<GraphInputs>> LoadNpys(const Block& main,
                                          const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, std::string>> named;
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      return UsageError("--input " + Quoted(assignment) + ": neither NAME=FILE.npy nor FILE.npz");
    }
    if (equals + 1 == assignment.size()) {
      return UsageError("--input " + Quoted(assignment) + ": names no file");
    }
    named.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  const auto files = ByInput(main, "--input", named);
  if (!files) return files.error();
  std::vector<GraphInputs> samples;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
    const auto file = files->find(i);
    if (file == files->end()) {
      return UsageError("input " + Quoted(info.name) + " of type " + info.type.ToString() +
                        " is not given: --input NAME=FILE.npy; the inputs are " + InputNames(main));
    }
    const Result<SharedBytes> bytes = MapFile(file->second);
    if (!bytes) return bytes.error();
    Result<std::vector<Tensor>> tensors = ReadNpySamples(*bytes, file->second, info.type);
    if (!tensors) return tensors.error();
    const Result<Done> added = AddInput(std::move(*tensors), file->second, samples, i == 0);
    if (!added) return added.error();
  }
  return samples;
}

}  // namespace

Result<std::vector<GraphInputs>> LoadSamples(const Graph& graph,
                                             const std::vector<std::string>& files) {
  const Block* main = graph.Main();
  if (main == nullptr) return BadInput("the graph has no block \"main\"");
  const auto is_npz = [](const std::string& file) { return file.ends_with(kNpz); };
  std::vector<GraphInputs> samples;
  if (std::ranges::none_of(files, is_npz)) {
    Result<std::vector<GraphInputs>> loaded = LoadNpys(*main, files);
    if (!loaded) return loaded.error();
    samples = std::move(*loaded);
  } else {
    for (const std::string& file : files) {
      if (!is_npz(file)) {
        return UsageError("--input " + Quoted(file) +
                          ": either NAME=FILE.npy or .npz files, not both");
      }
      Result<std::vector<GraphInputs>> loaded = LoadNpz(*main, file);
      if (!loaded && !FileExists(file) && file.find('=') != std::string::npos) {
        return UsageError("--input " + Quoted(file) +
                          ": a .npz file names its inputs itself, and is given without NAME=");
      }
      if (!loaded) return loaded.error();
      std::ranges::move(*loaded, std::back_inserter(samples));
    }
  }
  if (samples.empty()) samples.emplace_back();  // the graph has no inputs
  return samples;
}

Result<GraphInputs> LoadInputs(const Graph& graph, const std::vector<std::string>& files) {
  Result<std::vector<GraphInputs>> samples = LoadSamples(graph, files);
  if (!samples) return samples.error();
  if (samples->size() == 1) return std::move(samples->front());
  return UsageError("--input: " + std::to_string(samples->size()) +
                    " samples, and this command takes one");
}

}  // namespace assay
