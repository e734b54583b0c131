// SPDX-License-Identifier: Apache-2.0
// Tests the tables of other planners: their meaning, and which tables are refused.
#include "planner_tables.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::planner_tables_test {
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
  EXPECT_EQ(all.problem.pools[0].size_bytes, std::nullopt);
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
  // The gaps are sorted, though those in the file are not. The gap with a window stays, narrower.
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

TEST(LifetimeCsv, WordsOfTensorFlowLiteAndExecuTorch) {
  const PlannedProblem all = MiniMalloc(
      "tensor,size,first_node,last_node,offset,mem_id\n4,256,0,2,64,1\n5,16,3,3,0,2\n6,8,1,1,,\n");
  ASSERT_EQ(all.problem.buffers.size(), 3u);
  EXPECT_EQ(all.problem.buffers[0].live, (std::vector<LiveRange>{{0, 3}}));
  EXPECT_EQ(all.problem.buffers[1].pool_candidates, std::vector<int32_t>{1});
  ASSERT_EQ(all.problem.pools.size(), 3u);
  EXPECT_EQ(all.problem.pools[1].name, "2");
  EXPECT_EQ(all.plan->allocations[1], (PoolAllocation{1, 0}));
}

PlannedProblem Table(const std::string& text) {
  const auto read = ReadPlan(text, "t.json");
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : PlannedProblem{};
}

std::string TableError(const std::string& text, std::optional<PlanFormat> format = std::nullopt) {
  const auto read = ReadPlan(text, "t.json", format);
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error().message;
}

TEST(TvmTable, BuffersPoolsConflictsOffsets) {
  const PlannedProblem all = Table(R"({"pools": {"fast": 900, "slow": -1}, "buffers": [
      {"name": "c1", "size": 500, "align": 16, "pools": ["slow", "fast"], "conflicts": ["c2", "c2", "c1"]},
      {"name": "c2", "size": 300, "pools": ["fast"], "conflicts": [], "const": true,
       "live_stmt_ranges": [[9, 9], [3, 5]], "offset": 4}],
      "offsets": {"c1": {"pool": "fast", "byte_offset": 512}, "c3": {"pool": "slow", "byte_offset": 1}}})");
  const MemoryProblem& problem = all.problem;
  ASSERT_EQ(problem.pools.size(), 2u);
  EXPECT_EQ(problem.pools[0].name, "fast");
  EXPECT_EQ(problem.pools[0].size_bytes, 900);
  EXPECT_EQ(problem.pools[1].size_bytes, std::nullopt);
  ASSERT_EQ(problem.buffers.size(), 2u);
  EXPECT_EQ(problem.buffers[0].alignment, 16);
  EXPECT_EQ(problem.buffers[0].pool_candidates, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(problem.buffers[0].conflicts, (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(problem.buffers[1].kind, BufferKind::kConstant);
  EXPECT_EQ(problem.buffers[1].live, (std::vector<LiveRange>{{3, 6}, {9, 10}}));
  ASSERT_TRUE(all.plan);
  EXPECT_EQ(all.plan->allocations[0], (PoolAllocation{0, 512}));
  EXPECT_EQ(all.plan->allocations[1], (PoolAllocation{0, 4}));
  EXPECT_EQ(all.plan->strays, (std::vector<StrayAllocation>{{"c3", "slow", 1}}));
}

TEST(TvmTable, InputsAndOutputsLiveForTheCaller) {
  // The statements go from 3 to 9: the caller writes a before them, and reads c after them.
  const PlannedProblem all =
      Table(R"({"kind": {"a": "input", "c": "output", "d": "input"}, "buffers": [
      {"name": "a", "size": 1, "live_stmt_ranges": [[5, 6]]}, {"name": "b", "size": 1, "live_stmt_ranges": [[3, 9]]},
      {"name": "c", "size": 1, "live_stmt_ranges": [[3, 3], [7, 7]]}]})");
  EXPECT_EQ(all.problem.buffers.at(0).live, (std::vector<LiveRange>{{3, 7}}));
  EXPECT_EQ(all.problem.buffers.at(1).live, (std::vector<LiveRange>{{3, 10}}));
  EXPECT_EQ(all.problem.buffers.at(2).live, (std::vector<LiveRange>{{3, 4}, {7, 10}}));
}

TEST(TvmTable, WithoutPoolsOrOffsets) {
  const PlannedProblem all = Table(R"({"buffers": [{"name": "a", "size": 1, "pools": ["w"]}]})");
  EXPECT_EQ(all.problem.pools.size(), 1u);
  EXPECT_EQ(all.problem.pools[0].name, "w");
  EXPECT_FALSE(all.plan);
}

TEST(TvmTable, RefusesWithPlace) {
  const auto one = [](const std::string& fields, const std::string& rest = "") {
    return TableError(R"({"pools": {"p": 8, "q": 8}, "buffers": [{)" + fields + "}]" + rest + "}");
  };
  EXPECT_EQ(one(R"("size": 1)"), "t.json: /buffers/0: has no name");
  EXPECT_EQ(one(R"("name": "a")"), "t.json: /buffers/0: has no size");
  EXPECT_EQ(one(R"("name": "a", "size": -1)"), "t.json: /buffers/0/size: -1 is less than 0");
  EXPECT_EQ(one(R"("name": "a", "size": 1.5)"),
            "t.json: /buffers/0/size: is not a whole number of 64 bits");
  EXPECT_EQ(one(R"("name": "a", "size": 9223372036854775808)"),
            "t.json: /buffers/0/size: is not a whole number of 64 bits");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "align": 0)"),
            "t.json: /buffers/0/align: 0 is less than 1");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "color": 0)"),
            "t.json: /buffers/0/color: a field that is not known");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "pools": ["r"])"),
            "t.json: /buffers/0/pools/0: there is no pool \"r\"");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "conflicts": ["b"])"),
            "t.json: /buffers/0/conflicts/0: there is no buffer \"b\"");
  for (const std::string field : {"conflicts", "live_stmt_ranges", "pools"}) {
    for (const std::string value : {"7", "\"x\"", "true", "{}"}) {
      EXPECT_EQ(one(R"("name": "a", "size": 1, ")" + field + "\": " + value),
                "t.json: /buffers/0/" + field + ": is not a list");
    }
  }
  EXPECT_EQ(one(R"("name": "a", "size": 1, "live_stmt_ranges": [7])"),
            "t.json: /buffers/0/live_stmt_ranges/0: is not [first, last]");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "const": 7)"),
            "t.json: /buffers/0/const: is not true or false");
  EXPECT_EQ(one(R"("name": "a", "size": 1, "offset": 0)"),
            "t.json: /buffers/0: does not say in which pool the offset is");
  EXPECT_EQ(one(R"("name": "a", "size": 1)", R"(, "offsets": {"a": {"pool": "r", "offset": 0}})"),
            "t.json: /offsets/a/pool: there is no pool \"r\"");
  EXPECT_EQ(one(R"("name": "a", "size": 1}, {"name": "a", "size": 1)"),
            "t.json: /buffers/1/name: there are two of this name");
  EXPECT_EQ(one(R"("name": "a", "size": 9223372036854775807)"),
            "t.json: buffer 0 \"a\": size_bytes 9223372036854775807 makes more bytes than can be "
            "planned");
  EXPECT_EQ(TableError("{\"buffers\": [\n {\"name\": }]}"),
            "t.json: line 2, column 11: is no JSON");
  EXPECT_EQ(TableError("{\"buffers\": 2e999999999}"), "t.json: has a number that is too large");
  EXPECT_EQ(TableError(std::string(100, '[')), "t.json: line 1: too many levels");
  EXPECT_EQ(TableError("[]", PlanFormat::kTvm), "t.json: is not an object");
  EXPECT_EQ(TableError("id,lower", PlanFormat::kTvm), "t.json: is no JSON");
  EXPECT_EQ(TableError("{}", PlanFormat::kMiniMalloc), "t.json: is no CSV");
}

TEST(LifetimeTable, ExecuTorch) {
  const PlannedProblem all = Table(R"({"alignment": 16, "non_const_buffer_sizes": [0, 2048, 8],
      "specs": [{"name": "A", "size": 1024, "life": [0, 2], "mem_offset": 0},
                {"name": "B", "allocated_memory": 8, "lifetime": [1, 1], "mem_id": 2, "mem_offset": 0,
                 "alignment": 4}]})");
  ASSERT_EQ(all.problem.buffers.size(), 2u);
  EXPECT_EQ(all.problem.buffers[0].alignment, 16);
  EXPECT_EQ(all.problem.buffers[0].live, (std::vector<LiveRange>{{0, 3}}));
  EXPECT_EQ(all.problem.buffers[1].alignment, 4);
  ASSERT_EQ(all.problem.pools.size(), 2u);
  EXPECT_EQ(all.problem.pools[0].size_bytes, 2048);
  EXPECT_EQ(all.problem.pools[1].name, "2");
  EXPECT_EQ(all.problem.pools[1].size_bytes, 8);
  EXPECT_EQ(all.plan->allocations[1], (PoolAllocation{1, 0}));
}

TEST(LifetimeTable, InPlace) {
  const auto live_of_base = [](const std::string& in_place) {
    return Table(
               R"({"specs": [{"name": "A", "size": 8, "life": [0, 2], "offset": 4}, {"name": "C", )" +
               in_place + R"(, "inplace_base": "A"}]})")
        .problem.buffers.at(0)
        .live;
  };
  using Live = std::vector<LiveRange>;
  // C has the place of A, and begins at the tick at which A is read for the last time. So A ends
  // there.
  EXPECT_EQ(live_of_base(R"("size": 8, "life": [2, 6], "offset": 4)"), (Live{{0, 2}}));
  // C is smaller than A. The bytes of A beyond C are still read.
  EXPECT_EQ(live_of_base(R"("size": 6, "life": [2, 6], "offset": 4)"),
            (Live{{0, 2}, {2, 3, 6, 8}}));
  // C lies elsewhere, or begins before the last read: nothing changes.
  EXPECT_EQ(live_of_base(R"("size": 8, "life": [2, 6], "offset": 5)"), (Live{{0, 3}}));
  EXPECT_EQ(live_of_base(R"("size": 8, "life": [1, 6], "offset": 4)"), (Live{{0, 3}}));
}

TEST(LifetimeTable, TensorFlowLite) {
  const PlannedProblem all = Table(R"({"arena_size": 64, "tensors": [
      {"tensor": 7, "size": 8, "first_node": 1, "last_node": 1, "offset": 8}, {"size": 8, "first": 0, "last": 2}]})");
  EXPECT_EQ(all.problem.pools[0].size_bytes, 64);
  EXPECT_EQ(all.problem.buffers[0].name_hint, "7");
  EXPECT_EQ(all.problem.buffers[1].name_hint, "1");
  EXPECT_EQ(all.problem.buffers[1].live, (std::vector<LiveRange>{{0, 3}}));
  EXPECT_FALSE(all.plan->allocations[1]);
}

TEST(LifetimeTable, RefusesWithPlace) {
  const auto one = [](const std::string& fields, const std::string& rest = "") {
    return TableError("{\"specs\": [{" + fields + "}]" + rest + "}");
  };
  EXPECT_EQ(one(R"("life": [0, 1])"), "t.json: /specs/0: has no size");
  EXPECT_EQ(one(R"("size": 1)"), "t.json: /specs/0: has no first");
  EXPECT_EQ(one(R"("size": 1, "life": [3, 1])"),
            "t.json: /specs/0: its lifetime ends at 1, and begins at 3");
  EXPECT_EQ(one(R"("size": 1, "life": [3])"), "t.json: /specs/0/life: is not [first, last]");
  EXPECT_EQ(one(R"("size": 1, "life": [0, 1], "inplace_base": "x")"),
            "t.json: /specs/0/inplace_base: there is no tensor \"x\"");
  EXPECT_EQ(one(R"("size": 1, "life": [0, 1])", R"(, "non_const_buffer_sizes": [0])"),
            "t.json: /non_const_buffer_sizes: has no size of mem_id 1");
}

TEST(PlanTables, FormatByContent) {
  EXPECT_EQ(Table("id,lower,upper,size\na,0,1,2\n").problem.buffers.size(), 1u);
  EXPECT_EQ(Table(R"( {"format": "assay-plan", "version": 1, "pools": [], "buffers": []})"),
            PlannedProblem{});
  EXPECT_EQ(PlanFormatNamed("tflite"), PlanFormat::kTflite);
  EXPECT_FALSE(PlanFormatNamed("xla"));
}

}  // namespace
}  // namespace assay::planner_tables_test
