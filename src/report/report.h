#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// The result of one vector on one backend: a line of the JSON-lines file, a test case of JUnit.
struct CaseResult {
  std::string vector;  // path, as given
  std::string name;
  std::string kind;                    // generator kind, "" if none
  std::vector<std::string> operators;  // distinct, in order of appearance
  std::vector<std::string> types;
  OutcomeKind outcome = OutcomeKind::kUnsupported;  // worst of the steps
  Verdict verdict;
  std::string note;  // why unsupported or undecided
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

}  // namespace assay
