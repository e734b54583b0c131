// SPDX-License-Identifier: Apache-2.0
#include "submission.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "clean_text.h"
#include "files.h"
#include "finding_text.h"
#include "json_lines.h"
#include "suite.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

struct Outcome {
  SubmittedState state = SubmittedState::kMissing;
  std::string why;
};

// The vectors of a package with their results, by file.
using Outcomes = std::map<std::string, Outcome>;

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

// Returns how bad a result is, if a vector has several.
int Rank(SubmittedState state) {
  if (state == SubmittedState::kMissing) return -1;
  if (state == SubmittedState::kFailed) return 100;
  return static_cast<int>(state);
}

// The part of a report's first line that identifies the run.
struct Head {
  std::string backend, assay, command;
  std::vector<std::string> gaps;
  std::string known;   // "FILE, on DATE"; "" if the run knew no failures
  std::string prefix;  // the path of the suite, which the cases begin with
};

Result<Head> HeadFrom(const std::string& line, const std::string& file, const std::string& suite) {
  Head head;
  std::string other;
  try {
    const Json json = Json::parse(line);
    if (json.value("schema", 0) != kReportSchema) {
      return BadInput(file + ": is no report of schema " + std::to_string(kReportSchema));
    }
    json.at("run").get_to(head.backend);
    json.at("assay").get_to(head.assay);
    json.at("command").get_to(head.command);
    head.gaps = json.value("partial", std::vector<std::string>());
    if (json.contains("known_failures")) {
      const Json& known = json.at("known_failures");
      head.known =
          known.at("file").get<std::string>() + ", on " + known.at("today").get<std::string>();
    }
    for (const Json& entry : json.value("suites", Json::array())) {
      const auto path = entry.at("path").get<std::string>();
      (entry.at("sha256") == suite ? head.prefix : other) = path;
    }
  } catch (const Json::exception&) {
    return BadInput(file + ": is no report of `assay verify`");
  }
  if (!head.prefix.empty()) return head;
  return BadInput(file + ": is not about this package: " +
                  (other.empty() ? "it names no suite; run `assay verify PACKAGE/vectors`"
                                 : other + " has other vectors"));
}

// Adds the cases of a report to the outcomes.
Result<Head> AddReport(const std::string& report, const std::string& suite, Outcomes& outcomes) {
  const std::string file = JoinPath(report, "report.jsonl");
  std::ifstream lines(file);
  std::string line;
  if (!std::getline(lines, line)) return BadInput(file + ": cannot be read, or is empty");
  Result<Head> head = HeadFrom(line, file, suite);
  if (!head) return head;
  while (head->prefix.ends_with('/')) head->prefix.pop_back();
  head->prefix += '/';
  while (std::getline(lines, line)) {
    if (!line.starts_with("{\"case\"")) continue;
    const Result<CaseResult> result = CaseFromJson(line);
    if (!result) return BadInput(file + ": " + result.error().message);
    if (!result->vector.starts_with(head->prefix)) continue;
    const auto at = outcomes.find(result->vector.substr(head->prefix.size()));
    if (at == outcomes.end()) continue;
    const SubmittedState state = StateOf(result->state);
    if (Rank(state) <= Rank(at->second.state)) continue;
    const auto& findings = result->verdict.findings;
    const bool is_finding = state == SubmittedState::kFailed && !findings.empty();
    at->second = {state, is_finding ? FindingHeadline(findings[0]) : OneLine(result->note)};
  }
  return head;
}

bool IsClaimed(const PackageVector& vector, const std::vector<std::string>& claims) {
  return claims.empty() || std::ranges::all_of(vector.requirements, [&](const auto& name) {
           return std::ranges::find(claims, name) != claims.end();
         });
}

void Count(const Outcomes& outcomes, const std::vector<std::string>& claims,
           Submission& submission) {
  for (const PackageVector& vector : submission.package.vectors) {
    const Outcome& outcome = outcomes.at(vector.file);
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
      return Error{Error::Kind::kUsage, claim + ": is not in the package"};
    }
  }
  return Done{};
}

}  // namespace

std::string_view SubmittedStateName(SubmittedState state) {
  switch (state) {
    case SubmittedState::kPassed:
      return "passed";
    case SubmittedState::kKnown:
      return "known failure";
    case SubmittedState::kFailed:
      return "failed";
    case SubmittedState::kSuspect:
      return "suspect";
    case SubmittedState::kUndecided:
      return "undecided";
    case SubmittedState::kUnsupported:
      return "unsupported";
    case SubmittedState::kMissing:
      return "missing";
    case SubmittedState::kBroken:
      return "broken";
  }
  return "";
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
  Outcomes outcomes;
  for (const PackageVector& vector : submission.package.vectors) outcomes[vector.file] = {};
  for (const std::string& report : reports) {
    Result<Head> head = AddReport(report, suite->second, outcomes);
    if (!head) return head.error();
    if (submission.reports.empty()) {
      submission.backend = head->backend;
      submission.assay = head->assay;
    } else if (head->backend != submission.backend || head->assay != submission.assay) {
      return BadInput(report + ": is of " + OneLine(head->backend) + ", Assay " + head->assay +
                      "; " + submission.reports[0] + " is of " + OneLine(submission.backend) +
                      ", Assay " + submission.assay);
    }
    submission.reports.push_back(report);
    submission.commands.push_back(std::move(head->command));
    for (std::string& gap : head->gaps) submission.gaps.push_back(std::move(gap));
    if (!head->known.empty()) submission.known_files.push_back(std::move(head->known));
  }
  Count(outcomes, claims, submission);
  return submission;
}

}  // namespace assay
