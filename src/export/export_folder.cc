// SPDX-License-Identifier: Apache-2.0
#include "export_folder.h"

#include <algorithm>
#include <utility>

#include "arm_directory.h"
#include "files.h"
#include "formats.h"
#include "json_fields.h"
#include "json_text.h"
#include "npy_file.h"
#include "npz_file.h"
#include "vector_description.h"

namespace assay {
namespace {

// Returns the vector without what is expected of it.
TestVector WithoutExpectations(const TestVector& vector) {
  TestVector bare = vector;
  for (Step& step : bare.steps) {
    step.expected = OutcomeKind::kValid;
    step.rule.clear();
    step.outputs.clear();
    step.state_after.clear();
  }
  return bare;
}

// Moves the inputs, the `load` files and the variables into `inputs.npz`.
void PackInputs(std::vector<FolderFile>& files) {
  std::vector<NpzArray> arrays;
  for (FolderFile& file : files) {
    if (!file.name.ends_with(".npy")) continue;
    arrays.push_back({file.name.substr(0, file.name.size() - 4), std::move(file.bytes)});
  }
  std::erase_if(files, [](const FolderFile& file) { return file.name.ends_with(".npy"); });
  files.push_back({"inputs.npz", WriteNpz(arrays)});
}

void AddExpected(const TestVector& vector, std::vector<FolderFile>& files) {
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const std::vector<Expectation>& outputs = vector.steps[i].outputs;
    for (size_t k = 0; k < outputs.size(); ++k) {
      files.push_back({"expected/" + TensorFile(i, "output", k), WriteNpy(outputs[k].value)});
    }
  }
}

Result<Done> WriteArmSteps(const TestVector& vector, const std::string& folder) {
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Result<Done> written =
        WriteArmDirectory(JoinPath(folder, "step-" + std::to_string(i)), vector, i);
    if (!written) return written;
  }
  return Done{};
}

}  // namespace

std::vector<FolderFile> ExportedFiles(const TestVector& vector, const std::string& key,
                                      ExportLayout layout, bool with_expected) {
  std::vector<FolderFile> files;
  if (layout != ExportLayout::kArm) files = ExecFolderFiles(vector);
  if (layout == ExportLayout::kNpz) PackInputs(files);
  if (with_expected && layout != ExportLayout::kArm) AddExpected(vector, files);
  files.push_back(VectorDescription(vector, key, with_expected));
  return files;
}

Result<Done> ExportVector(const TestVector& vector, const std::string& key, ExportLayout layout,
                          bool with_expected, const std::string& folder) {
  if (FileExists(folder)) return Done{};
  const std::vector<FolderFile> files = ExportedFiles(vector, key, layout, with_expected);
  if (layout != ExportLayout::kArm) return WriteNewFolder(folder, files);
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return made;
  const Result<Done> steps =
      WriteArmSteps(with_expected ? vector : WithoutExpectations(vector), folder);
  return steps ? WriteFolderFiles(folder, files) : steps;
}

std::string ManifestText(const std::string& layout, const std::vector<std::string>& suites,
                         const std::vector<ExportedVector>& vectors) {
  Json json = {{"format", formats::kExport.name},
               {"version", formats::kExport.version},
               {"layout", layout},
               {"suites", suites},
               {"vectors", Json::array()}};
  for (const ExportedVector& vector : vectors) {
    json["vectors"].push_back(
        {{"key", vector.key}, {"path", vector.path}, {"steps", vector.steps}});
  }
  return JsonText(json, 1) + "\n";
}

}  // namespace assay
