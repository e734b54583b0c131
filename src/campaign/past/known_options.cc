// SPDX-License-Identifier: Apache-2.0
#include "known_options.h"

#include <ctime>

#include "files.h"
#include "output_file.h"
#include "quoted.h"

namespace assay {
namespace {

// Returns the date of the system, in its time zone.
std::string SystemDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[sizeof("2026-11-26")];
  if (localtime_r(&now, &parts) == nullptr ||
      std::strftime(text, sizeof(text), "%Y-%m-%d", &parts) == 0) {
    return "1970-01-01";
  }
  return text;
}

// Returns the content of a file that will be replaced, or that of an empty one if there is none.
Result<std::string> TextToUpdate(const std::string& file) {
  const Result<OutputFile> fits = OutputFile::InPlace(file);
  if (!fits) return fits.error();
  return FileExists(file) ? ReadRegularTextFile(file, OnceReadText::kBytesMax)
                          : Result<std::string>(kNothingKnown);
}

}  // namespace

std::string KnownWords(const KnownOptions& options) {
  if (options.file.empty()) return "";
  return " --known " + ShellWord(options.file) + " --today " + options.today;
}

Result<KnownFailures> LoadKnown(KnownOptions& options, const std::string& backend) {
  if (options.file.empty() && options.update) {
    return UsageError("--update-known: needs --known FILE");
  }
  const bool needs_date = !options.file.empty() || options.is_dated;
  if (!needs_date && !options.today.empty()) return UsageError("--today: needs --known FILE");
  if (!needs_date) return KnownFailures();
  if (options.today.empty()) options.today = SystemDate();
  if (!IsDate(options.today)) {
    return UsageError("--today " + Quoted(options.today) + ": not a date like 2026-11-26");
  }
  if (options.file.empty()) return KnownFailures();
  if (options.update) {
    const Result<std::string> text = TextToUpdate(options.file);
    if (!text) return text.error();
    return KnownFailures::Parse(*text, options.file, options.today, backend);
  }
  const Result<const std::string*> text = options.text.Of(options.file);
  if (!text) return text.error();
  return KnownFailures::Parse(**text, options.file, options.today, backend);
}

Result<Done> UpdateKnown(const KnownOptions& options, const KnownFailures& known,
                         const std::string& backend, const std::vector<ReportedFinding>& findings) {
  if (!options.update) return Done{};
  const Result<OutputFile> file = OutputFile::InPlace(options.file);
  if (!file) return file.error();
  const Result<std::string> present = TextToUpdate(options.file);
  if (!present) return present.error();
  const Result<std::string> text =
      WithGroupsKnown(*present, options.file, known, backend, findings);
  if (!text) return text.error();
  return file->Write(std::string_view(*text));
}

}  // namespace assay
