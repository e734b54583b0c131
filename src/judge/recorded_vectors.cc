// SPDX-License-Identifier: Apache-2.0
#include "recorded_vectors.h"

#include <cmath>
#include <utility>

#include "arm_expectation.h"
#include "executor.h"

namespace assay {
namespace {

double NumberOf(const Tensor& tensor, int64_t index) {
  return IsFloat(tensor.type()) ? tensor.Float(index) : static_cast<double>(tensor.Integer(index));
}

// Returns an expectation that leaves every element undecided, because there is nothing to judge by.
Expectation Nothing(Tensor value) {
  Expectation expectation;
  const auto count = static_cast<size_t>(value.elements());
  expectation.value = std::move(value);
  expectation.reference.assign(count, 0);
  expectation.error.assign(count, std::nan(""));
  expectation.rule = "nothing recorded";
  return expectation;
}

// Returns the expectation of a record for which our executor has none. It follows from the rule in
// desc.json, or it is the record itself if the specification leaves no choice.
Expectation ByItself(const ArmRecord& record) {
  if (std::optional<Expectation> judged = ExpectationByCompliance(record)) return *judged;
  Tensor zeros = Tensor::Splat(record.type.type, record.type.shape, 0);
  if (!record.value || IsFloat(record.type.type)) return Nothing(std::move(zeros));
  return {*record.value, {}, {}, "recorded", {}};
}

void ExpectRecordsAlone(const ArmTest& test, Step& step) {
  for (const ArmRecord& record : test.recorded.outputs) step.outputs.push_back(ByItself(record));
}

Expectation ExpectationOf(const ArmRecord& record, const Expectation& computed) {
  if (std::optional<Expectation> judged = ExpectationByCompliance(record)) return *judged;
  if (!record.value || record.value->tensor_type() != computed.value.tensor_type()) {
    return Nothing(computed.value);
  }
  Expectation expectation;
  expectation.value = *record.value;
  expectation.rule = "recorded";
  if (computed.error.empty()) return expectation;
  for (int64_t i = 0; i < expectation.value.elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    const bool exact = computed.error[at] == 0 || at >= record.precise.size();
    expectation.reference.push_back(exact ? NumberOf(*record.value, i) : record.precise[at]);
    expectation.error.push_back(computed.error[at]);
  }
  return expectation;
}

// Returns the test set of Appendix A that the directory names for its data, if it names one. Whole
// tensors of dot products of such data are judged as well (DotStatistics).
std::optional<int32_t> TestSetOf(const ArmTest& test) {
  constexpr double kSets = 6;
  for (const ArmRecord& record : test.recorded.outputs) {
    const auto& parameters = record.compliance.parameters;
    const auto set = parameters.find("s");
    if (record.compliance.mode != "DOT_PRODUCT" || set == parameters.end()) continue;
    if (set->second >= 0 && set->second < kSets) return static_cast<int32_t>(set->second);
  }
  return std::nullopt;
}

}  // namespace

RecordedVectors VectorsOf(const ArmTest& test) {
  RecordedVectors vectors{test.vector, test.vector, ""};
  if (!Expect(vectors.computed, {.dot_product_set = TestSetOf(test)}, &vectors.no_expectation)) {
    if (vectors.no_expectation.empty()) vectors.no_expectation = "no expectation";
    vectors.computed.steps.clear();
    if (!test.recorded.expected_failure) ExpectRecordsAlone(test, vectors.recorded.steps[0]);
    return vectors;
  }
  Step& recorded = vectors.recorded.steps[0];
  const Step& computed = vectors.computed.steps[0];
  if (computed.expected == OutcomeKind::kUnpredictable) {
    recorded = computed;
    return vectors;
  }
  if (test.recorded.expected_failure) {
    recorded.expected = OutcomeKind::kError;
    recorded.rule = computed.rule.empty() ? "recorded failure" : computed.rule;
    return vectors;
  }
  recorded.expected = OutcomeKind::kValid;
  if (computed.expected != OutcomeKind::kValid) {
    ExpectRecordsAlone(test, recorded);
    return vectors;
  }
  for (size_t i = 0; i < computed.outputs.size(); ++i) {
    recorded.outputs.push_back(ExpectationOf(test.recorded.outputs[i], computed.outputs[i]));
  }
  for (const ArmRecord& variable : test.recorded.variables) {
    const auto known = computed.state_after.find(variable.name);
    if (known == computed.state_after.end() || !variable.value) continue;
    recorded.state_after[variable.name] = ExpectationOf(variable, known->second);
  }
  return vectors;
}

}  // namespace assay
