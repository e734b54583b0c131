// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "report.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// Vectors that disagree in the same way, before the reason is known.
struct Suspicion {
  struct Member {
    Finding finding;
    int64_t case_index;                    // in the run's cases
    std::vector<OperatorUse> operators;    // of the case
    std::string log;                       // of the case
    DamagedBy damaged_by = {};             // of the case
    std::vector<OperatorUse> blamed = {};  // by all causes in the case
  };
  Member representative;
  int64_t seen = 1;
  std::vector<Member> others;  // all but the representative
};

// The choice of the case that represents all cases with the same signature: the one with the fewest
// operators, or the first, which does not change when more cases are added.
enum class Representative : uint8_t { kSmallest, kFirst };

// The number of cases of one signature that are kept beside the representative: the first ones.
// More are only counted.
inline constexpr int64_t kMembersMax = 100;

// Makes a case that has these findings count for another of them: moves it to the front.
void PutFirst(size_t position, std::vector<Finding>& findings);

// Groups disagreeing cases by their first finding's signature while they come.
class FindingGrouper {
 public:
  explicit FindingGrouper(Representative representative) : representative_(representative) {}
  // Adds a case, which is ignored unless it disagrees. Returns true if it is kept.
  bool Add(const CaseResult& result, int64_t index);
  // Returns the groups in the order of their representatives.
  std::vector<Suspicion> Suspicions() const;

 private:
  Representative representative_;
  std::map<std::string, Suspicion> groups_;
};

// Groups the disagreeing cases by signature, in the order of their representatives.
std::vector<Suspicion> GroupFindings(const std::vector<CaseResult>& cases,
                                     Representative representative);

// Returns the operators that the cases of a suspicion blame.
std::set<OperatorUse> FirstBlamedBy(const Suspicion& suspicion);
// Adds operators to ReportedFinding::first_blamed.
void AddBlamed(std::set<OperatorUse> blamed, ReportedFinding& finding);

// Returns false for a vector that is left out.
using VectorFilter = std::function<bool(const TestVector& vector)>;

// Options for turning suspicions into reported findings.
struct FindingPlan {
  std::string backend;  // as given to --backend
  // The backend in replay lines, if it is another one: that whose recorded answers are judged.
  std::string reported_backend = {};
  const std::string& ReportedBackend() const {
    return reported_backend.empty() ? backend : reported_backend;
  }
  BackendOptions options;
  int jobs = 1;
  bool minimize = false;
  int repeats = 1;            // how often a vector that fails is run again
  std::string folder;         // receives minimized vectors and logs; "" if none are written
  bool keep_smaller = false;  // keeps a vector in `folder` that is smaller
  // Loads the vector of a case. Workers call it, too.
  std::function<Result<LoadedCase>(int64_t case_index)> load;
  // Returns the name of a case in the report, if its finding is not minimized: its path.
  std::function<std::string(int64_t case_index)> path;
  // Returns the words of the replay line that name the case then; if it is empty, the path.
  std::function<std::string(int64_t case_index)> words;
  // Returns the case of this name, for the vectors of DamagedBy.
  std::function<std::optional<int64_t>(const std::string& name)> find;
  // If not null, vectors are run again on this backend and in this process, rather than by workers
  // that open `backend`. It is for backends that exist in this process only.
  Backend* in_process = nullptr;
  VectorFilter takes;  // chooses the vectors that minimization may report; if it is empty, all
  // Tells how far minimization has come: the number of the vector that is minimized, how many there
  // are, and the runs of the backend so far.
  std::function<void(int64_t number, int64_t of, int64_t runs)> tell = {};
};

struct WorkedUp {
  struct Entry {
    ReportedFinding finding;
    bool superseded = false;  // `folder` keeps a vector that is smaller
  };
  std::vector<Entry> findings;  // in the order in which they were first seen
  // For each suspicion, KeyOf() the finding that it led to; "" if its vector is gone.
  std::vector<std::string> signatures;
  // The number of findings that are not at their smallest, because recorded answers have none to
  // smaller vectors.
  int64_t unanswered = 0;
};

// Returns the key of a reported finding: its signature, and whether it is minimized. Findings with
// one key are the same.
std::string KeyOf(const ReportedFinding& finding);

// Returns the number of runs of the backend that the reduction of a finding may take. A vector that
// hangs takes seconds, and one that crashes may start the backend anew, so these may take fewer.
int64_t CallsMaxFor(const Finding& finding);

// Reports one finding per signature. Without `minimize`, nothing is run again: the representatives
// are reported as they were seen. A signal (interrupt.h) ends minimization. Findings are then
// reported as small as they have become, and marked as not minimized; those that nothing has made
// smaller are reported as they were seen, without a file. A plan with `keep_smaller` writes no file
// then, because its run minimizes them again.
//
// With `minimize`, each representative is reduced to the smallest vector that still fails in the
// same way, and written to `folder`. Of findings that then have the same signature, the smallest
// vector is kept. If a representative does not fail every time, it is reported as it was seen and
// marked as not repeatable. If its worker dies, it is reported as it was seen, with its vector, and
// marked as not minimized.
//
// A vector without the operators that a minimized finding blames does not fail because of them. It
// gets a representative of its own.
Result<WorkedUp> WorkUp(const std::vector<Suspicion>& suspicions, const FindingPlan& plan);

// Removes the files of findings that WorkUp() could not minimize, before a run that a signal ended
// goes on.
Result<Done> RemoveNotMinimized(const std::string& folder);

// Returns the graphs of a vector with one operator a line, then the inputs.
std::string TextOf(const TestVector& vector);

// Names a finding for which no operator can be blamed after the operators of its smallest vector:
// "PAD, AVG_POOL2D" (Finding::graph). Its type is that of the first operator.
void NameAfterGraph(const TestVector& vector, Finding& finding);

// Names the operators with which a smallest vector goes wrong (NameWrongOperators()), or all of its
// operators if the finding names none.
void NameSmallest(Backend& backend, const TestVector& vector, CaseResult& result);

// Returns the words of a replay line for a case of the plan that is not minimized: those of the
// vectors that have damaged the process, and its own.
std::string CaseWords(const FindingPlan& plan, const DamagedBy& damaged_by, int64_t case_index);

// Returns the command line that judges the vector of a finding again. `words` name the vector; if
// others have damaged its process, they come first, and one process runs all.
std::string ReplayLine(const std::string& words, const std::string& backend,
                       const BackendOptions& options, const Finding& finding);

// Returns the options that name the backend, for a command that repeats a run.
std::string BackendWords(const std::string& backend, const BackendOptions& options);

}  // namespace assay
