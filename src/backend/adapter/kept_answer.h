// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "exec_folder.h"
#include "outcome.h"
#include "result.h"

namespace assay {

// Everything that a backend said about one vector in one run.
struct KeptAnswer {
  // The reason why the backend does not support the vector. Then there are no outcomes.
  std::optional<std::string> unsupported;
  std::vector<Outcome> outcomes;
  std::vector<std::map<TensorIndex, Tensor>> taps;  // TappedRun::taps; empty without taps
  std::string errors;                               // Backend::Errors()
};

// The file that says that a folder holds such an answer, instead of what a program wrote.
inline constexpr char kKeptAnswerFile[] = "answer.json";

// Returns the files of the folder of an answer: an `.npy` file for each tensor, and `answer.json`.
std::vector<FolderFile> KeptAnswerFiles(const KeptAnswer& answer);

// Reads the answer in a folder. An Error is one line that names the file.
Result<KeptAnswer> ReadKeptAnswer(const std::string& folder);

// The description of the backend that has given the answers in a folder, in its `backend.json`.
struct AnsweringBackend {
  std::string specification;  // as given to --backend; "" if it is not known
  std::string description;    // Backend::Describe()
  std::vector<std::string> declarations;
  bool offers_taps = false;
  bool checks_plans = false;
};
inline constexpr char kBackendFile[] = "backend.json";
std::string TextOf(const AnsweringBackend& backend);
// Reads `backend.json` of a folder; nothing if there is none.
Result<std::optional<AnsweringBackend>> ReadAnsweringBackend(const std::string& folder);

}  // namespace assay
