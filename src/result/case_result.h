// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "outcome.h"
#include "verdict.h"

namespace assay {

// One operator of a vector and its CharacteristicType.
struct OperatorUse {
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;
  friend auto operator<=>(const OperatorUse&, const OperatorUse&) = default;
};

// The result of judging one vector, for tables and totals.
enum class CaseState : uint8_t {
  kAgrees,
  kDisagrees,
  // It would disagree if the backend declared something that it does not declare.
  kSuspect,
  kUndecided,
  kUnsupported,  // by the backend
  kBadInput,     // the vector could not be read
  kDefect,       // Assay itself failed on it
  kKnown,        // disagrees, in ways that a file of known failures names
};
// In the order in which they are shown.
inline constexpr CaseState kAllCaseStates[] = {
    CaseState::kAgrees,    CaseState::kDisagrees,   CaseState::kKnown,    CaseState::kSuspect,
    CaseState::kUndecided, CaseState::kUnsupported, CaseState::kBadInput, CaseState::kDefect};

// Returns "agrees", "disagrees", "suspect", "undecided", "unsupported", "bad input", "defect" or
// "known".
std::string_view CaseStateName(CaseState state);

// The vectors of a run after which another vector is wrong in the same process of the backend.
// Alone, that one is right.
struct DamagedBy {
  std::vector<std::string> vectors;  // their names in reports, in the order in which they ran
  std::string wrong;                 // the headline of what is wrong then
  friend bool operator==(const DamagedBy&, const DamagedBy&) = default;
};

// The result of one vector on one backend: a line of the JSON-lines file, a test case of JUnit.
struct CaseResult {
  std::string vector;  // path, as given
  std::string sha256;  // LoadedCase::sha256; "" if the vector is in no file, or was not read
  std::string name;
  std::string kind;                    // generator kind, "" if none
  std::vector<OperatorUse> operators;  // distinct, sorted
  CaseState state = CaseState::kUndecided;
  OutcomeKind outcome = OutcomeKind::kUnsupported;  // worst of the steps
  Verdict verdict;
  OperatorUse refused;   // unsupported: what the backend refused, no operator for the whole graph
  std::string note;      // one line: why not judged, suspect or bad; what was seen only once
  std::string log;       // disagrees: the standard error of the backend's processes, the end of it
  int64_t windows = 0;   // parts of the vector's graphs that were judged as well, on inner values
  int64_t tapped = 0;    // operators that were judged as well, on values that the backend has there
  int64_t work = 0;      // that `fuzz` counts for the vector (WorkOf()); 0 if it counts none
  DamagedBy damaged_by;  // disagrees: no vectors, unless the finding is about those before it
  // The findings that did not come again when the vector ran again, and the Backend::Process() of
  // the run that had them. Reports have neither.
  std::vector<Finding> seen_once;
  int64_t process = 0;
  bool unreached = false;   // undecided because the backend could not be started
  bool unanswered = false;  // undecided because the backend `recorded` has no answer to it
  bool lost = false;        // undecided because our own process was killed, or had no memory
  // The vector demands an error that no ERROR_IF of the text states. Such cases are counted apart,
  // and are undecided unless --implied-errors asks for them.
  bool implied_error = false;
  // Only for Arm test directories: the recorded result says the opposite of the verdict.
  bool contradicts_record = false;
};

// Adds to the note of a result, behind what it says already.
void AddNote(std::string_view note, CaseResult& result);

}  // namespace assay
