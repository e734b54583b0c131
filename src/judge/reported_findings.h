#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "report.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Vectors that disagree in the same way, before anybody has looked for the reason.
struct Suspicion {
  struct Member {
    Finding finding;
    int64_t case_index;                  // in the run's cases
    std::vector<OperatorUse> operators;  // of the case
    std::string log;                     // of the case
  };
  Member representative;
  int64_t seen = 1;
  std::vector<Member> others;  // all but the representative
};

// Which of the cases with the same signature stands for them: the one with the fewest operators,
// or the first, which does not change when more cases are added.
enum class Representative : uint8_t { kSmallest, kFirst };

// The disagreeing cases by signature, in the order of representatives.
std::vector<Suspicion> GroupFindings(const std::vector<CaseResult>& cases,
                                     Representative representative);

// How findings are worked up into what is reported.
struct FindingPlan {
  std::string backend;  // as given to --backend
  BackendOptions options;
  int jobs = 1;
  bool minimize = false;
  int repeats = 1;            // how often a vector that fails is run again
  std::string folder;         // gets the minimized vectors, and what the backend said; "": nothing
  bool keep_smaller = false;  // than what `folder` has for the same finding
  // The vector of a case; called in workers, too.
  std::function<Result<LoadedCase>(int64_t case_index)> load;
  // Its path, for the replay line of what is not minimized.
  std::function<std::string(int64_t case_index)> path;
};

struct WorkedUp {
  struct Entry {
    ReportedFinding finding;
    bool superseded = false;  // `folder` keeps a vector that is smaller
  };
  std::vector<Entry> findings;  // in the order in which they were first seen
  // Of each suspicion, KeyOf() what it came to; "" if its vector is gone.
  std::vector<std::string> signatures;
};

// What makes two reported findings the same: the signature, and whether they are minimized.
std::string KeyOf(const ReportedFinding& finding);

// One finding per signature. Without `minimize`, and after a signal (interrupt.h), nothing is run
// again: the representatives are reported as they were seen. With `minimize`, each representative
// is reduced to the smallest vector that still fails in the same way and written to `folder`; what
// then has the same signature is one finding, of which the smallest vector is kept. What does not
// fail every time that it is run again is reported as it was seen, marked as not repeatable; so is
// one, with its vector, whose worker dies meanwhile, marked as not minimized. A vector without the
// operators that a minimized finding blames does not fail for it, and has a representative of its
// own.
Result<WorkedUp> WorkUp(const std::vector<Suspicion>& suspicions, const FindingPlan& plan);

// Names a finding for which no operator can be blamed after the operators of its smallest vector:
// "PAD, AVG_POOL2D" (Finding::graph), and after the type of the first.
void NameAfterGraph(const TestVector& vector, Finding& finding);

// The command line that judges the vector of a finding again.
std::string ReplayLine(const std::string& path, const std::string& backend,
                       const BackendOptions& options, const Finding& finding);

// The options that name the backend again, in a command that repeats a run.
std::string BackendWords(const std::string& backend, const BackendOptions& options);

}  // namespace assay
