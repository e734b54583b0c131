// SPDX-License-Identifier: Apache-2.0
#include "recorded_options.h"

#include "files.h"
#include "recorded_answers.h"
#include "vector_key.h"

namespace assay {

Result<std::string> ReportedBackend(const std::string& backend, const BackendOptions& options,
                                    bool resume) {
  const bool recorded = !RecordedPath(backend).empty();
  if (!options.next.empty() && !recorded) {
    return UsageError("--next: only the backend recorded:PATH asks for further vectors");
  }
  if (recorded && !options.record.empty()) {
    return UsageError("--record: recorded:PATH has its answers already");
  }
  if (!options.record.empty() && !resume && FileExists(JoinPath(options.record, kBackendFile))) {
    return UsageError("--record " + options.record + ": has answers already; name a new folder");
  }
  if (recorded && resume) {
    return UsageError("--resume: recorded:PATH has its answers already; leave --resume out");
  }
  return ReportedSpecification(backend);
}

Result<Done> CheckAnswers(const std::string& backend, const RunCases& cases) {
  const std::string path = RecordedPath(backend);
  if (path.empty() || cases.size() == 0) return Done{};
  const Result<RecordedAnswers> answers = RecordedAnswers::Open(path);
  if (!answers) return answers.error();
  std::string first;
  for (int64_t i = 0; i < cases.size(); ++i) {
    const Result<LoadedCase> loaded = cases.Load(i);
    if (!loaded || loaded->vector.steps.empty()) continue;
    const std::string key = VectorKey(loaded->vector);
    if (answers->Knows(key)) return Done{};
    if (first.empty()) first = cases.Name(i) + " (" + key + ")";
  }
  if (first.empty()) return Done{};
  return UsageError(backend + ": has answers to other vectors: none to " + first +
                    ", nor to any other vector of the run; is this the suite that was exported?");
}

}  // namespace assay
