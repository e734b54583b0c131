// Tests of targets that are learned by probing.
#include "learn_target.h"

#include <gtest/gtest.h>

#include "check_graph.h"
#include "executor.h"
#include "probe_vectors.h"
#include "probing.h"

namespace assay {
namespace {

// Expects that the reference executor answers the vector, so that a backend must take it.
void ExpectValid(const TestVector& vector, const std::string& what) {
  for (const Breach& breach : CheckVector(vector)) {
    ADD_FAILURE() << what << ": " << breach.rule << " " << breach.where;
  }
  for (const Outcome& outcome : ExecuteVector(vector, {})) {
    EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << what << ": " << outcome.rule;
  }
}

TEST(Probes, OfWindowsAreValid) {
  constexpr WindowNumber kNumbers[] = {WindowNumber::kKernel, WindowNumber::kStride,
                                       WindowNumber::kDilation, WindowNumber::kPad};
  for (const OperatorRow& row : AllOperators()) {
    for (int axis = 0; axis < WindowAxes(row.op); ++axis) {
      for (size_t type = 0; type < row.type_rows.size(); ++type) {
        for (const WindowNumber which : kNumbers) {
          for (const int32_t number : {1, 2, 7, 1000, 4096}) {
            const auto vector = WindowVector(row.op, static_cast<int>(type), which, axis, number);
            if (!vector) continue;
            ExpectValid(*vector, std::string(row.name) + " " +
                                     std::string(row.type_rows[type].mode) + " number " +
                                     std::to_string(static_cast<int>(which)) + " is " +
                                     std::to_string(number));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
