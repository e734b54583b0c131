#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "arm_directory.h"
#include "check.h"
#include "files.h"
#include "json_fields.h"
#include "npy_file.h"
#include "tosa_file.h"

namespace assay {
namespace {

struct File {
  std::string path;  // in the folder
  std::vector<uint8_t> bytes;
};

void AddFile(std::string path, const Tensor& tensor, std::vector<File>& files) {
  if (tensor.has_value()) files.push_back({std::move(path), WriteNpy(tensor)});
}

// Names of operands, and of their files, "input-0.npy", as two lists: ifm_name and ifm_file.
void Describe(const Block& block, const std::vector<TensorIndex>& operands, const std::string& stem,
              const std::string& key, Json& json) {
  Json names = Json::array();
  Json files = Json::array();
  for (TensorIndex index : operands) {
    names.push_back(block.tensors[static_cast<size_t>(index)].name);
    files.push_back(stem + "-" + std::to_string(files.size()) + ".npy");
  }
  json[key + "_name"] = names;
  json[key + "_file"] = files;
}

void AddVariables(const Step& step, Json& json, std::vector<File>& files) {
  std::set<std::string> names;
  for (const auto& entry : step.state_before) names.insert(entry.first);
  for (const auto& entry : step.state_after) names.insert(entry.first);
  if (names.empty()) return;
  for (const std::string& name : names) {
    const std::string file = "variable-" + std::to_string(json["variable_name"].size()) + ".npy";
    json["variable_name"].push_back(name);
    json["variable_file"].push_back(file);
    const auto before = step.state_before.find(name);
    const auto after = step.state_after.find(name);
    if (before != step.state_before.end()) AddFile(file, before->second, files);
    if (after != step.state_after.end()) AddFile("expected/" + file, after->second.value, files);
  }
}

}  // namespace

Result<Done> WriteArmDirectory(const std::string& folder, const TestVector& vector, size_t step) {
  Check(step < vector.steps.size(), "the step is one of the vector's");
  const Step& content = vector.steps[step];
  const Graph& graph = vector.graphs[static_cast<size_t>(content.graph)];
  const Block* main = graph.Main();
  if (main == nullptr) return BadInput(vector.name + ": no block \"main\" to run");
  Json json;
  json["tosa_file"] = "test.tosa";
  Describe(*main, main->inputs, "input", "ifm", json);
  Describe(*main, main->outputs, "output", "ofm", json);
  std::vector<File> files = {{"test.tosa", WriteTosa(graph)}};
  for (size_t i = 0; i < content.inputs.size(); ++i) {
    AddFile("input-" + std::to_string(i) + ".npy", content.inputs[i], files);
  }
  for (size_t i = 0; i < content.outputs.size(); ++i) {
    AddFile("expected/output-" + std::to_string(i) + ".npy", content.outputs[i].value, files);
  }
  AddVariables(content, json, files);
  json["expected_failure"] = content.expected == OutcomeKind::kError;
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  files.push_back({"desc.json", {text.begin(), text.end()}});
  for (const File& file : files) {
    const std::string path = JoinPath(folder, file.path);
    const Result<Done> made = MakeDirectories(FolderOf(path));
    if (!made) return made.error();
    const Result<Done> written = WriteFileAtomically(path, file.bytes);
    if (!written) return written.error();
  }
  return Done{};
}

}  // namespace assay
