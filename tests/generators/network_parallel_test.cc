// SPDX-License-Identifier: Apache-2.0
// Computes networks with several threads. Results, expectations and the ensemble must have the same
// bytes as with one.
#include "ensemble_run.h"
#include "generated.h"
#include "generator_table.h"
#include "network_request.h"
#include "parallel.h"
#include "tvec_file.h"

namespace assay::network_parallel_test {
namespace {

// The results of a vector: its outcomes, its expectation and the outcomes of all members.
struct Results {
  std::vector<Outcome> outcomes;
  std::vector<uint8_t> expected;  // the vector with its expectation, as a file
  std::vector<std::vector<Outcome>> members;
};

Results ResultsOf(TestVector vector) {
  Results results;
  results.outcomes = ExecuteVector(vector, {});
  results.members = ExecuteEnsemble(vector, {}, 1);
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  results.expected = WriteTestVector(vector);
  return results;
}

void ExpectSame(const std::vector<Outcome>& some, const std::vector<Outcome>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (size_t step = 0; step < some.size(); ++step) {
    EXPECT_EQ(some[step].kind, others[step].kind);
    ASSERT_EQ(some[step].outputs.size(), others[step].outputs.size());
    for (size_t i = 0; i < some[step].outputs.size(); ++i) {
      EXPECT_TRUE(
          std::ranges::equal(some[step].outputs[i].bytes(), others[step].outputs[i].bytes()));
    }
  }
}

TEST(NetworksOnSeveralThreads, GiveTheBytesOfOneThread) {
  for (const char* name : {"transformer@8,fp32", "mobilenet_v2@16,fp32", "resnet@8,i8"}) {
    GeneratorOptions options = Options(1);
    options.network = ParseNetwork(name)->ToString();
    const auto vector = GeneratorByKind("network")->make(options, 0);
    ASSERT_TRUE(vector) << name;
    SetThreads(1);
    const Results wanted = ResultsOf(*vector);
    EXPECT_EQ(wanted.members.size(), Ensemble().size());
    for (const int threads : {2, 3, 7}) {
      SetThreads(threads, 1);
      const Results results = ResultsOf(*vector);
      ExpectSame(results.outcomes, wanted.outcomes);
      EXPECT_EQ(results.expected, wanted.expected) << name << " on " << threads;
      ASSERT_EQ(results.members.size(), wanted.members.size());
      for (size_t i = 0; i < wanted.members.size(); ++i) {
        ExpectSame(results.members[i], wanted.members[i]);
      }
    }
    SetThreads(1);
  }
}

TEST(NetworksOnSeveralThreads, EndTheEnsembleAfterTheFirstMemberThatIsCapped) {
  GeneratorOptions options = Options(1);
  options.network = ParseNetwork("transformer@8,fp32")->ToString();
  const auto vector = GeneratorByKind("network")->make(options, 0);
  ASSERT_TRUE(vector);
  ExecutionOptions capped;
  capped.operators_max = 5;
  for (const int threads : {1, 3}) {
    SetThreads(threads, 1);
    EXPECT_TRUE(ExecuteEnsemble(*vector, capped, 1).empty());
  }
  SetThreads(1);
}

}  // namespace
}  // namespace assay::network_parallel_test
