// SPDX-License-Identifier: Apache-2.0
#include "reported_findings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "backend_kind.h"
#include "case_judge.h"
#include "clean_text.h"
#include "draw_finding.h"
#include "files.h"
#include "find_cause.h"
#include "find_wrong_elements.h"
#include "finding_text.h"
#include "finding_to_keep.h"
#include "graph_text.h"
#include "interrupt.h"
#include "json_lines.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "judge_operators.h"
#include "parse_number.h"
#include "quoted.h"
#include "reduce.h"
#include "tvec_file.h"
#include "worker_pool.h"

namespace assay {
namespace {

// The number of findings that are drawn. Nobody looks at more pictures.
constexpr size_t kDrawnMax = 100;

// CallsMaxFor() a finding.
constexpr int64_t kCallsMax = 1000;
constexpr int64_t kSlowCallsMax = 50;
// The number of times that a smaller vector has to fail in a row, and that the reported one has to.
// A vector that hangs takes long, and hangs are rarely a matter of chance.
constexpr int kRepeats = 2;
constexpr int kConfirmations = 4;
constexpr int kSlowRepeats = 1;

// The number of operators in a finding's name, and of lines of standard error in a report.
constexpr size_t kNamesMax = 4;
constexpr size_t kLastLines = 6;

// A representative at its smallest, with the way in which it then fails. It is as it was found if
// it does not repeat, or if the worker that was to reduce it died. Report() adds the texts and the
// paths of files to the finding; until then it has none.
struct Minimized {
  ReportedFinding found;
  TestVector vector;
  std::vector<uint8_t> bytes;
  std::string log;
  int64_t case_index = 0;
  bool unanswered = false;  // recorded answers have none to a smaller vector
  bool untouched = false;   // a signal came before the vector was made smaller
};

bool IsSlow(const Finding& finding) { return finding.violation == Violation::kTimeOut; }

// Tells which of two findings of the same signature is shown: one that repeats, then one that could
// be reduced, then the smaller one.
bool IsBetter(const Minimized& a, const Minimized& b) {
  if (a.found.repeats != b.found.repeats) return a.found.repeats;
  if (a.found.lost.empty() != b.found.lost.empty()) return a.found.lost.empty();
  const int64_t operators_a = a.vector.OperatorCount(), operators_b = b.vector.OperatorCount();
  return operators_a != operators_b ? operators_a < operators_b : a.bytes.size() < b.bytes.size();
}

// Returns the distinct operators of the vector's graphs with their types, in order. Constants are
// left out, unless there is nothing else.
std::vector<OperatorUse> OperatorsInOrder(const TestVector& vector) {
  std::vector<OperatorUse> uses, constants;
  for (const auto& [block, op] : vector.Operators()) {
    std::vector<OperatorUse>& list = IsConstant(op.op) ? constants : uses;
    if (std::ranges::find(list, op.op, &OperatorUse::op) != list.end()) continue;
    list.push_back({op.op, CharacteristicType(block, op)});
  }
  return uses.empty() ? constants : uses;
}

std::string FileNameFor(const ReportedFinding& found) {
  const Finding& finding = found.finding;
  std::string words(finding.graph.empty() ? OperatorLabel(finding.op) : finding.graph);
  if (finding.type != DType::kUnknown) words += " " + std::string(TypeName(finding.type));
  words += " " + std::string(ViolationName(finding.violation));
  if (!found.lost.empty()) words.insert(0, "not minimized ");
  if (!found.repeats) words.insert(0, "not repeatable ");
  return FileNameFrom(words, finding.Signature());
}

// Returns the last lines of a text.
std::string LastLinesOf(const std::string& text) {
  size_t start = text.find_last_not_of("\r\n ");
  if (start == std::string::npos) return "";
  const size_t end = start + 1;
  for (size_t lines = 0; lines < kLastLines && start != std::string::npos; ++lines) {
    start = start == 0 ? std::string::npos : text.rfind('\n', start - 1);
  }
  start = start == std::string::npos ? 0 : start + 1;
  return text.substr(start, end - start);
}

// One reduction: what it sends to the process that waits for it.
struct Reducing {
  const WorkNotes* notes = nullptr;  // null in the process that waits
  int64_t runs = 0;                  // of the backend
  bool unanswered = false;           // recorded answers have none to a vector
  std::chrono::steady_clock::time_point told = {};

  // Counts a run. Tells of it, but not more often than anybody looks.
  void Count() {
    ++runs;
    if (std::chrono::steady_clock::now() > told + std::chrono::milliseconds(100)) Tell("", false);
  }
  // Sends the reply that holds if no better one comes. `is_last` says that none will.
  void Tell(const std::string& reply, bool is_last) {
    if (notes == nullptr) return;
    told = std::chrono::steady_clock::now();
    notes->Send(std::to_string(runs) + (is_last ? "!" : "") + "\n" + reply);
  }
};

// The content of the notes of one reduction.
struct Told {
  int64_t runs = 0;
  std::string reply;     // Packed(), or "" if the vector is as it was found
  bool is_last = false;  // the reduction ended with this reply

  void Take(const std::string& note) {
    const size_t line_end = note.find('\n');
    if (line_end == std::string::npos) return;
    const std::string_view line = std::string_view(note).substr(0, line_end);
    is_last = line.ends_with('!');
    ParseNumber(line.substr(0, line.find('!')), runs);
    if (line_end + 1 < note.size()) reply = note.substr(line_end + 1);
  }
};

// Returns the last result if the vector fails in the same way `times` times in a row; nothing
// otherwise.
std::optional<CaseResult> Failure(Backend& backend, const TestVector& vector,
                                  const FindingToKeep& finding, int times, Reducing& reducing) {
  CaseResult result;
  for (int i = 0; i < times; ++i) {
    result = JudgeOnce(backend, vector, "");
    reducing.Count();
    reducing.unanswered = reducing.unanswered || result.unanswered;
    if (result.state != CaseState::kDisagrees) return std::nullopt;
    const std::optional<size_t> same = finding.In(result.verdict.findings);
    if (!same) return std::nullopt;
    PutFirst(*same, result.verdict.findings);
  }
  return result;
}

// Names the first finding of a result after the graph if no operator or window names it.
void NameFirst(const TestVector& vector, CaseResult& judged) {
  Finding& finding = judged.verdict.findings[0];
  if (finding.op == Op::kUnknown && finding.window.empty()) NameAfterGraph(vector, finding);
}

// The beginning of the names of files of findings that are not minimized (FileNameFor()).
constexpr std::string_view kNotMinimizedFile = "not-minimized-";

constexpr char kUnanswered[] = "unanswered";

// Returns what a worker process replies: the case, its cause, its wrong elements, kUnanswered if
// that is so, and the bytes of its vector.
std::string Packed(const CaseResult& judged, const FindingCause& cause,
                   const std::optional<WrongElements>& wrong, bool unanswered,
                   const TestVector& vector) {
  const std::vector<uint8_t> bytes = WriteTestVector(vector);
  return CaseToJson(judged, true) + "\n" + CauseToJson(cause) + "\n" + WrongElementsToJson(wrong) +
         "\n" + (unanswered ? kUnanswered : "") + "\n" + std::string(bytes.begin(), bytes.end());
}

// Returns the smallest vector that fails reliably. A vector that fails only sometimes (for a
// backend that reads uninitialised memory) stays as it was found.
TestVector Smallest(Backend& backend, const FindingPlan& plan, const TestVector& vector,
                    const FindingToKeep& kept, const Finding& seen, Reducing& reducing) {
  const int repeats = IsSlow(seen) ? kSlowRepeats : kRepeats;
  const ReduceOptions options{.calls_max = CallsMaxFor(seen)};
  if (!Failure(backend, vector, kept, 1, reducing)) return vector;
  const auto fails = [&](const TestVector& candidate) {
    if (plan.takes && !plan.takes(candidate)) return false;
    std::optional<CaseResult> judged = Failure(backend, candidate, kept, repeats, reducing);
    if (!judged) return false;
    NameFirst(candidate, *judged);
    reducing.Tell(Packed(*judged, {}, {}, reducing.unanswered, candidate), false);
    return true;
  };
  TestVector smallest = Reduce(vector, fails, options).vector;
  backend.RunNextAlone();  // a candidate may have damaged the process
  return Failure(backend, smallest, kept, repeats, reducing) ? smallest : vector;
}

// Returns the position of a finding with the same signature; nothing if there is none.
std::optional<size_t> PositionOf(const Finding& seen, const std::vector<Finding>& findings) {
  for (size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].Signature() == seen.Signature()) return i;
  }
  return std::nullopt;
}

// Returns the whole vector with its finding, which only taps show. Returns "" if it does not come
// again every time.
std::string ConfirmedByTaps(Backend& backend, const LoadedCase& loaded, const Finding& seen,
                            int repeats) {
  CaseResult judged = JudgeInDepth(backend, loaded, "", repeats);
  if (judged.state != CaseState::kDisagrees) return "";
  const std::optional<size_t> same = PositionOf(seen, judged.verdict.findings);
  if (!same) return "";
  PutFirst(*same, judged.verdict.findings);
  return Packed(judged, {}, {}, false, loaded.vector);
}

// Returns the vectors that have damaged a process; those that are gone are left out.
std::vector<LoadedCase> DamagingVectors(const FindingPlan& plan, const DamagedBy& damaged_by) {
  std::vector<LoadedCase> vectors;
  for (const std::string& name : damaged_by.vectors) {
    const std::optional<int64_t> index = plan.find ? plan.find(name) : std::nullopt;
    if (!index) continue;
    Result<LoadedCase> loaded = plan.load(*index);
    if (loaded) vectors.push_back(std::move(*loaded));
  }
  return vectors;
}

// Returns a vector with its finding, if it is wrong again after those that damage the process; ""
// if it is not. None of them is reduced.
std::string ConfirmedAfter(Backend& backend, const FindingPlan& plan, const LoadedCase& loaded,
                           const Suspicion::Member& seen) {
  if (!DisagreesAfter(backend, DamagingVectors(plan, seen.damaged_by), loaded)) return "";
  CaseResult result = NewCase(JudgedVector(loaded), "");
  result.verdict.findings = {seen.finding};
  result.log = seen.log;
  return Packed(result, {}, {}, false, JudgedVector(loaded));
}

// Reduces the representative of a suspicion on its own backend. Returns "" if it does not fail
// every time.
std::string Reduced(Backend& backend, const FindingPlan& plan, const Suspicion& suspicion,
                    Reducing reducing = {}) {
  Finding seen = suspicion.representative.finding;
  const Result<LoadedCase> loaded = plan.load(suspicion.representative.case_index);
  if (!loaded) return "";
  backend.RunNextAlone();
  if (IsDamage(seen)) return ConfirmedAfter(backend, plan, *loaded, suspicion.representative);
  LoadedCase smallest{JudgedVector(*loaded), {}};
  if (!seen.window.empty() || !seen.taps.empty()) {
    std::optional<FailingWindow> failing = FailingPart(backend, smallest.vector, seen);
    // Outputs that are wrong show the finding as well.
    CaseResult whole = failing ? CaseResult() : JudgeOnce(backend, smallest.vector, "");
    if (failing) {
      smallest.vector = std::move(failing->vector);
      whole = std::move(failing->result);
    } else if (whole.state != CaseState::kDisagrees) {
      if (seen.taps.empty()) return "";
      return ConfirmedByTaps(backend, smallest, seen, std::max(plan.repeats, kConfirmations));
    }
    std::vector<Finding>& findings = whole.verdict.findings;
    seen = std::move(findings[PositionOf(seen, findings).value_or(0)]);
  }
  const FindingToKeep kept(smallest.vector, seen);
  smallest.vector = Smallest(backend, plan, smallest.vector, kept, seen, reducing);
  const int repeats = std::max(plan.repeats, IsSlow(seen) ? kSlowRepeats : kConfirmations);
  CaseResult judged = JudgeOnBackend(backend, smallest, "", repeats);
  if (judged.state != CaseState::kDisagrees) return "";
  PutFirst(kept.In(judged.verdict.findings).value_or(0), judged.verdict.findings);
  NameSmallest(backend, smallest.vector, judged);
  Finding& finding = judged.verdict.findings[0];
  // For an Arm test, the message tells what its recorded result says.
  if (loaded->recorded && finding.message.empty()) finding.message = seen.message;
  std::string reply = Packed(judged, FindCause(backend, smallest.vector, finding),
                             FindWrongElements(backend, smallest.vector, finding),
                             reducing.unanswered, smallest.vector);
  reducing.Tell(reply, true);
  return reply;
}

std::optional<Minimized> MinimizedFrom(const std::string& reply) {
  std::string_view text = reply;
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  Result<CaseResult> judged = CaseFromJson(lines[0]);
  Result<FindingCause> cause = CauseFromJson(lines[1]);
  if (!judged || judged->verdict.findings.empty() || !cause) return std::nullopt;
  Minimized minimized;
  minimized.found.cause = std::move(*cause);
  minimized.found.wrong = WrongElementsFromJson(std::string(lines[2]));
  minimized.unanswered = lines[3] == kUnanswered;
  minimized.found.finding = std::move(judged->verdict.findings[0]);
  minimized.log = std::move(judged->log);
  minimized.bytes.assign(text.begin(), text.end());
  Result<TestVector> vector = ReadTestVector(minimized.bytes, "minimized vector");
  if (!vector) return std::nullopt;
  minimized.vector = std::move(*vector);
  return minimized;
}

// Returns the representative as it was seen; nothing if its vector is gone.
std::optional<Minimized> AsSeen(const Suspicion& suspicion, const FindingPlan& plan) {
  Result<LoadedCase> loaded = plan.load(suspicion.representative.case_index);
  if (!loaded) return std::nullopt;
  Minimized seen;
  seen.found.finding = suspicion.representative.finding;
  seen.found.damaged_by = suspicion.representative.damaged_by;
  seen.vector = JudgedVector(*loaded);
  seen.bytes = WriteTestVector(seen.vector);
  seen.log = suspicion.representative.log;
  return seen;
}

// Returns the representative as small as it had become when a signal came.
std::optional<Minimized> AsReached(const Suspicion& suspicion, const FindingPlan& plan,
                                   const Told& told) {
  std::optional<Minimized> reached = MinimizedFrom(told.reply);
  if (!reached) {
    reached = AsSeen(suspicion, plan);
    if (reached) reached->untouched = true;
  } else if (!told.is_last) {
    StateFacts(reached->vector);
    reached->bytes = WriteTestVector(reached->vector);
    reached->found.lost = "interrupted after " + std::to_string(told.runs) + " runs";
  }
  return reached;
}

struct MinimizedBefore {
  int64_t vectors = 0, runs = 0;
};

int64_t RunsOf(const std::map<int64_t, Told>& told) {
  int64_t runs = 0;
  for (const auto& [index, of_one] : told) runs += of_one.runs;
  return runs;
}

// Returns all representatives at their smallest, in order. Representatives that did not fail every
// time, or whose worker died, are as they were seen. After a signal, they are as AsReached() gives
// them. An entry is nothing if its vector is gone.
// `before` counts the vectors and runs of earlier calls, for the progress line.
Result<std::vector<std::optional<Minimized>>> MinimizeAll(const std::vector<Suspicion>& suspicions,
                                                          const FindingPlan& plan,
                                                          MinimizedBefore& before) {
  std::vector<std::optional<Minimized>> all;
  if (!plan.minimize) {
    for (const Suspicion& suspicion : suspicions) all.push_back(AsSeen(suspicion, plan));
    return all;
  }
  WorkPlan work;
  work.last = static_cast<int64_t>(suspicions.size());
  work.jobs = plan.jobs;
  std::map<int64_t, Told> told;
  WorkNotes notes;
  work.notes = &notes;
  notes.take = [&](int64_t index, const std::string& note) {
    told[index].Take(note);
    if (!plan.tell) return;
    plan.tell(before.vectors + std::ssize(all) + 1, before.vectors + work.last,
              before.runs + RunsOf(told));
  };
  work.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(plan.backend, plan.options);
    if (!opened) return opened.error();
    std::shared_ptr<Backend> backend = std::move(*opened);
    return Work([backend, &plan, &suspicions, &notes](int64_t index) -> Result<std::string> {
      const Suspicion& suspicion = suspicions[static_cast<size_t>(index)];
      std::string reduced = Reduced(*backend, plan, suspicion, {.notes = &notes});
      if (const auto failure = backend->MachineFailure()) return *failure;
      return reduced;
    });
  };
  work.merge = [&](int64_t index, std::string reply, const Loss& loss) -> Result<Done> {
    std::optional<Minimized> minimized = MinimizedFrom(reply);
    if (!minimized) {
      minimized = AsSeen(suspicions[static_cast<size_t>(index)], plan);
      if (minimized && !loss) minimized->found.repeats = false;
      if (minimized && loss) {
        minimized->found.lost = loss.how;
        minimized->found.lost_by_itself = loss.by_itself;
      }
    } else {
      minimized->found.damaged_by =
          suspicions[static_cast<size_t>(index)].representative.damaged_by;
    }
    all.push_back(std::move(minimized));
    return Done{};
  };
  if (plan.in_process != nullptr) {
    for (int64_t index = 0; index < work.last; ++index) {
      const Suspicion& suspicion = suspicions[static_cast<size_t>(index)];
      const Result<Done> merged = work.merge(index, Reduced(*plan.in_process, plan, suspicion), {});
      if (!merged) return merged.error();
    }
    return all;
  }
  const Result<int64_t> done = RunWork(work);
  if (!done) return done.error();
  for (int64_t index = *done; index < work.last; ++index) {
    all.push_back(AsReached(suspicions[static_cast<size_t>(index)], plan, told[index]));
  }
  before.vectors += work.last;
  before.runs += RunsOf(told);
  return all;
}

// Returns true if the folder has a smaller vector for the same finding. The same vector is none: a
// run that was killed may have written it, and finds it again.
bool HasSmaller(const std::string& path, const Minimized& minimal) {
  if (!FileExists(path)) return false;
  Result<std::vector<uint8_t>> bytes = ReadFile(path);
  if (!bytes || *bytes == minimal.bytes) return false;
  Result<TestVector> vector = ReadTestVector(*bytes, path);
  if (!vector) return false;
  Minimized old = minimal;
  old.vector = std::move(*vector);
  old.bytes = std::move(*bytes);
  return !IsBetter(minimal, old);
}

// Returns the operators that a finding blames; none if they are not known.
std::vector<Op> BlamedBy(const Minimized& minimal) {
  const Finding& finding = minimal.found.finding;
  if (finding.op != Op::kUnknown) return {finding.op};
  std::vector<Op> operators;
  if (finding.graph.empty()) return operators;
  for (const OperatorUse& use : OperatorsInOrder(minimal.vector)) operators.push_back(use.op);
  return operators;
}

// Removes the members of a suspicion that do not have all operators which the minimized
// representative blames. Returns them as a suspicion of their own, represented by the smallest;
// nothing if there are none.
std::optional<Suspicion> SetApart(Suspicion& suspicion, const std::vector<Op>& blamed) {
  const auto holds = [&blamed](const Suspicion::Member& member) {
    return std::ranges::all_of(blamed, [&member](Op op) {
      return std::ranges::find(member.operators, op, &OperatorUse::op) != member.operators.end();
    });
  };
  // The blamed operators are unknown, or they are a constant or come from shrinking.
  if (blamed.empty() || !holds(suspicion.representative)) return std::nullopt;
  std::vector<Suspicion::Member>& others = suspicion.others;
  const auto apart = std::stable_partition(others.begin(), others.end(), holds);
  if (apart == others.end()) return std::nullopt;
  const auto smallest = std::min_element(
      apart, others.end(), [](const Suspicion::Member& a, const Suspicion::Member& b) {
        return a.operators.size() < b.operators.size();
      });
  Suspicion result = {*smallest, others.end() - apart, {}};
  for (auto member = apart; member != others.end(); ++member) {
    if (member != smallest) result.others.push_back(std::move(*member));
  }
  others.erase(apart, others.end());
  suspicion.seen -= result.seen;
  return result;
}

// Adds a minimized vector to the kept ones, of which there is one for each signature.
void Keep(Minimized candidate, std::vector<Minimized>& kept, std::map<std::string, size_t>& known) {
  const auto [at, is_new] = known.try_emplace(KeyOf(candidate.found), kept.size());
  if (is_new) {
    kept.push_back(std::move(candidate));
    return;
  }
  Minimized& best = kept[at->second];
  if (IsBetter(candidate, best)) std::swap(candidate, best);
  best.found.seen += candidate.found.seen;
  const std::vector<OperatorUse>& blamed = candidate.found.first_blamed;
  AddBlamed({blamed.begin(), blamed.end()}, best.found);
}

// Writes a text beside a finding, or removes the file of another run. Returns the path, "" if there
// is nothing to write.
Result<std::string> WriteBeside(const Minimized& minimal, const FindingPlan& plan,
                                const std::string& ending, const std::string& text) {
  if (plan.folder.empty()) return std::string();
  const std::string path = JoinPath(plan.folder, FileNameFor(minimal.found) + ending);
  if (text.empty()) {
    std::remove(path.c_str());
    return std::string();
  }
  const Result<Done> made = MakeDirectories(plan.folder);
  if (!made) return made.error();
  const Result<Done> written = WriteFileAtomically(path, std::string_view(text));
  if (!written) return written.error();
  return path;
}

// Writes the backend's standard error and the compiler's modules beside a finding.
Result<Done> WriteAllBeside(const Minimized& minimal, const FindingPlan& plan,
                            ReportedFinding& report) {
  const BlamedPass& blamed = minimal.found.cause.changed_by;
  const std::string log = CleanText(minimal.log);
  const std::tuple<const char*, const std::string&, std::string&> files[] = {
      {".log", log, report.log},
      {".before.mlir", blamed.before, report.module_before},
      {".after.mlir", blamed.after, report.module_after}};
  for (const auto& [ending, text, path] : files) {
    Result<std::string> written = WriteBeside(minimal, plan, ending, text);
    if (!written) return written.error();
    path = std::move(*written);
  }
  return Done{};
}

// Writes the vectors that have damaged the process beside that of a finding.
Result<Done> WriteDamaging(const FindingPlan& plan, ReportedFinding& report, bool superseded) {
  const std::vector<LoadedCase> vectors = DamagingVectors(plan, report.damaged_by);
  report.damaged_by.vectors.clear();
  for (size_t i = 0; i < vectors.size(); ++i) {
    const std::string number = vectors.size() == 1 ? "" : "-" + std::to_string(i + 1);
    report.damaged_by.vectors.push_back(
        JoinPath(plan.folder, FileNameFor(report) + ".before" + number + ".tvec"));
    if (superseded) continue;
    const Result<Done> written = WriteFileAtomically(report.damaged_by.vectors.back(),
                                                     WriteTestVector(JudgedVector(vectors[i])));
    if (!written) return written;
  }
  return Done{};
}

Result<WorkedUp::Entry> Report(const Minimized& minimal, const FindingPlan& plan, bool draw) {
  WorkedUp::Entry entry = {.finding = minimal.found};
  ReportedFinding& report = entry.finding;
  report.last_words = LastLinesOf(minimal.log);
  report.graph_text = TextOf(minimal.vector);
  if (draw) report.graph_svg = DrawFinding(minimal.vector, report.finding);
  if (!draw) report.wrong.reset();
  report.vector = plan.path(minimal.case_index);
  const bool is_written = plan.minimize && !minimal.untouched;
  if (is_written) {
    report.vector = JoinPath(plan.folder, FileNameFor(report) + ".tvec");
    entry.superseded = plan.keep_smaller && HasSmaller(report.vector, minimal);
  }
  if (is_written && !entry.superseded) {
    const Result<Done> written = WriteFileAtomically(report.vector, minimal.bytes);
    if (!written) return written.error();
  }
  if (!entry.superseded && !minimal.untouched) {
    const Result<Done> written = WriteAllBeside(minimal, plan, report);
    if (!written) return written.error();
  }
  std::string words = CaseWords(plan, report.damaged_by, minimal.case_index);
  if (is_written) {
    const Result<Done> written = WriteDamaging(plan, report, entry.superseded);
    if (!written) return written.error();
    words.clear();
    for (const std::string& path : report.damaged_by.vectors) words += ShellWord(path) + " ";
    words += ShellWord(report.vector);
  }
  report.replay = ReplayLine(words, plan.ReportedBackend(), plan.options, report.finding);
  return entry;
}

}  // namespace

int64_t CallsMaxFor(const Finding& finding) {
  return HasNoResults(finding.violation) ? kSlowCallsMax : kCallsMax;
}

std::string ReplayLine(const std::string& words, const std::string& backend,
                       const BackendOptions& options, const Finding& finding) {
  return "assay verify " + words + " " + BackendWords(backend, options) +
         (IsImplied(finding) ? " --implied-errors" : "") + (IsDamage(finding) ? " --jobs 1" : "");
}

std::string CaseWords(const FindingPlan& plan, const DamagedBy& damaged_by, int64_t case_index) {
  const auto words_of = [&plan](int64_t index) {
    return plan.words ? plan.words(index) : ShellWord(plan.path(index));
  };
  std::string words;
  for (const std::string& name : damaged_by.vectors) {
    const std::optional<int64_t> index = plan.find ? plan.find(name) : std::nullopt;
    words += (index ? words_of(*index) : ShellWord(name)) + " ";
  }
  return words + words_of(case_index);
}

std::set<OperatorUse> FirstBlamedBy(const Suspicion& suspicion) {
  std::set<OperatorUse> blamed(suspicion.representative.blamed.begin(),
                               suspicion.representative.blamed.end());
  for (const Suspicion::Member& other : suspicion.others) {
    blamed.insert(other.blamed.begin(), other.blamed.end());
  }
  return blamed;
}

void AddBlamed(std::set<OperatorUse> blamed, ReportedFinding& finding) {
  blamed.insert(finding.first_blamed.begin(), finding.first_blamed.end());
  finding.first_blamed.assign(blamed.begin(), blamed.end());
}

std::string KeyOf(const ReportedFinding& finding) {
  return finding.finding.Signature() + (finding.lost.empty() ? "" : "|not minimized");
}

std::string TextOf(const TestVector& vector) {
  std::string text;
  const bool many = vector.graphs.size() > 1;
  for (size_t i = 0; i < vector.graphs.size(); ++i) {
    if (many) text += "graph " + std::to_string(i) + "\n";
    text += GraphText(vector.graphs[i]);
  }
  const bool contexts = std::any_of(vector.steps.begin(), vector.steps.end(),
                                    [](const Step& step) { return step.context != 0; });
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    text += "step " + std::to_string(i);
    if (contexts) text += " context " + std::to_string(step.context);
    if (many) text += " graph " + std::to_string(step.graph);
    for (const Tensor& input : step.inputs) text += " " + TensorText(input);
    text += "\n";
  }
  return text;
}

void NameAfterGraph(const TestVector& vector, Finding& finding) {
  const std::vector<OperatorUse> uses = OperatorsInOrder(vector);
  if (uses.empty()) return;
  finding.type = uses[0].type;
  finding.graph.clear();
  for (size_t i = 0; i < uses.size() && i < kNamesMax; ++i) {
    finding.graph += (i == 0 ? "" : ", ") + std::string(OperatorName(uses[i].op));
  }
  if (uses.size() > kNamesMax) {
    const size_t others = uses.size() - kNamesMax;
    finding.graph += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
  }
}

void NameSmallest(Backend& backend, const TestVector& vector, CaseResult& result) {
  AloneRule rule;
  NameWrongOperators(backend, vector, rule, result);
  NameFirst(vector, result);
}

void PutFirst(size_t position, std::vector<Finding>& findings) {
  const auto first = findings.begin() + static_cast<std::ptrdiff_t>(position);
  std::rotate(findings.begin(), first, first + 1);
}

bool FindingGrouper::Add(const CaseResult& result, int64_t index) {
  if (result.state != CaseState::kDisagrees) return false;
  const Finding& finding = result.verdict.findings[0];
  Suspicion::Member other = {finding, index, result.operators, result.log, result.damaged_by, {}};
  for (const Finding& each : result.verdict.findings) {
    if (each.follows.empty()) other.blamed.push_back({each.op, each.type});
  }
  const auto [group, is_new] = groups_.try_emplace(finding.Signature(), Suspicion{other, 1, {}});
  if (is_new) return true;
  Suspicion& known = group->second;
  ++known.seen;
  const bool is_smaller = representative_ == Representative::kSmallest &&
                          other.operators.size() < known.representative.operators.size();
  if (is_smaller) std::swap(known.representative, other);
  const bool has_room = std::ssize(known.others) < kMembersMax;
  if (has_room) known.others.push_back(std::move(other));
  return has_room || is_smaller;
}

std::vector<Suspicion> FindingGrouper::Suspicions() const {
  std::vector<Suspicion> suspicions;
  for (const auto& [signature, suspicion] : groups_) suspicions.push_back(suspicion);
  std::sort(suspicions.begin(), suspicions.end(), [](const Suspicion& a, const Suspicion& b) {
    return a.representative.case_index < b.representative.case_index;
  });
  return suspicions;
}

std::vector<Suspicion> GroupFindings(const std::vector<CaseResult>& cases,
                                     Representative representative) {
  FindingGrouper grouper(representative);
  for (size_t i = 0; i < cases.size(); ++i) grouper.Add(cases[i], static_cast<int64_t>(i));
  return grouper.Suspicions();
}

Result<Done> RemoveNotMinimized(const std::string& folder) {
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.starts_with(kNotMinimizedFile)) continue;
    const Result<Done> removed = Remove(JoinPath(folder, name));
    if (!removed) return removed;
  }
  return Done{};
}

Result<WorkedUp> WorkUp(const std::vector<Suspicion>& suspicions, const FindingPlan& plan) {
  WorkedUp result;
  std::vector<Minimized> kept;
  std::map<std::string, size_t> known;
  std::vector<Suspicion> rest;
  MinimizedBefore before;
  for (std::vector<Suspicion> open = suspicions; !open.empty(); open = std::exchange(rest, {})) {
    Result<std::vector<std::optional<Minimized>>> minimized = MinimizeAll(open, plan, before);
    if (!minimized) return minimized.error();
    const bool first_round = result.signatures.empty();
    for (size_t i = 0; i < open.size(); ++i) {
      std::optional<Minimized>& candidate = (*minimized)[i];
      if (first_round) {
        result.signatures.push_back(candidate ? KeyOf(candidate->found) : "");
      }
      if (!candidate) continue;
      candidate->case_index = open[i].representative.case_index;
      std::optional<Suspicion> apart;
      if (plan.minimize && !candidate->untouched) apart = SetApart(open[i], BlamedBy(*candidate));
      candidate->found.seen = open[i].seen;
      AddBlamed(FirstBlamedBy(open[i]), candidate->found);
      if (apart) rest.push_back(std::move(*apart));
      Keep(std::move(*candidate), kept, known);
    }
  }
  for (Minimized& minimal : kept) {
    // A run that has rounds minimizes this one again.
    if (Interrupted() && plan.keep_smaller) minimal.untouched = true;
    Result<WorkedUp::Entry> reported = Report(minimal, plan, result.findings.size() < kDrawnMax);
    if (!reported) return reported.error();
    result.findings.push_back(std::move(*reported));
    result.unanswered += minimal.unanswered ? 1 : 0;
  }
  return result;
}

std::string BackendWords(const std::string& backend, const BackendOptions& options) {
  std::string words = "--backend " + ShellWord(backend);
  for (const std::string& variable : options.environment) {
    words += " --backend-env " + ShellWord(variable);
  }
  for (const std::string& declaration : options.declarations) {
    words += " --declare " + ShellWord(declaration);
  }
  return words;
}

}  // namespace assay
