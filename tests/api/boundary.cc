// SPDX-License-Identifier: Apache-2.0
// The boundary of the library: what functions behind it throw becomes a status.
#include <gtest/gtest.h>

#include <cfenv>
#include <new>
#include <stdexcept>
#include <string>

#include "check.h"
#include "guarded.h"

namespace assay::api {
namespace {

// Returns the status of a body that does this, and its message.
template <class Throw>
assay_status StatusOfThrowing(Throw what, assay_error& error) {
  return Guarded(&error, [&]() -> Result<assay_status> {
    what();
    return ASSAY_OK;
  });
}

TEST(Boundary, TurnsABrokenInvariantIntoAStatus) {
  assay_error error;
  EXPECT_EQ(StatusOfThrowing([] { Check(false, "water is wet"); }, error), ASSAY_DEFECT);
  EXPECT_TRUE(std::string(error.text).starts_with("defect in Assay itself: water is wet ("));
}

TEST(Boundary, LetsNoExceptionPass) {
  assay_error error;
  EXPECT_EQ(StatusOfThrowing([] { throw std::bad_alloc(); }, error), ASSAY_LIMIT);
  EXPECT_STREQ(error.text, "out of memory");
  EXPECT_EQ(StatusOfThrowing([] { throw std::length_error("too long"); }, error), ASSAY_DEFECT);
  EXPECT_STREQ(error.text, "too long");
  EXPECT_EQ(StatusOfThrowing([] { throw 3; }, error), ASSAY_DEFECT);
  EXPECT_EQ(StatusOfThrowing([] {}, error), ASSAY_OK);
  EXPECT_STREQ(error.text, "");
}

TEST(Boundary, CutsLongMessages) {
  assay_error error;
  const std::string longer(2 * sizeof error.text, 'x');
  EXPECT_EQ(StatusOfThrowing([&] { throw std::length_error(longer); }, error), ASSAY_DEFECT);
  EXPECT_EQ(error.text, longer.substr(0, sizeof error.text - 1));
}

TEST(Boundary, CallsTheCallerInItsFloatingPointMode) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const CallersFloats floats;
  int before = 0, callers = 0, after = 0;
  Guarded(nullptr, [&]() -> Result<assay_status> {
    before = std::fegetround();
    callers = floats.Call([] { return std::fegetround(); });
    after = std::fegetround();
    return ASSAY_OK;
  });
  EXPECT_EQ(before, FE_TONEAREST);
  EXPECT_EQ(callers, FE_UPWARD);
  EXPECT_EQ(after, FE_TONEAREST);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace assay::api
