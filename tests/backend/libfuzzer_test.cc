// SPDX-License-Identifier: Apache-2.0
// Tests the libFuzzer target: links backends to it with clang, and runs them for a short time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "child_process.h"
#include "files.h"

namespace assay::libfuzzer_test {
namespace {

namespace fs = std::filesystem;

class LibFuzzer : public testing::Test {
 protected:
  void SetUp() override {
#ifndef ASSAY_FUZZER_OPTIONS
    GTEST_SKIP() << "no libassay_fuzzer.so in a build with sanitizers";
#else
    if (Shell("echo 'int LLVMFuzzerTestOneInput() { return 0; }' > x.c; "
              "clang-14 -fsanitize=fuzzer x.c -o x")
            .status != 0) {
      GTEST_SKIP() << "clang-14 or libclang-rt-14-dev is not installed";
    }
#endif
  }

  ChildReport Shell(const std::string& line) {
    const Result<ChildReport> report = RunChild(
        {{"sh", "-c", line + " 2>&1"}, folder_->path(), {}, 0}, "", {300, size_t{16} << 20});
    EXPECT_TRUE(report) << report.error().message;
    return *report;
  }

  // Compiles a C file of the project with the fuzz target.
  void Compile(const std::string& file, const std::string& options) {
#ifdef ASSAY_FUZZER_OPTIONS
    const ChildReport compiled = Shell("clang-14 -w -fsanitize=fuzzer -o fuzz " + options +
                                       " " ASSAY_SOURCE_DIR "/" + file + " " ASSAY_FUZZER_OPTIONS);
    ASSERT_EQ(compiled.status, 0) << compiled.output;
#else
    FAIL() << file << options;
#endif
  }

  // Returns the first file in the folder with this ending; "" if there is none.
  std::string FileWith(const std::string& ending) const {
    for (const auto& entry : fs::directory_iterator(folder_->path())) {
      if (entry.path().string().ends_with(ending)) return entry.path().filename();
    }
    return "";
  }

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

constexpr char kExample[] = "src/backend/examples/backend.c";
constexpr char kRun[] = "./fuzz -seed=1 -max_len=512 -len_control=0 -runs=";

// The bytes of libFuzzer all give valid vectors, on which a correct backend agrees.
TEST_F(LibFuzzer, FindsNothingInACorrectBackend) {
  Compile(kExample, "");
  const ChildReport run = Shell(kRun + std::string("500"));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("Done 500 runs"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("NEW    cov: "), std::string::npos) << run.output;
  EXPECT_EQ(FileWith(".tvec"), "");
}

TEST_F(LibFuzzer, WritesTheVectorOfAWrongResult) {
  Compile(kExample, "-Dfmin=fmax");
  const ChildReport run = Shell(kRun + std::string("20000"));
  EXPECT_NE(run.status, 0) << run.output;
  EXPECT_NE(run.output.find(": wrong value"), std::string::npos) << run.output;
  const std::string vector = FileWith(".tvec");
  ASSERT_NE(vector, "");
  EXPECT_NE(run.output.find("assay: wrote " + vector), std::string::npos) << run.output;
  const std::string assay = ASSAY_BINARY_DIR "/assay ";
  const ChildReport correct = Shell(assay + "verify " + vector +
                                    " --backend plugin:" ASSAY_BINARY_DIR "/example_backend.so");
  EXPECT_EQ(correct.status, 0) << correct.output;
}

TEST_F(LibFuzzer, TellsTheVectorOfACrash) {
  Compile("tests/backend/plugin_variants.c", "-pthread");
  const ChildReport run =
      Shell("ASSAY_VARIANT=crashes ASSAY_VECTOR=crash.tvec " + (kRun + std::string("100")));
  EXPECT_NE(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("SEGV"), std::string::npos) << run.output;
  const ChildReport shown = Shell(ASSAY_BINARY_DIR "/assay show crash.tvec");
  EXPECT_EQ(shown.status, 0) << shown.output;
}

TEST_F(LibFuzzer, RefusesABackendThatDeclaresNonsense) {
  Compile("tests/backend/plugin_variants.c", "-pthread");
  const ChildReport run = Shell("ASSAY_VARIANT=has-strange-operators " + (kRun + std::string("1")));
  EXPECT_EQ(run.status, 2) << run.output;
  EXPECT_NE(run.output.find("which TOSA 1.0 does not have"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace assay::libfuzzer_test
