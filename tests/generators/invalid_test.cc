// SPDX-License-Identifier: Apache-2.0
// Compares vectors that break a rule with the findings of the validator.

#include <optional>
#include <set>

#include "check_graph.h"
#include "generated.h"
#include "generator_table.h"
#include "rules.h"

namespace assay::invalid_test {
namespace {

// Returns the rules that a vector breaks, according to the validator.
std::set<std::string> BrokenRules(const TestVector& vector) {
  std::set<std::string> rules;
  for (const Breach& breach : CheckVector(vector)) rules.insert(breach.rule);
  return rules;
}

// Expects that a vector breaks the one rule that its last step names, and no other.
void ExpectBreaksOnly(const TestVector& vector) {
  const Step& step = vector.steps.back();
  EXPECT_TRUE(HasTag(vector, "breaks:" + step.rule)) << vector.name;
  EXPECT_EQ(HasTag(vector, kImpliedErrorTag), IsImpliedError(step.rule)) << vector.name;
  if (step.expected == OutcomeKind::kError) {
    EXPECT_EQ(BrokenRules(vector), std::set<std::string>{step.rule}) << vector.name;
  } else {
    EXPECT_EQ(step.expected, OutcomeKind::kUnpredictable) << vector.name;
  }
}

TEST(InvalidGenerator, BreaksEveryRuleAloneBesideAValidControl) {
  const Generator& generator = *GeneratorByKind("invalid");
  GeneratorOptions options = Options(1);
  options.implied_errors = true;
  std::set<std::string> broken;
  std::optional<TestVector> control;
  std::string last;
  for (int64_t index = 0; index < generator.targets(options); ++index) {
    const auto vector = generator.make(options, static_cast<uint64_t>(index));
    if (!vector) {
      ADD_FAILURE() << "nothing at " << index << ", after " << last;
      continue;
    }
    last = vector->name;
    if (vector->steps.back().expected == OutcomeKind::kValid) {
      EXPECT_EQ(BrokenRules(*vector), std::set<std::string>{}) << vector->name;
      EXPECT_FALSE(HasTag(*vector, kImpliedErrorTag)) << vector->name;
      EXPECT_TRUE(IsValid(*vector)) << vector->name;
      control = *vector;
      continue;
    }
    ExpectBreaksOnly(*vector);
    const std::string& rule = vector->steps.back().rule;
    if (vector->steps.back().expected == OutcomeKind::kError) {
      ASSERT_TRUE(control && HasTag(*control, "control-of:" + rule)) << vector->name;
      EXPECT_FALSE(control->graphs == vector->graphs &&
                   control->steps[0].inputs == vector->steps[0].inputs)
          << vector->name;
    }
    control.reset();
    broken.insert(rule);
  }
  for (const Rule& rule : AllRules()) {
    EXPECT_EQ(broken.contains(rule.id), rule.unreachable.empty()) << rule.id;
  }
}

// Implied errors come after the errors that the text states, so that they change no other vector.
TEST(InvalidGenerator, MakesImpliedErrorsOnlyWhereTheyAreAskedFor) {
  const Generator& generator = *GeneratorByKind("invalid");
  const GeneratorOptions stated = Options(1);
  GeneratorOptions all = stated;
  all.implied_errors = true;
  const int64_t count = generator.targets(stated);
  EXPECT_LT(count, generator.targets(all));
  for (int64_t index = 0; index < count; index += 7) {
    const auto vector = generator.make(stated, static_cast<uint64_t>(index));
    ASSERT_TRUE(vector) << index;
    EXPECT_FALSE(HasTag(*vector, kImpliedErrorTag)) << vector->name;
    EXPECT_EQ(*vector, *generator.make(all, static_cast<uint64_t>(index))) << vector->name;
  }
}

}  // namespace
}  // namespace assay::invalid_test
