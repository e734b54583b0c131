// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <gtest/gtest.h>

#include "command.h"

namespace assay::command_line_test {
namespace {

struct Options {
  int value = 3;
};

void Declare(CommandLine& line, Options& options) {
  line.Add("--value", options.value, "a number");
}

int Value(const Options& options) { return options.value; }
int Next(Options options) { return ++options.value; }

constexpr Command kInner = {
    .name = "inner", .summary = "", .declare = DeclareWith<Options, Declare, Next>};

void DeclareBoth(CommandLine& line, Options& options) {
  Declare(line, options);
  constexpr const Command* kCommands[] = {&kInner};
  line.AddCommands(kCommands);
}

constexpr Command kOuter = {
    .name = "outer", .summary = "", .declare = DeclareWith<Options, DeclareBoth, Value>};

class CommandLineTest : public testing::Test {
 protected:
  int Run(std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    Program program("program", "", "1");
    program.line().AddCommand(kOuter);
    const Result<bool> parsed = program.Parse(static_cast<int>(words.size()), words.data());
    EXPECT_TRUE(parsed && *parsed);
    const int status = program.Run();
    EXPECT_EQ(program.Run(), status) << "a run changes the options of the next one";
    return status;
  }
};

TEST_F(CommandLineTest, StartsEachRunWithFreshOptions) {
  EXPECT_EQ(Run({"outer", "--value", "5"}), 5);
  EXPECT_EQ(Run({"outer"}), 3);
}

TEST_F(CommandLineTest, RunsTheInnermostCommandWithItsOwnOptions) {
  EXPECT_EQ(Run({"outer", "--value", "5", "inner"}), 4);
  EXPECT_EQ(Run({"outer", "inner", "--value", "7"}), 8);
}

}  // namespace
}  // namespace assay::command_line_test
