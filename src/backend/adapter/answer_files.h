// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "npz_file.h"
#include "outcome.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Returns true if the path is a symbolic link itself.
bool IsLink(const std::string& path);

// The files with the answers to one vector: those that a program wrote to the folder of the vector.
class AnswerFiles {
 public:
  // The origin of the files: a program that has just run here, or anybody. Files of anybody may
  // also be entries of `outputs.npz`, or results in Arm test directories (`step-0/results/`). They
  // must not be links.
  enum class Origin : uint8_t { kProgram, kAnybody };

  AnswerFiles(std::string folder, Origin origin) : folder_(std::move(folder)), origin_(origin) {}

  const std::string& folder() const { return folder_; }

  // Returns true if there is an answer of that name.
  bool Has(const std::string& name) const;
  // Returns the bytes of an answer. An Error is one line that begins with the name. An array of
  // `outputs.npz` that `check` does not want is not unpacked.
  Result<std::vector<uint8_t>> Read(const std::string& name, int64_t bytes_max,
                                    const CheckNpyStart& check = {}) const;
  // Returns the first line of a text. "" if it cannot be read.
  std::string ReadLine(const std::string& name) const;

 private:
  // Returns the path of the file, or "" if there is none.
  std::string PathOf(const std::string& name) const;

  std::string folder_;
  Origin origin_;
};

// Reads the answer to a step: `step-I-refused.txt`, or all `step-I-output-K.npy`, with the values
// of variables that are there (`step-I-state-K.npy`). Returns false if there is none. If a file is
// there and cannot be read, `outcome.message` says why.
bool ReadStepAnswer(const AnswerFiles& files, const TestVector& vector, size_t step,
                    Outcome& outcome);

}  // namespace assay
