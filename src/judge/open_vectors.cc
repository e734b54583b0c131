// SPDX-License-Identifier: Apache-2.0
#include "open_vectors.h"

#include <cstdint>
#include <vector>

#include "files.h"
#include "recorded_answers.h"
#include "tvec_file.h"
#include "vector_key.h"

namespace assay {

Result<std::string> OpenVectorsOf(const std::string& folder) {
  const std::string vectors = VectorFolder(folder, "");
  if (folder.empty() || !IsDirectory(vectors)) return std::string();
  const Result<RecordedAnswers> answers = RecordedAnswers::Open(folder);
  if (!answers) return answers.error();
  const Result<std::vector<std::string>> names = ListDirectory(vectors);
  if (!names) return names.error();
  int64_t open = 0;
  for (const std::string& name : *names) {
    if (IsUnfinishedAnswer(name)) continue;
    const std::string path = JoinPath(VectorFolder(folder, name), "vector.tvec");
    const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
    if (!bytes) continue;  // not written by this command
    const Result<TestVector> vector = ReadTestVector(*bytes, path);
    if (!vector) return vector.error();
    const Result<KeptAnswer> answer = answers->Find(*vector, VectorKey(*vector), 0);
    const bool is_open = !answer && answer.error().kind == Error::Kind::kNoAnswer;
    open += is_open ? 1 : 0;
  }
  if (open == 0) return std::string();
  return folder + ": " + std::to_string(open) +
         (open == 1 ? " further vector is" : " further vectors are") +
         " to be run there; then the same command goes on";
}

}  // namespace assay
