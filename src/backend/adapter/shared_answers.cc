// SPDX-License-Identifier: Apache-2.0
#include "shared_answers.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "files.h"
#include "kept_answer.h"
#include "recorded_answers.h"

namespace assay {

Result<SharedAnswers> SharedAnswers::Open(const std::string& folder) {
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return made.error();
  Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock < 0) return SystemError(folder, "open", errno);
  SharedAnswers answers(folder, std::move(lock));
  answers.SweepIfAlone();
  while (flock(answers.lock_, LOCK_SH) != 0 && errno == EINTR) continue;
  return answers;
}

// When several processes end at the same time, each gives up its share first. So the last one
// sweeps.
SharedAnswers::~SharedAnswers() {
  if (lock_ >= 0) SweepIfAlone();
}

void SharedAnswers::SweepIfAlone() const {
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) return;
  using Iterator = std::filesystem::recursive_directory_iterator;
  std::vector<std::filesystem::path> left;
  std::error_code code;
  const std::string vectors = JoinPath(folder_, kAnswersFolder);
  for (Iterator at(vectors, code); !code && at != Iterator(); at.increment(code)) {
    const bool is_left = IsUnfinishedAnswer(at->path().filename().string());
    if (is_left) left.push_back(at->path());
    if (is_left || at.depth() > 0) at.disable_recursion_pending();
  }
  const auto names = ListDirectory(folder_);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (FinalNameOf(name) == kBackendFile) left.emplace_back(JoinPath(folder_, name));
  }
  for (const std::filesystem::path& path : left) std::filesystem::remove_all(path, code);
}

}  // namespace assay
