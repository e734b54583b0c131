// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "case_result.h"
#include "conformance_package.h"
#include "result.h"

namespace assay {

// A statement about an implementation: what a run on a conformance package has shown.

// The result of one vector of a package.
enum class SubmittedState : uint8_t {
  kPassed,
  kKnown,    // failed as a file of known failures says
  kFailed,   // disagrees
  kSuspect,  // these four were not judged
  kUndecided,
  kUnsupported,
  kMissing,  // no report has the vector
  kBroken,   // it could not be read, or Assay failed on it
};
inline constexpr SubmittedState kAllSubmittedStates[] = {
    SubmittedState::kPassed,  SubmittedState::kKnown,     SubmittedState::kFailed,
    SubmittedState::kSuspect, SubmittedState::kUndecided, SubmittedState::kUnsupported,
    SubmittedState::kMissing, SubmittedState::kBroken};
// Returns "passed", "known failure", ...
std::string_view SubmittedStateName(SubmittedState state);

// A vector that did not pass.
struct SubmittedVector {
  std::string file;
  std::string list;  // its must-pass list; "" if it is informative
  SubmittedState state = SubmittedState::kMissing;
  std::string why;
  friend bool operator==(const SubmittedVector&, const SubmittedVector&) = default;
};

// The results on one must-pass list.
struct SubmittedList {
  bool is_claimed = true;  // the implementation has its profiles and extensions
  std::map<SubmittedState, int64_t> counts;

  int64_t Count(SubmittedState state) const;
  int64_t Total() const;
  // Returns true if every vector passed or is a known failure.
  bool IsComplete() const;
};

struct Submission {
  ConformancePackage package;
  std::string backend;  // its description, with its version
  std::string assay;    // the version of Assay that ran the vectors
  std::vector<std::string> reports, commands;
  std::vector<std::string> without_hash;  // those of `reports` that an older version has written
  std::vector<std::string> gaps;          // what the runs say that they left out
  std::vector<std::string> known_files;   // files of known failures, with the date that decided
  std::map<std::string, SubmittedList> lists;
  SubmittedList informative;
  std::vector<SubmittedVector> open;  // the vectors that did not pass, in the order of the package

  // Returns the number of vectors of claimed lists in a state.
  int64_t Claimed(SubmittedState state) const;
};

// Makes the statement from reports of `assay verify` on PACKAGE/vectors or PACKAGE/arm: one, or one
// for each shard. On Arm test directories, a vector passes if all its steps pass, and is missing if
// a step has no directory.
// `claims` are the profiles and extensions that the implementation has; empty: all of the package.
// If several reports have a vector, the worst result counts. Error kBadInput if a report is none or
// contradicts itself (ReadCheckedReport()), if it is about other vectors than those of the package,
// or if two reports are of different backends or versions. Errors of ReadPackage().
Result<Submission> MakeSubmission(const std::string& package,
                                  const std::vector<std::string>& reports,
                                  const std::vector<std::string>& claims);

// Returns a few lines: the verdict, the first claimed lists that are not complete, and the most
// frequent reasons.
std::string SubmissionSummary(const Submission& submission);
// Return the statement as text for people, and as JSON.
std::string SubmissionToText(const Submission& submission);
std::string SubmissionToJson(const Submission& submission);

}  // namespace assay
