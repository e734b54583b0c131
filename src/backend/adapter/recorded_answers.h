// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kept_answer.h"
#include "printed_answers.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Answers that were given elsewhere or earlier: what a program of another machine wrote to the
// folders of `assay export`, what its C programs have printed, and what `assay verify --record` has
// kept. The folder of a vector is `vectors/KEY`, where KEY is its VectorKey().

// The folder with the folders of all vectors.
inline constexpr char kAnswersFolder[] = "vectors";

// Return the folder of a vector below `folder`, and that of the answer that a backend gives if it
// is asked for the vector again.
std::string VectorFolder(const std::string& folder, const std::string& key);
std::string CallFolder(const std::string& folder, const std::string& key, int64_t call);

// Returns true for the name that such a folder has while it is written.
bool IsUnfinishedAnswer(std::string_view name);

// Return the errors "no answer" (kNoAnswer), which `detail` follows at once, and "unreadable
// answer: WHY" (kBadAnswer).
Error NoAnswer(std::string_view detail = "");
Error UnreadableAnswer(std::string_view why);

class RecordedAnswers {
 public:
  // Opens a folder, or a file of printed answers. Error kUsage if `path` does not exist or has no
  // answers and no vectors.
  static Result<RecordedAnswers> Open(const std::string& path);

  // The backend that gave the answers, as far as it is known.
  const AnsweringBackend& backend() const { return backend_; }

  // Returns true if there are files or printed lines for the vector, with or without an answer.
  bool Knows(const std::string& key) const;

  // Returns the answer to a vector; of a kept one, the answer to the `call`th run, from 0. Errors
  // are those above.
  Result<KeptAnswer> Find(const TestVector& vector, const std::string& key, int64_t call) const;

 private:
  std::string folder_;  // "" for a file of printed answers
  std::vector<PrintedAnswers> printed_;
  AnsweringBackend backend_;
};

// Returns the specification of a backend for reports and replay lines: that of the backend whose
// answers `recorded:PATH` has, if it is known. Any other specification stays. Errors are those of
// RecordedAnswers::Open().
Result<std::string> ReportedSpecification(const std::string& specification);

// Returns the path of `recorded:PATH`; "" for any other specification.
std::string RecordedPath(const std::string& specification);

}  // namespace assay
