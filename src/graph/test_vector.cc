// SPDX-License-Identifier: Apache-2.0
#include "test_vector.h"

namespace assay {

Step::Step() = default;
Step::Step(const Step& other) = default;
Step& Step::operator=(const Step& other) = default;
Step::Step(Step&& other) noexcept = default;
Step& Step::operator=(Step&& other) noexcept = default;
Step::~Step() = default;

TestVector::TestVector() = default;
TestVector::TestVector(const TestVector& other) = default;
TestVector& TestVector::operator=(const TestVector& other) = default;
TestVector::TestVector(TestVector&& other) noexcept = default;
TestVector& TestVector::operator=(TestVector&& other) noexcept = default;
TestVector::~TestVector() = default;

std::vector<PlacedOperator> TestVector::Operators() const {
  std::vector<PlacedOperator> operators;
  for (const Graph& graph : graphs) {
    for (const PlacedOperator& placed : graph.Operators()) operators.push_back(placed);
  }
  return operators;
}

int64_t TestVector::OperatorCount() const {
  int64_t count = 0;
  for (const Graph& graph : graphs) count += graph.OperatorCount();
  return count;
}

}  // namespace assay
