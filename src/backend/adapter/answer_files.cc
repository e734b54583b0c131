// SPDX-License-Identifier: Apache-2.0
#include "answer_files.h"

#include <sys/stat.h>

#include <optional>

#include "arm_directory.h"
#include "exec_folder.h"
#include "files.h"
#include "program_output.h"

namespace assay {
namespace {

constexpr int64_t kTextBytesMax = int64_t{1} << 20;
constexpr char kArchive[] = "outputs.npz";

// Returns the path below the folder at which Arm's reference model leaves an answer: "step-0/
// results/output-1.npy" for "step-0-output-1.npy". The model numbers variables in its own way.
std::string ArmResult(const std::string& name) {
  const size_t dash = name.find("-output-");
  if (!name.starts_with("step-") || dash == std::string::npos) return "";
  return name.substr(0, dash) + "/results/" + name.substr(dash + 1);
}

// Returns an entry of an archive of outputs; nothing if it has no such entry.
Result<std::optional<NpzEntry>> FindEntry(const std::vector<uint8_t>& archive,
                                          const std::string& name) {
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(archive, kArchive);
  if (!entries) return entries.error();
  for (const NpzEntry& entry : *entries) {
    if (entry.name + ".npy" == name) return std::optional(entry);
  }
  return std::optional<NpzEntry>();
}

// Returns the bytes of an entry of the archive of outputs at `path`.
Result<std::vector<uint8_t>> ReadEntry(const std::string& path, const std::string& name,
                                       int64_t bytes_max, const CheckNpyStart& check) {
  const Result<std::vector<uint8_t>> archive = ReadRegularFile(path);
  if (!archive) return archive.error();
  const Result<std::optional<NpzEntry>> entry = FindEntry(*archive, name);
  if (!entry) return entry.error();
  if (!*entry) return BadInput(name + ": no such answer");
  if ((*entry)->size > static_cast<size_t>(bytes_max)) {
    return BadInput(std::string(kArchive) + ": " + (*entry)->name + ": larger than " +
                    std::to_string(bytes_max) + " bytes");
  }
  return ReadNpzEntry(*archive, kArchive, **entry, check);
}

}  // namespace

bool IsLink(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

std::string AnswerFiles::PathOf(const std::string& name) const {
  const std::string path = JoinPath(folder_, name);
  if (origin_ == Origin::kProgram) return FileExists(path) ? path : "";
  if (IsThere(path)) return path;
  const std::string arm = ArmResult(name);
  if (!arm.empty() && IsThere(JoinPath(folder_, arm))) return JoinPath(folder_, arm);
  return "";
}

bool AnswerFiles::Has(const std::string& name) const {
  if (!PathOf(name).empty()) return true;
  const std::string archive = JoinPath(folder_, kArchive);
  if (origin_ == Origin::kProgram || !name.ends_with(".npy") || !IsThere(archive)) return false;
  if (IsLink(archive)) return true;  // Read() says so, and what else is wrong with the archive
  const Result<std::vector<uint8_t>> bytes = ReadRegularFile(archive);
  if (!bytes) return true;
  const auto entry = FindEntry(*bytes, name);
  return !entry || entry->has_value();
}

Result<std::vector<uint8_t>> AnswerFiles::Read(const std::string& name, int64_t bytes_max,
                                               const CheckNpyStart& check) const {
  std::string path = PathOf(name);
  const bool in_archive = path.empty();
  if (in_archive) path = JoinPath(folder_, kArchive);
  if (origin_ == Origin::kAnybody && IsLink(path)) {
    return BadInput((in_archive ? kArchive : name) + ": a symbolic link");
  }
  if (!in_archive) {
    Result<std::vector<uint8_t>> bytes = ReadRegularFile(path, bytes_max);
    if (bytes) return bytes;
    std::string message = bytes.error().message;
    const bool is_own = origin_ == Origin::kAnybody && message.starts_with(path);
    if (is_own) message.replace(0, path.size(), name);
    return Error{bytes.error().kind, WordsOf(message, folder_)};
  }
  Result<std::vector<uint8_t>> bytes = ReadEntry(path, name, bytes_max, check);
  if (!bytes) return Error{bytes.error().kind, WordsOf(bytes.error().message, folder_)};
  return bytes;
}

std::string AnswerFiles::ReadLine(const std::string& name) const {
  const Result<std::vector<uint8_t>> words = Read(name, kTextBytesMax);
  return words ? WordsOf(std::string(words->begin(), words->end()), folder_) : "";
}

bool ReadStepAnswer(const AnswerFiles& files, const TestVector& vector, size_t step,
                    Outcome& outcome) {
  const std::string refusal = StepFile(step, "refused.txt");
  if (files.Has(refusal)) {
    outcome.kind = OutcomeKind::kError;
    outcome.message = files.ReadLine(refusal);
    return true;
  }
  const auto read = [&](const std::string& name, const TensorType& type, Tensor& to) {
    const auto check = [&](std::span<const uint8_t> start, size_t size) {
      return CheckAnswerStart(start, size, name, type);
    };
    const Result<std::vector<uint8_t>> bytes = files.Read(name, AnswerBytesMax(type), check);
    const Result<Tensor> tensor = bytes ? ReadAnswerBytes(*bytes, name, type) : bytes.error();
    if (tensor) {
      to = *tensor;
    } else {
      outcome.message = WordsOf(tensor.error().message, files.folder());
    }
    return static_cast<bool>(tensor);
  };
  const Graph& graph = vector.GraphOf(vector.steps[step]);
  const Block& main = *graph.Main();
  for (size_t i = 0; i < main.outputs.size(); ++i) {
    const std::string name = TensorFile(step, "output", i);
    if (!files.Has(name)) return false;
    if (!read(name, main.TypeOf(main.outputs[i]), outcome.outputs.emplace_back())) return false;
  }
  size_t shown = 0;
  for (const auto& [variable, type] : VariableTensors(graph)) {
    const std::string name = TensorFile(step, "state", shown++);
    if (!files.Has(name)) continue;
    if (!read(name, type, outcome.state[variable])) return false;
  }
  outcome.kind = OutcomeKind::kValid;
  return true;
}

}  // namespace assay
