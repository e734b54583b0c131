// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "arm_directory.h"
#include "captures.h"
#include "enum_names.h"
#include "files.h"
#include "json_fields.h"
#include "letter_case.h"
#include "mapped_file.h"
#include "npy_file.h"
#include "quoted.h"
#include "tosa_file.h"

namespace assay {
namespace {

// The name and the file of an operand, from two lists of desc.json.
struct NamedFile {
  std::string name;
  std::string file;
};

struct Description {
  std::string tosa_file;
  std::vector<NamedFile> inputs, outputs, variables;
  std::vector<std::string> profiles, extensions, tags;
  bool expected_failure = false;
  std::string failure_description;
  Json compliance;  // by tensor
};

std::optional<std::vector<NamedFile>> ReadNamedFiles(const Json& json, const char* names_key,
                                                     const char* files_key) {
  const auto names = TextsField(json, names_key);
  const auto files = TextsField(json, files_key);
  if (!names || !files || names->size() != files->size()) return std::nullopt;
  std::vector<NamedFile> list;
  for (size_t i = 0; i < names->size(); ++i) list.push_back({(*names)[i], (*files)[i]});
  return list;
}

Result<Description> ReadDescription(const std::string& path) {
  const Result<std::string> text = ReadRegularTextFile(path);
  if (!text) return text.error();
  const Json json = ParseJson(*text);
  if (!json.is_object()) return BadInput(path + ": is no JSON object");
  const auto tosa_file = TextField(json, "tosa_file");
  const auto inputs = ReadNamedFiles(json, "ifm_name", "ifm_file");
  const auto outputs = ReadNamedFiles(json, "ofm_name", "ofm_file");
  const auto variables = ReadNamedFiles(json, "variable_name", "variable_file");
  const auto tags = TextsField(json, "tag");
  const auto failure = BoolField(json, "expected_failure", false);
  const auto failure_description = TextField(json, "expected_failure_desc");
  if (!tosa_file || tosa_file->empty() || !failure || !failure_description || !tags) {
    return BadInput(path + ": tosa_file is missing, or a field is of the wrong type");
  }
  if (!inputs || !outputs || !variables) {
    return BadInput(path + ": names and files of inputs, outputs or variables do not match");
  }
  Description description{*tosa_file, *inputs, *outputs, *variables,           {},
                          {},         *tags,   *failure, *failure_description, Json::object()};
  if (const Json* needs = json.Find("test_requirements"); needs && needs->is_object()) {
    description.profiles =
        TextsField(*needs, "profiles_supported").value_or(std::vector<std::string>());
    description.extensions =
        TextsField(*needs, "extensions_required").value_or(std::vector<std::string>());
  }
  const Json* meta = json.Find("meta");
  const Json* compliance = meta ? meta->Find("compliance") : nullptr;
  const Json* tensors = compliance ? compliance->Find("tensors") : nullptr;
  if (tensors && tensors->is_object()) description.compliance = *tensors;
  return description;
}

ArmCompliance ComplianceOf(const Json& tensors, const std::string& name) {
  ArmCompliance compliance;
  const Json* tensor = tensors.Find(name);
  if (tensor == nullptr || !tensor->is_object()) return compliance;
  compliance.mode = TextField(*tensor, "mode").value_or("");
  for (const auto& [key, info] : tensor->items()) {
    if (!std::string_view(key).ends_with("_info") || !info.is_object()) continue;
    for (const auto& [parameter, value] : info.items()) {
      if (value.is_number()) compliance.parameters[parameter] = value.get<double>();
      if (value.is_boolean()) compliance.parameters[parameter] = value.get<bool>() ? 1 : 0;
    }
  }
  return compliance;
}

// Returns PRO-INT for "tosa-pro-int", EXT-BF16 for "tosa-ext-bf16".
std::string FeatureOf(std::string_view name) {
  if (name.starts_with("tosa-")) name.remove_prefix(5);
  return UpperCase(name);
}

// Returns the type of a variable: that of its tensor, or that of its VARIABLE operators.
std::optional<TensorType> VariableType(const Graph& graph, const std::string& name) {
  for (const Block& block : graph.Blocks()) {
    for (const TensorInfo& tensor : block.tensors) {
      if (tensor.variable && tensor.name == name) return tensor.type;
    }
    for (const Operator& op : block.operators) {
      const AttributeValue* attribute = op.attributes.Find(AttributeId::kName);
      if (attribute == nullptr || std::get<std::string>(*attribute) != name) continue;
      if (op.op == Op::kVariable) {
        return TensorType{op.attributes.type(AttributeId::kType),
                          Shape(op.attributes.Ints(AttributeId::kVarShape))};
      }
      const auto& operands = op.op == Op::kVariableRead ? op.outputs : op.inputs;
      if (!operands.empty()) return block.TypeOf(operands[0]);
    }
  }
  return std::nullopt;
}

Result<Tensor> ReadTensorFile(const std::string& path, const TensorType& type) {
  const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
  if (!bytes) return bytes.error();
  return ReadNpyTensor(*bytes, path, type);
}

// Returns the numbers of a file, in fp64 or of an integer tensor. Returns an empty list if there is
// no file.
Result<std::vector<double>> ReadNumbersFile(const std::string& path, const TensorType& type) {
  if (!FileExists(path)) return std::vector<double>();
  const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
  if (!bytes) return bytes.error();
  if (IsFloat(type.type)) return ReadNpyDoubles(*bytes, path, type.shape.Elements());
  const Result<Tensor> tensor = ReadNpyTensor(*bytes, path, type);
  if (!tensor) return tensor.error();
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor->elements(); ++i) {
    numbers.push_back(static_cast<double>(tensor->Integer(i)));
  }
  return numbers;
}

Result<ArmRecord> ReadRecord(const std::string& folder, const NamedFile& source,
                             const TensorType& type, const Description& description) {
  ArmRecord record;
  record.name = source.name;
  record.type = type;
  record.compliance = ComplianceOf(description.compliance, source.name);
  for (const char* place : {"expected", ""}) {
    const std::string path = JoinPath(JoinPath(folder, place), source.file);
    if (!FileExists(path)) continue;
    Result<Tensor> value = ReadTensorFile(path, type);
    if (!value) return value.error();
    record.value = std::move(*value);
    break;
  }
  const std::string precise_folder = JoinPath(folder, "expected_fp64");
  auto precise = ReadNumbersFile(JoinPath(precise_folder, source.file), type);
  if (!precise) return precise.error();
  auto bounds = ReadNumbersFile(JoinPath(precise_folder, "bounds_" + source.file), type);
  if (!bounds) return bounds.error();
  record.precise = std::move(*precise);
  record.bounds = std::move(*bounds);
  return record;
}

const NamedFile* Find(const std::vector<NamedFile>& list, const std::string& name) {
  return FindRow(list, &NamedFile::name, name);
}

Result<Done> ReadInputs(const std::string& folder, const Description& description,
                        const Block& main, Step& step) {
  for (TensorIndex input : main.inputs) {
    const TensorInfo& tensor = main.tensors[static_cast<size_t>(input)];
    const NamedFile* source = Find(description.inputs, tensor.name);
    if (source == nullptr) {
      return BadInput(JoinPath(folder, "desc.json") + ": no file for input " + Quoted(tensor.name));
    }
    Result<Tensor> value = ReadTensorFile(JoinPath(folder, source->file), tensor.type);
    if (!value) return value.error();
    step.inputs.push_back(std::move(*value));
  }
  return Done{};
}

Result<Done> ReadRecords(const std::string& folder, const Description& description,
                         const Graph& graph, const ArmOptions& options, ArmTest& test) {
  const Block& main = *graph.Main();
  for (TensorIndex output : main.outputs) {
    const TensorInfo& tensor = main.tensors[static_cast<size_t>(output)];
    const NamedFile* source = Find(description.outputs, tensor.name);
    ArmRecord missing;
    missing.name = tensor.name;
    missing.type = tensor.type;
    Result<ArmRecord> record = source != nullptr
                                   ? ReadRecord(folder, *source, tensor.type, description)
                                   : Result<ArmRecord>(missing);
    if (!record) return record.error();
    test.recorded.outputs.push_back(std::move(*record));
  }
  for (const NamedFile& variable : description.variables) {
    const std::optional<TensorType> type = VariableType(graph, variable.name);
    if (!type) {
      return BadInput(JoinPath(folder, "desc.json") + ": the graph has no variable " +
                      Quoted(variable.name));
    }
    Result<ArmRecord> record = ReadRecord(folder, variable, *type, description);
    if (!record) return record.error();
    test.recorded.variables.push_back(std::move(*record));
    if (!options.initialize_variables) continue;
    Result<Tensor> before = ReadTensorFile(JoinPath(folder, variable.file), *type);
    if (!before) return before.error();
    test.vector.steps[0].state_before[variable.name] = std::move(*before);
  }
  return Done{};
}

}  // namespace

bool IsArmDirectory(const std::string& folder) { return FileExists(JoinPath(folder, "desc.json")); }

Result<ArmTest> ReadArmDirectory(const std::string& folder, const ArmOptions& options,
                                 std::vector<std::string>* notes) {
  const Result<Description> description = ReadDescription(JoinPath(folder, "desc.json"));
  if (!description) return description.error();
  const std::string tosa_path = JoinPath(folder, description->tosa_file);
  const Result<SharedBytes> bytes = MapRegularFile(tosa_path);
  if (!bytes) return bytes.error();
  Result<Graph> graph = ReadTosa(*bytes, tosa_path, notes);
  if (!graph) return graph.error();
  if (graph->Main() == nullptr) {
    return BrokenRule(tosa_path + ": no block \"main\"", "graph/ERROR_IF/main-block");
  }
  ResolveCaptures(*graph);
  ArmTest test;
  test.recorded.expected_failure = description->expected_failure;
  test.recorded.failure_description = description->failure_description;
  TestVector& vector = test.vector;
  vector.name = FileNameOf(folder);
  // If a test supports several profiles, it requires none of them.
  if (description->profiles.size() == 1) {
    vector.requirements.push_back(FeatureOf(description->profiles[0]));
  }
  for (const std::string& name : description->extensions) {
    vector.requirements.push_back(FeatureOf(name));
  }
  vector.tags = description->tags;
  Step& step = vector.steps.emplace_back();
  step.expected = description->expected_failure ? OutcomeKind::kError : OutcomeKind::kValid;
  const Result<Done> inputs = ReadInputs(folder, *description, *graph->Main(), step);
  if (!inputs) return inputs.error();
  const Result<Done> records = ReadRecords(folder, *description, *graph, options, test);
  if (!records) return records.error();
  vector.graphs.push_back(std::move(*graph));
  return test;
}

}  // namespace assay
