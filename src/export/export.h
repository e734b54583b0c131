// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "c_program.h"
#include "declaration_names.h"
#include "export_folder.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

struct ExportOptions {
  std::vector<std::string> suites;  // as named on the command line
  std::string out;
  std::string layout = "folders";  // or "npz", "arm", "c"
  int64_t per_program = 500;       // vectors in each C program
  std::vector<std::string> declarations;
  bool with_expected = false;
};

// Writes vectors into the empty folder options.out. Vectors that are the same for a backend are
// written once.
class Export {
 public:
  Export(const ExportOptions& options, const BackendDeclarations& declared)
      : options_(options), declared_(declared) {}

  // Writes a vector, or counts it as left out. Errors of ExportVector() and of writing files.
  Result<Done> Add(const TestVector& vector, const std::string& path);
  // Writes what is about all vectors. Errors of writing files.
  Result<Done> Finish();
  // Returns lines that say how many vectors there are, and how many were left out and why.
  std::string Text() const;

  bool empty() const { return vectors_.empty(); }

 private:
  Result<Done> WriteProgram();

  const ExportOptions& options_;
  BackendDeclarations declared_;
  std::vector<ExportedVector> vectors_;
  std::set<std::string> keys_;
  std::map<std::string, int64_t> left_out_;  // by reason
  std::vector<ProgramVector> program_;       // that is not written yet
  int64_t programs_ = 0;
};

}  // namespace assay
