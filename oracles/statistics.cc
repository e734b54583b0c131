// SPDX-License-Identifier: Apache-2.0
// The whole-tensor part of the dot product rule. It judges errors that single elements may have,
// but that must not all occur together.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "comparison.h"
#include "fourier_errors.h"
#include "oracle.h"
#include "suspect.h"

namespace assay {
namespace {

// Sums over the errors of a tensor. If a backend may have flushed an operand, or may have other
// coefficients, the error lies in an interval. The sums take the value in the interval that is best
// for the backend.
struct ErrorSums {
  double squares = 0;
  double low = 0;  // of the sum of errors
  double high = 0;
  bool all_within = true;  // each element is in its bound, as far as a subtraction tells

  // Adds an error. `slack` is half the length of its interval. `shared` is the part of it that
  // Widen() adds instead.
  void Add(double difference, double slack, double shared, double unit) {
    const double least = std::max(0.0, std::fabs(difference) - slack) / unit;
    squares += least * least;
    const double own = std::max(0.0, slack - shared);
    low += (difference - own) / unit;
    high += (difference + own) / unit;
  }
  void Widen(double sum) {
    low -= sum;
    high += sum;
  }
  // Returns the least magnitude that the sum of errors can have.
  double Bias() const { return std::max({0.0, low, -high}); }
};

ErrorSums SumsOf(const Expectation& expectation, const FourierErrors& fourier, const Tensor& got) {
  const DotStatistics& statistics = *expectation.statistics;
  const std::vector<double> values = NumbersOf(got);
  ErrorSums sums;
  sums.all_within = !expectation.error.empty();
  for (size_t i = 0; i < expectation.error.size(); ++i) {
    const double error = expectation.error[i];
    const double difference = values[i] - expectation.reference[i];
    sums.all_within &= std::fabs(difference) <= error;
    const double unit = statistics.unit[i];
    if (unit == 0) continue;
    const double slack = std::max(0.0, error - statistics.abs_bound * unit);
    sums.Add(difference, slack, fourier.element.empty() ? 0 : fourier.element[i], unit);
  }
  sums.Widen(fourier.sum);
  return sums;
}

std::string NumberText(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 6);
  return std::string(text, end.ptr);
}

// Makes one of the two checks; adds a finding if it fails.
void Check(std::string_view what, double sum, double bound, const Expectation& expectation,
           std::vector<Finding>& findings) {
  if (sum <= bound) return;
  Finding finding;
  finding.violation = Violation::kStatistics;
  finding.rule = expectation.rule;
  finding.expected = std::string(what) + " of at most " + NumberText(bound);
  finding.got = NumberText(sum);
  finding.allowed = "data set " + std::to_string(expectation.statistics->set) + ", " +
                    std::to_string(expectation.value.elements()) + " dot products";
  findings.push_back(std::move(finding));
}

std::vector<Finding> FindingsOf(const Expectation& expectation, const ErrorSums& sums) {
  const DotStatistics& statistics = *expectation.statistics;
  const auto count = static_cast<double>(expectation.value.elements());
  std::vector<Finding> findings;
  Check("a sum of squared errors", sums.squares, statistics.variance_bound * count, expectation,
        findings);
  // The other sets have a bias of their own.
  if (statistics.set >= 3 && statistics.set <= 5) {
    Check("a sum of errors", sums.Bias(), std::sqrt(10 * statistics.variance_bound * count),
          expectation, findings);
  }
  return findings;
}

Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  if (step.expected != OutcomeKind::kValid || at >= outcomes.size() ||
      outcomes[at].kind != OutcomeKind::kValid ||
      outcomes[at].outputs.size() != step.outputs.size()) {
    return verdict;  // a question for the other oracles
  }
  const Graph& graph = vector.GraphOf(step);
  bool asked = false;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const Expectation& expectation = step.outputs[i];
    const Tensor& got = outcomes[at].outputs[i];
    if (!expectation.statistics || !got.has_value() ||
        got.tensor_type() != expectation.value.tensor_type()) {
      continue;
    }
    const ErrorSums sums = SumsOf(expectation, FourierErrorsOf(graph, step, i), got);
    // Wrong single elements are a finding of `values`.
    if (!sums.all_within && Compare(expectation, got).Wrong()) continue;
    asked = true;
    for (Finding& finding : FindingsOf(expectation, sums)) {
      Blame(finding, graph, i);
      verdict.findings.push_back(std::move(finding));
    }
  }
  if (!verdict.findings.empty()) {
    verdict.kind = VerdictKind::kDisagrees;
  } else if (asked) {
    verdict.kind = VerdictKind::kAgrees;
  }
  return verdict;
}

constexpr OracleCanary kCanaries[] = {{Violation::kStatistics, "rounds-up"}};

}  // namespace

namespace oracles {
extern const Oracle statistics_oracle = {
    .name = "statistics",
    .question = "are the errors of a tensor of dot products as small and unbiased as they must be?",
    .relies_on = "the expectation's fp64 reference and units, of data from Appendix A",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
