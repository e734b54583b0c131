// SPDX-License-Identifier: Apache-2.0
#include "export.h"

#include <utility>

#include "declaration_names.h"
#include "files.h"
#include "kept_answer.h"
#include "recorded_answers.h"
#include "vector_key.h"

namespace assay {
namespace {

ExportLayout LayoutNamed(const std::string& name) {
  if (name == "npz") return ExportLayout::kNpz;
  return name == "arm" ? ExportLayout::kArm : ExportLayout::kFolders;
}

// Returns the reason why a vector is not exported, or "".
std::string WhyNot(const BackendDeclarations& declared, const TestVector& vector) {
  if (vector.steps.empty()) return "nothing to run";
  for (const Step& step : vector.steps) {
    if (vector.GraphOf(step).Main() == nullptr) return "a graph without a main block";
  }
  return std::string(WhyBeyond(declared, vector));
}

}  // namespace

Result<Done> Export::Add(const TestVector& vector, const std::string& path) {
  const std::string why = WhyNot(declared_, vector);
  if (!why.empty()) {
    ++left_out_[why];
    return Done{};
  }
  std::string key = VectorKey(vector);
  vectors_.push_back({key, path, std::ssize(vector.steps)});
  if (!keys_.insert(key).second) return Done{};
  if (options_.layout != "c") {
    return ExportVector(vector, key, LayoutNamed(options_.layout), options_.with_expected,
                        VectorFolder(options_.out, key));
  }
  program_.push_back({std::move(key), vector});
  return std::ssize(program_) < options_.per_program ? Done{} : WriteProgram();
}

Result<Done> Export::Finish() {
  if (options_.layout == "c") {
    const Result<Done> written = program_.empty() ? Done{} : WriteProgram();
    if (!written) return written;
    std::string header(CProgramHeader());
    const std::string names = DeclarationNames(declared_);
    if (!names.empty()) header.insert(0, "#define ASSAY_DECLARES \"" + names + "\"\n");
    const Result<Done> header_written =
        WriteFileAtomically(JoinPath(options_.out, "assay_run.h"), std::string_view(header));
    if (!header_written) return header_written;
  }
  if (!options_.declarations.empty()) {
    const std::string about = TextOf(AnsweringBackend{"", "", options_.declarations});
    const Result<Done> told =
        WriteFileAtomically(JoinPath(options_.out, kBackendFile), std::string_view(about));
    if (!told) return told;
  }
  return WriteFileAtomically(
      JoinPath(options_.out, "manifest.json"),
      std::string_view(ManifestText(options_.layout, options_.suites, vectors_)));
}

std::string Export::Text() const {
  std::string text = std::to_string(vectors_.size()) + " vectors in " + options_.out;
  if (keys_.size() < vectors_.size()) {
    text += ", " + std::to_string(vectors_.size() - keys_.size()) + " of them the same as others";
  }
  if (programs_ > 0) {
    text += ", " + std::to_string(programs_) + (programs_ == 1 ? " program" : " programs");
  }
  text += "\n";
  for (const auto& [why, count] : left_out_) {
    text += "left out: " + std::to_string(count) + ": " + why + "\n";
  }
  return text;
}

Result<Done> Export::WriteProgram() {
  const std::string name = "program-" + std::to_string(programs_++) + ".c";
  const std::string text = CProgram(program_);
  program_.clear();
  return WriteFileAtomically(JoinPath(options_.out, name), std::string_view(text));
}

}  // namespace assay
