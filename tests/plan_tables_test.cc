// Tables of other planners: what they say, and what of them is refused.
#include "plan_tables.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

PlannedProblem MiniMalloc(const std::string& text) {
  const auto read = ReadMiniMalloc(text, "t.csv");
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : PlannedProblem{};
}

std::string MiniMallocError(const std::string& text) {
  const auto read = ReadMiniMalloc(text, "t.csv");
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error().message;
}

TEST(MiniMallocCsv, Columns) {
  const PlannedProblem all = MiniMalloc("size,id,upper,lower\n4,a,9,3\n0,b,3,3\n");
  ASSERT_EQ(all.problem.buffers.size(), 2u);
  EXPECT_EQ(all.problem.buffers[0].name_hint, "a");
  EXPECT_EQ(all.problem.buffers[0].size_bytes, 4);
  EXPECT_EQ(all.problem.buffers[0].alignment, 1);
  EXPECT_EQ(all.problem.buffers[0].live, (std::vector<LiveRange>{{3, 9}}));
  EXPECT_TRUE(all.problem.buffers[1].live.empty());
  ASSERT_EQ(all.problem.pools.size(), 1u);
  EXPECT_EQ(all.problem.pools[0].size_bytes, -1);
  EXPECT_FALSE(all.plan);
}

TEST(MiniMallocCsv, Synonyms) {
  // `end` is the last tick, `upper` the one behind it: [3, 9] is [3, 10).
  for (const char* header : {"buffer,start,end,size", "buffer_id,begin,end,size"}) {
    const PlannedProblem all = MiniMalloc(std::string(header) + "\na,3,9,4");
    EXPECT_EQ(all.problem.buffers.at(0).live, (std::vector<LiveRange>{{3, 10}}));
  }
}

TEST(MiniMallocCsv, OffsetsAreThePlan) {
  const PlannedProblem all = MiniMalloc("id,lower,upper,size,offset\na,0,1,4,8\nb,0,1,4,\n");
  ASSERT_TRUE(all.plan);
  ASSERT_EQ(all.plan->allocations.size(), 2u);
  EXPECT_EQ(all.plan->allocations[0], (PoolAllocation{0, 8}));
  EXPECT_FALSE(all.plan->allocations[1]);
}

TEST(MiniMallocCsv, GapsSplitTheLifetime) {
  // Sorted, though the file's are not; the one with a window stays, narrower.
  const PlannedProblem all =
      MiniMalloc("id,lower,upper,size,gaps\na,0,20,8,12-14@2:5  4-6\nb,-9,-2,8,-5--3\n");
  EXPECT_EQ(all.problem.buffers.at(0).live,
            (std::vector<LiveRange>{{0, 4}, {6, 12}, {12, 14, 2, 5}, {14, 20}}));
  EXPECT_EQ(all.problem.buffers.at(1).live, (std::vector<LiveRange>{{-9, -5}, {-3, -2}}));
}

TEST(MiniMallocCsv, LineEndsBlanksQuotesTrailingCommas) {
  const PlannedProblem all = MiniMalloc(
      "\xef\xbb\xbfid,lower,upper,size,\r\n\r\n\"a,\"\"b\"\"\" , 0 ,1,4,\r\n,,,,\r\nc,0,1,4");
  ASSERT_EQ(all.problem.buffers.size(), 2u);
  EXPECT_EQ(all.problem.buffers[0].name_hint, "a,\"b\"");
  EXPECT_EQ(all.problem.buffers[1].name_hint, "c");
}

TEST(MiniMallocCsv, RefusesWithLineAndColumn) {
  const std::string header = "id,lower,upper,size,alignment,gaps\n";
  EXPECT_EQ(MiniMallocError(""), "t.csv: no header row");
  EXPECT_EQ(MiniMallocError("id,lower,size\n"), "t.csv: line 1, column 1: no column \"upper\"");
  EXPECT_EQ(MiniMallocError("id,lower,upper,size,colour\n"),
            "t.csv: line 1, column 21: no column is called \"colour\"");
  EXPECT_EQ(MiniMallocError("id,lower,upper,size,end\n"),
            "t.csv: line 1, column 21: a second column says what another one does: \"end\"");
  EXPECT_EQ(MiniMallocError(header + "a,5,3,4\n"),
            "t.csv: line 2, column 5: the lifetime ends at 3, before it begins at 5");
  EXPECT_EQ(MiniMallocError(header + "a,0,3,4,0\n"),
            "t.csv: line 2, column 9: alignment 0 is less than 1");
  EXPECT_EQ(MiniMallocError(header + "a,0,3,-4\n"),
            "t.csv: line 2, column 7: size -4 is less than 0");
  EXPECT_EQ(MiniMallocError(header + "\na,0,3,9223372036854775808\n"),
            "t.csv: line 3, column 7: size: \"9223372036854775808\" is beyond 64 bits");
  EXPECT_EQ(MiniMallocError(header + "a,0,3x,4\n"),
            "t.csv: line 2, column 5: upper: \"3x\" is not a whole number");
  EXPECT_EQ(MiniMallocError(header + "a,0\n"),
            "t.csv: line 2, column 4: size: \"\" is not a whole number");
  EXPECT_EQ(MiniMallocError(header + "a,0,3,4\nb,0,3,4\na,0,3,4\n"),
            "t.csv: line 4, column 1: id \"a\" stands in line 2 already");
  EXPECT_EQ(MiniMallocError(header + "a,0,3,4,1,,7\n"),
            "t.csv: line 2, column 12: a field without a column's name");
  EXPECT_EQ(MiniMallocError(header + "a,0,9,4,1,2-3 5\n"),
            "t.csv: line 2, column 15: gap \"5\" is neither l-u nor l-u@wl:wu");
  EXPECT_EQ(MiniMallocError(header + "a,0,9,4,1,2-5 4-6\n"),
            "t.csv: line 2, column 11: two gaps overlap at tick 4");
  EXPECT_EQ(MiniMallocError(header + "a,0,9,4,1,2-5@1:5\n"),
            "t.csv: line 2, column 11: the window of gap \"2-5@1:5\" is not in the buffer");
  EXPECT_EQ(MiniMallocError(header + "\"a,0,9,4\n"),
            "t.csv: line 2, column 1: a quote without its counterpart in the line");
  EXPECT_EQ(MiniMallocError("id,lower,end,size\na,0,9223372036854775807,4\n"),
            "t.csv: line 2, column 5: end is the last tick of all");
  EXPECT_LT(MiniMallocError(header + "a,0,3," + std::string(1 << 20, 'x') + "\n").size(), 200u);
}

TEST(MiniMallocCsv, LimitOfMemory) {
  const auto read = ReadMiniMalloc("id,lower,upper,size\na,0,1,4\n", "t.csv", {.memory_max = 100});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::kResource);
  EXPECT_EQ(read.error().message,
            "t.csv: line 2: the buffers take more than 100 bytes of memory, the limit memory_max");
}

}  // namespace
}  // namespace assay
