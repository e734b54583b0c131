#include "findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "arguments.h"
#include "child.h"
#include "files.h"
#include "finding_text.h"
#include "graph_dot.h"
#include "graph_text.h"
#include "json_lines.h"
#include "judge.h"
#include "reduce.h"
#include "sha256.h"
#include "test_vector_file.h"
#include "workers.h"

namespace assay {
namespace {

// Findings beyond this many are not drawn: nobody looks at so many pictures.
constexpr size_t kDrawnMax = 100;
constexpr int64_t kDrawnOperatorsMax = 60;

// Runs of the backend that one reduction may take; each of a vector that hangs takes seconds.
constexpr int64_t kCallsMax = 1000;
constexpr int64_t kSlowCallsMax = 50;
// How often a smaller vector has to fail in a row, and how often the one that is reported.
constexpr int kRepeats = 2;
constexpr int kConfirmations = 4;

// A representative at its smallest, with how it then fails; as it was found, if it does not repeat.
struct Minimized {
  Finding finding;
  TestVector vector;
  std::vector<uint8_t> bytes;
  int64_t seen = 1;
  int64_t case_index = 0;
  bool repeats = true;
};

int64_t OperatorCount(const TestVector& vector) {
  int64_t count = 0;
  for (const Graph& graph : vector.graphs) count += graph.OperatorCount();
  return count;
}

// Which of two of the same signature is shown: one that repeats, then the smaller.
bool IsBetter(const Minimized& a, const Minimized& b) {
  if (a.repeats != b.repeats) return a.repeats;
  const int64_t operators_a = OperatorCount(a.vector), operators_b = OperatorCount(b.vector);
  return operators_a != operators_b ? operators_a < operators_b : a.bytes.size() < b.bytes.size();
}

// "add-fp32-value-1a2b3c4d.tvec": readable, and the same for the same signature.
std::string FileNameFor(const Finding& finding, bool repeats) {
  std::string name = repeats ? "" : "not-repeatable-";
  for (const std::string_view part :
       {OperatorName(finding.op), TypeName(finding.type), std::string_view(finding.violation)}) {
    for (char c : part) {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    name += '-';
  }
  const std::string signature = finding.Signature();
  const auto* bytes = reinterpret_cast<const uint8_t*>(signature.data());
  return name + Sha256({bytes, signature.size()}).substr(0, 8) + ".tvec";
}

// The graphs one operator a line, then what goes in.
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

// Drawn by Graphviz; "" if it is not installed, or the graph is too large to look at.
std::string Draw(const TestVector& vector) {
  if (OperatorCount(vector) > kDrawnOperatorsMax) return "";
  std::string all;
  for (const Graph& graph : vector.graphs) {
    const Result<ChildReport> report =
        RunChild({{"dot", "-Tsvg"}, "", {}, 10}, GraphDot(graph), {20, size_t{4} << 20});
    if (!report || report->Describe() != "exit status 0" || report->truncated) return "";
    all += report->output.substr(std::min(report->output.find("<svg"), report->output.size()));
  }
  return all;
}

// Whether the vector fails as the suspicion says, `times` in a row.
bool Fails(Backend& backend, const TestVector& vector, const Suspicion& suspicion, int times) {
  for (int i = 0; i < times; ++i) {
    const CaseResult result = JudgeOnce(backend, vector, "");
    if (result.state != CaseState::kDisagrees ||
        !IsSameFinding(suspicion.finding, result.verdict.findings[0])) {
      return false;
    }
  }
  return true;
}

// The smallest vector that fails reliably; what fails now and then only (a backend that reads what
// it never wrote) stays as it was found.
TestVector Smallest(Backend& backend, const TestVector& vector, const Suspicion& suspicion) {
  const bool slow = suspicion.finding.violation == "time-out";
  const ReduceOptions options{.calls_max = slow ? kSlowCallsMax : kCallsMax};
  if (!Fails(backend, vector, suspicion, 1)) return vector;
  const auto fails = [&](const TestVector& candidate) {
    return Fails(backend, candidate, suspicion, kRepeats);
  };
  TestVector smallest = Reduce(vector, fails, options).vector;
  return Fails(backend, smallest, suspicion, kRepeats) ? smallest : vector;
}

// What a case is judged by: of an Arm test, what our executor expects.
const TestVector& JudgedVector(const LoadedCase& loaded) {
  return loaded.recorded ? loaded.recorded->computed : loaded.vector;
}

// Reduces the representative of a suspicion on its own backend; "" if it does not fail every time.
std::string Reduced(Backend& backend, const FindingPlan& plan, const Suspicion& suspicion) {
  const Result<LoadedCase> loaded = plan.load(suspicion.case_index);
  if (!loaded) return "";
  LoadedCase smallest{JudgedVector(*loaded), {}};
  if (plan.minimize) smallest.vector = Smallest(backend, smallest.vector, suspicion);
  CaseResult judged = JudgeOnBackend(backend, smallest, "");
  if (judged.state != CaseState::kDisagrees) return "";
  const Suspicion again{judged.verdict.findings[0], suspicion.case_index, 1, {}, {}};
  if (!Fails(backend, smallest.vector, again, kConfirmations)) return "";
  // Of an Arm test: what its recorded result says.
  std::string& message = judged.verdict.findings[0].message;
  if (loaded->recorded && message.empty()) message = suspicion.finding.message;
  const std::vector<uint8_t> bytes = WriteTestVector(smallest.vector);
  return CaseToJson(judged) + "\n" + std::string(bytes.begin(), bytes.end());
}

std::optional<Minimized> MinimizedFrom(const std::string& reply) {
  const size_t line_end = reply.find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  const Result<CaseResult> judged = CaseFromJson(std::string_view(reply).substr(0, line_end));
  if (!judged || judged->verdict.findings.empty()) return std::nullopt;
  std::vector<uint8_t> bytes(reply.begin() + static_cast<std::ptrdiff_t>(line_end) + 1,
                             reply.end());
  Result<TestVector> vector = ReadTestVector(bytes, "minimized vector");
  if (!vector) return std::nullopt;
  return Minimized{judged->verdict.findings[0], std::move(*vector), std::move(bytes)};
}

// What was seen, of a representative that does not fail every time; nothing if its vector is gone.
std::optional<Minimized> NotRepeatable(const Suspicion& suspicion, const FindingPlan& plan) {
  Result<LoadedCase> loaded = plan.load(suspicion.case_index);
  if (!loaded) return std::nullopt;
  Minimized minimized{suspicion.finding, JudgedVector(*loaded), {}};
  minimized.bytes = WriteTestVector(minimized.vector);
  minimized.repeats = false;
  return minimized;
}

// All representatives at their smallest, in order; nothing where one did not fail every time.
Result<std::vector<std::optional<Minimized>>> MinimizeAll(const std::vector<Suspicion>& suspicions,
                                                          const FindingPlan& plan) {
  std::vector<std::optional<Minimized>> all(suspicions.size());
  WorkPlan work;
  work.last = static_cast<int64_t>(suspicions.size());
  work.jobs = plan.jobs;
  work.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(plan.backend, plan.options);
    if (!opened) return opened.error();
    std::shared_ptr<Backend> backend = std::move(*opened);
    return Work([backend, &plan, &suspicions](int64_t index) {
      return Reduced(*backend, plan, suspicions[static_cast<size_t>(index)]);
    });
  };
  work.merge = [&](int64_t index, std::string reply, const std::string&) -> Result<Done> {
    all[static_cast<size_t>(index)] = MinimizedFrom(reply);
    return Done{};
  };
  const Result<int64_t> done = RunWork(work);
  if (!done) return done.error();
  return all;
}

// What the folder holds for the same finding, if that is smaller.
bool HasSmaller(const std::string& path, const Minimized& minimal) {
  if (!FileExists(path)) return false;
  Result<std::vector<uint8_t>> bytes = ReadFile(path);
  if (!bytes) return false;
  Result<TestVector> vector = ReadTestVector(*bytes, path);
  if (!vector) return false;
  const Minimized old{minimal.finding, std::move(*vector), std::move(*bytes)};
  return !IsBetter(minimal, old);
}

// Takes those out of a suspicion that do not hold the operator which the minimized representative
// blames; the smallest of them represents them. Nothing if there are none.
std::optional<Suspicion> SetApart(Suspicion& suspicion, Op blamed) {
  const auto holds = [blamed](const std::vector<OperatorUse>& operators) {
    return std::any_of(operators.begin(), operators.end(),
                       [blamed](const OperatorUse& use) { return use.op == blamed; });
  };
  if (!holds(suspicion.operators)) return std::nullopt;  // unknown, a constant, or a shrink's own
  std::vector<Suspicion::Member>& others = suspicion.others;
  const auto apart = std::stable_partition(
      others.begin(), others.end(),
      [&holds](const Suspicion::Member& member) { return holds(member.operators); });
  if (apart == others.end()) return std::nullopt;
  const auto smallest = std::min_element(
      apart, others.end(), [](const Suspicion::Member& a, const Suspicion::Member& b) {
        return a.operators.size() < b.operators.size();
      });
  Suspicion result = {
      smallest->finding, smallest->case_index, others.end() - apart, smallest->operators, {}};
  for (auto member = apart; member != others.end(); ++member) {
    if (member != smallest) result.others.push_back(std::move(*member));
  }
  others.erase(apart, others.end());
  suspicion.seen -= result.seen;
  return result;
}

// Adds a minimized vector to those that are kept, one for each signature.
void Keep(Minimized candidate, std::vector<Minimized>& kept, std::map<std::string, size_t>& known) {
  const auto [at, is_new] = known.try_emplace(candidate.finding.Signature(), kept.size());
  if (is_new) {
    kept.push_back(std::move(candidate));
    return;
  }
  Minimized& best = kept[at->second];
  const int64_t seen = best.seen + candidate.seen;
  if (IsBetter(candidate, best)) best = std::move(candidate);
  best.seen = seen;
}

Result<WorkedUp::Entry> Report(const Minimized& minimal, const FindingPlan& plan, bool draw) {
  WorkedUp::Entry entry;
  ReportedFinding& report = entry.finding;
  report.finding = minimal.finding;
  report.seen = minimal.seen;
  report.repeats = minimal.repeats;
  report.graph_text = TextOf(minimal.vector);
  if (draw) report.graph_svg = Draw(minimal.vector);
  report.vector = plan.path(minimal.case_index);
  if (plan.minimize) {
    report.vector = JoinPath(plan.folder, FileNameFor(minimal.finding, minimal.repeats));
    entry.superseded = plan.keep_smaller && HasSmaller(report.vector, minimal);
    if (!entry.superseded) {
      const Result<Done> written = WriteFileAtomically(report.vector, minimal.bytes);
      if (!written) return written.error();
    }
  }
  report.replay = ReplayLine(report.vector, plan.backend, plan.options, report.finding);
  return entry;
}

}  // namespace

std::string ReplayLine(const std::string& path, const std::string& backend,
                       const BackendOptions& options, const Finding& finding) {
  return "assay verify " + ShellWord(path) + " " + BackendWords(backend, options) +
         (IsImplied(finding) ? " --implied-errors" : "");
}

bool IsSameFinding(const Finding& before, const Finding& now) {
  const auto is_number = [](const Finding& finding) {
    return finding.violation == "value" || finding.violation == "state";
  };
  if (is_number(before)) return is_number(now);
  const std::string complaint = before.Complaint();
  return complaint.empty() ? before.Signature() == now.Signature() : complaint == now.Complaint();
}

std::vector<Suspicion> GroupFindings(const std::vector<CaseResult>& cases,
                                     Representative representative) {
  std::map<std::string, Suspicion> groups;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].state != CaseState::kDisagrees) continue;
    const Finding& finding = cases[i].verdict.findings[0];
    const auto index = static_cast<int64_t>(i);
    const auto [group, is_new] = groups.try_emplace(
        finding.Signature(), Suspicion{finding, index, 1, cases[i].operators, {}});
    if (is_new) continue;
    Suspicion& known = group->second;
    ++known.seen;
    Suspicion::Member other = {finding, index, cases[i].operators};
    if (representative == Representative::kSmallest &&
        other.operators.size() < known.operators.size()) {
      std::swap(known.finding, other.finding);
      std::swap(known.case_index, other.case_index);
      std::swap(known.operators, other.operators);
    }
    known.others.push_back(std::move(other));
  }
  std::vector<Suspicion> suspicions;
  for (auto& [signature, suspicion] : groups) suspicions.push_back(std::move(suspicion));
  std::sort(suspicions.begin(), suspicions.end(),
            [](const Suspicion& a, const Suspicion& b) { return a.case_index < b.case_index; });
  return suspicions;
}

Result<WorkedUp> WorkUp(const std::vector<Suspicion>& suspicions, const FindingPlan& plan) {
  WorkedUp result;
  std::vector<Minimized> kept;
  std::map<std::string, size_t> known;
  std::vector<Suspicion> rest;
  for (std::vector<Suspicion> open = suspicions; !open.empty(); open = std::exchange(rest, {})) {
    Result<std::vector<std::optional<Minimized>>> minimized = MinimizeAll(open, plan);
    if (!minimized) return minimized.error();
    const bool first_round = result.signatures.empty();
    for (size_t i = 0; i < open.size(); ++i) {
      std::optional<Minimized>& candidate = (*minimized)[i];
      if (!candidate) candidate = NotRepeatable(open[i], plan);
      if (first_round) {
        result.signatures.push_back(candidate ? candidate->finding.Signature() : "");
      }
      if (!candidate) continue;
      candidate->case_index = open[i].case_index;
      std::optional<Suspicion> apart = SetApart(open[i], candidate->finding.op);
      candidate->seen = open[i].seen;
      if (apart) rest.push_back(std::move(*apart));
      Keep(std::move(*candidate), kept, known);
    }
  }
  for (Minimized& minimal : kept) {
    Result<WorkedUp::Entry> reported = Report(minimal, plan, result.findings.size() < kDrawnMax);
    if (!reported) return reported.error();
    result.findings.push_back(std::move(*reported));
  }
  return result;
}

}  // namespace assay
