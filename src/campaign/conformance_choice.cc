// SPDX-License-Identifier: Apache-2.0
#include "conformance_choice.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "backend_kind.h"
#include "case_source.h"
#include "conformance_package.h"
#include "console.h"
#include "coverage.h"
#include "files.h"
#include "json_text.h"
#include "judge_case.h"
#include "mutant_trials.h"
#include "readings.h"
#include "smoke_cover.h"
#include "tvec_file.h"
#include "version.h"
#include "worker_pool.h"

namespace assay {
namespace {

// The mutants that vectors of more operators kill do not count: to find them takes long.
constexpr int64_t kOperatorsMax = 40;

// Returns the classes that a vector belongs to and that coverage does not count: the readings that
// it rests on, and of each dot product the operator, its type and the set of test data.
std::vector<std::string> OtherClassesOf(const TestVector& vector) {
  std::vector<std::string> classes;
  for (const std::string& tag : vector.tags) classes.push_back("tag " + tag);
  for (const Step& step : vector.steps) {
    for (const Expectation& output : step.outputs) {
      if (!output.statistics) continue;
      for (const OperatorUse& use : OperatorsOf(vector)) {
        classes.push_back("dot product " + std::string(OperatorName(use.op)) + " " +
                          std::string(TypeName(use.type)) + " set " +
                          std::to_string(output.statistics->set));
      }
    }
  }
  return classes;
}

// Finds what a case reaches, in a worker. Returns JSON: the size of the vector, why the reference
// executor does not agree on it, the coverage items, the mutants, and the other classes. Returns ""
// if the case cannot be in a package.
std::string ConformanceReachOf(const Campaign& campaign, Backend& reference, Coverage& coverage,
                               int64_t number) {
  const std::optional<TestVector> vector = campaign.Make(number);
  if (!vector || !campaign.Takes(*vector)) return "";
  int64_t operators = 0;
  for (const Graph& graph : vector->graphs) operators += graph.OperatorCount();
  const CaseResult result = JudgeOnBackend(reference, {*vector, {}}, campaign.NameOf(number));
  std::string why;
  if (result.state != CaseState::kAgrees) {
    why = std::string(CaseStateName(result.state)) + ": " + result.note;
  } else if (result.verdict.judged_elements == 0 && result.verdict.undecided_elements > 0) {
    why = "no element of the result is determined";
  }
  coverage.Add(*vector);
  const auto kills = operators > kOperatorsMax ? std::vector<size_t>() : KillsOf(*vector);
  return JsonText(Json{WriteTestVector(*vector).size(), why, coverage.TakeReached(), kills,
                       OtherClassesOf(*vector)});
}

// The reach of each case, as the workers report it. Gives each item a number.
class Reach {
 public:
  void Add(int64_t number, const std::string& told) {
    const Json reach = JsonFrom(told);
    SmokeCandidate candidate = {number, reach[0].get<int64_t>(), {}};
    const auto add = [&](const std::string& item) {
      const auto next = static_cast<int32_t>(items_.size());
      candidate.items.push_back(items_.emplace(item, next).first->second);
    };
    for (const Json& item : reach[2]) add("item " + JsonText(item));
    for (const Json& mutant : reach[3]) add("mutant " + JsonText(mutant));
    for (const Json& name : reach[4]) add(name.get<std::string>());
    std::ranges::sort(candidate.items);
    auto& items = candidate.items;
    items.erase(std::unique(items.begin(), items.end()), items.end());
    const auto why = reach[1].get<std::string>();
    if (!why.empty()) whys_[number] = why;
    (why.empty() ? agreed_ : others_).push_back(std::move(candidate));
  }

  ConformanceChoice Choose() {
    ConformanceChoice choice;
    choice.candidates = std::ssize(agreed_) + std::ssize(others_);
    choice.items = std::ssize(items_);
    const std::vector<int64_t> chosen = SmokeCover(agreed_);
    choice.must_pass.insert(chosen.begin(), chosen.end());
    std::set<int32_t> reached;
    for (const SmokeCandidate& candidate : agreed_) {
      reached.insert(candidate.items.begin(), candidate.items.end());
    }
    for (SmokeCandidate& candidate : others_) {
      std::erase_if(candidate.items, [&](int32_t item) { return reached.contains(item); });
    }
    for (const int64_t number : SmokeCover(others_)) choice.informative[number] = whys_[number];
    return choice;
  }

 private:
  std::map<std::string, int32_t> items_;
  std::vector<SmokeCandidate> agreed_, others_;
  std::map<int64_t, std::string> whys_;
};

}  // namespace

std::vector<Target> TargetsOf(const Campaign& campaign) {
  std::vector<Target> targets = campaign.chosen.targets();
  Target features;
  features.features = campaign.options.target;
  targets.push_back(std::move(features));
  return targets;
}

Result<ConformanceChoice> ChooseConformance(const Campaign& campaign, int64_t count, int jobs) {
  const std::vector<Target> targets = TargetsOf(campaign);
  Reach reach;
  Progress progress("choose", count);
  WorkPlan plan;
  plan.last = count;
  plan.jobs = jobs;
  plan.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend("reference", {});
    if (!opened) return opened.error();
    const std::shared_ptr<Backend> reference = std::move(*opened);
    const auto coverage = std::make_shared<Coverage>(targets);
    return Work([&campaign, reference, coverage](int64_t number) {
      return ConformanceReachOf(campaign, *reference, *coverage, number);
    });
  };
  plan.merge = [&](int64_t number, const std::string& told, const Loss& loss) -> Result<Done> {
    progress.Show(number + 1, 0);
    if (loss) {
      return ResourceError("generating " + campaign.NameOf(number) +
                           ": the worker process ended: " + loss.how);
    }
    if (!told.empty()) reach.Add(number, told);
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  if (*done < count) return ResourceError("interrupted");
  return reach.Choose();
}

Result<Done> WriteChosenPackage(const std::string& folder, const Campaign& campaign,
                                const Suite& suite, const std::string& command,
                                const std::map<std::string, std::string>& informative, bool arm) {
  ConformancePackage package;
  package.command = command;
  package.assay = kToolkitVersion;
  package.spec = suite.spec;
  package.seed = suite.seed;
  package.level = suite.level;
  package.features = suite.requirements;
  if (!campaign.chosen.TakesAll()) package.target = campaign.chosen.Hash();
  const std::vector<Target> targets = TargetsOf(campaign);
  Coverage coverage(targets);
  const std::string vectors = JoinPath(folder, kPackageVectors);
  for (const Suite::Entry& entry : suite.vectors) {
    const Result<LoadedCase> loaded = LoadCase(JoinPath(vectors, entry.file));
    if (!loaded) return loaded.error();
    coverage.Add(loaded->vector);
    PackageVector vector = {entry.file, loaded->vector.requirements, {}, ""};
    for (const std::string& tag : loaded->vector.tags) {
      if (FindReading(tag) != nullptr) vector.readings.push_back(tag);
    }
    const auto why = informative.find(entry.file);
    if (why != informative.end()) vector.informative = why->second;
    package.vectors.push_back(std::move(vector));
  }
  return WritePackage(folder, package, coverage.Table(), arm, SuiteText(suite));
}

}  // namespace assay
