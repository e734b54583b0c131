// SPDX-License-Identifier: Apache-2.0
#include "recorded_answers.h"

#include <algorithm>
#include <utility>

#include "answer_files.h"
#include "files.h"
#include "vector_key.h"

namespace assay {
namespace {

constexpr std::string_view kAgain = "again-";
constexpr std::string_view kSpecificationStart = "recorded:";
// The files with which a program, or a script around it, says how a vector ended.
constexpr char kUnsupported[] = "unsupported.txt";
constexpr char kCrashed[] = "crashed.txt";
constexpr char kTimedOut[] = "timed-out.txt";
constexpr char kDoneFile[] = "done.txt";
constexpr char kLog[] = "log.txt";

// Returns what a program wrote to the folder of a vector, as the kind `exec` understands it.
Result<KeptAnswer> ReadProgramAnswer(const std::string& folder, const TestVector& vector) {
  const AnswerFiles files(folder, AnswerFiles::Origin::kAnybody);
  KeptAnswer answer;
  if (files.Has(kUnsupported)) {
    const std::string line = files.ReadLine(kUnsupported);
    answer.unsupported = line.empty() ? "unsupported" : line;
    return answer;
  }
  if (files.Has(kLog)) {
    const Result<std::vector<uint8_t>> log = files.Read(kLog, kErrorBytesMax);
    if (!log) return UnreadableAnswer(log.error().message);
    answer.errors.assign(log->begin(), log->end());
  }
  const bool crashed = files.Has(kCrashed), timed_out = files.Has(kTimedOut);
  answer.outcomes.resize(vector.steps.size());
  for (size_t i = 0; i < answer.outcomes.size(); ++i) {
    const Block& main = *vector.GraphOf(vector.steps[i]).Main();
    // Without outputs, no file tells whether the step has run.
    const bool can_tell = !main.outputs.empty() || files.Has(kDoneFile);
    Outcome& outcome = answer.outcomes[i];
    if (can_tell && ReadStepAnswer(files, vector, i, outcome)) continue;
    if (!outcome.message.empty()) return UnreadableAnswer(outcome.message);
    if (!crashed && !timed_out) {
      return NoAnswer(i == 0 ? "" : " to step " + std::to_string(i));
    }
    outcome = {};
    outcome.kind = timed_out ? OutcomeKind::kTimedOut : OutcomeKind::kCrashed;
    outcome.message = files.ReadLine(timed_out ? kTimedOut : kCrashed);
    for (size_t k = i + 1; k < answer.outcomes.size(); ++k) {
      answer.outcomes[k].message = "not run";
    }
    break;
  }
  return answer;
}

}  // namespace

Error NoAnswer(std::string_view detail) {
  return {Error::Kind::kNoAnswer, "no answer" + std::string(detail)};
}

Error UnreadableAnswer(std::string_view why) {
  return {Error::Kind::kBadAnswer, "unreadable answer: " + std::string(why)};
}

std::string VectorFolder(const std::string& folder, const std::string& key) {
  return JoinPath(JoinPath(folder, kAnswersFolder), key);
}

std::string CallFolder(const std::string& folder, const std::string& key, int64_t call) {
  const std::string first = VectorFolder(folder, key);
  return call == 0 ? first : JoinPath(first, std::string(kAgain) + std::to_string(call));
}

bool IsUnfinishedAnswer(std::string_view name) {
  constexpr size_t kKeyDigits = 64;
  const std::string_view folder = FinalNameOf(name);
  const auto is_of = [](std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
  };
  return folder.starts_with(kAgain)
             ? is_of(folder.substr(kAgain.size()), "0123456789")
             : folder.size() == kKeyDigits && is_of(folder, "0123456789abcdef");
}

Result<RecordedAnswers> RecordedAnswers::Open(const std::string& path) {
  const auto no = [&path](const std::string& what) {
    return UsageError(std::string(kSpecificationStart) + path + ": " + what);
  };
  RecordedAnswers answers;
  if (!FileExists(path)) return no("no such file or folder");
  if (!IsDirectory(path)) {
    Result<PrintedAnswers> printed = PrintedAnswers::Open(path);
    if (!printed) return UsageError(printed.error().message);
    answers.backend_.declarations = printed->declarations();
    answers.printed_.push_back(std::move(*printed));
    return answers;
  }
  answers.folder_ = path;
  const Result<std::vector<std::string>> names = ListDirectory(path);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.ends_with(".answers")) continue;
    Result<PrintedAnswers> printed = PrintedAnswers::Open(JoinPath(path, name));
    if (!printed) return UsageError(printed.error().message);
    answers.printed_.push_back(std::move(*printed));
  }
  if (answers.printed_.empty() && !IsDirectory(JoinPath(path, kAnswersFolder))) {
    return no("has neither a folder `vectors` nor files *.answers");
  }
  Result<std::optional<AnsweringBackend>> backend = ReadAnsweringBackend(path);
  if (!backend) return UsageError(backend.error().message);
  if (*backend) answers.backend_ = std::move(**backend);
  for (const PrintedAnswers& printed : answers.printed_) {
    for (const std::string& name : printed.declarations()) {
      answers.backend_.declarations.push_back(name);
    }
  }
  return answers;
}

bool RecordedAnswers::Knows(const std::string& key) const {
  return (!folder_.empty() && FileExists(VectorFolder(folder_, key))) ||
         std::ranges::any_of(printed_, [&key](const auto& printed) { return printed.Has(key); });
}

Result<KeptAnswer> RecordedAnswers::Find(const TestVector& vector, const std::string& key,
                                         int64_t call) const {
  for (const Step& step : vector.steps) {
    if (vector.GraphOf(step).Main() != nullptr) continue;
    return KeptAnswer{"a graph without a main block", {}, {}, ""};
  }
  for (const PrintedAnswers& printed : printed_) {
    if (printed.Has(key)) return printed.Find(vector, key);
  }
  if (folder_.empty()) return NoAnswer();
  const std::string folder = VectorFolder(folder_, key);
  if (IsLink(folder)) return UnreadableAnswer("its folder is a symbolic link");
  if (!FileExists(JoinPath(folder, kKeptAnswerFile))) {
    return IsDirectory(folder) ? ReadProgramAnswer(folder, vector) : NoAnswer();
  }
  // An answer that is the same as the one before it is not kept.
  while (call > 0 && !FileExists(CallFolder(folder_, key, call))) --call;
  Result<KeptAnswer> kept = ReadKeptAnswer(CallFolder(folder_, key, call));
  if (!kept) return UnreadableAnswer(kept.error().message);
  if (!kept->unsupported && kept->outcomes.size() != vector.steps.size()) {
    return UnreadableAnswer(JoinPath(folder, kKeptAnswerFile) + ": has another number of steps");
  }
  return kept;
}

std::string RecordedPath(const std::string& specification) {
  return specification.starts_with(kSpecificationStart)
             ? specification.substr(kSpecificationStart.size())
             : "";
}

Result<std::string> ReportedSpecification(const std::string& specification) {
  const std::string path = RecordedPath(specification);
  if (path.empty()) return specification;
  const Result<RecordedAnswers> answers = RecordedAnswers::Open(path);
  if (!answers) return answers.error();
  const std::string& known = answers->backend().specification;
  return known.empty() ? specification : known;
}

}  // namespace assay
