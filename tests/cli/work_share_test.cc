// SPDX-License-Identifier: Apache-2.0
// Tests the choice of cases by the work of their kinds.
#include "work_share.h"

#include <regex>
#include <set>

#include "json_output.h"
#include "run_assay.h"

namespace assay::work_share_test {
namespace {

Campaign CampaignOf(const std::vector<std::string>& kinds) {
  CampaignOptions options;
  options.kinds = kinds;
  Result<Campaign> campaign = MakeCampaign(options);
  EXPECT_TRUE(campaign) << campaign.error().message;
  return *campaign;
}

// Runs rounds in which a case of kind k takes 10^k units. Returns the cases, as numbers of the
// campaign.
std::vector<int64_t> RunRounds(const Campaign& campaign, Shard shard, int64_t first, int64_t last,
                               WorkByKind& work) {
  WorkShare share(campaign, shard, work);
  std::vector<int64_t> numbers;
  for (int64_t round = first; round < last; ++round) {
    share.Choose(round);
    for (int64_t i = 0; i < WorkShare::kRoundCases; ++i) {
      const int64_t index = round * WorkShare::kRoundCases + i;
      numbers.push_back(shard.At(share.CaseAt(index)));
      const auto kinds = static_cast<int64_t>(campaign.kinds.size());
      share.Add(index, numbers.back() % kinds == 0 ? 1 : 10);
    }
  }
  return numbers;
}

TEST(WorkShare, KindsTakeTurnsAndThenGetTheSameWork) {
  const Campaign campaign = CampaignOf({"operator", "network"});
  WorkByKind work;
  const std::vector<int64_t> numbers = RunRounds(campaign, {}, 0, 20, work);
  for (int64_t i = 0; i < WorkShare::kRoundCases; ++i) {
    EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
  }
  ASSERT_EQ(work.kinds.size(), 2u);
  EXPECT_NEAR(static_cast<double>(work.kinds[0].work), static_cast<double>(work.kinds[1].work), 10);
  EXPECT_NEAR(static_cast<double>(work.kinds[0].cases) / static_cast<double>(work.kinds[1].cases),
              10, 0.1);
  // No case comes twice, and none of a kind is left out.
  EXPECT_EQ(std::set<int64_t>(numbers.begin(), numbers.end()).size(), numbers.size());
  EXPECT_EQ(*std::ranges::max_element(numbers, {}, [](int64_t n) { return n % 2 == 0 ? n : 0; }),
            2 * (work.kinds[0].cases - 1));
}

TEST(WorkShare, ARunThatGoesOnTakesTheSameCases) {
  const Campaign campaign = CampaignOf({"operator", "network", "graph"});
  WorkByKind whole, parts;
  const std::vector<int64_t> numbers = RunRounds(campaign, {}, 0, 6, whole);
  std::vector<int64_t> again = RunRounds(campaign, {}, 0, 3, parts);
  // A round that is chosen already stays as it is.
  WorkShare(campaign, {}, parts).Choose(2);
  const std::vector<int64_t> rest = RunRounds(campaign, {}, 3, 6, parts);
  again.insert(again.end(), rest.begin(), rest.end());
  EXPECT_EQ(again, numbers);
}

TEST(WorkShare, AShardMayLackAKind) {
  const Campaign campaign = CampaignOf({"operator", "network"});
  WorkByKind work;
  for (const int64_t number : RunRounds(campaign, {1, 2}, 0, 3, work)) EXPECT_EQ(number % 2, 1);
  EXPECT_EQ(work.kinds[0].cases, 0);
  EXPECT_EQ(work.kinds[1].cases, 3 * WorkShare::kRoundCases);
  const Shard third = {2, 3};
  std::set<int64_t> places;
  for (const int64_t number : RunRounds(campaign, third, 0, 3, work = {})) {
    EXPECT_EQ(number % 3, 2);
    EXPECT_TRUE(places.insert(number).second);
  }
}

TEST(WorkShare, WorkGrowsWithOperatorsAndMultiplications) {
  const Campaign operators = CampaignOf({"operator"}), networks = CampaignOf({"network"});
  const auto small = operators.Make(0), large = networks.Make(0);
  ASSERT_TRUE(small && large);
  EXPECT_LT(WorkOf(*small), 10);
  EXPECT_GT(WorkOf(*large), 5 * WorkOf(*small));
}

TEST_F(Cli, FuzzSharesItsWorkAmongTheKinds) {
  const std::string fuzz =
      "fuzz --backend reference --kind operator --kind control-flow --seed 3 --reproducible --out ";
  ASSERT_EQ(Run(fuzz + "whole --budget 1100 --jobs 2").status, 0);
  const auto progress = JsonFrom(*ReadTextFile(Path("whole/progress.json")));
  const Json& kinds = progress["work"]["kinds"];
  const auto number = [&](size_t kind, size_t field) { return kinds[kind][field].get<double>(); };
  EXPECT_GT(number(0, 1), 2 * number(1, 1)) << kinds;
  EXPECT_NEAR(number(0, 2) / number(1, 2), 1, 0.1) << kinds;
  // The choice does not depend on where the run stops and goes on.
  ASSERT_EQ(Run(fuzz + "parts --budget 300").status, 0);
  ASSERT_EQ(Run(fuzz + "parts --budget 1100 --resume").status, 0);
  EXPECT_EQ(*ReadTextFile(Path("parts/progress.json")), *ReadTextFile(Path("whole/progress.json")));
}

TEST_F(Cli, FuzzCountsCasesWithoutAVectorApart) {
  const Ran ran =
      ExpectStatus(0, "fuzz --backend reference --kind invalid --op ADD --budget 60 --out f",
                   "valid case found: ");
  std::smatch skipped, total;
  ASSERT_TRUE(std::regex_search(ran.output, skipped, std::regex("valid case found: ([0-9]+)")));
  ASSERT_TRUE(std::regex_search(ran.output, total, std::regex("total: ([0-9]+) vectors")));
  EXPECT_EQ(std::stoi(skipped[1]) + std::stoi(total[1]), 60) << ran.output;
  EXPECT_EQ(ran.output.find("undecided: no valid case"), std::string::npos) << ran.output;
}

}  // namespace
}  // namespace assay::work_share_test
