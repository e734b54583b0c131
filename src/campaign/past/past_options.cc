// SPDX-License-Identifier: Apache-2.0
#include "past_options.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "clean_text.h"
#include "cut_text.h"
#include "files.h"
#include "joined.h"
#include "output_file.h"
#include "quoted.h"
#include "run_changes.h"
#include "version.h"

namespace assay {
namespace {

// Returns the runs in a file that will be replaced; none if there is no file.
Result<std::vector<PastRun>> HistoryIn(const std::string& file) {
  const Result<OutputFile> fits = OutputFile::InPlace(file);
  if (!fits) return fits.error();
  if (!FileExists(file)) return std::vector<PastRun>();
  const Result<std::string> text = ReadRegularTextFile(file);
  if (!text) return text.error();
  return HistoryFrom(*text, file);
}

}  // namespace

std::string PastWords(const PastOptions& options, const KnownOptions& known) {
  std::string words;
  if (!options.since.empty()) words += " --since " + ShellWord(options.since);
  if (!options.history.empty()) {
    words += " --history " + ShellWord(options.history);
    if (known.file.empty()) words += " --today " + known.today;
  }
  return words;
}

Result<PastRuns> LoadPast(const PastOptions& options, const std::string& report,
                          const std::string& backend, KnownOptions& known) {
  PastRuns past;
  known.is_dated = !options.history.empty();
  if (!options.since.empty()) {
    const bool is_folder = IsDirectory(options.since);
    const std::string file = is_folder ? JoinPath(options.since, "report.jsonl") : options.since;
    std::error_code error;
    if (!report.empty() &&
        std::filesystem::equivalent(file, JoinPath(report, "report.jsonl"), error)) {
      return UsageError("--since " + Quoted(options.since) +
                        ": is the report that this run writes; keep a copy of an earlier one");
    }
    const Result<std::string> text = is_folder ? ReadRegularTextFile(file) : ReadTextFile(file);
    if (!text) return text.error();
    Result<EarlierReport> since = EarlierReportFrom(*text, file);
    if (!since) return since.error();
    if (since->backend != backend) {
      return UsageError(file + ": is a report on another backend: " + OneLine(since->backend));
    }
    past.since = std::move(*since);
  }
  past.history_file = options.history;
  if (!options.history.empty()) {
    Result<std::vector<PastRun>> history = HistoryIn(options.history);
    if (!history) return history.error();
    past.history = std::move(*history);
  }
  return past;
}

std::vector<std::pair<std::string, std::string>> FactsOf(const BackendOptions& backend,
                                                         const std::string& seed) {
  const SpecVersion spec;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Assay", std::string(kToolkitVersion)},
      {"specification", "TOSA " + std::to_string(spec.major) + "." + std::to_string(spec.minor)}};
  const auto add = [&facts](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) facts.emplace_back(name, CutText(Joined(values, " ", ShellWord)));
  };
  add("environment", backend.environment);
  add("declared", backend.declarations);
  if (!seed.empty()) facts.emplace_back("seed", seed);
  return facts;
}

void AddThisRun(const KnownOptions& known, RunReport& run) {
  if (run.past.history_file.empty()) return;
  (void)AddToHistory(AsPastRun(run, known.today), run.past.history);
}

Result<Done> SaveHistory(const PastOptions& options, const PastRuns& past) {
  if (options.history.empty()) return Done{};
  // Another run may have added its line meanwhile, and a kill may have left half of one.
  const Result<OutputFile> file = OutputFile::InPlace(options.history);
  if (!file) return file.error();
  Result<std::vector<PastRun>> history = HistoryIn(options.history);
  if (!history) return history.error();
  if (!AddToHistory(past.history.back(), *history)) return Done{};
  std::string lines;
  for (const PastRun& run : *history) lines += HistoryLine(run);
  return file->Write(std::string_view(lines));
}

}  // namespace assay
