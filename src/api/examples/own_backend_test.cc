// SPDX-License-Identifier: Apache-2.0
// Judges a backend with the vectors of the suite that $ASSAY_SUITE names, a test for each.
#include <assay/assay.h>
#include <gtest/gtest.h>

#include <string>

// The backend: ADD of fp32 without broadcasting, as vectors of kind "operator" have it.
void RunBackend(const assay_vector* vector, assay_outcomes* outcomes) {
  assay_tensor_view a = {}, b = {};
  assay_vector_input(vector, 0, 0, &a, nullptr);
  assay_vector_input(vector, 0, 1, &b, nullptr);
  const bool is_add = std::string(assay_vector_operator(vector, 0)) == "ADD";
  if (!is_add || a.dtype != ASSAY_DTYPE_FP32 || a.size != b.size) return;  // unsupported
  void* sum = nullptr;
  assay_outcomes_buffer(outcomes, 0, 0, &sum, nullptr, nullptr);
  for (size_t i = 0; i < a.size / sizeof(float); ++i) {
    static_cast<float*>(sum)[i] =
        static_cast<const float*>(a.data)[i] + static_cast<const float*>(b.data)[i];
  }
}

const assay_suite* Suite() {
  static assay_suite* suite = nullptr;
  static const assay_status opened = assay_suite_open(getenv("ASSAY_SUITE"), &suite, nullptr);
  return opened == ASSAY_OK ? suite : nullptr;
}

class OwnBackend : public testing::TestWithParam<size_t> {};
TEST_P(OwnBackend, Agrees) {
  assay_error error;
  assay_vector* vector = nullptr;
  assay_outcomes* outcomes = nullptr;
  assay_judgement* judgement = nullptr;
  ASSERT_EQ(assay_suite_vector(Suite(), GetParam(), &vector, &error), ASSAY_OK) << error.text;
  ASSERT_EQ(assay_outcomes_new(vector, &outcomes, &error), ASSAY_OK) << error.text;
  RunBackend(vector, outcomes);
  ASSERT_EQ(assay_judge(vector, outcomes, &judgement, &error), ASSAY_OK) << error.text;
  const assay_verdict verdict = assay_judgement_verdict(judgement);
  const std::string why = verdict == ASSAY_VERDICT_DISAGREES
                              ? assay_finding_text(judgement, 0, ASSAY_FINDING_TEXT)
                              : assay_judgement_note(judgement);
  assay_judgement_free(judgement), assay_outcomes_free(outcomes), assay_vector_free(vector);
  if (verdict >= ASSAY_VERDICT_UNDECIDED) GTEST_SKIP() << why;
  EXPECT_EQ(verdict, ASSAY_VERDICT_AGREES) << assay_suite_path(Suite(), GetParam()) << ": " << why;
}
INSTANTIATE_TEST_SUITE_P(Suite, OwnBackend, testing::Range<size_t>(0, assay_suite_size(Suite())));
