// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <utility>

#include "arm_directory.h"
#include "arm_expectation.h"
#include "check.h"
#include "files.h"
#include "json_fields.h"
#include "json_text.h"
#include "letter_case.h"
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

// Adds the names of operands and of their files, "input-0.npy", as two lists: ifm_name and
// ifm_file.
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

void AddVariables(const Graph& graph, const Step& step, Json& json, std::vector<File>& files) {
  std::set<std::string> names;
  for (const auto& variable : VariableTensors(graph)) names.insert(variable.first);
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

// Returns the graph with names that are unique over all blocks. Only a variable keeps one name in
// every block. In TOSA, names belong to their block, but Arm's model takes the type and rank of the
// first tensor of that name in any block. The main block keeps its names, because desc.json repeats
// them.
Graph WithNamesInOneBlock(Graph graph) {
  const Block* main = graph.Main();
  std::set<std::string> taken;
  for (const TensorInfo& tensor : main->tensors) taken.insert(tensor.name);
  for (const auto& variable : VariableTensors(graph)) taken.insert(variable.first);
  for (Block& block : graph.Blocks()) {
    if (&block == main) continue;
    for (TensorInfo& tensor : block.tensors) {
      if (tensor.variable || taken.insert(tensor.name).second) continue;
      tensor.name = block.name + "/" + tensor.name;
      while (!taken.insert(tensor.name).second) tensor.name += "'";
    }
  }
  return graph;
}

// Returns the name of a type in desc.json: "INT8", "FP32".
std::string DataTypeName(DType type) {
  if (type == DType::kBool) return "BOOL";
  std::string name(TypeName(type));
  if (name[0] == 'i') name = "int" + name.substr(1);
  return UpperCase(name);
}

// Returns "tosa-pro-int" for "PRO-INT".
std::string RequirementName(std::string_view feature) { return "tosa-" + LowerCase(feature); }

// Returns a JSON number, which is an integer if the value is whole.
Json NumberOf(double value) {
  const auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

Json ComplianceJson(const ArmRecord& record) {
  Json json;
  json["mode"] = record.compliance.mode;
  json["data_type"] = DataTypeName(record.type.type);
  json["shape"] = std::vector<int32_t>(record.type.shape.begin(), record.type.shape.end());
  const std::string key = LowerCase(record.compliance.mode) + "_info";
  for (const auto& [parameter, value] : record.compliance.parameters) {
    json[key][parameter] = parameter == "unsigned_data" ? Json(value != 0) : NumberOf(value);
  }
  return json;
}

std::vector<uint8_t> NumbersFile(const TensorType& type, const std::vector<double>& numbers) {
  if (IsFloat(type.type)) return WriteNpyDoubles(numbers, type.shape);
  const std::vector<int64_t> integers(numbers.begin(), numbers.end());
  return WriteNpy(Tensor::FromIntegers(type.type, type.shape, integers));
}

// Adds the expectation of an output, as files and metadata.
void AddExpectation(const std::string& file, const ArmRecord& record, Json& json,
                    std::vector<File>& files) {
  AddFile("expected/" + file, *record.value, files);
  if (record.compliance.mode.empty()) return;
  json["meta"]["compliance"]["version"] = "0.1";
  json["meta"]["compliance"]["tensors"][record.name] = ComplianceJson(record);
  if (!record.precise.empty()) {
    files.push_back({"expected_fp64/" + file, NumbersFile(record.type, record.precise)});
  }
  if (record.bounds.empty()) return;
  files.push_back({"expected_fp64/bounds_" + file, NumbersFile(record.type, record.bounds)});
  json["test_requirements"]["bounds_file_required"] = true;
}

void AddRequirements(const TestVector& vector, Json& json) {
  Json& needs = json["test_requirements"];
  needs["bounds_file_required"] = false;
  needs["profiles_supported"] = Json::array();
  for (const std::string& feature : vector.requirements) {
    const bool profile = feature.starts_with("PRO-");
    needs[profile ? "profiles_supported" : "extensions_required"].push_back(
        RequirementName(feature));
  }
}

}  // namespace

std::vector<std::pair<std::string, TensorType>> VariableTensors(const Graph& graph) {
  std::vector<std::pair<std::string, TensorType>> variables;
  std::set<std::string> seen;
  for (const Block& block : graph.Blocks()) {
    for (const TensorInfo& tensor : block.tensors) {
      if (tensor.variable && seen.insert(tensor.name).second) {
        variables.emplace_back(tensor.name, tensor.type);
      }
    }
  }
  return variables;
}

Result<Done> WriteArmDirectory(const std::string& folder, const TestVector& vector, size_t step,
                               std::vector<std::string>* written) {
  Check(step < vector.steps.size(), "the step is one of the vector's");
  const Step& content = vector.steps[step];
  const Graph& graph = vector.graphs[static_cast<size_t>(content.graph)];
  const Block* main = graph.Main();
  if (main == nullptr) return BadInput(vector.name + ": no block \"main\" to run");
  Json json;
  json["tosa_file"] = "test.tosa";
  Describe(*main, main->inputs, "input", "ifm", json);
  Describe(*main, main->outputs, "output", "ofm", json);
  std::vector<File> files = {{"test.tosa", WriteTosa(WithNamesInOneBlock(graph))}};
  for (size_t i = 0; i < content.inputs.size(); ++i) {
    AddFile("input-" + std::to_string(i) + ".npy", content.inputs[i], files);
  }
  AddRequirements(vector, json);
  for (size_t i = 0; i < content.outputs.size(); ++i) {
    const std::string& name = main->tensors[static_cast<size_t>(main->outputs[i])].name;
    AddExpectation("output-" + std::to_string(i) + ".npy", RecordOf(name, content.outputs[i]), json,
                   files);
  }
  AddVariables(graph, content, json, files);
  json["expected_failure"] = content.expected == OutcomeKind::kError;
  const std::string text = JsonText(json, 1) + "\n";
  files.push_back({"desc.json", {text.begin(), text.end()}});
  for (const File& file : files) {
    const std::string path = JoinPath(folder, file.path);
    const Result<Done> made = MakeDirectories(FolderOf(path));
    if (!made) return made.error();
    const Result<Done> done = WriteFileAtomically(path, file.bytes);
    if (!done) return done.error();
    if (written != nullptr) written->push_back(file.path);
  }
  return Done{};
}

}  // namespace assay
