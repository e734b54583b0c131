// SPDX-License-Identifier: Apache-2.0
// Tests `assay fuzz --guided-by-backend` on a plugin that clang compiles for SanitizerCoverage.
#include <limits>

#include "json_output.h"
#include "run_assay.h"

namespace assay::code_guide_cli_test {
namespace {

class CodeGuideCli : public Cli {
 protected:
  static constexpr char kFuzz[] =
      "fuzz --backend plugin:./rare.so --kind operator --kind graph --seed 3 --op "
      "ABS,ADD,NEGATE,MAXIMUM --declare no-checks --out ";

  void SetUp() override {
    if (RunShell("echo 'int x;' > x.c; clang-14 -fsyntax-only x.c").status != 0) {
      GTEST_SKIP() << "clang-14 is not installed";
    }
    const Ran compiled = Compile("-fsanitize-coverage=inline-8bit-counters");
    ASSERT_EQ(compiled.status, 0) << compiled.errors;
  }

  Ran Compile(const std::string& options) {
    return RunShell("clang-14 -w -O1 -shared -fPIC -o rare.so " + options +
                    " " ASSAY_SOURCE_DIR "/tests/backend/rare_branches.c " ASSAY_PLUGIN_OPTIONS);
  }

  // Returns a fact in the report of a run.
  std::string Fact(const std::string& folder, const std::string& name) {
    const std::string text = *ReadTextFile(Path(folder + "/report.jsonl"));
    const auto head = JsonFrom(text.substr(0, text.find('\n')));
    return head["about"].value(name, "");
  }
};

// The fault is behind conditions that few vectors meet. Random cases of the same number miss it.
TEST_F(CodeGuideCli, FindsAFaultBehindRareBranches) {
  const std::string budget = " --budget 3072";
  ExpectStatus(1, kFuzz + ("a --guided-by-backend" + budget), "edges of the backend");
  EXPECT_NE(Fact("a", "code of the backend").find(" edges ran"), std::string::npos);
  EXPECT_NE(Fact("a", "choice of cases").find("another run may choose"), std::string::npos);
  EXPECT_NE(AnyFile("a/corpus", ".tvec"), "");
  ExpectStatus(0, kFuzz + ("b" + budget), "0 disagrees");
  EXPECT_EQ(Fact("b", "code of the backend"), "");
}

TEST_F(CodeGuideCli, GoesOnWithWhatItKnows) {
  ExpectStatus(0, kFuzz + std::string("a --guided-by-backend --budget 300"), "edges");
  const auto first = JsonFrom(*ReadTextFile(Path("a/code_guide.json")));
  EXPECT_EQ(first["learned"], 300);
  ExpectStatus(0, kFuzz + std::string("a --guided-by-backend --budget 600 --resume"), "edges");
  const auto then = JsonFrom(*ReadTextFile(Path("a/code_guide.json")));
  EXPECT_EQ(then["learned"], 600);
  EXPECT_GE(then["parents"].size(), first["parents"].size());
}

TEST_F(CodeGuideCli, NeedsCounters) {
  ExpectStatus(2, kFuzz + std::string("a --guided-by-backend --guided --budget 1"), "excludes");
  ASSERT_EQ(Compile("").status, 0);
  ExpectStatus(3, kFuzz + std::string("a --guided-by-backend --budget 1"),
               "plugin:./rare.so: has no counters for --guided-by-backend");
  // All that libFuzzer instruments is there, too.
  ASSERT_EQ(Compile("-fsanitize=fuzzer-no-link").status, 0);
  ExpectStatus(0, kFuzz + std::string("b --guided-by-backend --budget 20"), "edges");
}

TEST_F(CodeGuideCli, RefusesADamagedOrAnotherFile) {
  const std::string run = kFuzz + std::string("a --guided-by-backend --budget 20 --resume");
  ExpectStatus(0, run, "edges");
  const std::string file = Path("a/code_guide.json"), text = *ReadTextFile(file);
  std::ofstream(file) << "{";
  ExpectStatus(2, run, "a/code_guide.json: is not JSON");
  auto json = JsonFrom(text);
  json["finds"][0] = 9;
  std::ofstream(file) << json;
  ExpectStatus(2, run, "a/code_guide.json: /finds/0: is more than 8");
  json["finds"][0] = 0;
  json["kinds"][0]["next"] = std::numeric_limits<int64_t>::max();
  std::ofstream(file) << json;
  ExpectStatus(2, run, "a/code_guide.json: /kinds/0/next: 9223372036854775807 is more than");
  json["edges"] = 7;
  std::ofstream(file) << json;
  ExpectStatus(2, run, "is of a backend with 7 edges");
}

}  // namespace
}  // namespace assay::code_guide_cli_test
