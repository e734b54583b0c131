// SPDX-License-Identifier: Apache-2.0
#include "smoke_choice.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console.h"
#include "json_text.h"
#include "mutant_trials.h"
#include "smoke_cover.h"
#include "tvec_file.h"
#include "type_rows_reached.h"
#include "worker_pool.h"

namespace assay {
namespace {

constexpr int64_t kTypeRowsMax = 1000;  // of an operator

// Vectors of more operators are in no smoke suite: to find what they kill takes long.
constexpr int64_t kSmokeOperatorsMax = 40;

// Makes a case and finds what it reaches, in a worker. Returns the size of its vector and the items
// as JSON: mutants first, then type rows. Returns "" if the case cannot be in a smoke suite.
std::string SmokeReachOf(const Campaign& campaign, const Match& match, int64_t number) {
  const std::optional<TestVector> vector = campaign.Make(number);
  if (!vector || !campaign.Takes(*vector) || !match.Chooses(*vector)) return "";
  int64_t operators = 0;
  for (const Graph& graph : vector->graphs) operators += graph.OperatorCount();
  if (operators > kSmokeOperatorsMax) return "";
  Json items = KillsOf(*vector);
  const auto mutants = std::ssize(AllMutants());
  for (const auto& [op, row] : TypeRowsReached(*vector)) {
    items.push_back(mutants + static_cast<int64_t>(op) * kTypeRowsMax + row);
  }
  return JsonText(Json{WriteTestVector(*vector).size(), std::move(items)});
}

}  // namespace

Result<SmokeChoice> ChooseSmoke(const Campaign& campaign, const Match& match, int64_t count,
                                int jobs) {
  std::vector<SmokeCandidate> candidates;
  Progress progress("choose", count);
  WorkPlan plan;
  plan.last = count;
  plan.jobs = jobs;
  plan.start = [&]() -> Result<Work> {
    return Work([&](int64_t number) { return SmokeReachOf(campaign, match, number); });
  };
  plan.merge = [&](int64_t number, const std::string& told, const Loss& loss) -> Result<Done> {
    progress.Show(number + 1, 0);
    if (loss) {
      return ResourceError("generating " + campaign.NameOf(number) +
                           ": the worker process ended: " + loss.how);
    }
    if (told.empty()) return Done{};
    const Json reach = JsonFrom(told);
    candidates.push_back({number, reach[0].get<int64_t>(), reach[1].get<std::vector<int32_t>>()});
    return Done{};
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  const std::vector<int64_t> cases = SmokeCover(candidates);
  std::set<int32_t> items;
  for (const SmokeCandidate& candidate : candidates) {
    items.insert(candidate.items.begin(), candidate.items.end());
  }
  SmokeChoice choice;
  choice.cases.insert(cases.begin(), cases.end());
  choice.candidates = std::ssize(candidates);
  choice.kills =
      std::ranges::count_if(items, [](int32_t item) { return item < std::ssize(AllMutants()); });
  choice.type_rows = std::ssize(items) - choice.kills;
  return choice;
}

}  // namespace assay
