// SPDX-License-Identifier: Apache-2.0
// Compares `auto` with the heuristics of other planners.
#include "peer_planners.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "algorithm.h"
#include "files.h"
#include "planner.h"
#include "planner_tables.h"
#include "random.h"

namespace assay::peer_planners_test {
namespace {

MemoryProblem Lives(const std::vector<std::array<int64_t, 3>>& rows) {
  MemoryProblem problem;
  problem.pools.emplace_back().name = "p";
  for (const auto& [lower, upper, size] : rows) {
    BufferInfo& buffer = problem.buffers.emplace_back();
    buffer.name_hint = std::to_string(problem.buffers.size());
    buffer.size_bytes = size;
    buffer.live = {{lower, upper}};
  }
  return problem;
}

// a has 6 bytes in [0, 2), b 4 in [1, 4), c 5 in [3, 6), d 2 in [2, 4): at most b, c and d are live
// at once, 11 bytes.
// Largest first: a at 0, c at 0, b above both at 6, d beside b and c: at 10, because first fit does
// not take the gap [5, 6). So 12 in all. "All above what they conflict with": the same. By start: a
// at 0, b at 6; d in [0, 6), where a was; c at 10, because [2, 6) is too small: 15. In objects: a
// with c (6), b (4), d (2): 12.
TEST(PeerPlanners, ByHand) {
  const auto peaks = PeaksOfPeers(Lives({{0, 2, 6}, {1, 4, 4}, {3, 6, 5}, {2, 4, 2}}));
  EXPECT_EQ(peaks.at("no reuse"), 17);
  EXPECT_EQ(peaks.at("TFLM greedy"), 12);
  EXPECT_EQ(peaks.at("TFLite best fit, XLA spatial"), 12);
  EXPECT_EQ(peaks.at("TVM greedy_by_size"), 12);
  EXPECT_EQ(peaks.at("Vela greedy"), 15);
  EXPECT_EQ(peaks.at("shared objects"), 12);
  EXPECT_EQ(peaks.at("Vela hill climb"), 11);
}

void ExpectNoWorse(const MemoryProblem& problem, const std::string& name, int64_t& total) {
  const Result<PlanningResult> ours = PlanMemory(problem, *AlgorithmByName("auto"));
  ASSERT_TRUE(ours) << name;
  total = ours->total_bytes;
  for (const auto& [peer, peak] : PeaksOfPeers(problem)) {
    EXPECT_LE(total, peak) << name << ": " << peer;
  }
}

// The best known peaks are 1,048,576, except for C and D.
TEST(Auto, IsNoWorseThanPeersOnMiniMallocsBenchmarks) {
  const std::map<std::string, double> best = {{"A", 1048576}, {"B", 1048576}, {"C", 1039360},
                                              {"D", 1038336}, {"E", 1048576}, {"F", 1048576}};
  double logarithms = 0;
  for (const auto& [name, smallest] : best) {
    const std::string path =
        ASSAY_SOURCE_DIR "/corpus/planning/minimalloc/" + name + ".1048576.csv";
    const Result<PlannedProblem> planned = ReadMiniMalloc(*ReadTextFile(path), path);
    ASSERT_TRUE(planned) << path;
    int64_t total = 0;
    ExpectNoWorse(planned->problem, name, total);
    logarithms += std::log(static_cast<double>(total) / smallest);
  }
  EXPECT_LE(std::exp(logarithms / static_cast<double>(best.size())), 1.1);
}

// A buffer begins with each operator, and one in twenty lives for long.
TEST(Auto, IsNoWorseThanPeersOnNetworks) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<std::array<int64_t, 3>> rows;
    const int64_t count = random.Between(20, 600);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t life = random.OneIn(20) ? random.Between(5, 104) : random.Between(2, 5);
      rows.push_back({i, i + life, 64 * random.Between(1, 64)});
    }
    int64_t total = 0;
    ExpectNoWorse(Lives(rows), "network " + std::to_string(seed), total);
  }
}

}  // namespace
}  // namespace assay::peer_planners_test
