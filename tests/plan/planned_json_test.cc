// SPDX-License-Identifier: Apache-2.0
// Tests memory problems and plans as JSON: a document that is written can be read, and mistakes are
// named.
#include "planned_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::planned_json_test {
namespace {

// Returns a problem and a plan with everything that a document can contain.
PlannedProblem Everything() {
  PlannedProblem planned;
  planned.problem.pools = {
      {"dtcm", 1000, 16, 32, {{"c", PoolAccess::kReadWrite}, {"npu", PoolAccess::kReadOnly}}},
      {"sram", {}, 1, 0, {}}};
  planned.problem.buffers = {
      {"x\"\n\u00e4", 8, 4, {{-3, 5, 2, 6}, {5, 9}, {9, 9}}, {}, {1, 0}, 64, BufferKind::kInput},
      {"y", 0, 1, {}, {0, 2}, {}, {}, BufferKind::kScratch},
      {"z", int64_t{1} << 61, 1, {{0, 1}}, {0, 0}, {}, {}, BufferKind::kConstant}};
  planned.plan =
      MemoryPlan{{{{1, 64}}, std::nullopt, {{0, -7}}}, {{"none", "sram", 3}, {"z", "dtcm", 1}}};
  return planned;
}

TEST(PlanJson, IsReadAsItWasWritten) {
  const PlannedProblem planned = Everything();
  const Result<std::string> text = PlanJson(planned);
  ASSERT_TRUE(text) << text.error().message;
  const Result<PlannedProblem> read = ParsePlanJson(*text, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, planned);
  EXPECT_EQ(*PlanJson(*read), *text);
}

TEST(PlanJson, TellsNoPlanFromAnEmptyOne) {
  for (const bool solved : {false, true}) {
    PlannedProblem planned;
    if (solved) planned.plan.emplace();
    const Result<PlannedProblem> read = ParsePlanJson(*PlanJson(planned), "x.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, planned);
  }
}

TEST(PlanJson, RefusesToWriteNamesThatAreNotUtf8) {
  PlannedProblem planned;
  planned.problem.pools = {{"\xff", {}, 1, 0, {}}};
  const Result<std::string> text = PlanJson(planned);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "\"\\xff\": a name that is not UTF-8, as JSON asks");
}

std::string Document(const std::string& pools, const std::string& buffers,
                     const std::string& rest = "") {
  return R"({"format": "assay-plan", "version": 1, "pools": [)" + pools + R"(], "buffers": [)" +
         buffers + "]" + rest + "}";
}

TEST(PlanJson, NamesWhatIsWrong) {
  const std::string pool = R"({"name": "p"})";
  const std::string buffer = R"({"name": "a", "size_bytes": 4})";
  const auto with = [&](const std::string& field) {
    return Document(pool, R"({"name": "a", "size_bytes": 4, )" + field + "}");
  };
  const auto plan = [&](const std::string& rows) {
    return Document(pool, buffer, R"(, "plan": [)" + rows + "]");
  };
  const std::string allocation = R"({"buffer": "a", "pool": "p", "offset": 0})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "line 1, column 1: is no JSON"},
      {"{\n  \"format\": x", "line 2, column 13: is no JSON"},
      {Document(pool, buffer) + "x", "line 1, column 110: is no JSON"},
      {"[]", "the document: is not an object"},
      {"{}", "the document: has no field format"},
      {R"({"format": "other"})", R"(/format: is not "assay-plan")"},
      {R"({"version": 2})", "/version: is 2; this build reads 1"},
      {R"({"version": 1, "version": 1})", "/version: is there twice"},
      {R"({"Version": 1})", R"(/"Version": a field that plans do not have)"},
      {R"({"pools": {}})", "/pools: is not a list"},
      {Document("null", ""), "/pools/0: is not an object"},
      {Document("{}", ""), "/pools/0: has no field name"},
      {Document(R"({"name": "p", "targets": {"c": "wr"}})", ""),
       R"(/pools/0/targets/c: is neither "rw" nor "ro")"},
      {Document(R"({"name": "p", "targets": {"c": "rw", "c": "ro"}})", ""),
       "/pools/0/targets/c: is there twice"},
      {Document(pool + "," + pool, ""), R"(pool 1 "p": is there twice)"},
      {Document(R"({"name": "p", "size_bytes": -2})", ""),
       R"(pool 0 "p": size_bytes -2 is negative)"},
      {Document(R"({"name": "p", "offset": -3})", ""), R"(pool 0 "p": offset -3 is negative)"},
      {Document(R"({"name": "p", "offset": 9223372036854775807})", ""),
       R"(pool 0 "p": offset 9223372036854775807 makes more bytes than can be planned)"},
      {Document(pool, buffer + "," + buffer), R"(buffer 1 "a": is there twice)"},
      {Document(pool, R"({"name": "a"})"), "/buffers/0: has no field size_bytes"},
      {Document(pool, R"({"name": "a", "size_bytes": -1})"),
       R"(buffer 0 "a": size_bytes -1 is negative)"},
      {Document(pool, R"({"name": "a", "size_bytes": 1.5})"),
       "/buffers/0/size_bytes: 1.5 is no integer of 64 bits"},
      {Document(pool, R"({"name": "a", "size_bytes": 9223372036854775808})"),
       "/buffers/0/size_bytes: is beyond 64 bits"},
      {Document(pool, R"({"name": "a", "size_bytes": 99999999999999999999})"),
       "/buffers/0/size_bytes: 99999999999999999999 is no integer of 64 bits"},
      {Document(pool, R"({"name": "a", "size_bytes": 9223372036854775807})"),
       R"(buffer 0 "a": size_bytes 9223372036854775807 makes more bytes than can be planned)"},
      {with(R"("alignment": 0)"), R"(buffer 0 "a": alignment 0 is not positive)"},
      {with(R"("kind": "output", "live": [[5, 3]])"),
       R"(buffer 0 "a": live range [5, 3) ends before it starts)"},
      {with(R"("live": [[0, 3], [2, 4]])"),
       R"(buffer 0 "a": live range [2, 4) starts before the one ahead of it ends)"},
      {with(R"("live": [[0, 3, 1, 5]])"),
       R"(buffer 0 "a": live range [0, 3) has a window that is not in the buffer)"},
      {with(R"("live": [[0, 3, 1]])"), "/buffers/0/live/0: a live range has two or four numbers"},
      {with(R"("live": [[0, 3, 1, 2, 3]])"),
       "/buffers/0/live/0/4: is one too many; a live range has two or four"},
      {with(R"("kind": "weight")"), "/buffers/0/kind: is no kind of buffer"},
      {with(R"("conflicts": ["b"])"), R"(/buffers/0/conflicts/0: there is no "b")"},
      {with(R"("conflicts": ["a"])"), R"(buffer 0 "a": conflicts with itself)"},
      {with(R"("pool_candidates": ["p", "q"])"),
       R"(/buffers/0/pool_candidates/1: there is no "q")"},
      {with(R"("alignment": 4, "fixed_offset": 6)"),
       R"(buffer 0 "a": fixed_offset 6 is no multiple of the alignment 4)"},
      {with(R"("fixed_offset": -4)"), R"(buffer 0 "a": fixed_offset -4 is negative)"},
      {plan(R"({"buffer": "a", "pool": "q", "offset": 0})"), R"(/plan/0/pool: there is no "q")"},
      {plan(R"({"buffer": "a", "pool": "p"})"), "/plan/0: has no field offset"},
  };
  for (const auto& [text, message] : cases) {
    const Result<PlannedProblem> read = ParsePlanJson(text, "x.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "x.json: " + message) << text;
  }
  EXPECT_TRUE(ParsePlanJson(plan(allocation), "x.json"));
}

}  // namespace
}  // namespace assay::planned_json_test
