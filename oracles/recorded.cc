#include "recorded.h"

#include <cmath>

#include "executor.h"

namespace assay {
namespace {

double NumberOf(const Tensor& tensor, int64_t index) {
  return IsFloat(tensor.type()) ? tensor.Float(index) : static_cast<double>(tensor.Integer(index));
}

// Without a file there is nothing to judge by: every element is undecided.
Expectation Nothing(const Expectation& computed) {
  Expectation expectation = computed;
  const auto count = static_cast<size_t>(computed.value.elements());
  expectation.reference.assign(count, 0);
  expectation.error.assign(count, std::nan(""));
  expectation.rule = "nothing recorded";
  return expectation;
}

// Of a graph that our executor refuses: the model's answer as it is, where it determines itself.
Expectation AsRecorded(const ArmRecord& record) {
  Expectation expectation{*record.value, {}, {}, "recorded"};
  return IsFloat(record.value->type()) ? Nothing(expectation) : expectation;
}

Expectation ExpectationOf(const ArmRecord& record, const Expectation& computed) {
  if (!record.value || record.value->tensor_type() != computed.value.tensor_type()) {
    return Nothing(computed);
  }
  Expectation expectation;
  expectation.value = *record.value;
  expectation.rule = "recorded";
  if (!record.compliance.mode.empty()) expectation.rule += " " + record.compliance.mode;
  if (computed.error.empty()) return expectation;
  for (int64_t i = 0; i < expectation.value.elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    const bool exact = computed.error[at] == 0 || at >= record.precise.size();
    expectation.reference.push_back(exact ? NumberOf(*record.value, i) : record.precise[at]);
    expectation.error.push_back(computed.error[at]);
  }
  return expectation;
}

}  // namespace

RecordedVectors VectorsOf(const ArmTest& test) {
  RecordedVectors vectors{test.vector, test.vector, ""};
  if (!Expect(vectors.computed, {}, &vectors.no_expectation)) {
    if (vectors.no_expectation.empty()) vectors.no_expectation = "no expectation";
    vectors.computed.steps.clear();
    vectors.recorded.steps.clear();
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
    for (const ArmRecord& record : test.recorded.outputs) {
      if (record.value) recorded.outputs.push_back(AsRecorded(record));
    }
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
