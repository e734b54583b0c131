// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator.h"
#include "types.h"

namespace assay {

// The conclusion of an oracle. `undecided` is never a pass.
enum class VerdictKind : uint8_t { kAgrees, kDisagrees, kUndecided };
inline constexpr VerdictKind kAllVerdictKinds[] = {VerdictKind::kAgrees, VerdictKind::kDisagrees,
                                                   VerdictKind::kUndecided};

std::string_view VerdictName(VerdictKind kind);  // "agrees", "disagrees", "undecided"

// The kind of a departure from an expectation.
enum class Violation : uint8_t {
  kValue,       // an element is wrong
  kOutcome,     // refused or accepted against the rules
  kCrash,       // the backend crashed
  kTimeOut,     // the backend took too long
  kState,       // a variable is wrong
  kType,        // a type or a shape is wrong
  kStatistics,  // each element is possible, but not all of them together
  kFlush,       // subnormal numbers of a type are kept in one place and flushed in another
  kPlan,        // a checker of memory plans gives another verdict on a plan
};
inline constexpr Violation kAllViolations[] = {
    Violation::kValue,      Violation::kOutcome, Violation::kCrash,
    Violation::kTimeOut,    Violation::kState,   Violation::kType,
    Violation::kStatistics, Violation::kFlush,   Violation::kPlan};

std::string_view ViolationName(Violation violation);  // "value", "time-out"
std::optional<Violation> ViolationNamed(std::string_view name);
// Returns true for a crash or a time-out, after which there are no results.
constexpr bool HasNoResults(Violation violation) {
  return violation == Violation::kCrash || violation == Violation::kTimeOut;
}

// One way in which a backend departs from the expectation of a step.
struct Finding {
  std::string oracle;  // the oracle whose question was answered with no
  Violation violation = Violation::kValue;
  std::string rule;              // the numeric rule or rule id that the answer breaks
  Op op = Op::kUnknown;          // the operator blamed: producer of the wrong output
  DType type = DType::kUnknown;  // its CharacteristicType
  // The operators of the smallest graph that fails, if no operator can be blamed: "PAD,
  // AVG_POOL2D"; "" as long as they are not known. `type` is that of the first.
  std::string graph;
  int32_t step = 0;
  std::string tensor;                  // output or variable name
  std::string position;                // first wrong element, "[0,2,1]"
  std::string expected, got, allowed;  // of that element, for a person
  int64_t wrong_elements = 0;
  std::string message;  // one line
  // The ids of the readings of the specification that the verdict rests on, sorted.
  std::vector<std::string> readings;
  // The operators of the window of the graph that shows the finding: "CONV2D, CLAMP"; "" if the
  // whole vector shows it.
  std::string window;
  // The operators of the part of the graph that shows the finding on the backend's own values there
  // (taps): "MUL"; "" if the finding does not rest on taps.
  std::string taps;
  // The declarations of the backend that the verdict rests on: "plain-sums"; "" if it rests on the
  // specification alone.
  std::string rests_on;
  // Outcome::pass of a refusal, a crash or a time-out, and Outcome::rewrites.
  std::string pass, rewrites;
  // The wrong tensor or variable that this one was made from, and that may be the cause; "" if this
  // finding is a cause itself.
  std::string follows;

  // Returns, for a crash, a time-out or a refusal, the violation, the rule, the pass and, if it is
  // no time-out, the backend's message. Numbers, element types and parts (separated by " | ") that
  // were said before are left out. Returns "" for other findings.
  std::string Complaint() const;
  // Returns the text by which findings are the same: violation, rule, operator (or `graph`), type
  // and the declarations that it rests on. For a crash, a time-out or a refusal, it is the
  // complaint and the operator, or the complaint alone if it names the pass: where a backend failed
  // says more than what it was given.
  std::string Signature() const;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kUndecided;
  std::string reason;  // why undecided
  std::vector<Finding> findings;
  int64_t judged_elements = 0;
  int64_t undecided_elements = 0;
};

}  // namespace assay
