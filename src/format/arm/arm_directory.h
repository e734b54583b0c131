// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// Arm's test directories: `desc.json`, a `.tosa` file, `.npy` inputs, and results of Arm's
// reference model.

// The compliance mode of an output in desc.json (meta.compliance), which says how to judge the
// output.
struct ArmCompliance {
  std::string mode;  // "EXACT", "ULP", "DOT_PRODUCT", ...; "" if it does not say
  // The numbers of the mode's `*_info`: "ulp", "ks", "base_bound", ...; true is 1.
  std::map<std::string, double> parameters;
};

// The result of the reference model for an output or a variable. A field is empty if its file is
// missing.
struct ArmRecord {
  std::string name;             // of the tensor
  TensorType type;              // that the graph declares
  std::optional<Tensor> value;  // `expected/FILE`, or FILE beside desc.json
  std::vector<double> precise;  // `expected_fp64/FILE`: computed in fp64; of integers the least
  std::vector<double> bounds;   // `expected_fp64/bounds_FILE`: what the mode of compliance needs
  ArmCompliance compliance;
};

struct RecordedResults {
  bool expected_failure = false;
  std::string failure_description;
  std::vector<ArmRecord> outputs;    // in the order of the main block's outputs
  std::vector<ArmRecord> variables;  // after the run, in the order of desc.json
};

// One test: a vector with one graph and one step. The step's `expected` is error if desc.json
// expects a failure, otherwise valid. Its expectations are empty.
struct ArmTest {
  TestVector vector;
  RecordedResults recorded;
};

struct ArmOptions {
  // True if variables start with the content of their files (the reference model's
  // --initialize_variable_tensor_from_numpy). Otherwise those files are results.
  bool initialize_variables = false;
};

// Returns true if the folder has a desc.json.
bool IsArmDirectory(const std::string& folder);

// Reads a test directory. Tensors that blocks of control flow name without declaring them become
// their inputs (captures.h). `notes` is as in ReadTosa(). An Error is one line that names the file.
Result<ArmTest> ReadArmDirectory(const std::string& folder, const ArmOptions& options,
                                 std::vector<std::string>* notes);

// Returns names and types of the tensors with `variable=true`, in the order of the graph, each name
// once.
std::vector<std::pair<std::string, TensorType>> VariableTensors(const Graph& graph);

// Writes one step of a vector as a directory that the reference model runs. It has `test.tosa`,
// `desc.json`, and an `.npy` file for each input and each variable that has a value before the
// step. It also has the step's expectations: values in `expected/`, references and bounds in
// `expected_fp64/`, modes of compliance and requirements in desc.json. A tensor that shares its
// name with a tensor of another block is renamed, because the model looks names up in all blocks.
// Adds the paths of the files, below `folder`, to `written` if that is given.
Result<Done> WriteArmDirectory(const std::string& folder, const TestVector& vector, size_t step,
                               std::vector<std::string>* written = nullptr);

}  // namespace assay
