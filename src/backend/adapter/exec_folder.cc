// SPDX-License-Identifier: Apache-2.0
#include "exec_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "arm_directory.h"
#include "files.h"
#include "npy_file.h"
#include "quoted.h"
#include "tosa_file.h"

namespace assay {
namespace {

// The variable tensors of each context, by name, in the order in which its steps use them. The
// value is the one before the first step: given by the first step that uses the variable, else by
// its graph.
struct ContextVariable {
  std::string name;
  Tensor value;  // may be absent
};
using ContextVariables = std::map<int32_t, std::vector<ContextVariable>>;

Tensor InitialValue(const Graph& graph, const std::string& name) {
  for (const Block& block : graph.Blocks()) {
    for (const TensorInfo& tensor : block.tensors) {
      const bool is_meant = tensor.variable && tensor.name == name;
      if (is_meant && tensor.initial_value.has_value()) return tensor.initial_value;
    }
  }
  return {};
}

size_t NumberOf(const std::vector<ContextVariable>& variables, const std::string& name) {
  const auto is_meant = [&name](const ContextVariable& variable) { return variable.name == name; };
  return static_cast<size_t>(std::find_if(variables.begin(), variables.end(), is_meant) -
                             variables.begin());
}

ContextVariables VariablesOf(const TestVector& vector) {
  ContextVariables contexts;
  for (const Step& step : vector.steps) {
    const Graph& graph = vector.GraphOf(step);
    std::vector<ContextVariable>& variables = contexts[step.context];
    for (const auto& [name, type] : VariableTensors(graph)) {
      const size_t number = NumberOf(variables, name);
      if (number < variables.size()) continue;
      const auto given = step.state_before.find(name);
      const bool is_given = given != step.state_before.end();
      variables.push_back({name, is_given ? given->second : InitialValue(graph, name)});
    }
  }
  return contexts;
}

std::string VariableFile(int32_t context, size_t number) {
  return "context-" + std::to_string(context) + "-variable-" + std::to_string(number) + ".npy";
}

// Returns the request to the program: a line for each step and each file.
std::string StepsText(const TestVector& vector, const ContextVariables& contexts) {
  std::string text = "assay-steps 1\n";
  const auto line = [&text](const char* word, const std::string& file, const TensorType& type,
                            const std::string& name) {
    text += std::string(word) + " " + file + " " + type.ToString() + " " + Quoted(name) + "\n";
  };
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const Block& main = *vector.GraphOf(step).Main();
    text += "step " + std::to_string(i) + " graph-" + std::to_string(step.graph) +
            ".tosa context " + std::to_string(step.context) + "\n";
    const auto add = [&](const char* direction, const std::vector<TensorIndex>& tensors) {
      for (size_t k = 0; k < tensors.size(); ++k) {
        const TensorInfo& info = main.tensors[static_cast<size_t>(tensors[k])];
        line(direction, TensorFile(i, direction, k), info.type, info.name);
      }
    };
    size_t loaded = 0;
    for (const auto& [name, value] : step.state_before) {
      line("load", TensorFile(i, "load", loaded++), value.tensor_type(), name);
    }
    add("input", main.inputs);
    add("output", main.outputs);
    for (const auto& [name, type] : VariableTensors(vector.GraphOf(step))) {
      const size_t number = NumberOf(contexts.at(step.context), name);
      line("variable", VariableFile(step.context, number), type, name);
    }
  }
  return text;
}

}  // namespace

std::string StepFile(size_t step, const std::string& what) {
  return "step-" + std::to_string(step) + "-" + what;
}

std::string TensorFile(size_t step, const char* direction, size_t index) {
  return StepFile(step, std::string(direction) + "-" + std::to_string(index) + ".npy");
}

std::vector<FolderFile> ExecFolderFiles(const TestVector& vector) {
  std::vector<FolderFile> files;
  for (size_t i = 0; i < vector.graphs.size(); ++i) {
    files.push_back({"graph-" + std::to_string(i) + ".tosa", WriteTosa(vector.graphs[i])});
  }
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    for (size_t k = 0; k < vector.steps[i].inputs.size(); ++k) {
      files.push_back({TensorFile(i, "input", k), WriteNpy(vector.steps[i].inputs[k])});
    }
    size_t loaded = 0;
    for (const auto& [name, value] : vector.steps[i].state_before) {
      files.push_back({TensorFile(i, "load", loaded++), WriteNpy(value)});
    }
  }
  const ContextVariables contexts = VariablesOf(vector);
  for (const auto& [context, variables] : contexts) {
    for (size_t k = 0; k < variables.size(); ++k) {
      if (!variables[k].value.has_value()) continue;
      files.push_back({VariableFile(context, k), WriteNpy(variables[k].value)});
    }
  }
  const std::string steps = StepsText(vector, contexts);
  files.push_back({"steps.txt", {steps.begin(), steps.end()}});
  return files;
}

Result<Done> WriteFolderFiles(const std::string& folder, const std::vector<FolderFile>& files) {
  for (const FolderFile& file : files) {
    const std::string path = JoinPath(folder, file.name);
    const Result<Done> made =
        file.name.find('/') == file.name.npos ? Done{} : MakeDirectories(FolderOf(path));
    if (!made) return made;
    const auto written = WriteFileAtomically(path, file.bytes);
    if (!written) return written;
  }
  return Done{};
}

Result<Done> WriteNewFolder(const std::string& folder, const std::vector<FolderFile>& files) {
  const std::string temporary = folder + "." + std::to_string(getpid()) + ".tmp";
  std::error_code ignored;
  std::filesystem::remove_all(temporary, ignored);
  const Result<Done> made = MakeDirectories(temporary);
  if (!made) return made;
  const Result<Done> written = WriteFolderFiles(temporary, files);
  if (!written || std::rename(temporary.c_str(), folder.c_str()) != 0) {
    const int error = errno;
    std::filesystem::remove_all(temporary, ignored);
    if (!written) return written;
    if (error != ENOTEMPTY && error != EEXIST) {
      return Error{Error::Kind::kResource, folder + ": " + std::strerror(error)};
    }
  }
  return Done{};
}

}  // namespace assay
