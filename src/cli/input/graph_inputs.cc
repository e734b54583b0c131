#include "graph_inputs.h"

#include <map>

#include "files.h"
#include "npy_file.h"
#include "quoted.h"

namespace assay {
namespace {

Error Usage(std::string message) { return {Error::Kind::kUsage, std::move(message)}; }

}  // namespace

Result<std::vector<Tensor>> LoadInputs(const Graph& graph,
                                       const std::vector<std::string>& assignments) {
  const Block* main = graph.Main();
  if (main == nullptr) return BadInput("the graph has no block \"main\"");
  std::map<std::string, std::string> files;
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      return Usage("--input " + Quoted(assignment) + ": not NAME=FILE.npy");
    }
    const std::string name = assignment.substr(0, equals);
    if (!files.emplace(name, assignment.substr(equals + 1)).second) {
      return Usage("--input: " + Quoted(name) + " is given twice");
    }
  }
  std::vector<Tensor> inputs;
  for (const TensorIndex index : main->inputs) {
    const TensorInfo& info = main->tensors[static_cast<size_t>(index)];
    const auto file = files.find(info.name);
    if (file == files.end()) {
      return Usage("input " + Quoted(info.name) + " of type " + info.type.ToString() +
                   " is not given: --input NAME=FILE.npy");
    }
    const Result<std::vector<uint8_t>> bytes = ReadFile(file->second);
    if (!bytes) return bytes.error();
    const Result<Tensor> tensor = ReadNpyTensor(*bytes, file->second, info.type);
    if (!tensor) return tensor.error();
    inputs.push_back(*tensor);
    files.erase(file);
  }
  if (!files.empty()) {
    return Usage("--input: the graph has no input " + Quoted(files.begin()->first));
  }
  return inputs;
}

}  // namespace assay
