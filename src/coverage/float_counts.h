// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "coverage_table.h"
#include "float_flow.h"
#include "informative_elements.h"
#include "levels.h"
#include "test_vector.h"
#include "trace.h"

namespace assay {

// Counts of the floating point in vectors, by item.
struct FloatCounts {
  std::map<std::string, int64_t> idioms;  // float_idioms.h
  std::map<std::string, int64_t> depths;  // float outputs by class of depth (float_flow.h)
  std::map<std::string, int64_t> pairs;   // inexact_operators.h
  std::map<Op, InformativeCount> informative;
  FloatCounts& operator+=(const FloatCounts& other);
};

// Counts one vector while it runs.
class FloatCounter final : public Trace {
 public:
  explicit FloatCounter(const TestVector& vector);  // must outlive this object
  void Ran(const ExecutedOperator& executed) override;
  // Returns the counts after the run. Depths count outputs of the steps that were valid.
  FloatCounts Counts(std::span<const Outcome> outcomes) const;

 private:
  const TestVector& vector_;
  const Level level_;
  FloatFlow flow_;
  std::map<const Operator*, std::vector<std::string_view>> idioms_of_;
  FloatCounts counts_;
};

// Runs the vector on the reference executor and counts.
FloatCounts CountFloats(const TestVector& vector);

// Returns the groups float_idioms, float_depths, float_pairs and informative_elements. Adds items
// that no list has to `unlisted`, unless it is null.
std::vector<CoverageGroup> FloatGroups(const FloatCounts& counts,
                                       std::vector<std::string>* unlisted = nullptr);

}  // namespace assay
