// SPDX-License-Identifier: Apache-2.0
// Tests the forms of the help: of a command, as a page for man, as scripts for shells.
#include <algorithm>

#include "run_assay.h"

namespace assay::cli_help_test {
namespace {

class HelpCli : public Cli {
 protected:
  // Returns what bash offers behind a command line whose last word is not finished.
  std::string Offers(const std::string& words, int last) {
    const std::string script = "source c.bash; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(last) +
                               "; _assay; echo \"${COMPREPLY[@]}\"";
    std::ofstream(Path("s.sh")) << script;
    return RunShell("bash s.sh").output;
  }
};

TEST_F(HelpCli, IsThatOfTheCommand) {
  const Ran help = ExpectStatus(0, "help plan check", "Usage: assay plan check");
  EXPECT_EQ(help.output, ExpectStatus(0, "plan check --help", "Usage").output);
  ExpectStatus(0, "help", "Usage: assay [OPTIONS] SUBCOMMAND");
  ExpectStatus(2, "help verfy", "no command is named 'verfy'; the nearest is verify");
  ExpectStatus(0, "--version", "built with ");
}

// The lists that many commands share are pages of their own, so each help fits two screens.
TEST_F(HelpCli, HasAtMostSixtyLines) {
  const std::string words = Run("help --completion bash").output;
  int commands = 0;
  for (size_t at = words.find("\n    '"); at != std::string::npos;
       at = words.find("\n    '", at + 1)) {
    const size_t begin = at + 6, end = words.find('\'', begin);
    std::string command = words.substr(begin, end - begin);
    if (command.find(' ') != std::string::npos) continue;  // the choices of an option
    std::ranges::replace(command, '/', ' ');
    const std::string help = ExpectStatus(0, "help " + command, "Usage: assay").output;
    EXPECT_LE(std::ranges::count(help, '\n'), 60) << command;
    ++commands;
  }
  EXPECT_GT(commands, 30);
  ExpectStatus(0, "help backends", "\n  worker:COMMAND\n");
  ExpectStatus(0, "help faults", "\n  first-operand-only ");
  ExpectStatus(0, "help options", "\n  control-flow\n");
}

TEST_F(HelpCli, IsAPageForMan) {
  const std::string page = ExpectStatus(0, "help --man", ".TH ASSAY 1").output;
  for (const char* text : {".SS plan check\n", ".B \\-\\-known FILE\n", ".SH EXIT STATUS\n"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST_F(HelpCli, CompletesCommandsOptionsAndChoices) {
  std::ofstream(Path("c.bash")) << Run("help --completion bash").output;
  EXPECT_EQ(Offers("assay veri", 1), "verify\n");
  EXPECT_EQ(Offers("assay verify --mini", 2), "--minimize\n");
  EXPECT_EQ(Offers("assay plan ch", 2), "check\n");
  EXPECT_EQ(Offers("assay run --kernels f", 3), "fast\n");
  EXPECT_EQ(Offers("assay verify suite --update", 3), "--update-known\n");
  EXPECT_NE(Run("help --completion zsh").output.find("bashcompinit"), std::string::npos);
  ExpectStatus(2, "help --completion fish", "fish");
}

}  // namespace
}  // namespace assay::cli_help_test
