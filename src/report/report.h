#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// One operator of a vector and its CharacteristicType.
struct OperatorUse {
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;
  friend auto operator<=>(const OperatorUse&, const OperatorUse&) = default;
};

// What came of one vector, for tables and totals.
enum class CaseState : uint8_t {
  kAgrees,
  kDisagrees,
  kUndecided,
  kUnsupported,  // by the backend
  kBadInput,     // the vector could not be read
  kDefect,       // Assay itself failed on it
};
inline constexpr CaseState kAllCaseStates[] = {CaseState::kAgrees,    CaseState::kDisagrees,
                                               CaseState::kUndecided, CaseState::kUnsupported,
                                               CaseState::kBadInput,  CaseState::kDefect};

// "agrees", "disagrees", "undecided", "unsupported", "bad input", "defect".
std::string_view CaseStateName(CaseState state);

// The result of one vector on one backend: a line of the JSON-lines file, a test case of JUnit.
struct CaseResult {
  std::string vector;  // path, as given
  std::string name;
  std::string kind;                    // generator kind, "" if none
  std::vector<OperatorUse> operators;  // distinct, sorted
  CaseState state = CaseState::kUndecided;
  OutcomeKind outcome = OutcomeKind::kUnsupported;  // worst of the steps
  Verdict verdict;
  std::string note;  // one line: why unsupported, undecided or bad; what was seen only once
};

// A finding after minimization, with what a person needs to act on it.
struct ReportedFinding {
  Finding finding;
  int64_t seen = 1;        // vectors of the run with the same signature
  std::string vector;      // the minimized vector's path
  std::string replay;      // one command line
  std::string graph_text;  // the minimized graph, one operator a line
  std::string graph_svg;   // drawn, "" if Graphviz is absent
};

// A whole run: what all reports are made from.
struct RunReport {
  std::string title;    // "mlir (LLVM 22.1.8)"
  std::string backend;  // as given to --backend
  std::string command;
  std::vector<CaseResult> cases;
  std::vector<ReportedFinding> findings;
  std::map<std::string, int64_t> counts;  // extra figures, printed as they are
};

// How many cases came to each state, indexed by CaseState.
using StateCounts = std::array<int64_t, std::size(kAllCaseStates)>;
StateCounts CountStates(const std::vector<CaseResult>& cases);

// The same by operator and type: a case counts once for every operator and type in it.
std::map<OperatorUse, StateCounts> CountByOperator(const std::vector<CaseResult>& cases);

}  // namespace assay
