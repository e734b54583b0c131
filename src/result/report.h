// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blamed_pass.h"
#include "case_result.h"
#include "coverage_table.h"
#include "past_runs.h"
#include "power_summary.h"
#include "result.h"
#include "run_timing.h"
#include "tally.h"
#include "wrong_elements.h"

namespace assay {

// The cause of a finding, as far as experiments with its smallest vector tell it (FindCause()).
struct FindingCause {
  // An operator inside the vector that is wrong alone, on the values that the reference executor
  // has there, with its first wrong element. No operator: none is, or it was not tried.
  OperatorUse alone;
  std::string expected, got;
  bool needs_variables = false;  // every operator is right alone, and there are variables
  bool needs_constants = false;  // it is right if all constants that may be inputs are inputs
  bool refuses_nothing = false;  // the backend refuses no invalid graph, not even the simplest
  // The ids of the canaries and mutants of that operator that give the backend's results.
  std::vector<std::string> looks_like;
  BlamedPass changed_by;  // in which a compiler makes it wrong
  friend bool operator==(const FindingCause&, const FindingCause&) = default;
};

// A finding after minimization, with everything that a person needs to act on it.
struct ReportedFinding {
  Finding finding;
  FindingCause cause;
  DamagedBy damaged_by;  // the paths of the vectors in the report, as `vector`
  std::string known;     // the reason that a file of known failures gives; "" if it has none
  // If the file names the group of a finding that is not known: the operators that it names there,
  // and its reason, "CLAMP fp16 (NaN is taken as the maximum)".
  std::string known_beside;
  int64_t seen = 1;  // vectors of the run with the same signature
  // The number of these vectors that count for another finding, because no file names that one.
  int64_t seen_with_new = 0;
  // The operators and types that these vectors blamed before anything was minimized; sorted.
  std::vector<OperatorUse> first_blamed;
  std::string vector;      // the minimized vector's path
  std::string replay;      // one command line
  std::string graph_text;  // the minimized graph, one operator a line
  std::string graph_svg;   // an SVG drawing; "" if Graphviz is absent
  // The first wrong output of the vector; nothing if no value is wrong, or nothing was minimized.
  std::optional<WrongElements> wrong;
  // True if the finding came again whenever `vector` was run again. If false, `finding` is as first
  // seen, and the vector is not minimized.
  bool repeats = true;
  // A description of how the worker that was to minimize the vector ended; "" if it did not die.
  // The vector is then as it was found. `lost_by_itself`: the worker died by itself, which is a
  // defect of Assay. Otherwise it was killed, or had no memory.
  std::string lost;
  bool lost_by_itself = false;
  std::string log;         // path of the standard error of the backend's processes, "" if none
  std::string last_words;  // the last lines of it
  // Paths of the files with the compiler's module before and after the pass of `cause`, or "".
  std::string module_before, module_after;
};

// Suspects of a run that are likely of one kind, and one of them.
struct ReportedSuspect {
  std::string signature;  // the instrument, the operator that the suspicion begins with, its type
  std::string why;        // one line
  int64_t seen = 1;       // suspects of the run with the same signature
  std::string vector;     // the path of one
  std::string replay;     // one command line
  std::string graph_text;
  // True if the vector is a suspect of the same signature whenever it is run again. If false, it is
  // not minimized.
  bool repeats = true;
};

// The part of a file of known failures in a run.
struct KnownUse {
  std::string file;                // "" if none was given
  std::string today;               // the date that decides which entries have ended
  std::vector<std::string> notes;  // a line for each entry that has ended or matched nothing
  friend bool operator==(const KnownUse&, const KnownUse&) = default;
};

using CaseSink = std::function<Result<Done>(const CaseResult& result)>;
using CaseVisitor = std::function<Result<Done>(const CaseSink& sink)>;

// A whole run, from which all reports are made.
struct RunReport {
  std::string title;    // "mlir (LLVM 22.1.8)"
  std::string backend;  // as given to --backend
  std::string command;
  std::vector<std::string> suites;  // the paths on the command line that the cases are at or below
  std::map<std::string, std::string>
      replays;                    // a command line for each case that disagrees, by path
  std::vector<std::string> gaps;  // what the run has left out, a line each
  std::string folder;             // of the report, "" if none is written
  // False if the files of the report have "$REPORT" for the folder, so that they do not depend on
  // its name.
  bool names_folder = true;
  Tally tally;
  // All cases. If they were too many to keep and each_case is set, the first of those that do not
  // agree. Otherwise empty if they were too many.
  std::vector<CaseResult> cases;
  // Calls back with every case, in order; not set if `cases` has all. An Error of the callback ends
  // it.
  CaseVisitor each_case;
  std::vector<ReportedFinding> findings;
  std::vector<ReportedSuspect> suspects;  // grouped; empty if the command does not group them
  KnownUse known;
  PastRuns past;
  // Versions and settings, for people: a name and a value each.
  std::vector<std::pair<std::string, std::string>> facts;
  std::map<std::string, int64_t> counts;  // extra figures, printed as they are
  std::vector<CoverageGroup> coverage;    // of the vectors, where it was counted
  // The faults that an agreement would have noticed, of the graphs that the command line names
  // itself.
  std::optional<PowerSummary> power;
  int power_min = 0;  // percent; less of it leaves the run undecided
  // The SHA-256 of the suite.json of each of `suites` that is of a conformance package, by path.
  std::map<std::string, std::string> suite_hashes;
  std::optional<RunTiming> timing;  // nothing: reports have no clock
};

// The work of a run on each kind of case, and the cases of its last round (WorkShare).
struct WorkByKind {
  struct Kind {
    int64_t next = 0;  // the place in the shard at which the search for its next case begins
    int64_t cases = 0, work = 0;
  };
  int64_t round = -1;
  std::vector<int64_t> cases;  // places in the shard
  std::vector<Kind> kinds;
};

// The progress of a run that can be resumed.
struct RunProgress {
  std::string campaign;  // what it runs; only the same run can be resumed
  int64_t next = 0;      // all cases before it are done
  int64_t outside = 0;   // of these, the cases outside the target, which did not run
  int64_t invalid = 0;   // of these, the cases for which no valid vector was found
  Tally tally;
  // The tallies of the cases that disagree, by the key of the finding that they count for.
  std::map<std::string, Tally> tallies;
  WorkByKind work;
  // The signatures as first seen, with the keys of the findings that came from them; "" if the
  // vector was gone.
  std::map<std::string, std::string> signatures;
  std::map<std::string, ReportedFinding> findings;  // by key
  std::map<std::string, ReportedSuspect> suspects;  // by signature
};

}  // namespace assay
