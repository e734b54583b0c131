// SPDX-License-Identifier: Apache-2.0
// Tests the kind `stateful`: the contents of its vectors, and their tags.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "executor.h"
#include "generated.h"
#include "generator_table.h"
#include "recurrent_models.h"
#include "tvec_file.h"

namespace assay::stateful_test {
namespace {

const std::vector<TestVector>& Suite() {
  static const std::vector<TestVector> suite = [] {
    std::vector<TestVector> vectors;
    for (uint64_t index = 0; index < 700; ++index) {
      auto vector = GeneratorByKind("stateful")->make(Options(1), index);
      if (vector) vectors.push_back(std::move(*vector));
    }
    return vectors;
  }();
  return suite;
}

std::set<std::string> VariablesOf(const TestVector& vector) {
  std::set<std::string> names;
  for (const PlacedOperator& placed : vector.Operators()) {
    if (placed.op.op == Op::kVariable) names.insert(placed.op.attributes.Text(AttributeId::kName));
  }
  return names;
}

TEST(Stateful, HasSequencesOfEverySize) {
  std::set<size_t> invocations, graphs, variables, contexts;
  for (const TestVector& vector : Suite()) {
    std::set<size_t> used;
    for (const Step& step : vector.steps) used.insert(static_cast<size_t>(step.context));
    invocations.insert(vector.steps.size());
    graphs.insert(vector.graphs.size());
    variables.insert(VariablesOf(vector).size());
    contexts.insert(used.size());
  }
  EXPECT_EQ(*invocations.begin(), 1u);
  EXPECT_GE(*invocations.rbegin(), 45u);
  EXPECT_LE(*invocations.rbegin(), 50u);
  EXPECT_EQ(graphs, (std::set<size_t>{1, 2, 3, 4, 5}));
  EXPECT_GE(*variables.rbegin(), 7u);
  EXPECT_LE(*variables.rbegin(), 8u);
  EXPECT_EQ(contexts, (std::set<size_t>{1, 2, 3}));
}

TEST(Stateful, HasEveryModelWithState) {
  std::map<std::string, int> models;
  for (const TestVector& vector : Suite()) {
    for (const RecurrentModel& model : RecurrentModels()) {
      if (vector.name.ends_with("-" + std::string(model.name))) ++models[std::string(model.name)];
    }
  }
  EXPECT_EQ(models.size(), RecurrentModels().size());
}

// A rule is broken in the last step or not at all, and the tags say which.
TEST(Stateful, SaysWhichRuleItBreaks) {
  std::set<std::string> broken;
  for (const TestVector& vector : Suite()) {
    for (size_t i = 0; i + 1 < vector.steps.size(); ++i) {
      EXPECT_EQ(vector.steps[i].expected, OutcomeKind::kValid) << vector.name;
    }
    const Step& last = vector.steps.back();
    const bool valid = last.expected == OutcomeKind::kValid;
    const std::string tag = "breaks:" + last.rule;
    const bool tagged = std::any_of(vector.tags.begin(), vector.tags.end(),
                                    [](const auto& one) { return one.starts_with("breaks:"); });
    EXPECT_EQ(tagged, !valid) << vector.name;
    if (valid) continue;
    EXPECT_EQ(last.expected, OutcomeKind::kUnpredictable) << vector.name;
    EXPECT_EQ(vector.tags.back(), tag) << vector.name;
    broken.insert(last.rule);
  }
  EXPECT_EQ(broken, (std::set<std::string>{"VARIABLE/REQUIRE/3", "VARIABLE_READ/REQUIRE/1",
                                           "VARIABLE_READ/REQUIRE/2", "VARIABLE_READ/REQUIRE/3",
                                           "VARIABLE_READ/REQUIRE/4", "VARIABLE_WRITE/REQUIRE/1",
                                           "VARIABLE_WRITE/REQUIRE/2", "VARIABLE_WRITE/REQUIRE/3",
                                           "VARIABLE_WRITE/REQUIRE/4"}));
}

// A vector names other semantics than the specification's only if it needs them.
TEST(Stateful, KeepsToTheSpecificationWhereItCan) {
  int other = 0;
  for (TestVector vector : Suite()) {
    if (vector.semantics == "1.0") continue;
    ++other;
    const std::vector<Step> steps = vector.steps;
    vector.semantics = "1.0";
    EXPECT_FALSE(Expect(vector, {}) && vector.steps == steps) << vector.name;
  }
  EXPECT_GT(other, 10);
}

// The file alone determines what happens: executing the vector again gives the same file.
TEST(Stateful, ReplaysFromItsFile) {
  for (const TestVector& vector : Suite()) {
    const std::vector<uint8_t> bytes = WriteTestVector(vector);
    Result<TestVector> read = ReadTestVector(bytes, vector.name);
    ASSERT_TRUE(read) << read.error().message;
    std::string reason;
    ASSERT_TRUE(Expect(*read, {}, &reason)) << vector.name << ": " << reason;
    EXPECT_EQ(WriteTestVector(*read), bytes) << vector.name;
  }
}

}  // namespace
}  // namespace assay::stateful_test
