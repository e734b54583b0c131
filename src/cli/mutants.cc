// SPDX-License-Identifier: Apache-2.0
#include "mutants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_source.h"
#include "check.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "executor.h"
#include "finding_text.h"
#include "json_fields.h"
#include "json_text.h"
#include "judge_vector.h"
#include "mutant_trials.h"
#include "name_search.h"
#include "run_status.h"
#include "terminal.h"
#include "worker_pool.h"

namespace assay::cli {
namespace {

struct MutantsOptions {
  std::vector<std::string> suites;
  std::string only;
  int jobs = 1;
  bool list = false;
  bool json = false;
};

void DeclareMutants(CommandLine& line, MutantsOptions& options) {
  AddSuitesOption(line, options.suites);
  line.Add("--only", options.only, "run only mutants whose ID contains this text, e.g. conv2d/");
  line.AddFlag("--list", options.list, "print the mutants and run nothing");
  AddJobsOption(line, options.jobs);
  line.AddFlag("--json", options.json, "print JSON lines");
  line.SetFooter(
      "A mutant is the reference executor with one fault in the kernel of one "
      "operator. A suite kills a\n"
      "mutant if a vector of the suite disagrees with it. `assay verify --backend "
      "mutant:ID` shows how.\n"
      "Exit status 0: each mutant is killed, or no result can tell it from the "
      "specification;\n"
      "1: a mutant survives; 3: no vector has an operator of any mutant.");
}

// The result for a mutant.
enum class Ending : uint8_t { kKilled, kSurvived, kEquivalent, kNotReached };
constexpr std::string_view kEndings[] = {"killed", "survived", "equivalent", "not reached"};

struct Trial {
  const Mutant* mutant = nullptr;
  Ending ending = Ending::kNotReached;
  std::string vector;   // the one that kills it
  std::string finding;  // how
  int64_t vectors = 0;  // that ran
};

// The vectors of the suites on which the executor without a fault agrees, by operator.
struct Cases {
  std::vector<std::string> paths;
  std::vector<std::string> gaps;  // a line for each suite that is incomplete
  std::vector<TestVector> vectors;
  std::map<Op, std::vector<size_t>> having;  // small graphs first
};

void AddToIndex(Cases& cases, size_t number) {
  for (const auto& [block, op] : cases.vectors[number].Operators()) {
    std::vector<size_t>& having = cases.having[op.op];
    if (having.empty() || having.back() != number) having.push_back(number);
  }
}

Result<Cases> LoadCases(const std::vector<std::string>& suites) {
  Result<CaseList> list = ListCases(suites, Note);
  if (!list) return list.error();
  Cases cases;
  cases.gaps = std::move(list->gaps);
  for (int64_t i = 0; i < list->size(); ++i) {
    Result<LoadedCase> loaded = list->Load(i);
    if (!loaded) {
      if (loaded.error().kind == Error::Kind::kUnsupported) continue;
      return loaded.error();
    }
    cases.paths.push_back(list->Name(i));
    cases.vectors.push_back(loaded->recorded ? std::move(loaded->recorded->computed)
                                             : std::move(loaded->vector));
  }
  return cases;
}

// Returns the Error for a killed worker and what it was running. The executor, with or without a
// mutant, only accesses its own memory. So a worker that dies by itself is a defect of Assay, not a
// finding.
Error WasKilled(const std::string& what, const Loss& loss) {
  const Error error = ResourceError(what + ": the worker process ended: " + loss.how);
  if (loss.by_itself) Fail(error);
  Check(!loss.by_itself, "the executor does not crash");
  return error;
}

// Judges every vector without a fault. A vector that disagrees cannot measure mutants, so it is an
// Error.
Result<Done> KeepWhatAgrees(Cases& cases, int jobs) {
  WorkPlan plan;
  plan.last = std::ssize(cases.vectors);
  plan.jobs = jobs;
  plan.start = [&cases]() -> Result<Work> {
    return Work([&cases](int64_t index) -> std::string {
      const TestVector& vector = cases.vectors[static_cast<size_t>(index)];
      const Verdict verdict = JudgeVector(vector, ExecuteVector(vector, ExecutionOf(nullptr)));
      if (verdict.kind != VerdictKind::kDisagrees) {
        return verdict.kind == VerdictKind::kAgrees ? "agrees" : "undecided";
      }
      return FindingHeadline(verdict.findings[0]);
    });
  };
  plan.merge = [&cases](int64_t index, std::string bytes, const Loss& loss) -> Result<Done> {
    const auto number = static_cast<size_t>(index);
    if (loss) return WasKilled(cases.paths[number], loss);
    if (bytes != "agrees" && bytes != "undecided") {
      return BadInput(cases.paths[number] + ": the reference executor disagrees: " + bytes);
    }
    if (bytes == "agrees") AddToIndex(cases, number);
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  for (auto& [op, having] : cases.having) {
    std::stable_sort(having.begin(), having.end(), [&](size_t a, size_t b) {
      return cases.vectors[a].OperatorCount() < cases.vectors[b].OperatorCount();
    });
  }
  return Done{};
}

Json Try(const Mutant& mutant, const Cases& cases) {
  const auto having = cases.having.find(mutant.op);
  if (having == cases.having.end()) return {{"vectors", 0}};
  int64_t count = 0;
  for (const size_t number : having->second) {
    ++count;
    const std::string finding = KilledBy(mutant, cases.vectors[number]);
    if (finding.empty()) continue;
    return {{"vectors", count}, {"vector", cases.paths[number]}, {"finding", finding}};
  }
  return {{"vectors", count}};
}

Trial TrialFrom(const Mutant& mutant, const Json& json) {
  Trial trial;
  trial.mutant = &mutant;
  json.at("vectors").get_to(trial.vectors);
  trial.vector = json.value("vector", "");
  trial.finding = json.value("finding", "");
  if (!trial.vector.empty()) {
    trial.ending = Ending::kKilled;
  } else if (!mutant.equivalent.empty()) {
    trial.ending = Ending::kEquivalent;
  } else {
    trial.ending = trial.vectors == 0 ? Ending::kNotReached : Ending::kSurvived;
  }
  return trial;
}

Result<std::vector<Trial>> TryAll(const std::vector<const Mutant*>& mutants, const Cases& cases,
                                  int jobs) {
  std::vector<Trial> trials;
  WorkPlan plan;
  plan.last = std::ssize(mutants);
  plan.jobs = jobs;
  plan.start = [&]() -> Result<Work> {
    return Work(
        [&](int64_t index) { return JsonText(Try(*mutants[static_cast<size_t>(index)], cases)); });
  };
  plan.merge = [&](int64_t index, std::string bytes, const Loss& loss) -> Result<Done> {
    const Mutant& mutant = *mutants[static_cast<size_t>(index)];
    if (loss) return WasKilled(std::string(mutant.id), loss);
    trials.push_back(TrialFrom(mutant, JsonFrom(bytes)));
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  return trials;
}

int64_t CountTrials(const std::vector<Trial>& trials, Ending ending,
                    std::optional<OperatorClass> operator_class = std::nullopt) {
  return std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.ending == ending &&
           (!operator_class || trial.mutant->operator_class == *operator_class);
  });
}

void PrintCounts(std::string_view name, const std::vector<Trial>& trials,
                 std::optional<OperatorClass> operator_class) {
  Print("{:32}", name);
  for (const Ending ending :
       {Ending::kKilled, Ending::kSurvived, Ending::kEquivalent, Ending::kNotReached}) {
    Print("{:>12}", CountTrials(trials, ending, operator_class));
  }
  Print("\n");
}

void PrintTrials(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    if (trial.ending != Ending::kKilled) continue;
    Print("killed       {:40} {}: {}\n", trial.mutant->id, trial.vector, trial.finding);
  }
  for (const Ending ending : {Ending::kEquivalent, Ending::kNotReached, Ending::kSurvived}) {
    for (const Trial& trial : trials) {
      if (trial.ending != ending) continue;
      const std::string_view why =
          ending == Ending::kEquivalent ? trial.mutant->equivalent : trial.mutant->what;
      Print("{:12} {:40} {} ({} vectors)\n", kEndings[static_cast<size_t>(ending)],
            trial.mutant->id, why, trial.vectors);
    }
  }
  Print("\n{:32}{:>12}{:>12}{:>12}{:>12}\n", "class", kEndings[0], kEndings[1], kEndings[2],
        kEndings[3]);
  for (const MutantQuota& quota : MutantQuotas()) {
    PrintCounts(OperatorClassName(quota.operator_class), trials, quota.operator_class);
  }
  PrintCounts("total", trials, std::nullopt);
}

Json MutantJson(const Mutant& mutant) {
  Json json = {{"mutant", mutant.id},
               {"operator", OperatorName(mutant.op)},
               {"class", OperatorClassName(mutant.operator_class)},
               {"what", mutant.what}};
  if (!mutant.equivalent.empty()) json["equivalent"] = mutant.equivalent;
  return json;
}

void PrintJsonLine(const Json& json) { Print("{}\n", JsonText(json)); }

void PrintJsonLines(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    Json json = MutantJson(*trial.mutant);
    json["state"] = kEndings[static_cast<size_t>(trial.ending)];
    json["vectors"] = trial.vectors;
    if (trial.ending == Ending::kKilled) {
      json["vector"] = trial.vector;
      json["finding"] = trial.finding;
    }
    PrintJsonLine(json);
  }
  Json totals = Json::object();
  for (const Ending ending :
       {Ending::kKilled, Ending::kSurvived, Ending::kEquivalent, Ending::kNotReached}) {
    totals[std::string(kEndings[static_cast<size_t>(ending)])] = CountTrials(trials, ending);
  }
  PrintJsonLine({{"totals", totals}});
}

int PrintList(const std::vector<const Mutant*>& mutants, bool json) {
  for (const Mutant* mutant : mutants) {
    if (json) {
      PrintJsonLine(MutantJson(*mutant));
    } else {
      Print("{:45} {}{}\n", mutant->id, mutant->what,
            mutant->equivalent.empty() ? "" : " (equivalent)");
    }
  }
  return kExitClean;
}

Result<std::vector<const Mutant*>> Chosen(const std::string& only) {
  std::vector<const Mutant*> chosen;
  std::vector<std::string_view> known;  // the ids, and the operators that they begin with
  for (const Mutant& mutant : AllMutants()) {
    if (mutant.id.find(only) != std::string_view::npos) chosen.push_back(&mutant);
    const std::string_view op = mutant.id.substr(0, mutant.id.find('/') + 1);
    if (std::ranges::find(known, op) == known.end()) known.push_back(op);
    known.push_back(mutant.id);
  }
  if (!chosen.empty()) return chosen;
  const Error unknown = UnknownName("mutant", only, known);
  return Error{unknown.kind, "--only: " + unknown.message + "; --list prints all"};
}

int RunMutants(const MutantsOptions& options) {
  const Result<std::vector<const Mutant*>> mutants = Chosen(options.only);
  if (!mutants) return Fail(mutants.error());
  if (options.list) return PrintList(*mutants, options.json);
  if (options.suites.empty()) return Fail(UsageError("mutants: SUITE is required"));
  Result<Cases> cases = LoadCases(options.suites);
  if (!cases) return Fail(cases.error());
  const Result<Done> kept = KeepWhatAgrees(*cases, options.jobs);
  if (!kept) return Fail(kept.error());
  const Result<std::vector<Trial>> trials = TryAll(*mutants, *cases, options.jobs);
  if (!trials) return Fail(trials.error());
  options.json ? PrintJsonLines(*trials) : PrintTrials(*trials);
  const bool ran = std::any_of(trials->begin(), trials->end(),
                               [](const Trial& trial) { return trial.vectors > 0; });
  if (!ran) return StatusWithGaps(kExitUndecided, cases->gaps);
  const int64_t alive =
      CountTrials(*trials, Ending::kSurvived) + CountTrials(*trials, Ending::kNotReached);
  return StatusWithGaps(alive > 0 ? kExitFinding : kExitClean, cases->gaps);
}

}  // namespace

extern const Command mutants_command = {
    .name = "mutants",
    .summary = "lists which seeded faults of the executor's kernels a suite kills",
    .declare = DeclareWith<MutantsOptions, DeclareMutants, RunMutants>,
};

}  // namespace assay::cli
