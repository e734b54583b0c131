// SPDX-License-Identifier: Apache-2.0
// Runs a file of planning cases (corpus/planning) on the algorithms of the same names:
//   planning_cases FILE
// Ends with "N passed, M failed", and with status 1 if any failed, 2 if the file cannot be read.
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithm.h"
#include "pairwise_plan.h"
#include "planner.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

int passed = 0, failed = 0;

void Expect(bool holds, const std::string& what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("%s\n", what.c_str());
}

// Returns a field, or null.
const Json& Field(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::map<std::string, int32_t> IndicesOf(const Json& rows) {
  std::map<std::string, int32_t> indices;
  for (const Json& row : rows) {
    indices.emplace(row["name"].get<std::string>(), static_cast<int32_t>(indices.size()));
  }
  return indices;
}

// Returns the buffers and pools of a case. Ranges of statements include both ends. A buffer that
// lists itself as a conflict, like in one hand-written table, has no effect.
MemoryProblem ProblemOf(const Json& test, bool by_ranges) {
  MemoryProblem problem;
  std::map<std::string, int32_t> pools;
  for (const auto& [name, size] : Field(test, "pools").items()) {
    pools.emplace(name, static_cast<int32_t>(pools.size()));
    problem.pools.push_back({.name = name});
    if (size != -1) problem.pools.back().size_bytes = size.get<int64_t>();
  }
  const auto indices = IndicesOf(test["buffers"]);
  for (const Json& row : test["buffers"]) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.name_hint = row["name"];
    buffer.size_bytes = row["size"];
    buffer.alignment = row["align"];
    for (const auto& pool : Field(row, "pools")) {
      buffer.pool_candidates.push_back(pools.at(pool.get<std::string>()));
    }
    if (by_ranges) {
      for (const Json& range : Field(row, "live_stmt_ranges")) {
        buffer.live.push_back({range[0].get<int64_t>(), range[1].get<int64_t>() + 1});
      }
      continue;
    }
    for (const auto& name : Field(row, "conflicts")) {
      const int32_t other = indices.at(name.get<std::string>());
      if (name != row["name"]) buffer.conflicts.push_back(other);
    }
  }
  return problem;
}

std::map<std::string, int64_t> PoolSizes(const MemoryProblem& problem, const MemoryPlan& plan) {
  std::map<std::string, int64_t> sizes;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const PoolAllocation& place = *plan.allocations[i];
    int64_t& size = sizes[problem.pools[static_cast<size_t>(place.pool)].name];
    size = std::max(size, place.offset + problem.buffers[i].size_bytes);
  }
  return sizes;
}

// Returns true if the buffers have the offsets that a table gives, as offsets or as {pool,
// byte_offset}.
bool HasOffsets(const MemoryProblem& problem, const MemoryPlan& plan, const Json& offsets) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto found = offsets.find(problem.buffers[i].name_hint);
    if (found == offsets.end()) continue;
    const PoolAllocation& place = *plan.allocations[i];
    const Json& offset = found->is_object() ? (*found)["byte_offset"] : *found;
    if (offset != place.offset) return false;
    if (found->is_object() &&
        (*found)["pool"] != problem.pools[static_cast<size_t>(place.pool)].name) {
      return false;
    }
  }
  return true;
}

void CheckFigures(const MemoryProblem& problem, const MemoryPlan& plan, const Json& figures,
                  const std::string& where) {
  if (figures.contains("pool_sizes")) {
    Expect(Field(figures, "pool_sizes") == Json(PoolSizes(problem, plan)),
           where + ": the pools take " + Json(PoolSizes(problem, plan)).dump() + ", not " +
               Field(figures, "pool_sizes").dump());
  }
  if (figures.contains("offsets")) {
    Expect(HasOffsets(problem, plan, Field(figures, "offsets")), where + ": other offsets");
  }
}

std::optional<PlanningResult> ValidPlan(const MemoryProblem& problem, const Algorithm& algorithm,
                                        const std::string& where) {
  Result<PlanningResult> result = PlanMemory(problem, algorithm);
  Expect(static_cast<bool>(result), where + ": " + (result ? "" : result.error().message));
  if (!result) return std::nullopt;
  const std::string wrong = WrongInPlan(problem, result->plan);
  Expect(wrong.empty(), where + ": " + wrong);
  return std::move(*result);
}

int64_t Sum(const Json& sizes) {
  int64_t sum = 0;
  for (const auto& size : sizes) sum += size.get<int64_t>();
  return sum;
}

// Checks that `auto` is as good as each of the planner's algorithms.
void CheckAuto(const Json& test) {
  const MemoryProblem problem = ProblemOf(test, /*by_ranges=*/false);
  const std::string where = test["id"].get<std::string>() + ": auto";
  const auto result = ValidPlan(problem, *AlgorithmByName("auto"), where);
  for (const auto& [name, figures] : Field(test, "derived").items()) {
    if (!result || Field(figures, "valid") != true || !figures.contains("pool_sizes")) continue;
    const int64_t sum = Sum(Field(figures, "pool_sizes"));
    Expect(result->total_bytes <= sum, where + ": " + std::to_string(result->total_bytes) +
                                           " bytes, " + name + " has " + std::to_string(sum));
  }
}

// Checks the figures that the planner's tests assert. For the greedy algorithms, which are not
// random, also checks the figures that its code gives (`derived`). Skips figures of a plan that is
// not valid: a valid plan could not have them. Such a plan comes from a table that lists conflicts
// on one side only.
void CheckAlgorithms(const Json& test) {
  const MemoryProblem problem = ProblemOf(test, /*by_ranges=*/false);
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const std::string name(algorithm->name);
    const std::string where = test["id"].get<std::string>() + ": " + name;
    const auto result = ValidPlan(problem, *algorithm, where);
    if (!result) continue;
    const Json& derived = Field(Field(test, "derived"), name.c_str());
    if (Field(derived, "valid") == false) {
      std::printf("%s: not compared, the planner's own plan is not valid\n", where.c_str());
      continue;
    }
    CheckFigures(problem, result->plan, Field(Field(test, "asserted"), name.c_str()), where);
    if (name.starts_with("greedy")) {
      CheckFigures(problem, result->plan, derived, where + " (derived)");
    }
  }
}

void CheckPressure(const Json& test, const MemoryProblem& problem) {
  if (!Field(test, "asserted").contains("memory_pressure")) return;
  const std::vector<bool> all(problem.buffers.size(), true);
  const int64_t bytes = LargestLiveSet(problem, all).bytes;
  Expect(Field(Field(test, "asserted"), "memory_pressure") == bytes,
         test["id"].get<std::string>() + ": the largest live set is " + std::to_string(bytes));
}

// Checks the sizes and conflicts that live ranges have to give.
void CheckExtraction(const Json& test) {
  const MemoryProblem problem = ProblemOf(test, /*by_ranges=*/true);
  const std::string id = test["id"];
  CheckPressure(test, problem);
  const Json& asserted = Field(test, "asserted");
  const auto indices = IndicesOf(test["buffers"]);
  const Conflicts conflicts(problem);
  if (asserted.contains("conflicts")) {
    for (const auto& [name, others] : Field(asserted, "conflicts").items()) {
      for (const auto& other : others) {
        bool found = false;
        conflicts.ForEach(indices.at(name), [&](const Conflict& conflict) {
          found = found || conflict.buffer == indices.at(other.get<std::string>());
        });
        Expect(found, id + ": " + name + " and " + other.get<std::string>() + " do not conflict");
      }
    }
  }
  if (asserted.contains("sizes")) {
    for (const auto& [name, size] : Field(asserted, "sizes").items()) {
      Expect(size == problem.buffers[static_cast<size_t>(indices.at(name))].size_bytes,
             id + ": the size of " + name);
    }
  }
}

void CheckIntervals(const Json& test) {
  MemoryProblem problem;
  problem.pools.emplace_back().name = "workspace";
  for (const Json& row : test["intervals_inclusive"]) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.name_hint = "b" + std::to_string(problem.buffers.size() - 1);
    buffer.size_bytes = row[2];
    buffer.live = {{row[0].get<int64_t>(), row[1].get<int64_t>() + 1}};
  }
  const Json& asserted = Field(test, "asserted");
  const std::vector<bool> all(problem.buffers.size(), true);
  const int64_t live = LargestLiveSet(problem, all).bytes;
  Expect(Field(asserted, "expected_max_live") == live,
         test["id"].get<std::string>() + ": largest live set");
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const std::string where = test["id"].get<std::string>() + ": " + std::string(algorithm->name);
    const auto result = ValidPlan(problem, *algorithm, where);
    if (!result || algorithm->name != "hill_climb") continue;
    const int64_t percent = asserted.value("hill_climb_within_percent", int64_t{0});
    Expect(result->total_bytes * 100 <= live * (100 + percent),
           where + ": " + std::to_string(result->total_bytes) + " bytes for " +
               std::to_string(live) + " live");
  }
}

void CheckDefect(const Json& test) {
  const MemoryProblem problem = ProblemOf(test, /*by_ranges=*/false);
  const bool fits =
      !Field(test, "correct").is_object() || !Field(test, "correct").contains("error");
  for (const Algorithm* algorithm : AllAlgorithms()) {
    const std::string where = test["id"].get<std::string>() + ": " + std::string(algorithm->name);
    if (fits) {
      ValidPlan(problem, *algorithm, where);
      continue;
    }
    const Result<PlanningResult> result = PlanMemory(problem, *algorithm);
    Expect(!result && result.error().message.starts_with("does not fit: "),
           where + ": gives a plan where none is");
  }
}

int Run(const char* path) {
  std::ifstream file(path);
  const Json cases = Json::parse(file, nullptr, false);
  if (!cases.is_object()) {
    std::printf("%s: is no JSON object\n", path);
    return 2;
  }
  const auto for_each = [&](const char* list, auto check) {
    for (const Json& test : cases.value(list, Json::array())) check(test);
  };
  for_each("algorithm_cases", CheckAlgorithms);
  for_each("algorithm_cases", CheckAuto);
  for_each("algorithm_cases", [](const Json& test) { CheckPressure(test, ProblemOf(test, true)); });
  for_each("extraction_cases", CheckAlgorithms);
  for_each("extraction_cases", CheckAuto);
  for_each("extraction_cases", CheckExtraction);
  for_each("interval_cases", CheckIntervals);
  for_each("tvm_defects", CheckDefect);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: planning_cases FILE\n");
    return 2;
  }
  return assay::Run(argv[1]);
}
