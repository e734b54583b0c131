// SPDX-License-Identifier: Apache-2.0
#include "vector_description.h"

#include "arm_directory.h"
#include "formats.h"
#include "json_fields.h"
#include "json_text.h"

namespace assay {
namespace {

Json Described(const std::string& file, const std::string& name, const TensorType& type) {
  Json json = {{"file", file}, {"name", name}, {"type", TypeName(type.type)}};
  json["shape"] = Json::array();
  for (const int32_t dim : type.shape.dims()) json["shape"].push_back(dim);
  return json;
}

Json StepJson(const TestVector& vector, size_t index, bool with_expected) {
  const Step& step = vector.steps[index];
  const Block& main = *vector.GraphOf(step).Main();
  Json json = {{"graph", "graph-" + std::to_string(step.graph) + ".tosa"},
               {"context", step.context}};
  // The inputs that the step has: a vector that breaks a rule may have too few or too many.
  json["inputs"] = Json::array();
  for (size_t k = 0; k < step.inputs.size(); ++k) {
    const bool declared = k < main.inputs.size();
    json["inputs"].push_back(
        Described(TensorFile(index, "input", k),
                  declared ? main.tensors[static_cast<size_t>(main.inputs[k])].name : "",
                  step.inputs[k].tensor_type()));
  }
  json["outputs"] = Json::array();
  for (size_t k = 0; k < main.outputs.size(); ++k) {
    const TensorInfo& info = main.tensors[static_cast<size_t>(main.outputs[k])];
    json["outputs"].push_back(Described(TensorFile(index, "output", k), info.name, info.type));
  }
  size_t loaded = 0;
  for (const auto& [name, value] : step.state_before) {
    json["loads"].push_back(
        Described(TensorFile(index, "load", loaded++), name, value.tensor_type()));
  }
  size_t shown = 0;
  for (const auto& [name, type] : VariableTensors(vector.GraphOf(step))) {
    json["states"].push_back(Described(TensorFile(index, "state", shown++), name, type));
  }
  if (!with_expected) return json;
  json["expected"] = OutcomeName(step.expected);
  if (!step.rule.empty()) json["rule"] = step.rule;
  return json;
}

}  // namespace

FolderFile VectorDescription(const TestVector& vector, const std::string& key, bool with_expected) {
  Json json = {{"format", formats::kExportedVector.name},
               {"version", formats::kExportedVector.version},
               {"key", key},
               {"name", vector.name},
               {"level", vector.level},
               {"requirements", vector.requirements},
               {"steps", Json::array()}};
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    json["steps"].push_back(StepJson(vector, i, with_expected));
  }
  const std::string text = JsonText(json) + "\n";
  return {"vector.json", {text.begin(), text.end()}};
}

}  // namespace assay
