// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "campaign.h"
#include "command.h"
#include "command_line.h"
#include "output_file.h"
#include "submission.h"
#include "terminal.h"
#include "vector_facts.h"

namespace assay::cli {
namespace {

struct SubmitOptions {
  std::vector<std::string> reports, profiles, extensions;
  std::string package, out;
  bool json = false;
};

void DeclareSubmit(CommandLine& line, SubmitOptions& options) {
  line.Add("REPORT_DIR", options.reports,
           "folders of reports of `assay verify --report` on PACKAGE/vectors or PACKAGE/arm; one "
           "for "
           "each shard, if the run was divided")
      .Required();
  line.Add("--package", options.package, "folder of `assay gen --conformance`").Required();
  line.Add("--out", options.out,
           "file for the statement: JSON if its name ends in .json, otherwise text")
      .Required();
  line.Add("--profile", options.profiles,
           "profiles that the backend has (default: all of the package)");
  line.Add("--ext", options.extensions,
           "extensions that the backend has, or none (default: all of the package). Lists that "
           "need others are not claimed, and do not change the exit status");
  line.AddFlag("--json", options.json, "print the statement as JSON, instead of a summary");
  line.SetFooter(
      "Checks the hashes of the package. States the versions of Assay, specification and backend, "
      "which\nmust-pass lists the backend passes, known failures with their reasons, what failed, "
      "and what was\nnot judged. On Arm test directories, a vector passes if all its steps pass. "
      "Exit status 1 if a\nvector of a claimed list failed, 3 if one was not judged or a report of "
      "an older version has no\nhash, 2 if a report is not about this package or was edited, or a "
      "file of the package was changed.");
}

// Returns the profiles and extensions that the options claim. With neither option, returns an empty
// list, which stands for all.
Result<std::vector<std::string>> Claims(const ConformancePackage& package,
                                        const std::vector<std::string>& profiles,
                                        const std::vector<std::string>& extensions) {
  std::vector<std::string> claims;
  if (profiles.empty() && extensions.empty()) return claims;
  const bool none = extensions == std::vector<std::string>{"none"};
  const auto add = [&](const char* option, const std::string& prefix,
                       const std::vector<std::string>& names) -> Result<Done> {
    const Result<Requirements> meant = FeaturesNamed(option, prefix, names);
    if (!meant) return meant.error();
    for (const std::string& feature : NamesOf(*meant)) claims.push_back(feature);
    if (!names.empty()) return Done{};
    for (const std::string& feature : package.features) {
      if (feature.starts_with(prefix)) claims.push_back(feature);
    }
    return Done{};
  };
  Result<Done> added = add("--profile", "PRO-", profiles);
  if (added && !none) added = add("--ext", "EXT-", extensions);
  if (!added) return added.error();
  return claims;
}

int StatusOfSubmission(const Submission& submission) {
  if (submission.Claimed(SubmittedState::kFailed) > 0) return kExitFinding;
  int64_t open = 0;
  for (const SubmittedState state : kAllSubmittedStates) open += submission.Claimed(state);
  open -= submission.Claimed(SubmittedState::kPassed) + submission.Claimed(SubmittedState::kKnown);
  const bool any = submission.Claimed(SubmittedState::kPassed) > 0;
  const bool is_proof = submission.without_hash.empty();
  return open > 0 || !any || !is_proof ? kExitUndecided : kExitClean;
}

// Checks that a file is not in the folder of the package: its manifest would not list it.
Result<Done> CheckOutside(const OutputFile& out, const std::string& package) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path folder = fs::canonical(package, code);
  if (code || out.target().empty()) return Done{};  // reading the package says why
  const fs::path file = fs::weakly_canonical(fs::absolute(out.target()).parent_path(), code);
  if (code || *file.lexically_relative(folder).begin() == "..") return Done{};
  return UsageError(out.path() +
                    ": is in the folder of the package, whose manifest does not list it; "
                    "choose a file outside");
}

int RunSubmit(const SubmitOptions& options) {
  const Result<OutputFile> out = OutputFile::At(options.out);
  if (!out) return Fail(out.error());
  const Result<Done> outside = CheckOutside(*out, options.package);
  if (!outside) return Fail(outside.error());
  const Result<ConformancePackage> package = ReadPackage(options.package);
  if (!package) return Fail(package.error());
  const Result<std::vector<std::string>> claims =
      Claims(*package, options.profiles, options.extensions);
  if (!claims) return Fail(claims.error());
  const Result<Submission> submission = MakeSubmission(options.package, options.reports, *claims);
  if (!submission) return Fail(submission.error());
  const std::string text = SubmissionToText(*submission), json = SubmissionToJson(*submission);
  const Result<Done> written =
      out->Write(std::string_view(options.out.ends_with(".json") ? json : text));
  if (!written) return Fail(written.error());
  Write(options.json
            ? json
            : SubmissionSummary(*submission) + "the statement is in " + options.out + "\n");
  return StatusOfSubmission(*submission);
}

}  // namespace

extern const Command submit_command = {
    .name = "submit",
    .summary = "states what a run on a conformance package has shown",
    .declare = DeclareWith<SubmitOptions, DeclareSubmit, RunSubmit>,
};

}  // namespace assay::cli
