// SPDX-License-Identifier: Apache-2.0
#include "submission.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "case_source.h"
#include "checked_report.h"
#include "clean_text.h"
#include "enum_names.h"
#include "files.h"
#include "finding_text.h"
#include "suite.h"

namespace assay {
namespace {

struct SubmittedOutcome {
  SubmittedState state = SubmittedState::kMissing;
  std::string why;
};

// The vectors of a package, or its Arm test directories, with their results; by path below
// `vectors` or `arm`.
using SubmittedOutcomes = std::map<std::string, SubmittedOutcome>;

SubmittedState StateOf(CaseState state) {
  switch (state) {
    case CaseState::kAgrees:
      return SubmittedState::kPassed;
    case CaseState::kDisagrees:
      return SubmittedState::kFailed;
    case CaseState::kKnown:
      return SubmittedState::kKnown;
    case CaseState::kSuspect:
      return SubmittedState::kSuspect;
    case CaseState::kUndecided:
      return SubmittedState::kUndecided;
    case CaseState::kUnsupported:
      return SubmittedState::kUnsupported;
    case CaseState::kBadInput:
    case CaseState::kDefect:
      return SubmittedState::kBroken;
  }
  return SubmittedState::kBroken;
}

// Returns how bad a result is, if a vector has several. `missing` is the rank of a missing one.
int Rank(SubmittedState state, int missing = -1) {
  if (state == SubmittedState::kMissing) return missing;
  if (state == SubmittedState::kFailed) return 100;
  return static_cast<int>(state);
}

void TakeWorse(SubmittedState state, std::string why, SubmittedOutcome& outcome) {
  if (Rank(state) > Rank(outcome.state)) outcome = {state, std::move(why)};
}

// The results of a package, while reports are read.
struct Results {
  std::string suite, manifest;  // the hashes that reports on vectors and on directories have
  SubmittedOutcomes vectors, directories;
  std::map<std::string, std::string> files;  // the vector of each directory
};

// Takes the cases of one report.
class ReportTaker {
 public:
  ReportTaker(std::string file, const std::string& package, Results& results)
      : file_(std::move(file)), package_(package), results_(results) {}

  Result<RunHead> Take() {
    return ReadCheckedReport(
        file_, {[this](const RunHead& head) { return Open(head); },
                [this](const CaseResult& result, int64_t line) { return Add(result, line); }});
  }
  bool is_arm() const { return is_arm_; }

 private:
  // Finds the suite of the package among those of the run.
  Result<Done> Open(const RunHead& head) {
    has_hashes_ = head.HasSum();
    std::string other;
    for (const auto& [path, hash] : head.suites) {
      const bool is_ours = hash == results_.suite || hash == results_.manifest;
      (is_ours ? prefix_ : other) = path;
      if (is_ours) is_arm_ = hash == results_.manifest;
    }
    if (prefix_.empty()) {
      return BadInput(file_ + ": is not about this package: " +
                      (other.empty()
                           ? "it names no suite; run `assay verify PACKAGE/vectors`, or " +
                                 std::string("PACKAGE/arm")
                           : other + " has other vectors"));
    }
    while (prefix_.ends_with('/')) prefix_.pop_back();
    prefix_ += '/';
    return Done{};
  }

  Result<Done> Add(const CaseResult& result, int64_t line) {
    if (!result.vector.starts_with(prefix_)) return Done{};
    const std::string name = result.vector.substr(prefix_.size());
    SubmittedOutcomes& outcomes = is_arm_ ? results_.directories : results_.vectors;
    const auto at = outcomes.find(name);
    if (at == outcomes.end()) return Done{};
    const SubmittedState state = StateOf(result.state);
    // A vector that could not be read has no hash.
    const bool needs_hash = state <= SubmittedState::kSuspect || !result.sha256.empty();
    const std::string path =
        JoinPath(JoinPath(package_, is_arm_ ? kPackageArm : kPackageVectors), name);
    if (has_hashes_ && needs_hash && result.sha256 != HashOfSource(path)) {
      return BadInput(file_ + ":" + std::to_string(line) + ": " + OneLine(result.vector) +
                      ": its SHA-256 is not that of the vector in the package");
    }
    const auto& findings = result.verdict.findings;
    const bool is_finding = state == SubmittedState::kFailed && !findings.empty();
    TakeWorse(state, is_finding ? FindingHeadline(findings[0]) : OneLine(result.note), at->second);
    return Done{};
  }

  const std::string file_;
  const std::string& package_;
  Results& results_;
  std::string prefix_;       // the path of the suite, which the cases begin with
  bool is_arm_ = false;      // the suite is the Arm test directories of the package
  bool has_hashes_ = false;  // cases have the SHA-256 of their vectors
};

// Adds a directory, or one that is left out, which no report can have.
void AddDirectory(const std::string& name, const std::string& why, Results& results) {
  std::string file = name + ".tvec";
  const size_t step = name.rfind("-step-");
  if (!results.vectors.contains(file)) file = name.substr(0, step) + ".tvec";
  if (!results.vectors.contains(file)) return;
  results.directories[name] = {SubmittedState::kMissing, why};
  results.files[name] = file;
}

// Lists the Arm test directories of a package.
Result<Done> ListDirectories(const std::string& package, Results& results) {
  const std::string arm = JoinPath(package, kPackageArm);
  if (!IsDirectory(arm)) return Done{};
  const Result<std::vector<std::string>> files = ListFilesBelow(arm);
  if (!files) return files.error();
  for (const std::string& file : *files) {
    if (FileNameOf(file) == "desc.json") AddDirectory(FolderOf(file), "", results);
  }
  std::ifstream left_out(JoinPath(arm, kArmLeftOut));
  for (std::string line; std::getline(left_out, line);) {
    const size_t end = line.find("  # ");
    if (end == std::string::npos) continue;
    AddDirectory(line.substr(0, end), "left out of arm/: " + line.substr(end + 4), results);
  }
  return Done{};
}

// Adds the results of directories to those of vectors. A vector has passed if all its steps have.
void AddDirectories(Results& results) {
  // One missing step is worse than any that passed.
  constexpr int kMissing = static_cast<int>(SubmittedState::kKnown) + 1;
  std::map<std::string, SubmittedOutcome> vectors;
  for (const auto& [name, file] : results.files) {
    const SubmittedOutcome& step = results.directories.at(name);
    SubmittedOutcome& worst = vectors.try_emplace(file, step).first->second;
    if (Rank(step.state, kMissing) > Rank(worst.state, kMissing)) worst = step;
  }
  for (const auto& [file, outcome] : vectors) {
    SubmittedOutcome& vector = results.vectors.at(file);
    TakeWorse(outcome.state, outcome.why, vector);
    if (vector.state == SubmittedState::kMissing) vector.why = outcome.why;
  }
}

bool IsClaimed(const PackageVector& vector, const std::vector<std::string>& claims) {
  return claims.empty() || std::ranges::all_of(vector.requirements, [&](const auto& name) {
           return std::ranges::find(claims, name) != claims.end();
         });
}

void Count(const SubmittedOutcomes& outcomes, const std::vector<std::string>& claims,
           Submission& submission) {
  for (const PackageVector& vector : submission.package.vectors) {
    const SubmittedOutcome& outcome = outcomes.at(vector.file);
    const bool is_listed = vector.informative.empty();
    const std::string name = is_listed ? ListOf(vector) : "";
    SubmittedList& list = is_listed ? submission.lists[name] : submission.informative;
    list.is_claimed = IsClaimed(vector, claims);
    ++list.counts[outcome.state];
    if (outcome.state == SubmittedState::kPassed) continue;
    submission.open.push_back({vector.file, name, outcome.state, outcome.why});
  }
}

// Checks that every claim is a profile or extension of the package.
Result<Done> CheckClaims(const ConformancePackage& package,
                         const std::vector<std::string>& claims) {
  for (const std::string& claim : claims) {
    if (std::ranges::find(package.features, claim) == package.features.end()) {
      return UsageError(claim + ": is not in the package");
    }
  }
  return Done{};
}

}  // namespace

std::string_view SubmittedStateName(SubmittedState state) {
  constexpr std::string_view kNames[] = {"passed",    "known failure", "failed",  "suspect",
                                         "undecided", "unsupported",   "missing", "broken"};
  return EntryOf(kNames, state);
}

int64_t SubmittedList::Count(SubmittedState state) const {
  const auto found = counts.find(state);
  return found == counts.end() ? 0 : found->second;
}

int64_t SubmittedList::Total() const {
  int64_t total = 0;
  for (const auto& [state, count] : counts) total += count;
  return total;
}

bool SubmittedList::IsComplete() const {
  return Count(SubmittedState::kPassed) + Count(SubmittedState::kKnown) == Total();
}

int64_t Submission::Claimed(SubmittedState state) const {
  int64_t count = 0;
  for (const auto& [name, list] : lists) count += list.is_claimed ? list.Count(state) : 0;
  return count;
}

Result<Submission> MakeSubmission(const std::string& package,
                                  const std::vector<std::string>& reports,
                                  const std::vector<std::string>& claims) {
  Submission submission;
  Result<ConformancePackage> read = ReadPackage(package);
  if (!read) return read.error();
  submission.package = std::move(*read);
  const Result<Done> checked = CheckClaims(submission.package, claims);
  if (!checked) return checked.error();
  const std::string vectors = JoinPath(package, kPackageVectors);
  const auto hashes = SuiteHashes({vectors});
  const auto suite = hashes.find(vectors);
  if (suite == hashes.end()) return BadInput(vectors + ": is no suite");
  Results results;
  results.suite = suite->second;
  results.manifest = submission.package.hash;
  for (const PackageVector& vector : submission.package.vectors) results.vectors[vector.file] = {};
  const Result<Done> listed = ListDirectories(package, results);
  if (!listed) return listed.error();
  bool any_arm = false;
  for (const std::string& report : reports) {
    ReportTaker taker(JoinPath(report, "report.jsonl"), package, results);
    Result<RunHead> head = taker.Take();
    if (!head) return head.error();
    any_arm = any_arm || taker.is_arm();
    if (submission.reports.empty()) {
      submission.backend = head->title;
      submission.assay = head->assay;
    } else if (head->title != submission.backend || head->assay != submission.assay) {
      return BadInput(report + ": is of " + OneLine(head->title) + ", Assay " + head->assay + "; " +
                      submission.reports[0] + " is of " + OneLine(submission.backend) + ", Assay " +
                      submission.assay);
    }
    submission.reports.push_back(report);
    if (!head->HasSum()) submission.without_hash.push_back(report);
    submission.commands.push_back(std::move(head->command));
    for (std::string& gap : head->gaps) submission.gaps.push_back(std::move(gap));
    if (head->known) {
      submission.known_files.push_back(head->known->file + ", on " + head->known->today);
    }
  }
  if (any_arm) AddDirectories(results);
  Count(results.vectors, claims, submission);
  return submission;
}

}  // namespace assay
