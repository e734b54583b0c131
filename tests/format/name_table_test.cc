// SPDX-License-Identifier: Apache-2.0
#include "name_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::name_table_test {
namespace {

// Names are entered in one call. More names are entered later, so that the table has to grow.
TEST(NameTable, FindsAllNamesAlsoAfterItGrew) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("tensor" + std::to_string(i));
  NameTable table;
  table.Reset(1000);
  EXPECT_FALSE(table.Find("tensor0"));
  for (size_t i = 0; i < names.size(); ++i) {
    table.Append(names[i]);
    if (i % 700 == 699 || i + 1 == names.size()) {
      EXPECT_FALSE(table.Enter());
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(table.Find(names[i]), static_cast<TensorIndex>(i)) << names[i];
  }
  EXPECT_FALSE(table.Find("tensor3000"));
  EXPECT_FALSE(table.Find(""));
}

TEST(NameTable, SaysWhatIsThereTwice) {
  NameTable table;
  table.Reset(2);
  for (const std::string_view name : {"a", "", "b"}) table.Append(name);
  EXPECT_FALSE(table.Enter());
  EXPECT_EQ(table.Find(""), 1);
  // A repeated name is found even if it was entered before the table grew.
  for (const std::string_view name : {"c", "d", "e", "f", "g", "h", "b", "a"}) table.Append(name);
  EXPECT_EQ(table.Enter(), "b");
  table.Reset(1);
  EXPECT_FALSE(table.Find("a"));
  table.Append("a");
  EXPECT_FALSE(table.Enter());
  EXPECT_EQ(table.Find("a"), 0);
}

}  // namespace
}  // namespace assay::name_table_test
