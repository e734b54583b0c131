// SPDX-License-Identifier: Apache-2.0
// Tests the search for names that people type.
#include "name_search.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace assay::name_search_test {
namespace {

using Names = std::vector<std::string_view>;

const Names kOperators = {"ADD", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "SUB"};
const Names kExtensions = {"EXT-BF16", "EXT-FP8E4M3", "EXT-FP8E5M2", "EXT-FFT"};

TEST(NameSearch, TakesAnyCaseAndLeavesOutPrefixes) {
  EXPECT_EQ(*FindName("operator", "conv2d", kOperators), 1u);
  EXPECT_EQ(*FindName("extension", "EXT-FFT", kExtensions, "EXT-"), 3u);
  EXPECT_EQ(*FindName("extension", "bf16", kExtensions, "EXT-"), 0u);
  EXPECT_EQ(*FindName("extension", "ext-bf16", kExtensions, "EXT-"), 0u);
  EXPECT_FALSE(FindName("extension", "bf16", kExtensions));
  EXPECT_FALSE(FindName("extension", "", kExtensions, "EXT-"));
}

TEST(NameSearch, TakesNoNameForTwo) {
  const Names both = {"Abc", "aBC"};
  EXPECT_EQ(*FindName("letter", "aBC", both), 1u);
  EXPECT_EQ(FindName("letter", "abc", both).error().message,
            "no letter is named 'abc'; the nearest are Abc, aBC");
}

TEST(NameSearch, NamesTheNearest) {
  EXPECT_EQ(NearestNames("verfy", Names{"gen", "fuzz", "verify"}), Names{"verify"});
  EXPECT_EQ(NearestNames("evrify", Names{"gen", "fuzz", "verify"}), Names{"verify"});
  EXPECT_EQ(NearestNames("CONV", kOperators),
            (Names{"CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D"}));
  EXPECT_EQ(NearestNames("conv1d", kOperators), (Names{"CONV2D", "CONV3D"}));
  EXPECT_EQ(NearestNames("bf61", kExtensions, "EXT-"), Names{"EXT-BF16"});
  EXPECT_EQ(NearestNames("MATMUL", kOperators), Names{});
  EXPECT_EQ(NearestNames("", kOperators), Names{});
}

TEST(NameSearch, ListsAllWhereNoneIsNear) {
  EXPECT_EQ(UnknownName("operator", "MATMUL", kOperators).message,
            "no operator is named 'MATMUL'; there are ADD, CONV2D, CONV3D, DEPTHWISE_CONV2D, "
            "TRANSPOSE_CONV2D, SUB");
  EXPECT_EQ(UnknownName("operator", "MATMUL", Names(100, "ADD")).message,
            "no operator is named 'MATMUL'");
  EXPECT_EQ(UnknownName("operator", "SUP", kOperators).message,
            "no operator is named 'SUP'; the nearest is SUB");
  EXPECT_EQ(UnknownName("operator", "x", Names{}).message, "no operator is named 'x'");
}

}  // namespace
}  // namespace assay::name_search_test
